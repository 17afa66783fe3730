/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * StopperLagrangianConstraint: one value of a state stays between two limits, as the angle of a joint does.
 *
 *   min <= x <= max
 *
 * On velocities: (min - x) / dt <= v <= (max - x) / dt. It follows its point in a mesh that changes.
 */
#include <divan/kit/lagrangian_constraint.h>

typedef struct StopperLagrangianConstraint {
    DvLagrangianConstraint base;
    DvData index, min, max;
} StopperLagrangianConstraint;

static const DvField fields[] = {
    DV_ONE_STATE_CONSTRAINT_FIELDS(StopperLagrangianConstraint, base),
    DV_FIELD(StopperLagrangianConstraint, index, "index", dv_type_int, .init = "0",
             .help = "point whose value is limited"),
    DV_FIELD(StopperLagrangianConstraint, min, "min", dv_type_double, .init = "-100", .help = "smallest value"),
    DV_FIELD(StopperLagrangianConstraint, max, "max", dv_type_double, .init = "100", .help = "largest value"),
    {0},
};

static void gap(void *self_, const DvConstVec x[2], double *d)
{
    StopperLagrangianConstraint *self = self_;
    *d = x[0].at[dv_data_int(&self->index)];
}

static void add_rate(void *self_, const DvConstVec v[2], double *d)
{
    StopperLagrangianConstraint *self = self_;
    *d += v[0].at[dv_data_int(&self->index)];
}

static void points_moved(void *self_, uint32_t sides, const DvRenumbering *numbers)
{
    StopperLagrangianConstraint *self = self_;
    (void)sides;
    dv_lagrangian_move_point(&self->index, numbers);
}

static const DvConstraintForm form = {.gap = gap, .add_rate = add_rate, .points_moved = points_moved};

static DvStatus check(StopperLagrangianConstraint *self)
{
    const double min = dv_data_double(&self->min), max = dv_data_double(&self->max);
    DvStatus status = dv_lagrangian_check_point(&self->base, 0, &self->index);
    if (status == DV_OK)
        status = dv_lagrangian_check_finite(&self->min);
    if (status == DV_OK)
        status = dv_lagrangian_check_finite(&self->max);
    if (status == DV_OK && min > max)
        status = dv_field_error(&self->min, -1, "%g is larger than max, %g; exchange them", min, max);
    return status;
}

static DvStatus build(void *self_, const DvStep *step, DvConstraintRows *rows)
{
    StopperLagrangianConstraint *self = self_;
    if (!dv_lagrangian_begin(&self->base, step, rows) || dv_lagrangian_point_has_gone(&self->index))
        return DV_OK;
    const DvStatus status = check(self);
    if (status != DV_OK)
        return status;
    const double rate = rows->order == DV_CONSTRAIN_VELOCITY ? 1.0 / step->dt : 1.0;
    *dv_entry_add(rows->of_state[0], rows->next, (uint32_t)dv_data_int(&self->index)) = 1.0;
    DvConstraintBlock *block = dv_lagrangian_add(&self->base, rows, DV_LAW_INTERVAL, 1);
    block->p[0] = dv_data_double(&self->min) * rate;
    block->p[1] = dv_data_double(&self->max) * rate;
    return DV_OK;
}

static const DvLagrangianConstraintOps ops = {DV_LAGRANGIAN_CONSTRAINT_OPS, .build = build,
                                              .laws = 1u << DV_LAW_INTERVAL};

static DvStatus bwd_init(DvObject *object, void *self_)
{
    StopperLagrangianConstraint *self = self_;
    DvStatus status = dv_lagrangian_init(object, &self->base, 1, &form);
    if (status == DV_OK)
        status = check(self);
    if (status == DV_OK)
        status = dv_lagrangian_follow(&self->base, NULL, (DvData *const[]){&self->index}, 1);
    if (status != DV_OK)
        dv_lagrangian_release(&self->base);
    return status;
}

const DvClass dv_stopper_lagrangian_constraint = {
    .size = sizeof(DvClass),
    .name = "StopperLagrangianConstraint",
    .variants = "Vec1d",
    DV_ONE_STATE_CONSTRAINT_CLASS,
    .module = "Sofa.Component.Constraint.Lagrangian.Model",
    .help = "Keeps one value of a state between two limits.",
    .instance_size = sizeof(StopperLagrangianConstraint),
    .fields = fields,
    .contracts = (const DvContract[]){{.id = DV_LAGRANGIAN_CONSTRAINT, .ops = &ops}, {0}},
    .bwd_init = bwd_init,
};
