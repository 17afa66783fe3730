/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * SlidingLagrangianConstraint: a point slides along the segment between two others.
 *
 * With P, A, B at the beginning of the step, u = (B - A) / |B - A|, b the place of P's foot between A and B, 0 to 1, and p, o
 * perpendicular to u (p towards P):
 *   (P - (1 - b) A - b B) . p = 0,   the same . o = 0,   (P - A) . u >= 0,   (B - P) . u >= 0
 * Where A and B are one place, P = A. Of bodies the centres; their rotation is free. It follows its points in meshes that change.
 */
#include <divan/kit/lagrangian_constraint.h>

#include <float.h>
#include <math.h>

#include <divan/math/rigid.h>

typedef struct SlidingLagrangianConstraint {
    DvLagrangianConstraint base;
    DvData point, axis[2], force;
    DvVec3 direction[4]; /* of each row, at P */
    double place[2];     /* of the foot: weights of A and B in the first two rows */
} SlidingLagrangianConstraint;

#define FIELD(member, ...) DV_FIELD(SlidingLagrangianConstraint, member, __VA_ARGS__)

static const DvField fields[] = {
    DV_TWO_STATE_CONSTRAINT_FIELDS(SlidingLagrangianConstraint, base),
    FIELD(point, "sliding_point", dv_type_int, .init = "0", .help = "point of the first state that slides"),
    FIELD(axis[0], "axis_1", dv_type_int, .init = "0", .help = "point of the second state where the segment begins"),
    FIELD(axis[1], "axis_2", dv_type_int, .init = "0", .help = "point of the second state where it ends"),
    FIELD(force, "force", dv_type_deriv, .flags = DV_FIELD_READ_ONLY, .unit = "N s",
          .help = "what the segment put on the point in the last step: force times the length of the step"),
    {0},
};

/* d += of positions or of velocities: it is linear in them. */
static void add(SlidingLagrangianConstraint *self, const DvConstVec v[2], double *d)
{
    const DvVec3 p = dv_vec3_load(v[0].at + (size_t)dv_data_int(&self->point) * v[0].dim);
    const DvVec3 a = dv_vec3_load(v[1].at + (size_t)dv_data_int(&self->axis[0]) * v[1].dim);
    const DvVec3 b = dv_vec3_load(v[1].at + (size_t)dv_data_int(&self->axis[1]) * v[1].dim);
    const DvVec3 *direction = self->direction;
    if (self->base.rows == 3) {
        for (int r = 0; r < 3; r++)
            d[r] += dv_vec3_dot(dv_vec3_sub(p, a), direction[r]);
        return;
    }
    const DvVec3 foot = dv_vec3_add(dv_vec3_scale(a, self->place[0]), dv_vec3_scale(b, self->place[1]));
    d[0] += dv_vec3_dot(dv_vec3_sub(p, foot), direction[0]);
    d[1] += dv_vec3_dot(dv_vec3_sub(p, foot), direction[1]);
    d[2] += dv_vec3_dot(dv_vec3_sub(p, a), direction[2]);
    d[3] += dv_vec3_dot(dv_vec3_sub(p, b), direction[3]);
}

static void gap(void *self_, const DvConstVec x[2], double *d)
{
    SlidingLagrangianConstraint *self = self_;
    for (uint32_t r = 0; r < self->base.rows; r++)
        d[r] = 0.0;
    add(self, x, d);
}

static void add_rate(void *self_, const DvConstVec v[2], double *d)
{
    add(self_, v, d);
}

static void points_moved(void *self_, uint32_t sides, const DvRenumbering *numbers)
{
    SlidingLagrangianConstraint *self = self_;
    if (sides & 1u)
        dv_lagrangian_move_point(&self->point, numbers);
    for (int end = 0; end < 2 && sides & 2u; end++)
        dv_lagrangian_move_point(&self->axis[end], numbers);
}

static const DvConstraintForm form = {.gap = gap, .add_rate = add_rate, .points_moved = points_moved};

static bool has_lost_a_point(SlidingLagrangianConstraint *self)
{
    return dv_lagrangian_point_has_gone(&self->point) || dv_lagrangian_point_has_gone(&self->axis[0]) ||
           dv_lagrangian_point_has_gone(&self->axis[1]);
}

static DvStatus check(SlidingLagrangianConstraint *self)
{
    DvStatus status = dv_lagrangian_check_point(&self->base, 0, &self->point);
    for (int end = 0; status == DV_OK && end < 2; end++) {
        status = dv_lagrangian_check_point(&self->base, 1, &self->axis[end]);
        if (status == DV_OK && dv_lagrangian_is_of_one_state(&self->base) &&
            dv_data_int(&self->axis[end]) == dv_data_int(&self->point))
            status = dv_field_error(&self->axis[end], -1, "is the point that slides; name another");
    }
    return status;
}

static void add_entry(DvRowEntries *entries, uint32_t row, uint32_t point, DvVec3 direction, double weight)
{
    double *at = dv_entry_add(entries, row, point);
    dv_vec3_store(dv_vec3_scale(direction, weight), at);
    for (uint32_t c = 3; c < entries->width; c++)
        at[c] = 0.0;
}

/* Two directions across the axis, the first towards the point; where the point is on the axis, or rounding alone keeps it from being
 * there, any two. */
static void across(DvVec3 u, DvVec3 from_foot, DvVec3 *p, DvVec3 *o)
{
    DvVec3 towards = from_foot;
    double length = dv_vec3_norm(towards);
    if (length < DBL_EPSILON || dv_vec3_norm(dv_vec3_cross(towards, u)) < 0.9 * length) {
        towards = dv_vec3_cross(dv_vec3(1.0, 0.0, 0.0), u);
        if (dv_vec3_norm(towards) < 1e-6)
            towards = dv_vec3_cross(dv_vec3(1.0, 1.0, 0.0), u);
    }
    *o = dv_vec3_normalize(dv_vec3_cross(towards, u));
    *p = dv_vec3_cross(u, *o); /* at right angles to both, to the last bit */
}

static DvStatus build(void *self_, const DvStep *step, DvConstraintRows *rows)
{
    SlidingLagrangianConstraint *self = self_;
    if (!dv_lagrangian_begin(&self->base, step, rows) || has_lost_a_point(self))
        return DV_OK;
    const DvStatus status = check(self);
    if (status != DV_OK)
        return status;
    const uint32_t point = (uint32_t)dv_data_int(&self->point),
                   end[2] = {(uint32_t)dv_data_int(&self->axis[0]), (uint32_t)dv_data_int(&self->axis[1])};
    const DvConstVec x[2] = {dv_state_read(self->base.state[0], step->position),
                             dv_state_read(self->base.state[1], step->position)};
    const DvVec3 p = dv_vec3_load(x[0].at + (size_t)point * x[0].dim);
    const DvVec3 a = dv_vec3_load(x[1].at + (size_t)end[0] * x[1].dim);
    const DvVec3 b = dv_vec3_load(x[1].at + (size_t)end[1] * x[1].dim);
    const double length = dv_vec3_distance(b, a);
    DvVec3 *direction = self->direction;
    if (length < DBL_EPSILON) {
        for (uint32_t r = 0; r < 3; r++) {
            direction[r] = dv_vec3(r == 0, r == 1, r == 2);
            add_entry(rows->of_state[0], rows->next, point, direction[r], 1.0);
            add_entry(rows->of_state[1], rows->next, end[0], direction[r], -1.0);
            (void)dv_lagrangian_add(&self->base, rows, DV_LAW_BILATERAL, 1);
        }
        return DV_OK;
    }
    const DvVec3 u = dv_vec3_scale(dv_vec3_sub(b, a), 1.0 / length);
    const double along = dv_vec3_dot(dv_vec3_sub(p, a), u), b_weight = fmax(0.0, fmin(1.0, along / length));
    across(u, dv_vec3_sub(p, dv_vec3_madd(a, along, u)), &direction[0], &direction[1]);
    direction[2] = u;
    direction[3] = dv_vec3_neg(u);
    self->place[0] = 1.0 - b_weight;
    self->place[1] = b_weight;
    for (uint32_t r = 0; r < 4; r++) {
        add_entry(rows->of_state[0], rows->next, point, direction[r], 1.0);
        if (r < 2) {
            add_entry(rows->of_state[1], rows->next, end[0], direction[r], -self->place[0]);
            add_entry(rows->of_state[1], rows->next, end[1], direction[r], -self->place[1]);
        } else {
            add_entry(rows->of_state[1], rows->next, end[r - 2], direction[r], -1.0);
        }
        (void)dv_lagrangian_add(&self->base, rows, r < 2 ? DV_LAW_BILATERAL : DV_LAW_UNILATERAL, 1);
    }
    return DV_OK;
}

static void store(void *self_, const DvStep *step, const double *lambda, uint32_t rows)
{
    SlidingLagrangianConstraint *self = self_;
    (void)step;
    DvVec3 sum = dv_vec3_zero();
    for (uint32_t r = 0; r < rows; r++)
        sum = dv_vec3_madd(sum, lambda[r], self->direction[r]);
    dv_vec3_store(sum, dv_data_begin(&self->force, 1));
    dv_data_end(&self->force);
}

static const DvLagrangianConstraintOps ops = {DV_LAGRANGIAN_CONSTRAINT_OPS, .build = build, .store = store,
                                              .laws = 1u << DV_LAW_BILATERAL};

static DvStatus bwd_init(DvObject *object, void *self_)
{
    SlidingLagrangianConstraint *self = self_;
    DvStatus status = dv_lagrangian_init(object, &self->base, 2, &form);
    if (status == DV_OK)
        status = check(self);
    if (status == DV_OK)
        status =
            dv_lagrangian_follow(&self->base, NULL, (DvData *const[]){&self->point, &self->axis[0], &self->axis[1]}, 3);
    if (status != DV_OK)
        dv_lagrangian_release(&self->base);
    return status;
}

/* The segment, and the point that slides on it. */
static void draw(void *self_, DvDraw *draw)
{
    static const double color[4] = {1.0, 0.5, 0.0, 1.0};
    SlidingLagrangianConstraint *self = self_;
    double point[3], ends[6];
    if (!dv_lagrangian_place(&self->base, draw, 0, (uint32_t)dv_data_int(&self->point), point) ||
        !dv_lagrangian_place(&self->base, draw, 1, (uint32_t)dv_data_int(&self->axis[0]), ends) ||
        !dv_lagrangian_place(&self->base, draw, 1, (uint32_t)dv_data_int(&self->axis[1]), ends + 3))
        return;
    draw->ops->lines(draw, ends, 1, 2.0, color);
    draw->ops->points(draw, point, 1, 10.0, color);
}

static const DvDrawableOps drawable = {.size = sizeof drawable, .draw = draw};

const DvClass dv_sliding_lagrangian_constraint = {
    .size = sizeof(DvClass),
    .name = "SlidingLagrangianConstraint",
    .variants = "Rigid3d Vec3d",
    DV_TWO_STATE_CONSTRAINT_CLASS,
    .module = "Sofa.Component.Constraint.Lagrangian.Model",
    .help = "Keeps a point on the segment between two others, along which it slides.",
    .instance_size = sizeof(SlidingLagrangianConstraint),
    .fields = fields,
    .contracts =
        (const DvContract[]){{.id = DV_LAGRANGIAN_CONSTRAINT, .ops = &ops}, {.id = DV_DRAWABLE, .ops = &drawable}, {0}},
    .bwd_init = bwd_init,
};
