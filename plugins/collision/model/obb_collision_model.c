/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * OBBCollisionModel: a box around the centre of each frame of a rigid state, along the axes of the frame.
 *
 * `extents` has half the size of each box along its three axes; what is missing takes `defaultExtent`.
 */
#include <divan/math/rigid.h>
#include <divan/memory.h>

#include "collision_model.h"

typedef struct ObbCollisionModel {
    CollisionModel base;
    DvData extents, default_extent;
    DvSolids solids;
    double *frames; /* [capacity x 12] axes of all boxes, then velocities of all */
    uint32_t capacity;
} ObbCollisionModel;

static const DvField fields[] = {
    COLLISION_MODEL_FIELDS(ObbCollisionModel, base),
    DV_FIELD(ObbCollisionModel, extents, "extents", dv_type_vec3s, .unit = "m", .range = &dv_range_not_negative,
             .flags = DV_FIELD_EMPTY_IS_DEFAULT, .help = "half the size of each box along its axes"),
    DV_FIELD(ObbCollisionModel, default_extent, "defaultExtent", dv_type_double, .init = "1", .unit = "m",
             .range = &dv_range_not_negative,
             .help = "half the size of boxes that extents does not name, along each axis"),
    {0},
};

static DvStatus init(DvObject *object, void *self_)
{
    ObbCollisionModel *self = self_;
    return collision_model_init(object, &self->base, DV_SHAPE_BOXES, false);
}

static void cleanup(DvObject *object, void *self_)
{
    ObbCollisionModel *self = self_;
    collision_model_cleanup(object, &self->base);
    dv_free(self->frames);
    self->frames = NULL;
    self->capacity = 0;
}

static void read_frames(ObbCollisionModel *self)
{
    const DvShape *s = &self->base.shape;
    self->frames = collision_model_room(self->frames, &self->capacity, s->count, 12);
    double *axes = self->frames, *velocities = self->frames + 9 * (size_t)self->capacity;
    const DvConstVec v = dv_state_read(self->base.state, DV_VELOCITY);
    for (uint32_t i = 0; i < s->count; i++) {
        const DvMat3 r = dv_quat_to_matrix(dv_rigid3_load(s->x + (size_t)i * s->stride).orientation);
        dv_mat3_store(dv_mat3_transpose(r), axes + 9 * (size_t)i);
        dv_vec3_store(dv_vec3_load(v.at + (size_t)i * v.dim), velocities + 3 * (size_t)i);
    }
    self->solids =
        (DvSolids){.velocities = velocities, .axes = axes, .half_sizes = dv_data_doubles(&self->extents, NULL)};
}

static DvVec3 axis_of(const ObbCollisionModel *self, uint32_t box, uint32_t axis)
{
    return dv_vec3_load(self->solids.axes + 9 * (size_t)box + 3 * (size_t)axis);
}

static DvStatus update(void *self_, DvShapeVersion *version)
{
    ObbCollisionModel *self = self_;
    CollisionModel *base = &self->base;
    const uint32_t count = dv_state_count(base->state);
    collision_model_complete(&self->extents, count, dv_data_double(&self->default_extent));
    const bool boxes = collision_model_begin(base, count, count != base->shape.count);
    DvShape *s = &base->shape;
    read_frames(self);
    s->more = &self->solids;
    for (uint32_t i = 0; boxes && i < count; i++) {
        const double *centre = s->x + (size_t)i * s->stride, *half = self->solids.half_sizes + 3 * (size_t)i;
        double reach[3] = {s->distance, s->distance, s->distance};
        for (uint32_t k = 0; k < 3; k++) {
            const DvVec3 a = axis_of(self, i, k);
            reach[0] += half[k] * fabs(a.x);
            reach[1] += half[k] * fabs(a.y);
            reach[2] += half[k] * fabs(a.z);
        }
        const double lower[3] = {centre[0] - reach[0], centre[1] - reach[1], centre[2] - reach[2]};
        const double upper[3] = {centre[0] + reach[0], centre[1] + reach[1], centre[2] + reach[2]};
        collision_model_set_box(base, i, lower, upper);
    }
    collision_model_end(base, boxes, version);
    return DV_OK;
}

/* Its twelve edges, two ends each. */
static void draw(void *self_, DvDraw *target)
{
    ObbCollisionModel *self = self_;
    double color[4];
    if (!collision_model_is_drawn(&self->base, target, color) || !self->solids.axes)
        return;
    const DvShape *s = &self->base.shape;
    double *ends = dv_alloc(72 * (size_t)s->count, sizeof *ends), *at = ends;
    for (uint32_t i = 0; i < s->count; i++) {
        const double *half = self->solids.half_sizes + 3 * (size_t)i;
        for (uint32_t corner = 0; corner < 8; corner++)
            for (uint32_t axis = 0; axis < 3; axis++) {
                if (corner >> axis & 1u)
                    continue;
                for (uint32_t end = 0; end < 2; end++) {
                    const uint32_t signs = corner | end << axis;
                    DvVec3 p = dv_vec3_load(s->x + (size_t)i * s->stride);
                    for (uint32_t k = 0; k < 3; k++)
                        p = dv_vec3_madd(p, signs >> k & 1u ? half[k] : -half[k], axis_of(self, i, k));
                    dv_vec3_store(p, at);
                    at += 3;
                }
            }
    }
    target->ops->lines(target, ends, 12 * s->count, 1.0, color);
    dv_free(ends);
}

static const DvDrawableOps drawable = {.size = sizeof drawable, .draw = draw};
static const DvCollisionModelOps ops = {COLLISION_MODEL_OPERATIONS, .update = update,
                                        .attach = collision_model_attach_to_frame};

const DvClass dv_obb_collision_model = {
    .size = sizeof(DvClass),
    .name = "OBBCollisionModel",
    .variants = "Rigid3d",
    .bases = (const char *const[]){"CollisionModel", NULL},
    .family = "collision models",
    .module = "CollisionOBBCapsule",
    .help = "Boxes around the frames of a rigid state, along their axes.",
    .instance_size = sizeof(ObbCollisionModel),
    .fields = fields,
    .contracts =
        (const DvContract[]){{.id = DV_COLLISION_MODEL, .ops = &ops}, {.id = DV_DRAWABLE, .ops = &drawable}, {0}},
    .accepts = collision_model_accepts,
    .restore = collision_model_restore,
    .init = init,
    .cleanup = cleanup,
};
