/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * LinearSolverConstraintCorrection: a state answers as the matrix of its free motion says, C = A^-1.
 *
 * A direct solver makes W from half solutions, with the factor of the free motion; an iterative one solves for each row. Solvers that
 * never look at W get the half solutions themselves.
 */
#include "solver_correction.h"

typedef struct LinearSolverConstraintCorrection {
    SolverCorrection base; /* first: cleanup and errors know the object by it */
    DvLink state_link;
    DvStateRef state; /* held */
} LinearSolverConstraintCorrection;

static const DvField fields[] = {
    SOLVER_CORRECTION_FIELDS(LinearSolverConstraintCorrection),
    DV_FIELD_HELD("wire_optimization", dv_type_bool, .init = "0",
                  .help = "no effect: the order of an unbuilt solver's sweeps is that of the rows"),
    DV_LINK_HELD("mechanicalStates", DV_STATE, .many = true, .flags = DV_FIELD_READ_ONLY | DV_FIELD_HIDDEN,
                 .help = "kept for scenes that name it"),
    DV_LINK(LinearSolverConstraintCorrection, state_link, "mstate", DV_STATE,
            .help = "state it moves; default: the node's"),
    {0},
};

static DvStatus init(DvObject *object, void *self_)
{
    LinearSolverConstraintCorrection *self = self_;
    const DvStatus status = dv_state_require(object, &self->state_link, &self->state);
    return status == DV_OK ? solver_correction_init(object, &self->base) : status;
}

static void cleanup(DvObject *object, void *self_)
{
    (void)object;
    LinearSolverConstraintCorrection *self = self_;
    solver_correction_cleanup(&self->base);
    dv_state_release(&self->state);
}

static uint32_t states(void *self_, DvObject **objects, uint32_t capacity)
{
    const LinearSolverConstraintCorrection *self = self_;
    if (!self->state.ops || !self->base.m)
        return 0;
    if (capacity > 0)
        objects[0] = self->state.object;
    return 1;
}

static DvStatus compliance(void *self_, const DvStep *step, DvConstraintOrder order, bool unbuilt,
                           const DvSparseRows *j, DvComplianceSink *sink)
{
    LinearSolverConstraintCorrection *self = self_;
    return solver_correction_compliance(&self->base, step, order, unbuilt, &self->state.object, 1, 1.0, j, sink);
}

static DvStatus respond(void *self_, const DvStep *step, const DvSparseRows *force)
{
    LinearSolverConstraintCorrection *self = self_;
    (void)step;
    return solver_correction_respond(&self->base, &self->state.object, 1, force);
}

static void factors(void *self_, const DvStep *step, DvConstraintOrder order, double *position, double *velocity)
{
    (void)order;
    solver_correction_factors(self_, step, position, velocity);
}

static const DvConstraintCorrectionOps ops = {
    .size = sizeof ops, .states = states, .compliance = compliance, .respond = respond, .factors = factors};

const DvClass dv_linear_solver_constraint_correction = {
    .size = sizeof(DvClass),
    .name = "LinearSolverConstraintCorrection",
    .variants = "Rigid3d Vec1d Vec2d Vec3d",
    .variant_rule = DV_VARIANT_OF_ALL,
    .sources = (const DvVariantSource[]){{.attribute = "mstate", .path = "", .contract = DV_STATE}, {0}},
    .bases = (const char *const[]){"BaseConstraintCorrection", NULL},
    .family = "constraint corrections",
    .module = "Sofa.Component.Constraint.Lagrangian.Correction",
    .help = "How constraint forces move a body: by the inverse of the matrix of its free motion.",
    .instance_size = sizeof(LinearSolverConstraintCorrection),
    .fields = fields,
    .contracts = (const DvContract[]){{.id = DV_CONSTRAINT_CORRECTION, .ops = &ops}, {0}},
    .init = init,
    .cleanup = cleanup,
};
