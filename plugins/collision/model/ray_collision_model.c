/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * RayCollisionModel: a ray from each point of a state, which finds what is in its way.
 *
 * Nothing answers its contacts (RayContact); they are there for who picks or measures, and for `divan run --contacts`.
 */
#include <divan/math/vec.h>
#include <divan/memory.h>

#include "collision_model.h"

typedef struct RayCollisionModel {
    CollisionModel base;
    DvData length, directions;
    double *ends;       /* [capacity x 6] */
    uint32_t *vertices; /* [2 x vertex_capacity] 0 1 2 ... */
    uint32_t capacity, vertex_capacity;
} RayCollisionModel;

static const DvField fields[] = {
    COLLISION_MODEL_FIELDS(RayCollisionModel, base),
    DV_FIELD(RayCollisionModel, length, "defaultLength", dv_type_double, .init = "1", .unit = "m",
             .range = &dv_range_not_negative, .help = "length of the rays"),
    DV_FIELD(RayCollisionModel, directions, "directions", dv_type_vec3s, .init = "0 0 -1",
             .help = "where each ray leads, of any length; the last also for those behind; 0 0 0: a ray finds nothing"),
    {0},
};

static DvStatus init(DvObject *object, void *self_)
{
    RayCollisionModel *self = self_;
    DvStatus status = collision_model_init(object, &self->base, DV_SHAPE_RAYS, false);
    size_t given;
    (void)dv_data_doubles(&self->directions, &given);
    if (status == DV_OK && given == 0)
        status = dv_field_error(&self->directions, -1, "rays need a direction; three numbers for all of them, say");
    if (status == DV_OK && !*dv_data_string(&self->base.response))
        dv_data_set_string(&self->base.response, "RayContact");
    return status;
}

static void cleanup(DvObject *object, void *self_)
{
    RayCollisionModel *self = self_;
    collision_model_cleanup(object, &self->base);
    dv_free(self->ends);
    dv_free(self->vertices);
    self->ends = NULL;
    self->vertices = NULL;
    self->capacity = self->vertex_capacity = 0;
}

static void find_ends(RayCollisionModel *self)
{
    DvShape *s = &self->base.shape;
    self->ends = collision_model_room(self->ends, &self->capacity, s->count, 6);
    if (self->vertex_capacity < self->capacity) {
        dv_free(self->vertices);
        self->vertex_capacity = self->capacity;
        self->vertices = dv_alloc(2 * (size_t)self->vertex_capacity, sizeof *self->vertices);
        for (uint32_t i = 0; i < 2 * self->vertex_capacity; i++)
            self->vertices[i] = i;
    }
    const double length = dv_data_double(&self->length);
    size_t given;
    const double *directions = dv_data_doubles(&self->directions, &given);
    for (uint32_t i = 0; i < s->count; i++) {
        const DvVec3 from = dv_vec3_load(s->x + 3 * (size_t)i);
        const DvVec3 d = given > 0 ? dv_vec3_load(directions + 3 * (i < given ? i : given - 1)) : dv_vec3_zero();
        dv_vec3_store(from, self->ends + 6 * (size_t)i);
        dv_vec3_store(dv_vec3_madd(from, length, dv_vec3_normalize(d)), self->ends + 6 * (size_t)i + 3);
    }
    s->x = self->ends;
    s->vertices = self->vertices;
    s->corners = 2;
}

static DvStatus update(void *self_, DvShapeVersion *version)
{
    RayCollisionModel *self = self_;
    CollisionModel *base = &self->base;
    const uint32_t count = dv_state_count(base->state);
    const bool boxes = collision_model_begin(base, count, count != base->shape.count);
    find_ends(self);
    if (boxes)
        collision_model_bound_corners(base);
    collision_model_end(base, boxes, version);
    return DV_OK;
}

static void attach(void *self, uint32_t element, const double point[3], DvAttachment *attachment)
{
    (void)self, (void)point;
    *attachment = (DvAttachment){.count = 1, .points = {element}, .weights = {1.0}};
}

static void draw(void *self_, DvDraw *target)
{
    RayCollisionModel *self = self_;
    double color[4];
    if (collision_model_is_drawn(&self->base, target, color) && self->ends)
        target->ops->lines(target, self->ends, self->base.shape.count, 1.0, color);
}

static const DvDrawableOps drawable = {.size = sizeof drawable, .draw = draw};
static const DvCollisionModelOps ops = {COLLISION_MODEL_OPERATIONS, .update = update, .attach = attach};

const DvClass dv_ray_collision_model = {
    .size = sizeof(DvClass),
    .name = "RayCollisionModel",
    .variants = "Vec3d",
    .bases = (const char *const[]){"CollisionModel", NULL},
    .family = "collision models",
    .module = "Sofa.Component.Collision.Geometry",
    .help = "Rays from the points of a state, which find what is in their way.",
    .instance_size = sizeof(RayCollisionModel),
    .fields = fields,
    .contracts =
        (const DvContract[]){{.id = DV_COLLISION_MODEL, .ops = &ops}, {.id = DV_DRAWABLE, .ops = &drawable}, {0}},
    .accepts = collision_model_accepts,
    .restore = collision_model_restore,
    .init = init,
    .cleanup = cleanup,
};
