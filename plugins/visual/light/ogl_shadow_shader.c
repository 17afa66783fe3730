/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * OglShadowShader: the shader pair, hard and soft, by which lights cast shadows on the visual models of its node and below.
 */
#include <divan/contracts/visual.h>

typedef struct OglShadowShader {
    DvData turn_on, passive, vertex_shaders, fragment_shaders, geometry_shaders, control_shaders, evaluation_shaders;
    DvData geometry_input, geometry_output, geometry_vertices, outer_level, inner_level, active_shader,
        backface_writing, clamp_color;
} OglShadowShader;

static const DvField fields[] = {
    DV_FIELD(OglShadowShader, turn_on, "turnOn", dv_type_bool, .init = "1", .flags = DV_FIELD_DRAWING,
             .help = "whether it is used"),
    DV_FIELD(OglShadowShader, passive, "passive", dv_type_bool, .init = "0", .flags = DV_FIELD_DRAWING,
             .help = "others start it; it is not started for each model"),
    DV_FIELD(OglShadowShader, vertex_shaders, "fileVertexShaders", dv_type_strings, .flags = DV_FIELD_DRAWING,
             .aliases = (const char *const[]){"vertFilename", NULL}, .help = "vertex shader of each version"),
    DV_FIELD(OglShadowShader, fragment_shaders, "fileFragmentShaders", dv_type_strings, .flags = DV_FIELD_DRAWING,
             .aliases = (const char *const[]){"fragFilename", NULL}, .help = "fragment shader of each version"),
    DV_FIELD(OglShadowShader, geometry_shaders, "fileGeometryShaders", dv_type_strings, .flags = DV_FIELD_DRAWING,
             .aliases = (const char *const[]){"geoFilename", NULL}, .help = "geometry shader of each version"),
    DV_FIELD(OglShadowShader, control_shaders, "fileTessellationControlShaders", dv_type_strings,
             .flags = DV_FIELD_DRAWING, .help = "tessellation control shader of each version"),
    DV_FIELD(OglShadowShader, evaluation_shaders, "fileTessellationEvaluationShaders", dv_type_strings,
             .flags = DV_FIELD_DRAWING, .help = "tessellation evaluation shader of each version"),
    DV_FIELD(OglShadowShader, geometry_input, "geometryInputType", dv_type_int, .init = "-1", .flags = DV_FIELD_DRAWING,
             .help = "primitives the geometry shader takes; -1: unset"),
    DV_FIELD(OglShadowShader, geometry_output, "geometryOutputType", dv_type_int, .init = "-1",
             .flags = DV_FIELD_DRAWING, .help = "primitives the geometry shader makes; -1: unset"),
    DV_FIELD(OglShadowShader, geometry_vertices, "geometryVerticesOut", dv_type_int, .init = "-1",
             .flags = DV_FIELD_DRAWING, .help = "most vertices the geometry shader makes; -1: unset"),
    DV_FIELD(OglShadowShader, outer_level, "tessellationOuterLevel", dv_type_double, .init = "1",
             .flags = DV_FIELD_DRAWING, .help = "subdivision of the edges of a patch"),
    DV_FIELD(OglShadowShader, inner_level, "tessellationInnerLevel", dv_type_double, .init = "1",
             .flags = DV_FIELD_DRAWING, .help = "subdivision of the inside of a patch"),
    DV_FIELD(OglShadowShader, active_shader, "indexActiveShader", dv_type_uint, .init = "0", .flags = DV_FIELD_DRAWING,
             .help = "version in use: 0 hard, 1 soft shadows"),
    DV_FIELD(OglShadowShader, backface_writing, "backfaceWriting", dv_type_bool, .init = "0", .flags = DV_FIELD_DRAWING,
             .help = "the shader writes the colour of back faces"),
    DV_FIELD(OglShadowShader, clamp_color, "clampVertexColor", dv_type_bool, .init = "1", .flags = DV_FIELD_DRAWING,
             .help = "vertex colours are kept between 0 and 1"),
    {0},
};

const DvClass dv_ogl_shadow_shader = {
    .size = sizeof(DvClass),
    .name = "OglShadowShader",
    .bases = (const char *const[]){"OglShader", NULL},
    .family = "shaders",
    .module = "Sofa.GL.Component.Shader",
    .help = "The shader by which lights cast shadows.",
    .instance_size = sizeof(OglShadowShader),
    .fields = fields,
};
