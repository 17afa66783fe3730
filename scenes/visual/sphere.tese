// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Each triangle is a patch of a sphere about the origin of the model: what divides it is pushed out to where its corners are.
layout(triangles, equal_spacing, ccw) in;

in vec3 dv_patch_world[];
in vec4 dv_patch_color[];
uniform mat4 dv_view, dv_projection, dv_model;
out vec3 dv_world, dv_world_normal;
out vec2 dv_uv;
out vec4 dv_vertex_color;

void main()
{
    vec3 middle = dv_model[3].xyz;
    vec3 flat_at = mat3(dv_patch_world[0], dv_patch_world[1], dv_patch_world[2]) * gl_TessCoord - middle;
    dv_world_normal = normalize(flat_at);
    dv_world = middle + length(dv_patch_world[0] - middle) * dv_world_normal;
    dv_uv = vec2(0.0);
    dv_vertex_color = dv_patch_color[0];
    gl_Position = dv_projection * dv_view * vec4(dv_world, 1.0);
}
