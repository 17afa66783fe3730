/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * TetrahedronCollisionModel: the tetrahedra of a mesh, with their inside.
 */
#include <divan/math/vec.h>
#include <divan/memory.h>

#include "geometry.h"
#include "mesh_elements.h"

typedef struct TetrahedronCollisionModel {
    CollisionModel base;
    MeshElements tetrahedra;
} TetrahedronCollisionModel;

static const DvField fields[] = {
    COLLISION_MODEL_FIELDS(TetrahedronCollisionModel, base),
    COLLISION_MODEL_TOPOLOGY(TetrahedronCollisionModel, base),
    {0},
};

static DvStatus init(DvObject *object, void *self_)
{
    TetrahedronCollisionModel *self = self_;
    const DvStatus status = collision_model_init(object, &self->base, DV_SHAPE_TETRAHEDRA, true);
    return status == DV_OK ? mesh_elements_follow(&self->tetrahedra, &self->base, DV_TETRAHEDRA) : status;
}

static void cleanup(DvObject *object, void *self_)
{
    TetrahedronCollisionModel *self = self_;
    collision_model_cleanup(object, &self->base);
    mesh_elements_free(&self->tetrahedra);
}

static DvStatus update(void *self_, DvShapeVersion *version)
{
    TetrahedronCollisionModel *self = self_;
    const bool changed = mesh_elements_read(&self->tetrahedra, &self->base);
    const bool boxes = collision_model_begin(&self->base, self->base.shape.count, changed);
    if (boxes)
        collision_model_bound_corners(&self->base);
    collision_model_end(&self->base, boxes, version);
    return DV_OK;
}

/* By barycentric coordinates, outside too; the middle of one without volume. */
static void attach(void *self_, uint32_t element, const double point[3], DvAttachment *attachment)
{
    const TetrahedronCollisionModel *self = self_;
    const uint32_t *corner = self->tetrahedra.at + 4 * (size_t)element;
    DvVec3 x[4];
    for (uint32_t k = 0; k < 4; k++)
        x[k] = dv_vec3_load(shape_corner(&self->base.shape, element, k));
    *attachment = (DvAttachment){.count = 4, .points = {corner[0], corner[1], corner[2], corner[3]}};
    if (!barycentric_in_tetrahedron(x, dv_vec3_load(point), attachment->weights))
        for (uint32_t k = 0; k < 4; k++)
            attachment->weights[k] = 0.25;
}

/* The edges of each. */
static void draw(void *self_, DvDraw *target)
{
    static const uint32_t edges[12] = {0, 1, 0, 2, 0, 3, 1, 2, 1, 3, 2, 3};
    TetrahedronCollisionModel *self = self_;
    double color[4];
    if (!collision_model_is_drawn(&self->base, target, color))
        return;
    const double *x = dv_state_read(self->base.state, DV_POSITION).at;
    const uint32_t count = self->base.shape.count;
    double *ends = dv_alloc(36 * (size_t)count, sizeof *ends);
    for (uint32_t t = 0; t < count; t++)
        for (uint32_t k = 0; k < 12; k++)
            dv_vec3_store(dv_vec3_load(x + 3 * (size_t)self->tetrahedra.at[4 * (size_t)t + edges[k]]),
                          ends + 36 * (size_t)t + 3 * (size_t)k);
    target->ops->lines(target, ends, 6 * count, 1.0, color);
    dv_free(ends);
}

static const DvDrawableOps drawable = {.size = sizeof drawable, .draw = draw};
static const DvCollisionModelOps ops = {COLLISION_MODEL_OPERATIONS, .update = update, .attach = attach};

const DvClass dv_tetrahedron_collision_model = {
    .size = sizeof(DvClass),
    .name = "TetrahedronCollisionModel",
    .variants = "Vec3d",
    .bases = (const char *const[]){"CollisionModel", NULL},
    .family = "collision models",
    .module = "Sofa.Component.Collision.Geometry",
    .help = "The tetrahedra of a mesh as elements that collide.",
    .instance_size = sizeof(TetrahedronCollisionModel),
    .fields = fields,
    .contracts =
        (const DvContract[]){{.id = DV_COLLISION_MODEL, .ops = &ops}, {.id = DV_DRAWABLE, .ops = &drawable}, {0}},
    .accepts = collision_model_accepts,
    .restore = collision_model_restore,
    .init = init,
    .cleanup = cleanup,
};
