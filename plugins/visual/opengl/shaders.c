/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Shaders, GLSL 3.30. Light is that of Blinn (Models of light reflection, 1977): ambient, diffuse by Lambert, a highlight by the half
 * vector. Everything is computed in the world's frame.
 */
#include "renderer.h"

#include <string.h>

/* What a program is not needed for is left out of it: its switch is a constant. WITHOUT_... are defined by program.c. */
#define SWITCH(feature, name) \
    "#ifdef WITHOUT_" feature "\nconst bool " name " = false;\n#else\nuniform bool " name ";\n#endif\n"
#define HAS(feature, name) \
    "#ifdef WITHOUT_" feature "\nconst bool " name " = false;\n#else\nconst bool " name " = true;\n#endif\n"

#define CLIPPING                                                                        \
    "#ifdef WITHOUT_CLIPS\n"                                                            \
    "void clip(vec4 world)\n"                                                           \
    "{\n"                                                                               \
    "}\n"                                                                               \
    "#else\n"                                                                           \
    "uniform int dv_clip_count;\n"                                                      \
    "uniform vec4 dv_clips[8];\n"                                                       \
    "out float gl_ClipDistance[8];\n"                                                   \
    "void clip(vec4 world)\n"                                                           \
    "{\n"                                                                               \
    "    for (int i = 0; i < 8; i++)\n"                                                 \
    "        gl_ClipDistance[i] = i < dv_clip_count ? dot(dv_clips[i], world) : 1.0;\n" \
    "}\n"                                                                               \
    "#endif\n"

#define OUTPUTS                   \
    "out vec3 dv_world;\n"        \
    "out vec3 dv_world_normal;\n" \
    "out vec2 dv_uv;\n"           \
    "out vec4 dv_vertex_color;\n"

const char *const shader_vertex[PROGRAM_KINDS] = {
    [PROGRAM_SURFACE] = "in vec3 dv_position;\n"
                        "in vec3 dv_normal;\n"
                        "in vec2 dv_texcoord;\n"
                        "in vec4 dv_color;\n"
                        "uniform mat4 dv_view, dv_projection, dv_model;\n"
                        "uniform mat3 dv_normal_matrix;\n" SWITCH("COLORS", "dv_colored") OUTPUTS CLIPPING
    "void main()\n"
    "{\n"
    "    vec4 world = dv_model * vec4(dv_position, 1.0);\n"
    "    dv_world = world.xyz;\n"
    "    dv_world_normal = dv_normal_matrix * dv_normal;\n"
    "    dv_uv = dv_texcoord;\n"
    "    dv_vertex_color = dv_colored ? dv_color : vec4(1.0);\n"
    "    clip(world);\n"
    "    gl_Position = dv_projection * dv_view * world;\n"
    "}\n",
    [PROGRAM_VERTICES] = "in vec3 dv_position;\n"
                         "in vec4 dv_color;\n"
                         "uniform mat4 dv_view, dv_projection, dv_model;\n" OUTPUTS CLIPPING "void main()\n"
                         "{\n"
                         "    vec4 world = dv_model * vec4(dv_position, 1.0);\n"
                         "    dv_world = world.xyz;\n"
                         "    dv_world_normal = vec3(0.0);\n"
                         "    dv_uv = vec2(0.0);\n"
                         "    dv_vertex_color = dv_color;\n"
                         "    clip(world);\n"
                         "    gl_Position = dv_projection * dv_view * world;\n"
                         "}\n",
    /* A shape around the z axis from 0 to 1, or around the origin: dv_shape 0 sphere, 1 along from-to, 2 facing the camera, 3 an
     * arrow along from-to. */
    [PROGRAM_SOLIDS] =
        "in vec3 dv_position;\n"
        "in vec3 dv_normal;\n"
        "in vec4 dv_color;\n"
        "in vec4 dv_from;\n" /* and the radius */
        "in vec3 dv_to;\n"
        "uniform mat4 dv_view, dv_projection, dv_model;\n"
        "uniform mat3 dv_normal_matrix;\n"
        "uniform int dv_shape;\n" OUTPUTS CLIPPING "void main()\n"
        "{\n"
        "    vec3 at = dv_from.xyz + dv_from.w * dv_position, normal = dv_normal;\n"
        "    if (dv_shape == 1 || dv_shape == 3) {\n"
        "        vec3 along = dv_to - dv_from.xyz;\n"
        "        float len = length(along);\n"
        "        vec3 z = len > 0.0 ? along / len : vec3(0.0, 0.0, 1.0);\n"
        "        vec3 x = normalize(abs(z.x) < 0.8 ? cross(vec3(1.0, 0.0, 0.0), z) : cross(vec3(0.0, 1.0, 0.0), z));\n"
        "        vec3 y = cross(z, x);\n"
        /* The head of an arrow (z from 1 to 2) is as long as three of its radii, or half of the arrow. */
        "        float head = min(6.0 * dv_from.w, 0.5 * len);\n"
        "        float height = dv_shape == 3 ? (dv_position.z <= 1.0 ? dv_position.z * (len - head)\n"
        "                                                      : len - head + (dv_position.z - 1.0) * head)\n"
        "                              : dv_position.z * len;\n"
        "        at = dv_from.xyz + dv_from.w * (x * dv_position.x + y * dv_position.y) + z * height;\n"
        "        normal = x * dv_normal.x + y * dv_normal.y + z * dv_normal.z;\n"
        "    } else if (dv_shape == 2) {\n"
        "        mat3 to_world = transpose(mat3(dv_view));\n"
        "        at = dv_from.xyz + dv_from.w * (to_world * dv_position);\n"
        "        normal = to_world * vec3(0.0, 0.0, 1.0);\n"
        "    }\n"
        "    vec4 world = dv_model * vec4(at, 1.0);\n"
        "    dv_world = world.xyz;\n"
        "    dv_world_normal = dv_normal_matrix * normal;\n"
        "    dv_uv = dv_position.xy;\n"
        "    dv_vertex_color = dv_color;\n"
        "    clip(world);\n"
        "    gl_Position = dv_projection * dv_view * world;\n"
        "}\n",
};

const char *const shader_to_patches = "#define dv_world dv_patch_world\n"
                                      "#define dv_world_normal dv_patch_normal\n"
                                      "#define dv_uv dv_patch_uv\n"
                                      "#define dv_vertex_color dv_patch_color\n";

/* What the fragment stage may have to do. */
#define SWITCHES                              \
    SWITCH("LIGHT", "dv_lit")                 \
    SWITCH("TEXTURE", "dv_textured")          \
    SWITCH("FLAT_NORMALS", "dv_flat_normals") \
    SWITCH("SPLATS", "dv_splats")             \
    SWITCH("XRAY", "dv_xray")                 \
    SWITCH("THIN", "dv_thin")                 \
    SWITCH("OWN_COLOR", "dv_own_color")       \
    HAS("COLORS", "colors")                   \
    HAS("HIGHLIGHTS", "highlights")           \
    HAS("FADING", "fading")                   \
    HAS("SHADOWS", "shadows")                 \
    HAS("FOG", "fog")                         \
    HAS("STUDIO", "studio")                   \
    "#ifdef WITHOUT_MANY_LIGHTS\nconst int dv_light_count = 1;\n#else\nuniform int dv_light_count;\n#endif\n"

/* Of what is translucent, by its depth (McGuire and Bavoil 2013, formula 8). */
#define WEIGHT                                                                                \
    "float weight_of(float z)\n"                                                              \
    "{\n"                                                                                     \
    "    return clamp(10.0 / (1e-5 + pow(z / 5.0, 2.0) + pow(z / 200.0, 6.0)), 1e-2, 3e2);\n" \
    "}\n"

/* From what a depth buffer holds to m along the axis: dv_depths has the numbers of the projection's last two rows, dv_stored a factor and a
 * term that make its z of what is stored, and what is stored where nothing is. */
#define DEPTH                                                                              \
    "uniform vec4 dv_depths;\n"                                                            \
    "uniform vec3 dv_stored;\n"                                                            \
    "float depth_of(float stored)\n"                                                       \
    "{\n"                                                                                  \
    "    float z = dv_stored.x * stored + dv_stored.y;\n"                                  \
    "    return abs((dv_depths.y - z * dv_depths.w) / (z * dv_depths.z - dv_depths.x));\n" \
    "}\n"

/* A filmic curve with that of sRGB in it (Hejl and Burgess-Dawson, Filmic tonemapping for real-time rendering, 2010). */
#define TONES                                                          \
    "vec3 to_screen(vec3 x)\n"                                         \
    "{\n"                                                              \
    "    x = max(x - 0.004, 0.0);\n"                                   \
    "    return x * (6.2 * x + 0.5) / (x * (6.2 * x + 1.7) + 0.06);\n" \
    "}\n"

const char *const shader_fragment =
    "in vec3 dv_world;\n"
    "in vec3 dv_world_normal;\n"
    "in vec2 dv_uv;\n"
    "in vec4 dv_vertex_color;\n"
    "uniform mat4 dv_view;\n"
    "uniform vec3 dv_eye;\n"
    "uniform bool dv_orthographic;\n"
    "uniform vec4 dv_ambient, dv_diffuse, dv_specular, dv_emissive;\n"
    "uniform float dv_shininess;\n"
    "uniform bool dv_adds;\n" SWITCHES "uniform sampler2D dv_texture;\n"
    "uniform vec3 dv_light_color[8];\n"
    "uniform vec4 dv_light_position[8];\n"  /* w 0: the way towards it */
    "uniform vec4 dv_light_direction[8];\n" /* of a spot; w: cosine of its edge, -1: none */
    "uniform vec4 dv_light_factors[8];\n"   /* ambient, diffuse, attenuation, exponent */
    "uniform vec4 dv_light_shadow[8];\n"    /* layer (-1: none), strength, softness in texels, texel */
    "uniform float dv_light_extent[8];\n"   /* of a texel in the world, for the offset */
    "uniform mat4 dv_light_matrix[8];\n"
    "uniform sampler2DArrayShadow dv_shadow_map;\n"
    "uniform vec3 dv_scene_ambient;\n"
    "uniform vec4 dv_fog;\n" /* colour and density */
    "uniform float dv_depth_scale;\n"
    "out vec4 dv_pixel;\n"
    "#ifdef TRANSLUCENT\n"
    "out float dv_weight;\n" WEIGHT "#endif\n"
    "float lit_share(int light, vec3 normal)\n"
    "{\n"
    "    vec4 shadow = dv_light_shadow[light];\n"
    "    if (!shadows || shadow.x < 0.0)\n"
    "        return 1.0;\n"
    /* Moved along the normal by as many texels as are asked around it: a surface does not shade itself. */
    "    float away = (1.5 + shadow.z) * dv_light_extent[light];\n"
    "    vec4 at = dv_light_matrix[light] * vec4(dv_world + away * normal, 1.0);\n"
    "    if (at.w <= 0.0)\n"
    "        return 1.0;\n"
    "    at.xyz /= at.w;\n"
    "    if (any(lessThan(at.xyz, vec3(0.0))) || any(greaterThan(at.xyz, vec3(1.0))))\n"
    "        return 1.0;\n"
    "    float sum = 0.0, count = 0.0, step = max(shadow.z / 3.0, 0.5);\n"
    "    int side = shadow.z > 1.0 ? 3 : 1;\n"
    "    for (int i = -side; i <= side; i++)\n"
    "        for (int j = -side; j <= side; j++) {\n"
    "            vec2 near = at.xy + vec2(i, j) * step * shadow.w;\n"
    "            sum += texture(dv_shadow_map, vec4(near, shadow.x, at.z - 0.0005));\n"
    "            count += 1.0;\n"
    "        }\n"
    "    return 1.0 - shadow.y * (1.0 - sum / count);\n"
    "}\n"
    "vec3 shade(vec3 normal, vec3 to_eye, vec4 diffuse, vec3 ambient)\n"
    "{\n"
    "    vec3 color = dv_emissive.rgb + dv_scene_ambient * ambient;\n"
    "    for (int i = 0; i < dv_light_count; i++) {\n"
    "        vec3 way = dv_light_position[i].xyz - dv_light_position[i].w * dv_world;\n"
    "        float away = length(way);\n"
    "        way /= max(away, 1e-20);\n"
    "        float fades = fading ? 1.0 / (1.0 + dv_light_factors[i].z * away * dv_light_position[i].w) : 1.0;\n"
    "        float cosine = dot(-way, dv_light_direction[i].xyz);\n"
    "        if (fading && dv_light_direction[i].w > -1.0)\n"
    "            fades *= cosine < dv_light_direction[i].w ? 0.0 : pow(max(cosine, 0.0), dv_light_factors[i].w);\n"
    "        vec3 light = fades * dv_light_color[i];\n"
    "        color += light * dv_light_factors[i].x * ambient;\n"
    "        float slope = dot(normal, way);\n"
    "        if (slope <= 0.0)\n"
    "            continue;\n"
    "        light *= lit_share(i, normal);\n"
    "        color += light * dv_light_factors[i].y * slope * diffuse.rgb;\n"
    "        if (!highlights)\n"
    "            continue;\n"
    "        float shine = max(dot(normal, normalize(way + to_eye)), 0.0);\n"
    "        color += light * pow(shine, max(dv_shininess, 1e-4)) * dv_specular.rgb;\n"
    "    }\n"
    "    return color;\n"
    "}\n"
    /* The lights of scenes that have none: colours of materials are linear, ambient light is in dv_ambient. */
    "uniform vec3 dv_key, dv_fill, dv_rim, dv_half_way;\n" TONES
    "vec3 shade_in_studio(vec3 normal, vec3 to_eye, vec4 diffuse, bool as_given)\n"
    "{\n"
    "    float key = max(dot(normal, dv_key), 0.0);\n"
    "    float light = 0.8 * key + 0.22 * max(dot(normal, dv_fill), 0.0) + 0.18 * max(dot(normal, dv_rim), 0.0);\n"
    "    vec3 gloss;\n"
    "    if (highlights) {\n"
    "        float shine = key > 0.0 ? max(dot(normal, normalize(dv_key + to_eye)), 0.0) : 0.0;\n"
    "        gloss = pow(shine, max(dv_shininess, 1e-4)) * dv_specular.rgb;\n"
    "    } else {\n"
    "        float shine = max(dot(normal, dv_half_way), 0.0);\n"
    "        shine *= shine, shine *= shine, shine *= shine, shine *= shine, shine *= shine;\n"
    "        gloss = vec3(0.08 * shine);\n"
    "    }\n"
    "    if (as_given)\n"
    "        return diffuse.rgb * sqrt(min(0.2 + light, 1.0)) + dv_emissive.rgb;\n"
    "    return to_screen(1.1 * (dv_ambient.rgb + light * diffuse.rgb + gloss + dv_emissive.rgb));\n"
    "}\n"
    "void main()\n"
    "{\n"
    "    vec3 to_eye = dv_orthographic ? transpose(mat3(dv_view))[2] : normalize(dv_eye - dv_world);\n"
    "    vec3 normal = dv_flat_normals ? cross(dFdx(dv_world), dFdy(dv_world)) : dv_world_normal;\n"
    "    float len = length(normal);\n"
    "    normal = normal / max(len, 1e-20);\n"
    "    if (dv_flat_normals || dv_thin ? dot(normal, to_eye) < 0.0 : !gl_FrontFacing)\n"
    "        normal = -normal;\n"
    "    vec4 own = colors ? dv_vertex_color : vec4(1.0);\n"
    "    vec4 diffuse = dv_own_color ? own : dv_diffuse * own;\n"
    "    vec3 ambient = dv_own_color ? 0.2 * diffuse.rgb : dv_ambient.rgb;\n"
    "    if (dv_textured) {\n"
    "        vec4 image = texture(dv_texture, dv_uv);\n"
    "        diffuse *= image;\n"
    "        ambient *= image.rgb;\n"
    "    }\n"
    "    vec3 color = diffuse.rgb;\n"
    "    if (dv_lit)\n"
    "        color = studio ? shade_in_studio(normal, to_eye, diffuse, colors || dv_own_color || dv_textured)\n"
    "                       : shade(normal, to_eye, diffuse, ambient);\n"
    "    float alpha = diffuse.a;\n"
    "    if (dv_splats) {\n"
    "        float r = dot(dv_uv, dv_uv);\n"
    "        if (r >= 1.0)\n"
    "            discard;\n"
    "        alpha *= 1.0 - r;\n"
    "    }\n"
    "    if (dv_xray) {\n"
    "        float slant = 1.0 - abs(dot(normal, to_eye));\n"
    "        alpha *= 0.08 + 0.92 * slant * slant;\n"
    "    }\n"
    "    float depth = abs((dv_view * vec4(dv_world, 1.0)).z);\n"
    "    if (fog && dv_fog.w > 0.0)\n"
    "        color = mix(dv_fog.rgb, color, exp(-dv_fog.w * dv_fog.w * depth * depth));\n"
    "    color = clamp(color, 0.0, 1.0);\n"
    "#ifdef TRANSLUCENT\n"
    "    float weight = weight_of(depth * dv_depth_scale);\n"
    "    dv_pixel = vec4((dv_adds ? color : color * alpha) * weight, alpha);\n"
    "    dv_weight = alpha * weight;\n"
    "#else\n"
    "    dv_pixel = vec4(color, alpha);\n"
    "#endif\n"
    "}\n";

const char *const shader_shadow_fragment = "void main()\n"
                                           "{\n"
                                           "}\n";

/* What a fragment shader of a scene makes, as a translucent thing. */
const char *const shader_translucent_ends = "uniform float dv_depth_scale;\n"
                                            "uniform bool dv_adds;\n"
                                            "out float dv_weight;\n" WEIGHT DEPTH "void main()\n"
                                            "{\n"
                                            "    dv_scene_main();\n"
                                            "    float weight = weight_of(depth_of(gl_FragCoord.z) * dv_depth_scale);\n"
                                            "    dv_weight = dv_pixel.a * weight;\n"
                                            "    dv_pixel.rgb *= dv_adds ? weight : dv_weight;\n"
                                            "}\n";

/* Two triangles that cover dv_box (left, bottom, right, top, each from -1 to 1). */
const char *const shader_screen_vertex = "uniform vec4 dv_box;\n"
                                         "out vec2 dv_uv;\n"
                                         "void main()\n"
                                         "{\n"
                                         "    dv_uv = vec2(gl_VertexID & 1, gl_VertexID >> 1);\n"
                                         "    gl_Position = vec4(mix(dv_box.xy, dv_box.zw, dv_uv), 0.0, 1.0);\n"
                                         "}\n";

const char *const shader_background_fragment =
    "in vec2 dv_uv;\n"
    "uniform vec4 dv_bottom, dv_top;\n" SWITCH(
        "TEXTURE", "dv_textured") "uniform sampler2D dv_texture;\n"
                                  "out vec4 dv_pixel;\n"
                                  "void main()\n"
                                  "{\n"
                                  "    dv_pixel = mix(dv_bottom, dv_top, dv_uv.y);\n"
                                  "    if (dv_textured) {\n"
                                  "        vec4 image = texture(dv_texture, dv_uv);\n"
                                  "        dv_pixel = mix(dv_pixel, vec4(image.rgb, 1.0), image.a);\n"
                                  "    }\n"
                                  "}\n";

/* A square of the ground: dv_uv is -1 to 1 where the map of shadows is. */
const char *const shader_ground_vertex = "uniform mat4 dv_view, dv_projection;\n"
                                         "uniform vec3 dv_middle, dv_across, dv_along;\n"
                                         "const float wide = 1.6;\n"
                                         "out vec2 dv_uv;\n"
                                         "void main()\n"
                                         "{\n"
                                         "    vec2 corner = 2.0 * vec2(gl_VertexID & 1, gl_VertexID >> 1) - 1.0;\n"
                                         "    dv_uv = wide * corner;\n"
                                         "    vec3 at = dv_middle + dv_uv.x * dv_across + dv_uv.y * dv_along;\n"
                                         "    gl_Position = dv_projection * dv_view * vec4(at, 1.0);\n"
                                         "}\n";

const char *const shader_ground_fragment =
    "in vec2 dv_uv;\n"
    "uniform sampler2D dv_texture;\n"
    "out vec4 dv_pixel;\n"
    "void main()\n"
    "{\n"
    "    float fades = clamp(1.4 - dot(dv_uv, dv_uv) * 0.547, 0.0, 1.0);\n"
    "    dv_pixel = vec4(0.0, 0.0, 0.0, fades * (0.05 + 0.4 * texture(dv_texture, 0.5 * dv_uv + 0.5).r));\n"
    "}\n";

/* The mean along dv_step, near ones more; of depths (dv_raw) whether something is there. */
const char *const shader_soften_fragment =
    "in vec2 dv_uv;\n"
    "uniform sampler2D dv_texture;\n"
    "uniform ivec2 dv_step;\n"
    "uniform bool dv_raw;\n"
    "out vec4 dv_pixel;\n"
    "const int side = 4;\n"
    "void main()\n"
    "{\n"
    "    ivec2 at = ivec2(gl_FragCoord.xy), last = textureSize(dv_texture, 0) - 1;\n"
    "    float sum = 0.0;\n"
    "    for (int i = -side; i <= side; i++) {\n"
    "        float found = texelFetch(dv_texture, clamp(at + i * dv_step, ivec2(0), last), 0).r;\n"
    "        sum += float(side + 1 - abs(i)) * (dv_raw ? float(found < 1.0) : found);\n"
    "    }\n"
    "    dv_pixel = vec4(sum / float((side + 1) * (side + 1)));\n"
    "}\n";

/* How many pixels beside it something is drawn: 0 here, REACH + 1 nowhere within reach; in parts of 255. */
const char *const shader_across_fragment =
    "uniform sampler2D dv_texture;\n"
    "uniform float dv_empty;\n" /* what is stored where nothing is */
    "out vec4 dv_pixel;\n"
    "const int reach = 3;\n"
    "void main()\n"
    "{\n"
    "    ivec2 at = ivec2(gl_FragCoord.xy);\n"
    "    int last = textureSize(dv_texture, 0).x - 1, away = reach + 1;\n"
    "    for (int i = -reach; i <= reach; i++)\n"
    "        if (texelFetch(dv_texture, ivec2(clamp(at.x + i, 0, last), at.y), 0).r != dv_empty)\n"
    "            away = min(away, abs(i));\n"
    "    dv_pixel = vec4(float(away) / 255.0);\n"
    "}\n";

/* Of these rows the distance to the nearest pixel of it: a line two pixels wide around it, with a soft edge. */
const char *const shader_line_fragment =
    "uniform sampler2D dv_texture;\n"
    "uniform vec4 dv_color;\n"
    "out vec4 dv_pixel;\n"
    "const int reach = 3;\n"
    "const float wide = 2.0;\n"
    "void main()\n"
    "{\n"
    "    ivec2 at = ivec2(gl_FragCoord.xy);\n"
    "    int last = textureSize(dv_texture, 0).y - 1;\n"
    "    float nearest = float(2 * reach * reach);\n"
    "    for (int i = -reach; i <= reach; i++) {\n"
    "        float away = 255.0 * texelFetch(dv_texture, ivec2(at.x, clamp(at.y + i, 0, last)), 0).r;\n"
    "        nearest = min(nearest, away > float(reach) + 0.5 ? nearest : away * away + float(i * i));\n"
    "    }\n"
    "    if (nearest < 0.5 || nearest >= (wide + 1.0) * (wide + 1.0))\n"
    "        discard;\n"
    "    dv_pixel = vec4(dv_color.rgb, dv_color.a * clamp(wide + 1.0 - sqrt(nearest), 0.0, 1.0));\n"
    "}\n";

const char *const shader_compose_fragment = "in vec2 dv_uv;\n"
                                            "uniform sampler2D dv_sum, dv_weights;\n"
                                            "out vec4 dv_pixel;\n"
                                            "void main()\n"
                                            "{\n"
                                            "    vec4 sum = texture(dv_sum, dv_uv);\n"
                                            "    if (sum.a >= 1.0)\n"
                                            "        discard;\n"
                                            "    float weight = texture(dv_weights, dv_uv).r;\n"
                                            "    dv_pixel = vec4(sum.rgb / max(weight, 1e-6), 1.0 - sum.a);\n"
                                            "}\n";

const char *const shader_text_vertex = "in vec3 dv_position;\n"
                                       "in vec2 dv_texcoord;\n"
                                       "in vec4 dv_color;\n"
                                       "uniform mat4 dv_view, dv_projection;\n"
                                       "out vec2 dv_uv;\n"
                                       "out vec4 dv_vertex_color;\n"
                                       "void main()\n"
                                       "{\n"
                                       "    dv_uv = dv_texcoord;\n"
                                       "    dv_vertex_color = dv_color;\n"
                                       "    gl_Position = dv_projection * dv_view * vec4(dv_position, 1.0);\n"
                                       "}\n";

const char *const shader_text_fragment = "in vec2 dv_uv;\n"
                                         "in vec4 dv_vertex_color;\n"
                                         "uniform sampler2D dv_texture;\n"
                                         "out vec4 dv_pixel;\n"
                                         "void main()\n"
                                         "{\n"
                                         "    float cover = dv_uv.x < 0.0 ? 1.0 : texture(dv_texture, dv_uv).r;\n"
                                         "    dv_pixel = vec4(dv_vertex_color.rgb, dv_vertex_color.a * cover);\n"
                                         "}\n";

/* Depths between two planes, 0 to 1, as a depth buffer would have them that begins and ends there. */
const char *const shader_depths_fragment =
    "in vec2 dv_uv;\n"
    "uniform sampler2D dv_texture;\n"
    "uniform vec2 dv_range;\n"
    "out vec4 dv_pixel;\n" DEPTH "void main()\n"
    "{\n"
    "    float stored = texture(dv_texture, dv_uv).r;\n"
    "    float z = max(depth_of(stored), dv_range.x);\n"
    "    float depth = dv_range.y * (z - dv_range.x) / (z * (dv_range.y - dv_range.x));\n"
    "    dv_pixel = vec4(stored != dv_stored.z ? min(depth, 1.0) : 1.0, 0.0, 0.0, 1.0);\n"
    "}\n";

/* A picture drawn once more: by our own stages it stays what it is. */
const char *const shader_post_vertex = "in vec3 dv_position;\n"
                                       "in vec2 dv_texcoord;\n"
                                       "out vec2 dv_uv;\n"
                                       "void main()\n"
                                       "{\n"
                                       "    dv_uv = dv_texcoord;\n"
                                       "    gl_Position = vec4(dv_position, 1.0);\n"
                                       "}\n";

const char *const shader_post_fragment = "in vec2 dv_uv;\n"
                                         "uniform sampler2D colorTexture;\n"
                                         "out vec4 dv_pixel;\n"
                                         "void main()\n"
                                         "{\n"
                                         "    dv_pixel = texture(colorTexture, dv_uv);\n"
                                         "}\n";

/* What is out of focus is the mean of a disc around it, along a spiral of equal areas (Vogel 1979); what is in focus and nearer stays out
 * of it. The disc grows with the distance from the depth in focus, up to blurIntensity of 5 % of the picture's height. */
static const char depth_of_field[] =
    "in vec2 dv_uv;\n"
    "uniform sampler2D colorTexture, depthTexture;\n"
    "uniform vec2 pixelSize;\n"
    "uniform float blurIntensity, focusDistance, focusLength;\n"
    "uniform int showDepthMap;\n"
    "out vec4 dv_pixel;\n"
    "float blur(float depth)\n"
    "{\n"
    "    return clamp(abs(depth - focusDistance) / max(focusLength, 1e-6) - 1.0, 0.0, 1.0);\n"
    "}\n"
    "void main()\n"
    "{\n"
    "    float depth = texture(depthTexture, dv_uv).r;\n"
    "    vec4 sum = texture(colorTexture, dv_uv);\n"
    "    float count = 1.0, radius = 0.05 * blurIntensity * blur(depth);\n"
    "    for (int i = 1; i < 32; i++) {\n"
    "        float angle = 2.39996323 * float(i);\n"
    "        vec2 away = sqrt(float(i) / 32.0) * radius * vec2(cos(angle), sin(angle));\n"
    "        vec2 at = dv_uv + away * vec2(pixelSize.x / pixelSize.y, 1.0);\n"
    "        float other = texture(depthTexture, at).r;\n"
    "        float share = max(blur(other), step(depth, other));\n"
    "        sum += share * texture(colorTexture, at);\n"
    "        count += share;\n"
    "    }\n"
    "    dv_pixel = showDepthMap != 0 ? vec4(vec3(depth), 1.0) : sum / count;\n"
    "}\n";

/* Light in four steps, and a dark rim. */
static const char toon[] = "in vec3 dv_world;\n"
                           "in vec3 dv_world_normal;\n"
                           "uniform vec3 dv_eye;\n"
                           "uniform vec4 dv_diffuse;\n"
                           "uniform int dv_light_count;\n"
                           "uniform vec4 dv_light_position[8];\n"
                           "out vec4 dv_pixel;\n"
                           "void main()\n"
                           "{\n"
                           "    vec3 normal = normalize(gl_FrontFacing ? dv_world_normal : -dv_world_normal);\n"
                           "    float light = dv_light_count > 0 ? 0.0 : 1.0;\n"
                           "    for (int i = 0; i < dv_light_count; i++) {\n"
                           "        vec3 way = dv_light_position[i].xyz - dv_light_position[i].w * dv_world;\n"
                           "        light = max(light, dot(normal, normalize(way)));\n"
                           "    }\n"
                           "    float shade = light > 0.95 ? 1.0 : light > 0.5 ? 0.75 : light > 0.25 ? 0.5 : 0.25;\n"
                           "    float rim = dot(normal, normalize(dv_eye - dv_world)) < 0.2 ? 0.2 : 1.0;\n"
                           "    dv_pixel = vec4(rim * shade * dv_diffuse.rgb, dv_diffuse.a);\n"
                           "}\n";

const char *shader_by_name(const char *file)
{
    static const struct {
        const char *name, *text;
    } known[] = {{"depthOfField.frag", depth_of_field}, {"toonShading.frag", toon}};
    const char *slash = strrchr(file, '/');
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(slash ? slash + 1 : file, known[i].name) == 0)
            return known[i].text;
    return NULL;
}
