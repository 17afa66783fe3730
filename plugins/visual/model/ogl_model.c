/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * OglModel: a surface with material and texture, drawn by OpenGL.
 */
#include "ogl_model.h"

const char *const ogl_primitive_types[] = {"DEFAULT", "LINES_ADJACENCY", "PATCHES", "POINTS", NULL};
enum { POINTS = 3 };
const char *const ogl_blend_equations[] = {"GL_FUNC_ADD", "GL_FUNC_SUBTRACT", "GL_MIN", "GL_MAX", NULL};
const char *const ogl_blend_factors[] = {"GL_ZERO", "GL_ONE", "GL_SRC_ALPHA", "GL_ONE_MINUS_SRC_ALPHA", NULL};

DvStatus ogl_model_parse(DvObject *object, void *self, const DvAttributes *attributes)
{
    return visual_surface_parse(object, self, attributes);
}

DvStatus ogl_model_init(DvObject *object, void *self)
{
    return visual_surface_init(object, self);
}

void ogl_model_bounding_box(DvObject *object, void *self, double *box)
{
    (void)object;
    visual_points_bounding_box(self, box);
}

void ogl_model_destroy(DvObject *object, void *self)
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

const DvSurfaceOps ogl_model_surface_ops = {.size = sizeof(DvSurfaceOps), .view = view};

typedef struct OglModelAlone {
    OglModel model;
} OglModelAlone;

static const DvField fields[] = {
    OGL_MODEL_FIELDS(OglModelAlone),
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
    .instance_size = sizeof(OglModelAlone),
    .fields = fields,
    .contracts = (const DvContract[]){{.id = DV_STATE, .ops = &visual_points_state_ops, .by_path_only = true},
                                      {.id = DV_VISUAL_MODEL, .ops = &visual_surface_model_ops},
                                      {.id = DV_SURFACE, .ops = &ogl_model_surface_ops},
                                      {0}},
    .parse = ogl_model_parse,
    .init = ogl_model_init,
    .bounding_box = ogl_model_bounding_box,
    .destroy = ogl_model_destroy,
};
