/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * MergeVisualModels: one surface of several: the vertices, normals, texture coordinates and faces of its inputs, one after the other.
 */
#include "ogl_model.h"

#include <stdio.h>

#include <divan/memory.h>

enum { MOST_INPUTS = 256 };

typedef struct MergeVisualModels {
    OglModel model; /* first: the contracts' functions take it */
    DvData input_count;
    DvLink **inputs; /* [count], fields that parse added */
    uint32_t count;
    uint64_t merged_version; /* of their vertices */
} MergeVisualModels;

/* input1, input2... as the scene gives them. */
static DvStatus parse(DvObject *object, void *self_, const DvAttributes *attributes)
{
    MergeVisualModels *self = self_;
    self->count = dv_data_uint(&self->input_count);
    self->count = self->count < MOST_INPUTS ? self->count : MOST_INPUTS;
    self->inputs = dv_alloc(self->count, sizeof(DvLink *));
    DvStatus status = ogl_model_parse(object, self_, attributes);
    for (uint32_t i = 0; i < self->count && status == DV_OK; i++) {
        char name[24];
        snprintf(name, sizeof name, "input%u", i + 1);
        const DvField field = {.name = name,
                               .type = &dv_type_link,
                               .target = DV_VISUAL_MODEL,
                               .flags = DV_FIELD_DRAWING,
                               .help = "a visual model whose surface is a part of this one"};
        const char *text = dv_attribute(attributes, name);
        DvData *data = dv_object_add_field(object, &field);
        if (!data)
            return DV_ERROR_INVALID;
        self->inputs[i] = (DvLink *)data;
        if (text)
            status = dv_data_set_text(data, text);
    }
    return status;
}

static VisualSurface *surface_of(const MergeVisualModels *self, uint32_t input)
{
    DvObject *object = dv_link_object(self->inputs[input]);
    return object ? dv_object_self(object) : NULL;
}

static DvData *vertices_of(VisualSurface *surface)
{
    return surface->vertices.count ? &surface->vertices : &surface->position;
}

static void merge_positions(MergeVisualModels *self)
{
    size_t total = 0, count;
    for (uint32_t i = 0; i < self->count; i++) {
        (void)dv_data_doubles(vertices_of(surface_of(self, i)), &count);
        total += count;
    }
    double *to = dv_data_begin_all(&self->model.surface.position, total);
    for (uint32_t i = 0; i < self->count; i++) {
        const double *from = dv_data_doubles(vertices_of(surface_of(self, i)), &count);
        memcpy(to, from, 3 * count * sizeof *to);
        to += 3 * count;
    }
    dv_data_end(&self->model.surface.position);
}

/* Texture coordinates: of inputs without them 0 0. */
static void merge_texcoords(MergeVisualModels *self)
{
    size_t total, vertices, count;
    (void)dv_data_doubles(&self->model.surface.position, &total);
    double *to = dv_data_begin_all(&self->model.surface.texcoords, total);
    memset(to, 0, 2 * total * sizeof *to);
    for (uint32_t i = 0; i < self->count; i++) {
        VisualSurface *input = surface_of(self, i);
        const double *from = dv_data_doubles(&input->texcoords, &count);
        (void)dv_data_doubles(vertices_of(input), &vertices);
        memcpy(to, from, 2 * (count < vertices ? count : vertices) * sizeof *to);
        to += 2 * vertices;
    }
    dv_data_end(&self->model.surface.texcoords);
}

/* The faces that are at `member` of a surface, numbers raised by the vertices of the inputs before. */
static void merge_faces(MergeVisualModels *self, size_t member, size_t corners)
{
    size_t total = 0, count, vertices;
    uint32_t first = 0;
    for (uint32_t i = 0; i < self->count; i++) {
        (void)dv_data_uints((DvData *)((char *)surface_of(self, i) + member), &count);
        total += count;
    }
    DvData *faces = (DvData *)((char *)&self->model.surface + member);
    uint32_t *to = dv_data_begin_all(faces, total);
    for (uint32_t i = 0; i < self->count; i++) {
        VisualSurface *input = surface_of(self, i);
        const uint32_t *from = dv_data_uints((DvData *)((char *)input + member), &count);
        for (size_t k = 0; k < count * corners; k++)
            *to++ = from[k] + first;
        (void)dv_data_doubles(vertices_of(input), &vertices);
        first += (uint32_t)vertices;
    }
    dv_data_end(faces);
}

static DvStatus init(DvObject *object, void *self_)
{
    MergeVisualModels *self = self_;
    for (uint32_t i = 0; i < self->count; i++) {
        (void)dv_link_resolve(self->inputs[i]);
        DvObject *input = dv_link_object(self->inputs[i]);
        if (!input || !dv_object_is_a(input, "VisualModelImpl"))
            return dv_field_error(&self->inputs[i]->data, -1,
                                  "leads to no surface; write \"@\" and the path of an OglModel");
        const DvStatus status = dv_object_require(object, input);
        if (status != DV_OK)
            return status;
    }
    static const double zero[3], one[3] = {1, 1, 1};
    VisualSurface *surface = &self->model.surface;
    if (dv_data_is_set(&surface->translation) || dv_data_is_set(&surface->rotation) ||
        dv_data_is_set(&surface->scale3d))
        dv_remark(object, "translation, rotation and scale have no effect here: move the inputs");
    dv_data_set(&surface->translation, zero, 1);
    dv_data_set(&surface->rotation, zero, 1);
    dv_data_set(&surface->scale3d, one, 1);
    merge_positions(self);
    merge_texcoords(self);
    merge_faces(self, offsetof(VisualSurface, triangles), 3);
    merge_faces(self, offsetof(VisualSurface, quads), 4);
    merge_faces(self, offsetof(VisualSurface, edges), 2);
    return ogl_model_init(object, self);
}

/* Its inputs first, wherever they stand. */
static void update(void *self_)
{
    MergeVisualModels *self = self_;
    uint64_t inputs = 0;
    for (uint32_t i = 0; i < self->count; i++) {
        if (!surface_of(self, i))
            return;
        visual_surface_model_ops.update(surface_of(self, i));
        inputs += dv_data_version(vertices_of(surface_of(self, i)));
    }
    if (inputs != self->merged_version)
        merge_positions(self);
    self->merged_version = inputs;
    visual_surface_model_ops.update(self);
}

static void destroy(DvObject *object, void *self_)
{
    MergeVisualModels *self = self_;
    dv_free(self->inputs);
    ogl_model_destroy(object, self);
}

static const DvRange counts = {1, MOST_INPUTS, false, false};

static const DvField fields[] = {
    OGL_MODEL_FIELDS(MergeVisualModels),
    DV_FIELD(MergeVisualModels, input_count, "nb", dv_type_uint, .init = "1", .range = &counts,
             .flags = DV_FIELD_DRAWING, .help = "number of inputs: input1, input2..."),
    {0},
};

static const DvVisualModelOps model_ops = {.size = sizeof model_ops, .update = update};

const DvClass dv_merge_visual_models = {
    .size = sizeof(DvClass),
    .name = "MergeVisualModels",
    .variants = "Vec3d",
    .bases = (const char *const[]){"OglModel", "VisualModelImpl", "VisualModel", NULL},
    .family = "visual models",
    .module = "Sofa.GL.Component.Rendering3D",
    .help = "One surface of several.",
    .instance_size = sizeof(MergeVisualModels),
    .fields = fields,
    .contracts = (const DvContract[]){{.id = DV_STATE, .ops = &visual_points_state_ops, .by_path_only = true},
                                      {.id = DV_VISUAL_MODEL, .ops = &model_ops},
                                      {.id = DV_SURFACE, .ops = &ogl_model_surface_ops},
                                      {0}},
    .parse = parse,
    .init = init,
    .bounding_box = ogl_model_bounding_box,
    .destroy = destroy,
};
