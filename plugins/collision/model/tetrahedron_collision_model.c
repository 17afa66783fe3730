/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * TetrahedronCollisionModel: the tetrahedra of a mesh, with their inside.
 */
#include <divan/math/vec.h>
#include <divan/memory.h>

#include "collision_model.h"
#include "geometry.h"

typedef struct TetrahedronCollisionModel {
    CollisionModel base;
    uint32_t *tetrahedra; /* those whose points the state has */
    uint32_t capacity;
    uint64_t revision; /* of the mesh, as of the tetrahedra; 0: never */
    uint32_t points;   /* of the state then */
} TetrahedronCollisionModel;

static const DvField fields[] = {
    COLLISION_MODEL_FIELDS(TetrahedronCollisionModel, base),
    COLLISION_MODEL_TOPOLOGY(TetrahedronCollisionModel, base),
    {0},
};

static DvStatus init(DvObject *object, void *self_)
{
    TetrahedronCollisionModel *self = self_;
    self->revision = 0;
    return collision_model_init(object, &self->base, DV_SHAPE_TETRAHEDRA, true);
}

static void cleanup(DvObject *object, void *self_)
{
    TetrahedronCollisionModel *self = self_;
    collision_model_cleanup(object, &self->base);
    dv_free(self->tetrahedra);
    self->tetrahedra = NULL;
    self->capacity = 0;
}

/* Whether they are others than before. */
static bool read_tetrahedra(TetrahedronCollisionModel *self)
{
    CollisionModel *base = &self->base;
    const uint64_t revision = base->topology.ops->revision(base->topology.self) + 1;
    const uint32_t points = dv_state_count(base->state);
    if (revision == self->revision && points == self->points)
        return false;
    const DvElements all = base->topology.ops->elements(base->topology.self, DV_TETRAHEDRA);
    if (all.count > self->capacity) {
        dv_free(self->tetrahedra);
        self->capacity = all.count + all.count / 4;
        self->tetrahedra = dv_alloc(4 * (size_t)self->capacity, sizeof *self->tetrahedra);
    }
    uint32_t kept = 0;
    for (uint32_t t = 0; t < all.count; t++) {
        const uint32_t *corner = all.at + 4 * (size_t)t;
        if (corner[0] >= points || corner[1] >= points || corner[2] >= points || corner[3] >= points)
            continue;
        memcpy(self->tetrahedra + 4 * (size_t)kept++, corner, 4 * sizeof *corner);
    }
    if (kept < all.count)
        dv_warning(dv_object_of(self),
                   "%u of its %u tetrahedra name points beyond the %u of state '%s' and are left out", all.count - kept,
                   all.count, points, dv_object_path(base->state.object));
    base->shape.vertices = self->tetrahedra;
    base->shape.corners = 4;
    base->shape.count = kept;
    self->revision = revision;
    self->points = points;
    return true;
}

static DvStatus update(void *self_, DvShapeVersion *version)
{
    TetrahedronCollisionModel *self = self_;
    const bool changed = read_tetrahedra(self);
    if (collision_model_begin(&self->base, self->base.shape.count, changed))
        collision_model_bound_corners(&self->base);
    *version = self->base.version;
    return DV_OK;
}

/* By barycentric coordinates, outside too; the middle of one without volume. */
static void attach(void *self_, uint32_t element, const double point[3], DvAttachment *attachment)
{
    const TetrahedronCollisionModel *self = self_;
    const uint32_t *corner = self->tetrahedra + 4 * (size_t)element;
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
            dv_vec3_store(dv_vec3_load(x + 3 * (size_t)self->tetrahedra[4 * (size_t)t + edges[k]]),
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
    .init = init,
    .cleanup = cleanup,
};
