/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * OglModel: a surface with material and texture, drawn by OpenGL.
 */
#include "visual_surface.h"

typedef struct OglModel {
    VisualSurface surface; /* first: the contracts' functions take it */
    DvData blend_translucency, premultiplied_alpha, write_z_transparent, alpha_blend, depth_test, cull_face, line_width,
        point_size;
    DvData line_smooth, point_smooth, primitive_type, blend_equation, source_factor, destination_factor;
} OglModel;

static const char *const primitive_types[] = {"DEFAULT", "LINES_ADJACENCY", "PATCHES", "POINTS", NULL};
enum { POINTS = 3 };
static const char *const blend_equations[] = {"GL_FUNC_ADD", "GL_FUNC_SUBTRACT", "GL_MIN", "GL_MAX", NULL};
static const char *const blend_factors[] = {"GL_ZERO", "GL_ONE", "GL_SRC_ALPHA", "GL_ONE_MINUS_SRC_ALPHA", NULL};

static DvStatus parse(DvObject *object, void *self, const DvAttributes *attributes)
{
    return visual_surface_parse(object, self, attributes);
}

static DvStatus init(DvObject *object, void *self)
{
    return visual_surface_init(object, self);
}

static void bounding_box(DvObject *object, void *self, double *box)
{
    (void)object;
    visual_surface_bounding_box(self, box);
}

static void destroy(DvObject *object, void *self)
{
    (void)object;
    visual_surface_destroy(self);
}

static bool view(void *object, DvSurfaceView *view)
{
    static const DvBlend factors[] = {DV_BLEND_ZERO, DV_BLEND_ONE, DV_BLEND_ALPHA, DV_BLEND_ONE_MINUS_ALPHA};
    static const DvBlendEquation equations[] = {DV_BLEND_ADD, DV_BLEND_SUBTRACT, DV_BLEND_LEAST, DV_BLEND_MOST};
    OglModel *self = object;
    if (!visual_surface_view(&self->surface, view))
        return false;
    DvSurfaceStyle *style = &view->style;
    const int source = dv_data_choice(&self->source_factor), target = dv_data_choice(&self->destination_factor);
    const int equation = dv_data_choice(&self->blend_equation), cull = dv_data_int(&self->cull_face);
    style->as_points = dv_data_choice(&self->primitive_type) == POINTS;
    style->on_top = !dv_data_bool(&self->depth_test);
    style->blends = dv_data_bool(&self->alpha_blend);
    style->blends_not = !dv_data_bool(&self->blend_translucency);
    style->adds = dv_data_bool(&self->premultiplied_alpha);
    style->hides_when_blended = dv_data_bool(&self->write_z_transparent);
    style->equation = equations[equation < 0 ? 0 : equation];
    style->source = factors[source < 0 ? 2 : source];
    style->target = factors[target < 0 ? 3 : target];
    style->cull = cull == 1 ? DV_CULL_BACK : cull == 2 ? DV_CULL_FRONT : DV_CULL_NONE;
    style->line_width = dv_data_double(&self->line_width);
    style->point_size = dv_data_double(&self->point_size);
    return true;
}

static const DvSurfaceOps surface_ops = {.size = sizeof surface_ops, .view = view};

static const DvField fields[] = {
    VISUAL_SURFACE_FIELDS(OglModel),
    DV_FIELD(OglModel, blend_translucency, "blendTranslucency", dv_type_bool, .init = "1", .flags = DV_FIELD_DRAWING,
             .help = "translucent parts are blended"),
    DV_FIELD(OglModel, premultiplied_alpha, "premultipliedAlpha", dv_type_bool, .init = "0", .flags = DV_FIELD_DRAWING,
             .help = "colours are multiplied by alpha already"),
    DV_FIELD(OglModel, write_z_transparent, "writeZTransparent", dv_type_bool, .init = "0", .flags = DV_FIELD_DRAWING,
             .help = "translucent parts hide what is behind"),
    DV_FIELD(OglModel, alpha_blend, "alphaBlend", dv_type_bool, .init = "0", .flags = DV_FIELD_DRAWING,
             .help = "blend with blendEquation, sfactor and dfactor"),
    DV_FIELD(OglModel, depth_test, "depthTest", dv_type_bool, .init = "1", .flags = DV_FIELD_DRAWING,
             .help = "nearer things hide it"),
    DV_FIELD(OglModel, cull_face, "cullFace", dv_type_int, .init = "0",
             .range = &(const DvRange){.least = 0, .most = 2}, .flags = DV_FIELD_DRAWING,
             .help = "faces left out: 0 none, 1 back, 2 front"),
    DV_FIELD(OglModel, line_width, "lineWidth", dv_type_double, .init = "1", .range = &dv_range_not_negative,
             .flags = DV_FIELD_DRAWING, .help = "width of lines, pixels"),
    DV_FIELD(OglModel, point_size, "pointSize", dv_type_double, .init = "1", .range = &dv_range_not_negative,
             .flags = DV_FIELD_DRAWING, .help = "size of points, pixels"),
    DV_FIELD(OglModel, line_smooth, "lineSmooth", dv_type_bool, .init = "0", .flags = DV_FIELD_DRAWING,
             .help = "smooth lines"),
    DV_FIELD(OglModel, point_smooth, "pointSmooth", dv_type_bool, .init = "0", .flags = DV_FIELD_DRAWING,
             .help = "round points"),
    DV_FIELD(OglModel, primitive_type, "primitiveType", dv_type_choice, .init = "DEFAULT", .choices = primitive_types,
             .flags = DV_FIELD_DRAWING, .help = "what the faces are drawn as"),
    DV_FIELD(OglModel, blend_equation, "blendEquation", dv_type_choice, .init = "GL_FUNC_ADD",
             .choices = blend_equations, .flags = DV_FIELD_DRAWING, .help = "how colours are combined"),
    DV_FIELD(OglModel, source_factor, "sfactor", dv_type_choice, .init = "GL_SRC_ALPHA", .choices = blend_factors,
             .flags = DV_FIELD_DRAWING, .help = "factor of the new colour"),
    DV_FIELD(OglModel, destination_factor, "dfactor", dv_type_choice, .init = "GL_ONE_MINUS_SRC_ALPHA",
             .choices = blend_factors, .flags = DV_FIELD_DRAWING, .help = "factor of the colour behind"),
    {0},
};

const DvClass dv_ogl_model = {
    .size = sizeof(DvClass),
    .name = "OglModel",
    .variants = "Vec3d",
    .bases = (const char *const[]){"VisualModelImpl", "VisualModel", NULL},
    .family = "visual models",
    .module = "Sofa.GL.Component.Rendering3D",
    .help = "A surface with material and texture.",
    .instance_size = sizeof(OglModel),
    .fields = fields,
    .contracts = (const DvContract[]){{.id = DV_STATE, .ops = &visual_surface_state_ops, .by_path_only = true},
                                      {.id = DV_VISUAL_MODEL, .ops = &visual_surface_model_ops},
                                      {.id = DV_SURFACE, .ops = &surface_ops},
                                      {0}},
    .parse = parse,
    .init = init,
    .bounding_box = bounding_box,
    .destroy = destroy,
};
