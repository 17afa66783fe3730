/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * OglShaderVisualModel: a surface that gives shaders its points and normals at rest, as the attributes `restPosition` and `restNormal`:
 * those of its field restPosition, else those that it has at init.
 */
#include "ogl_model.h"

#include <divan/memory.h>

typedef struct OglShaderVisualModel {
    OglModel model;
    double *rest, *normals; /* [count] x 3, of the vertices that are drawn */
    uint32_t count;
    uint64_t rest_version; /* of restPosition, when they were taken */
    uint64_t version;
} OglShaderVisualModel;

/* Vertices of one point that carry several texture coordinates are split. */
static void copy_rest(OglShaderVisualModel *self, const double *vertices)
{
    VisualSurface *surface = &self->model.surface;
    size_t points, splits;
    const double *rest = dv_data_doubles(&surface->rest_position, &points);
    const uint32_t *point = dv_data_uints(&surface->vert_pos_idx, &splits);
    for (uint32_t i = 0; i < self->count; i++) {
        const size_t from = splits == self->count ? point[i] : i;
        memcpy(self->rest + 3 * (size_t)i, from < points ? rest + 3 * from : vertices + 3 * (size_t)i,
               3 * sizeof *rest);
    }
}

static void take_rest(OglShaderVisualModel *self)
{
    VisualSurface *surface = &self->model.surface;
    size_t vertices;
    const double *at = dv_data_doubles(surface->vertices.count ? &surface->vertices : &surface->position, &vertices);
    const uint64_t rest_version = dv_data_version(&surface->rest_position);
    if (self->version && self->count == vertices && self->rest_version == rest_version)
        return;
    dv_free(self->rest);
    self->rest = dv_alloc(vertices, 6 * sizeof *self->rest);
    self->normals = self->rest + 3 * vertices;
    self->count = (uint32_t)vertices;
    self->rest_version = rest_version;
    self->version++;
    copy_rest(self, at);
    visual_surface_normals(surface, self->rest, vertices, self->normals);
}

static bool get_rest(void *self_, DvShaderElement *element)
{
    OglShaderVisualModel *self = self_;
    take_rest(self);
    *element = (DvShaderElement){.kind = DV_SHADER_ATTRIBUTE,
                                 .name = "restPosition",
                                 .numbers = self->rest,
                                 .count = self->count,
                                 .rows = 3,
                                 .columns = 1,
                                 .version = self->version};
    return dv_data_bool(&self->model.surface.enable) && self->count > 0;
}

static bool get_normals(void *self_, uint32_t index, DvShaderElement *element)
{
    OglShaderVisualModel *self = self_;
    const bool there = index == 1 && get_rest(self, element);
    element->name = "restNormal";
    element->numbers = self->normals;
    return there;
}

static DvStatus init(DvObject *object, void *self_)
{
    OglShaderVisualModel *self = self_;
    const DvStatus status = ogl_model_init(object, self_);
    self->version = 0;
    if (status == DV_OK)
        take_rest(self);
    return status;
}

static void destroy(DvObject *object, void *self_)
{
    dv_free(((OglShaderVisualModel *)self_)->rest);
    ogl_model_destroy(object, self_);
}

static const DvField fields[] = {OGL_MODEL_FIELDS(OglShaderVisualModel), {0}};
static const DvShaderElementOps rest_ops = {.size = sizeof rest_ops, .get = get_rest, .more = get_normals};

const DvClass dv_ogl_shader_visual_model = {
    .size = sizeof(DvClass),
    .name = "OglShaderVisualModel",
    .variants = "Vec3d",
    .bases = (const char *const[]){"OglModel", "VisualModelImpl", "VisualModel", NULL},
    .family = "visual models",
    .module = "Sofa.GL.Component.Shader",
    .help = "A surface that gives shaders its points and normals at rest.",
    .instance_size = sizeof(OglShaderVisualModel),
    .fields = fields,
    .contracts = (const DvContract[]){{.id = DV_STATE, .ops = &visual_points_state_ops, .by_path_only = true},
                                      {.id = DV_VISUAL_MODEL, .ops = &visual_surface_model_ops},
                                      {.id = DV_SURFACE, .ops = &ogl_model_surface_ops},
                                      {.id = DV_SHADER_ELEMENT, .ops = &rest_ops},
                                      {0}},
    .parse = ogl_model_parse,
    .init = init,
    .bounding_box = ogl_model_bounding_box,
    .destroy = destroy,
};
