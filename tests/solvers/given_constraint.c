/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A plugin for the tests of constraint solvers and corrections: a GivenConstraint is the constraint that a test gives it.
 */
#include "given_constraint.h"

#include <divan/plugin.h>

typedef struct GivenConstraint {
    const DvLagrangianConstraintOps *given;
    void *context;
} GivenConstraint;

static void set(void *self_, const DvLagrangianConstraintOps *given, void *context)
{
    GivenConstraint *self = self_;
    self->given = given;
    self->context = context;
}

static uint32_t states(void *self_, DvObject **objects, uint32_t capacity)
{
    const GivenConstraint *self = self_;
    return self->given ? self->given->states(self->context, objects, capacity) : 0;
}

static DvStatus build(void *self_, const DvStep *step, DvConstraintRows *rows)
{
    const GivenConstraint *self = self_;
    return self->given->build(self->context, step, rows);
}

static DvStatus violation(void *self_, const DvStep *step, DvConstraintOrder order, double *d)
{
    const GivenConstraint *self = self_;
    return self->given->violation(self->context, step, order, d);
}

static void store(void *self_, const DvStep *step, const double *lambda, uint32_t rows)
{
    const GivenConstraint *self = self_;
    if (self->given->store)
        self->given->store(self->context, step, lambda, rows);
}

static const DvLagrangianConstraintOps constraint_ops = {
    .size = sizeof constraint_ops, .states = states, .build = build, .violation = violation, .store = store};
static const GivenConstraintOps given_ops = {.size = sizeof given_ops, .set = set};

static const DvClass given_constraint = {
    .size = sizeof(DvClass),
    .name = "GivenConstraint",
    .family = "tests",
    .help = "The constraint of a test.",
    .instance_size = sizeof(GivenConstraint),
    .contracts = (const DvContract[]){{.id = DV_LAGRANGIAN_CONSTRAINT, .ops = &constraint_ops},
                                      {.id = TEST_GIVEN_CONSTRAINT, .ops = &given_ops},
                                      {0}},
};

DV_PLUGIN = {
    .size = sizeof(DvPlugin),
    .abi = DV_ABI_STAMP,
    .id = "divan.test-given-constraint",
    .version = "0.1.0",
    .license = "LGPL-2.1-or-later",
    .help = "For tests.",
    .classes = (const DvClass *const[]){&given_constraint, NULL},
};
