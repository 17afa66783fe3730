/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * UniformLagrangianConstraint: every value of a state is 0, or what it is at rest.
 *
 *   d_i = x_i, or x_i - x0_i
 *
 * On the output of a mapping this holds a distance, an area, a volume. Rows are solved for one by one, or all together: then one sweep is
 * exact where nothing else is coupled to them.
 */
#include "constraint/model/constraint_model.h"

typedef struct UniformLagrangianConstraint {
    ConstraintModel base;
    DvData iterative, to_rest;
} UniformLagrangianConstraint;

static const DvField fields[] = {
    ONE_STATE_FIELDS(UniformLagrangianConstraint, base),
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

static const ConstraintForm form = {.gap = gap, .add_rate = add_rate};

static DvStatus build(void *self_, const DvStep *step, DvConstraintRows *rows)
{
    UniformLagrangianConstraint *self = self_;
    const uint32_t count = dv_state_count(self->base.state[0]), first = rows->next;
    if (!constraint_model_begin(&self->base, step, rows) || count == 0)
        return DV_OK;
    if (dv_data_bool(&self->to_rest) && constraint_model_check_rest(&self->base) != DV_OK)
        return DV_ERROR_INVALID;
    for (uint32_t i = 0; i < count; i++)
        *dv_entry_add(rows->of_state[0], first + i, i) = 1.0;
    if (!dv_data_bool(&self->iterative)) {
        (void)constraint_model_add(&self->base, rows, DV_LAW_BILATERAL, count);
        return DV_OK;
    }
    for (uint32_t i = 0; i < count; i++)
        (void)constraint_model_add(&self->base, rows, DV_LAW_BILATERAL, 1);
    return DV_OK;
}

static const DvLagrangianConstraintOps ops = {.size = sizeof(DvLagrangianConstraintOps),
                                              .states = constraint_model_states,
                                              .build = build,
                                              .violation = constraint_model_violation,
                                              .laws = 1u << DV_LAW_BILATERAL};

static DvStatus init(DvObject *object, void *self_)
{
    UniformLagrangianConstraint *self = self_;
    return constraint_model_init(object, &self->base, 1, &form);
}

static void cleanup(DvObject *object, void *self_)
{
    (void)object;
    constraint_model_release(&((UniformLagrangianConstraint *)self_)->base);
}

const DvClass dv_uniform_lagrangian_constraint = {
    .size = sizeof(DvClass),
    .name = "UniformLagrangianConstraint",
    .variants = "Vec1d",
    .variant_rule = DV_VARIANT_OF_ALL,
    .sources = one_state_sources,
    .bases = (const char *const[]){"LagrangianConstraint", NULL},
    .family = "Lagrangian constraints",
    .module = "Sofa.Component.Constraint.Lagrangian.Model",
    .help = "Holds every value of a state at 0, or at what it is at rest.",
    .instance_size = sizeof(UniformLagrangianConstraint),
    .fields = fields,
    .contracts = (const DvContract[]){{.id = DV_LAGRANGIAN_CONSTRAINT, .ops = &ops}, {0}},
    .init = init,
    .cleanup = cleanup,
};
