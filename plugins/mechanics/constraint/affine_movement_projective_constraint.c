/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * AffineMovementProjectiveConstraint: points that are taken from where they are to an affine image of it, between two times.
 *
 *   xf_i = A x0_i + b,   positions: x_i = ((xf_i - x0_i) t + x0_i end - xf_i begin) / (end - begin),   begin < t <= end
 *                                   x_i = xf_i afterwards;   velocities, residuals, forces...: 0, always
 *
 * t is the time at the beginning of the step, x0 are the positions when they are projected first. Bodies: A is the rotation of
 * `quaternion`; centres move, the orientation becomes its final one, q0 * quaternion, after the end.
 */
#include <divan/kit/projective_constraint.h>

#include <divan/math/quat.h>
#include <divan/types/matrix.h>

#include <string.h>

typedef struct AffineMovementProjectiveConstraint {
    DvProjectiveConstraint base;
    DvData begin_time, end_time, rotation, quaternion, translation, draw_points;
} AffineMovementProjectiveConstraint;

#define FIELD(member, name, type, ...) DV_FIELD(AffineMovementProjectiveConstraint, member, name, type, __VA_ARGS__)
static const DvField fields[] = {
    DV_PROJECTIVE_CONSTRAINT_FIELDS(AffineMovementProjectiveConstraint, base, NULL, "points that are moved"),
    DV_PROJECTIVE_CONSTRAINT_START_FIELD(AffineMovementProjectiveConstraint, base),
    DV_FIELD_HELD("meshIndices", dv_type_uints,
                  .help = "kept for scenes that name it: points of the mesh; does nothing"),
    FIELD(begin_time, "beginConstraintTime", dv_type_double, .init = "0", .unit = "s", .help = "when they set off"),
    FIELD(end_time, "endConstraintTime", dv_type_double, .init = "20", .unit = "s", .help = "when they arrive"),
    FIELD(rotation, "rotation", dv_type_mat3d, .init = "0 0 0 0 0 0 0 0 0", .help = "linear part, of points"),
    FIELD(quaternion, "quaternion", dv_type_quat, .init = "0 0 0 1", .help = "linear part, of bodies"),
    FIELD(translation, "translation", dv_type_vec3d, .unit = "m", .help = "what is added"),
    FIELD(draw_points, "drawConstrainedPoints", dv_type_bool, .init = "0", .flags = DV_FIELD_DRAWING,
          .help = "draw the points"),
    {0},
};

static void project(void *self_, const DvStep *step, const DvVec *d)
{
    AffineMovementProjectiveConstraint *self = self_;
    if (dv_projective_is_active(&self->base, step))
        dv_projective_clear(&self->base, d);
}

static DvVec3 image(AffineMovementProjectiveConstraint *self, DvVec3 x)
{
    const DvVec3 translation = dv_vec3_load(dv_data_doubles(&self->translation, NULL));
    if (self->base.state.dof->rotation)
        return dv_vec3_add(dv_quat_rotate(dv_quat_load(dv_data_doubles(&self->quaternion, NULL)), x), translation);
    DvMat3 rotation;
    memcpy(rotation.m, dv_data_doubles(&self->rotation, NULL), sizeof rotation.m);
    return dv_vec3_add(dv_mat3_mul_vec(rotation, x), translation);
}

static void project_position(void *self_, const DvStep *step, const DvVec *x)
{
    AffineMovementProjectiveConstraint *self = self_;
    const double *start = dv_projective_start(&self->base, x), t = step->time;
    const double begin = dv_data_double(&self->begin_time), end = dv_data_double(&self->end_time);
    if (!dv_projective_is_active(&self->base, step) || t <= begin)
        return;
    size_t count;
    const uint32_t *index = dv_projective_indices(&self->base, &count);
    const DvQuat turn = dv_quat_load(dv_data_doubles(&self->quaternion, NULL));
    for (size_t i = 0; i < count; i++) {
        double *at = x->at + (size_t)index[i] * x->dim;
        const double *from = start + i * x->dim;
        double to[3];
        dv_vec3_store(image(self, dv_vec3_load(from)), to);
        for (int c = 0; c < 3; c++)
            at[c] = t > end ? to[c] : ((to[c] - from[c]) * t + from[c] * end - to[c] * begin) / (end - begin);
        if (self->base.state.dof->rotation && t > end)
            dv_quat_store(dv_quat_normalize(dv_quat_mul(dv_quat_load(from + 3), turn)), at + 3);
    }
}

static const DvProjectiveConstraintOps constraint_ops = {
    DV_PROJECTIVE_CONSTRAINT_OPS,         .space = DV_HOST,
    .project_response = project,          .project_velocity = project,
    .project_position = project_position, .fixed = dv_projective_fixed,
    .structure = dv_projective_structure,
};

static void draw(void *self_, DvDraw *draw)
{
    AffineMovementProjectiveConstraint *self = self_;
    if (dv_data_bool(&self->draw_points))
        dv_projective_draw(&self->base, draw, false, 0.0);
}

static const DvDrawableOps drawable_ops = {.size = sizeof(DvDrawableOps), .draw = draw};

static DvStatus init(DvObject *object, void *self_)
{
    AffineMovementProjectiveConstraint *self = self_;
    self->base.keeps_start = true;
    const double begin = dv_data_double(&self->begin_time), end = dv_data_double(&self->end_time);
    if (!(end > begin))
        return dv_field_error(&self->end_time, -1, "%g s is not after beginConstraintTime, %g s", end, begin);
    return dv_projective_init(object, &self->base);
}

const DvClass dv_affine_movement_projective_constraint = {
    .size = sizeof(DvClass),
    .name = "AffineMovementProjectiveConstraint",
    .variants = "Rigid3d Vec3d",
    DV_PROJECTIVE_CONSTRAINT_CLASS,
    .module = "Sofa.Component.Constraint.Projective",
    .help = "Points that are taken to an affine image of where they are.",
    .instance_size = sizeof(AffineMovementProjectiveConstraint),
    .fields = fields,
    .contracts = (const DvContract[]){{.id = DV_PROJECTIVE_CONSTRAINT, .ops = &constraint_ops},
                                      {.id = DV_DRAWABLE, .ops = &drawable_ops},
                                      {0}},
    .init = init,
};
