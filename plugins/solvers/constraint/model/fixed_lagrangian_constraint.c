/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * FixedLagrangianConstraint: points are held at their rest positions by forces.
 *
 *   d = x - x0; of bodies the angles of the turn q q0^-1 about x, then y, then z (fixed axes)
 *
 * Those angles differ from the rotation vector in second order, and their rows are those of a small turn. Points in space and bodies
 * begin each solution with the forces of the step before. Where a point leaves a mesh that changes, it is no more held.
 */
#include <divan/kit/lagrangian_constraint.h>

#include <divan/element_data.h>
#include <divan/math/rigid.h>

typedef struct FixedLagrangianConstraint {
    DvLagrangianConstraint base;
    DvData indices, fix_all;
    DvData last_forces; /* of each point; empty where each step begins with none */
} FixedLagrangianConstraint;

static const DvField fields[] = {
    DV_ONE_STATE_CONSTRAINT_FIELDS(FixedLagrangianConstraint, base),
    DV_FIELD(FixedLagrangianConstraint, indices, "indices", dv_type_uints, .help = "points that are held"),
    DV_FIELD(FixedLagrangianConstraint, fix_all, "fixAll", dv_type_bool, .init = "0", .help = "hold every point"),
    DV_FIELD(FixedLagrangianConstraint, last_forces, "lastForces", dv_type_derivs, .flags = DV_FIELD_STATE,
             .unit = "N s", .help = "what held each point in the last step: where the next solution begins"),
    {0},
};

/* The points that are held; NULL: the first `count`. */
static const uint32_t *held_points(FixedLagrangianConstraint *self, uint32_t *count)
{
    *count = dv_state_count(self->base.state[0]);
    if (dv_data_bool(&self->fix_all))
        return NULL;
    size_t listed;
    const uint32_t *point = dv_data_uints(&self->indices, &listed);
    *count = (uint32_t)listed;
    return point;
}

static bool has_memory(const FixedLagrangianConstraint *self)
{
    const uint32_t dim = self->base.state[0].dof->deriv;
    return self->base.state[0].dof->rotation || dim == 3;
}

/* About x, then y, then z, of a unit quaternion. */
static DvVec3 euler_angles(DvQuat q)
{
    const double sine = 2.0 * (q.w * q.y - q.z * q.x);
    return dv_vec3(atan2(2.0 * (q.w * q.x + q.y * q.z), 1.0 - 2.0 * (q.x * q.x + q.y * q.y)),
                   asin(fmax(-1.0, fmin(1.0, sine))),
                   atan2(2.0 * (q.w * q.z + q.x * q.y), 1.0 - 2.0 * (q.y * q.y + q.z * q.z)));
}

static void gap(void *self_, const DvConstVec x[2], double *d)
{
    FixedLagrangianConstraint *self = self_;
    const DvConstVec rest = dv_state_read(self->base.state[0], DV_REST_POSITION);
    const bool turns = self->base.state[0].dof->rotation;
    uint32_t count;
    const uint32_t *point = held_points(self, &count);
    for (uint32_t i = 0; i < count; i++) {
        const size_t at = (size_t)(point ? point[i] : i) * rest.dim;
        if (!turns) {
            for (uint32_t c = 0; c < rest.dim; c++)
                *d++ = x[0].at[at + c] - rest.at[at + c];
            continue;
        }
        const DvRigid3 now = dv_rigid3_load(x[0].at + at), then = dv_rigid3_load(rest.at + at);
        const DvQuat turn = dv_quat_mul(now.orientation, dv_quat_inverse(then.orientation));
        dv_vec3_store(dv_vec3_sub(now.center, then.center), d);
        dv_vec3_store(euler_angles(dv_quat_normalize(turn)), d + 3);
        d += 6;
    }
}

static void add_rate(void *self_, const DvConstVec v[2], double *d)
{
    FixedLagrangianConstraint *self = self_;
    uint32_t count;
    const uint32_t *point = held_points(self, &count);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t c = 0; c < v[0].dim; c++)
            *d++ += v[0].at[(size_t)(point ? point[i] : i) * v[0].dim + c];
}

/* The forces of points that stay, under what are now their numbers. */
static void points_moved(void *self_, uint32_t sides, const DvRenumbering *numbers)
{
    FixedLagrangianConstraint *self = self_;
    (void)sides;
    size_t count;
    const uint32_t *old = dv_data_uints(&self->indices, &count);
    uint32_t *point = dv_alloc(count, sizeof *point);
    size_t kept = 0;
    const uint32_t dim = self->base.state[0].dof->deriv;
    const bool remembers = !dv_data_bool(&self->fix_all) && self->last_forces.count == count;
    double *force = remembers ? dv_data_begin(&self->last_forces, count) : NULL;
    for (size_t i = 0; i < count; i++) {
        point[kept] = dv_renumbering_new(numbers, old[i]);
        if (point[kept] == UINT32_MAX)
            continue;
        if (force)
            memmove(force + kept * dim, force + i * dim, dim * sizeof *force);
        kept++;
    }
    if (force) {
        (void)dv_data_begin(&self->last_forces, kept);
        dv_data_end(&self->last_forces);
    }
    dv_data_set(&self->indices, point, kept);
    dv_free(point);
}

static const DvConstraintForm form = {.gap = gap, .add_rate = add_rate, .points_moved = points_moved};

static DvStatus check(FixedLagrangianConstraint *self)
{
    DvStatus status = dv_lagrangian_check_rest(&self->base);
    if (status == DV_OK && !dv_data_bool(&self->fix_all))
        status = dv_lagrangian_check_points(&self->base, 0, &self->indices);
    return status;
}

static DvStatus build(void *self_, const DvStep *step, DvConstraintRows *rows)
{
    FixedLagrangianConstraint *self = self_;
    if (!dv_lagrangian_begin(&self->base, step, rows))
        return DV_OK;
    const DvStatus status = check(self);
    if (status != DV_OK)
        return status;
    uint32_t count;
    const uint32_t *point = held_points(self, &count), dim = self->base.state[0].dof->deriv;
    const double *force = NULL;
    if (has_memory(self)) {
        if (self->last_forces.count != count) {
            (void)dv_data_begin(&self->last_forces, count);
            dv_data_end(&self->last_forces);
        }
        force = dv_data_doubles(&self->last_forces, NULL);
    }
    const uint32_t block_rows = force ? 3 : dim;
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t c = 0; c < dim; c++)
            dv_entry_add_unit(rows->of_state[0], rows->next + c, point ? point[i] : i, c, 1.0);
        for (uint32_t r = 0; r < dim; r += block_rows) {
            DvConstraintBlock *block = dv_lagrangian_add(&self->base, rows, DV_LAW_BILATERAL, block_rows);
            if (force)
                dv_block_start(block, force + (size_t)i * dim + r);
        }
    }
    return DV_OK;
}

static void store(void *self_, const DvStep *step, const double *lambda, uint32_t rows)
{
    FixedLagrangianConstraint *self = self_;
    (void)step;
    if (has_memory(self) && rows > 0)
        dv_data_set(&self->last_forces, lambda, rows / self->base.state[0].dof->deriv);
}

static const DvLagrangianConstraintOps ops = {DV_LAGRANGIAN_CONSTRAINT_OPS, .build = build, .store = store,
                                              .laws = 1u << DV_LAW_BILATERAL};

static DvStatus bwd_init(DvObject *object, void *self_)
{
    FixedLagrangianConstraint *self = self_;
    dv_data_set(&self->last_forces, NULL, 0);
    DvStatus status = dv_lagrangian_init(object, &self->base, 1, &form);
    if (status == DV_OK)
        status = check(self);
    if (status == DV_OK)
        status = dv_lagrangian_follow(&self->base, NULL, (DvData *const[]){&self->indices}, 1);
    if (status != DV_OK)
        dv_lagrangian_release(&self->base);
    return status;
}

static void reset(DvObject *object, void *self_)
{
    (void)object;
    dv_data_set(&((FixedLagrangianConstraint *)self_)->last_forces, NULL, 0);
}

/* The points that are held. */
static void draw(void *self_, DvDraw *draw)
{
    static const double color[4] = {1.0, 0.5, 0.0, 1.0};
    FixedLagrangianConstraint *self = self_;
    if (!self->base.state[0].ops)
        return;
    uint32_t count;
    const uint32_t *point = held_points(self, &count);
    double *at = dv_alloc(count ? count : 1, 3 * sizeof *at), *to = at;
    for (uint32_t i = 0; i < count; i++)
        if (dv_lagrangian_place(&self->base, draw, 0, point ? point[i] : i, to))
            to += 3;
    if (to > at)
        draw->ops->points(draw, at, (uint32_t)((to - at) / 3), 10.0, color);
    dv_free(at);
}

static const DvDrawableOps drawable = {.size = sizeof drawable, .draw = draw};

const DvClass dv_fixed_lagrangian_constraint = {
    .size = sizeof(DvClass),
    .name = "FixedLagrangianConstraint",
    .variants = "Rigid3d Vec1d Vec2d Vec3d Vec6d",
    DV_ONE_STATE_CONSTRAINT_CLASS,
    .module = "Sofa.Component.Constraint.Lagrangian.Model",
    .help = "Holds points at their rest positions by forces.",
    .instance_size = sizeof(FixedLagrangianConstraint),
    .fields = fields,
    .contracts =
        (const DvContract[]){{.id = DV_LAGRANGIAN_CONSTRAINT, .ops = &ops}, {.id = DV_DRAWABLE, .ops = &drawable}, {0}},
    .bwd_init = bwd_init,
    .reset = reset,
};
