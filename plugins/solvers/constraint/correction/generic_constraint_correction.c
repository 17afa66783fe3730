/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * GenericConstraintCorrection: all independent states below the node of a linear solver answer together as the matrix of their
 * free motion says, C = complianceFactor A^-1.
 */
#include "solver_correction.h"

#include <divan/memory.h>

typedef struct GenericConstraintCorrection {
    SolverCorrection base; /* first: cleanup and errors know the object by it */
    DvData compliance_factor;
    DvObject **states; /* [count] of this step */
    uint32_t count, capacity;
} GenericConstraintCorrection;

static const DvField fields[] = {
    SOLVER_CORRECTION_FIELDS(GenericConstraintCorrection),
    DV_FIELD(GenericConstraintCorrection, compliance_factor, "complianceFactor", dv_type_double, .init = "1",
             .range = &dv_range_not_negative, .flags = DV_FIELD_LENIENT, .help = "of the inverse of the matrix"),
    {0},
};

static DvStatus init(DvObject *object, void *self_)
{
    return solver_correction_init(object, &((GenericConstraintCorrection *)self_)->base);
}

static void cleanup(DvObject *object, void *self_)
{
    (void)object;
    GenericConstraintCorrection *self = self_;
    solver_correction_cleanup(&self->base);
    dv_free(self->states);
    self->states = NULL;
    self->count = self->capacity = 0;
}

static uint32_t states(void *self_, DvObject **objects, uint32_t capacity)
{
    GenericConstraintCorrection *self = self_;
    if (!self->base.m)
        return 0;
    self->count = self->base.ops->states(self->base.m, DV_STATES_INDEPENDENT, NULL, 0);
    if (self->count > self->capacity) {
        dv_free(self->states);
        self->capacity = 2 * self->count;
        self->states = dv_alloc(self->capacity, sizeof *self->states);
    }
    self->base.ops->states(self->base.m, DV_STATES_INDEPENDENT, self->states, self->count);
    for (uint32_t i = 0; i < self->count && i < capacity; i++)
        objects[i] = self->states[i];
    return self->count;
}

static DvStatus compliance(void *self_, const DvStep *step, DvConstraintOrder order, bool unbuilt,
                           const DvSparseRows *j, DvComplianceSink *sink)
{
    GenericConstraintCorrection *self = self_;
    const double scale = dv_data_double(&self->compliance_factor);
    return solver_correction_compliance(&self->base, step, order, unbuilt, self->states, self->count, scale, j, sink);
}

static DvStatus respond(void *self_, const DvStep *step, const DvSparseRows *force)
{
    GenericConstraintCorrection *self = self_;
    (void)step;
    return solver_correction_respond(&self->base, self->states, self->count, force);
}

/* Velocities alone move by the whole of A^-1: scenes of the velocity order rely on it. */
static void factors(void *self_, const DvStep *step, DvConstraintOrder order, double *position, double *velocity)
{
    GenericConstraintCorrection *self = self_;
    const double scale = dv_data_double(&self->compliance_factor);
    solver_correction_factors(&self->base, step, position, velocity);
    *position *= scale;
    *velocity *= order == DV_CONSTRAIN_POSITION ? scale : 1.0;
}

static const DvConstraintCorrectionOps ops = {
    .size = sizeof ops, .states = states, .compliance = compliance, .respond = respond, .factors = factors};

const DvClass dv_generic_constraint_correction = {
    .size = sizeof(DvClass),
    .name = "GenericConstraintCorrection",
    .bases = (const char *const[]){"BaseConstraintCorrection", NULL},
    .family = "constraint corrections",
    .module = "Sofa.Component.Constraint.Lagrangian.Correction",
    .help =
        "How constraint forces move all bodies of a linear solver: by the inverse of the matrix of their free motion.",
    .instance_size = sizeof(GenericConstraintCorrection),
    .fields = fields,
    .contracts = (const DvContract[]){{.id = DV_CONSTRAINT_CORRECTION, .ops = &ops}, {0}},
    .init = init,
    .cleanup = cleanup,
};
