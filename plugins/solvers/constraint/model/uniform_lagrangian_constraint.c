/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * UniformLagrangianConstraint: every value of a state is 0, or what it is at rest.
 *
 *   d_i = x_i, or x_i - x0_i
 *
 * On the output of a mapping this holds a distance, an area, a volume. Rows are solved for one by one, or all together: then one sweep is
 * exact where nothing else is coupled to them.
 */
#include <divan/kit/lagrangian_constraint.h>

typedef struct UniformLagrangianConstraint {
    DvLagrangianConstraint base;
    DvData iterative, to_rest;
} UniformLagrangianConstraint;

static const DvField fields[] = {
    DV_ONE_STATE_CONSTRAINT_FIELDS(UniformLagrangianConstraint, base),
    DV_FIELD(UniformLagrangianConstraint, iterative, "iterative", dv_type_bool, .init = "1",
             .help = "solve for the values one by one; else for all of them together"),
    DV_FIELD(UniformLagrangianConstraint, to_rest, "constrainToRestPos", dv_type_bool, .init = "0",
             .help = "hold the values that the state has at rest; else 0"),
    {0},
};

static void gap(void *self_, const DvConstVec x[2], double *d)
{
    UniformLagrangianConstraint *self = self_;
    const double *rest = dv_data_bool(&self->to_rest) ? dv_state_read(self->base.state[0], DV_REST_POSITION).at : NULL;
    for (uint32_t i = 0; i < x[0].count; i++)
        d[i] = rest ? x[0].at[i] - rest[i] : x[0].at[i];
}

static void add_rate(void *self, const DvConstVec v[2], double *d)
{
    (void)self;
    for (uint32_t i = 0; i < v[0].count; i++)
        d[i] += v[0].at[i];
}

static const DvConstraintForm form = {.gap = gap, .add_rate = add_rate};

static DvStatus build(void *self_, const DvStep *step, DvConstraintRows *rows)
{
    UniformLagrangianConstraint *self = self_;
    const uint32_t count = dv_state_count(self->base.state[0]), first = rows->next;
    if (!dv_lagrangian_begin(&self->base, step, rows) || count == 0)
        return DV_OK;
    if (dv_data_bool(&self->to_rest) && dv_lagrangian_check_rest(&self->base) != DV_OK)
        return DV_ERROR_INVALID;
    for (uint32_t i = 0; i < count; i++)
        *dv_entry_add(rows->of_state[0], first + i, i) = 1.0;
    if (!dv_data_bool(&self->iterative)) {
        (void)dv_lagrangian_add(&self->base, rows, DV_LAW_BILATERAL, count);
        return DV_OK;
    }
    for (uint32_t i = 0; i < count; i++)
        (void)dv_lagrangian_add(&self->base, rows, DV_LAW_BILATERAL, 1);
    return DV_OK;
}

static const DvLagrangianConstraintOps ops = {DV_LAGRANGIAN_CONSTRAINT_OPS, .build = build,
                                              .laws = 1u << DV_LAW_BILATERAL};

static DvStatus init(DvObject *object, void *self_)
{
    UniformLagrangianConstraint *self = self_;
    return dv_lagrangian_init(object, &self->base, 1, &form);
}

const DvClass dv_uniform_lagrangian_constraint = {
    .size = sizeof(DvClass),
    .name = "UniformLagrangianConstraint",
    .variants = "Vec1d",
    DV_ONE_STATE_CONSTRAINT_CLASS,
    .module = "Sofa.Component.Constraint.Lagrangian.Model",
    .help = "Holds every value of a state at 0, or at what it is at rest.",
    .instance_size = sizeof(UniformLagrangianConstraint),
    .fields = fields,
    .contracts = (const DvContract[]){{.id = DV_LAGRANGIAN_CONSTRAINT, .ops = &ops}, {0}},
    .init = init,
};
