/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What direct solvers have in common.
 */
#include "class_ops.h"

#include <divan/kit/direct_solver.h>
#include <divan/scene.h>

/* Relative residual after refinement that is worth a warning. */
static const double UNSOLVED = 1e-6;

DvStatus dv_direct_solver_init(DvObject *object, void *self_)
{
    DvDirectSolver *self = self_;
    self->ops = dv_class_ops(object, DV_LINEAR_SOLVER);
    return dv_linear_solver_open(object, &self->base, NULL, dv_object_variant(object), self->ops->solver.solve_flat);
}

void dv_direct_solver_reset(DvObject *object, void *self)
{
    (void)object;
    ((DvDirectSolver *)self)->record = (DvSolveRecord){0};
}

static DvStatus factor(DvDirectSolver *self, const DvBlockMatrix *matrix)
{
    const bool same_structure = self->analysed && matrix->structure == self->structure;
    if (!self->forgets && self->factored && same_structure && matrix->version == self->factored_version)
        return DV_OK;
    if (!same_structure || self->forgets) {
        self->ops->analyse(self, matrix);
        self->structure = matrix->structure;
        self->analysed = true;
    }
    uint32_t failed = 0;
    const DvStatus status = self->ops->factor(self, matrix, &failed);
    self->factored = status == DV_OK;
    self->factored_version = matrix->version;
    self->factorizations++;
    if (status != DV_ERROR_SINGULAR)
        return status; /* an error is reported */
    return dv_linear_solver_refuse_singular(&self->base, matrix, failed);
}

DvStatus dv_direct_solver_set_system(void *self_, DvMechanics *m, const DvStep *step, DvFactors factors)
{
    DvDirectSolver *self = self_;
    const DvBlockMatrix *matrix = dv_linear_solver_assemble(&self->base, m, step, factors);
    if (matrix == NULL)
        return DV_ERROR_INVALID;
    self->matrix = matrix;
    self->version = matrix->version;
    if (matrix->rows == 0) {
        if (!self->warned_empty)
            dv_warning(dv_object_of(self), "the linear system is empty: there is no state below the solver");
        self->warned_empty = true;
        return DV_OK;
    }
    dv_phase_begin("factorization");
    const DvStatus status = factor(self, matrix);
    dv_phase_end();
    return status;
}

DvStatus dv_direct_solver_solve_flat(void *self_, double *x, const double *b, size_t n)
{
    DvDirectSolver *self = self_;
    if (n == 0)
        return DV_OK;
    self->ops->substitute(self, x, b);
    if (self->ops->refine == NULL || !dv_direct_solver_has_matrix(self))
        return DV_OK;
    const double residual = self->ops->refine(self, self->matrix, x, b);
    if (dv_solve_record_add(&self->record, residual, UNSOLVED, UNSOLVED))
        dv_solve_record_worst(&self->record, 1 + dv_scene_steps(dv_node_scene(dv_object_node(dv_object_of(self)))));
    if (residual > UNSOLVED && !self->warned_singular) {
        self->warned_singular = true;
        dv_warning(
            dv_object_of(self),
            "the matrix is singular, as far as numbers tell, and the right-hand side does not fit it: the solution leaves a "
            "residual of %.1e. Hold bodies that nothing else holds, and give every point mass or stiffness",
            residual);
    }
    return DV_OK;
}

uint64_t dv_direct_solver_factor_version(void *self)
{
    return ((const DvDirectSolver *)self)->factorizations;
}

static const DvSolveRecord *record_of(void *self)
{
    return &((const DvDirectSolver *)self)->record;
}

static void remedy(void *self, DvText *text)
{
    (void)self;
    dv_text_add(text, "hold bodies that nothing else holds, and give every point mass or stiffness");
}

const DvSolveRecordOps dv_direct_solver_record_ops = {
    .size = sizeof(DvSolveRecordOps), .record = record_of, .unit = "of the right-hand side", .remedy = remedy};

/* Singular is what it has seen itself. */
static double explain(void *self_, const DvFault *fault, DvText *cause, DvText *what_helps)
{
    const DvDirectSolver *self = self_;
    const DvObject *object = dv_object_of(self);
    if (dv_node_context(dv_object_node(fault->state), DV_LINEAR_SOLVER) !=
            dv_node_slot(dv_object_node(object), DV_LINEAR_SOLVER) ||
        !(self->record.left > UNSOLVED))
        return 0.0;
    dv_text_add(cause, "matrix that is singular, as far as numbers tell (%s '%s' leaves %.2g of the right-hand side)",
                dv_object_class(object)->name, dv_object_name(object), self->record.left);
    dv_text_add(what_helps, "fix some points, give every point a mass, and look for elements without volume");
    return DV_FAULT_LIKELY;
}

const DvFaultCauseOps dv_direct_solver_cause_ops = {.size = sizeof(DvFaultCauseOps), .explain = explain};
