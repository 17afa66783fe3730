/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What OglModel has: a surface, and how it is drawn. The struct of a class that is one begins with the member `model`, its table with
 * OGL_MODEL_FIELDS.
 */
#ifndef DIVAN_OGL_MODEL_H
#define DIVAN_OGL_MODEL_H

#include "visual_surface.h"

typedef struct OglModel {
    VisualSurface surface; /* first: the contracts' functions take it */
    DvData blend_translucency, premultiplied_alpha, write_z_transparent, alpha_blend, depth_test, cull_face, line_width,
        point_size;
    DvData line_smooth, point_smooth, primitive_type, blend_equation, source_factor, destination_factor;
} OglModel;

extern const char *const ogl_primitive_types[], *const ogl_blend_equations[], *const ogl_blend_factors[];
extern const DvSurfaceOps ogl_model_surface_ops; /* self: a struct that begins with the OglModel */

/* The life of such an object. */
DvStatus ogl_model_parse(DvObject *object, void *self, const DvAttributes *attributes);
DvStatus ogl_model_init(DvObject *object, void *self);
void ogl_model_bounding_box(DvObject *object, void *self, double *box);
void ogl_model_destroy(DvObject *object, void *self);

#define OGL_MODEL_FIELDS(Struct)                                                                                      \
    VISUAL_SURFACE_FIELDS_OF(Struct, model.surface),                                                                  \
        DV_FIELD(Struct, model.blend_translucency, "blendTranslucency", dv_type_bool, .init = "1",                    \
                 .flags = DV_FIELD_DRAWING, .help = "translucent parts are blended"),                                 \
        DV_FIELD(Struct, model.premultiplied_alpha, "premultipliedAlpha", dv_type_bool, .init = "0",                  \
                 .flags = DV_FIELD_DRAWING, .help = "colours are multiplied by alpha already"),                       \
        DV_FIELD(Struct, model.write_z_transparent, "writeZTransparent", dv_type_bool, .init = "0",                   \
                 .flags = DV_FIELD_DRAWING, .help = "translucent parts hide what is behind"),                         \
        DV_FIELD(Struct, model.alpha_blend, "alphaBlend", dv_type_bool, .init = "0", .flags = DV_FIELD_DRAWING,       \
                 .help = "blend with blendEquation, sfactor and dfactor"),                                            \
        DV_FIELD(Struct, model.depth_test, "depthTest", dv_type_bool, .init = "1", .flags = DV_FIELD_DRAWING,         \
                 .help = "nearer things hide it"),                                                                    \
        DV_FIELD(Struct, model.cull_face, "cullFace", dv_type_int, .init = "0",                                       \
                 .range = &(const DvRange){.least = 0, .most = 2}, .flags = DV_FIELD_DRAWING,                         \
                 .help = "faces left out: 0 none, 1 back, 2 front"),                                                  \
        DV_FIELD(Struct, model.line_width, "lineWidth", dv_type_double, .init = "1", .range = &dv_range_not_negative, \
                 .flags = DV_FIELD_DRAWING, .help = "width of lines, pixels"),                                        \
        DV_FIELD(Struct, model.point_size, "pointSize", dv_type_double, .init = "1", .range = &dv_range_not_negative, \
                 .flags = DV_FIELD_DRAWING, .help = "size of points, pixels"),                                        \
        DV_FIELD(Struct, model.line_smooth, "lineSmooth", dv_type_bool, .init = "0", .flags = DV_FIELD_DRAWING,       \
                 .help = "smooth lines"),                                                                             \
        DV_FIELD(Struct, model.point_smooth, "pointSmooth", dv_type_bool, .init = "0", .flags = DV_FIELD_DRAWING,     \
                 .help = "round points"),                                                                             \
        DV_FIELD(Struct, model.primitive_type, "primitiveType", dv_type_choice, .init = "DEFAULT",                    \
                 .choices = ogl_primitive_types, .flags = DV_FIELD_DRAWING, .help = "what the faces are drawn as"),   \
        DV_FIELD(Struct, model.blend_equation, "blendEquation", dv_type_choice, .init = "GL_FUNC_ADD",                \
                 .choices = ogl_blend_equations, .flags = DV_FIELD_DRAWING, .help = "how colours are combined"),      \
        DV_FIELD(Struct, model.source_factor, "sfactor", dv_type_choice, .init = "GL_SRC_ALPHA",                      \
                 .choices = ogl_blend_factors, .flags = DV_FIELD_DRAWING, .help = "factor of the new colour"),        \
        DV_FIELD(Struct, model.destination_factor, "dfactor", dv_type_choice, .init = "GL_ONE_MINUS_SRC_ALPHA",       \
                 .choices = ogl_blend_factors, .flags = DV_FIELD_DRAWING, .help = "factor of the colour behind")

#endif
