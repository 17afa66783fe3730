/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What linear solvers by a Krylov method have in common.
 */
#include "class_ops.h"

#include <divan/contracts/vector_space.h>
#include <divan/kit/krylov.h>
#include <divan/scene.h>

#include <math.h>

static DvStatus solve_row(void *self_, double *x, const double *b, size_t n)
{
    (void)n;
    DvKrylovSolver *self = self_;
    uint32_t products = 0;
    dv_krylov_begin_flat(&self->space, b);
    const DvStatus status = self->ops->iterate(self, false, &products);
    dv_krylov_end_flat(&self->space, x);
    dv_linear_solver_left(&self->base, self->left);
    return status;
}

DvStatus dv_krylov_solver_open(DvObject *object, DvKrylovSolver *self, const char *system_class, const char *variant,
                               uint32_t vectors)
{
    self->ops = dv_class_ops(object, DV_LINEAR_SOLVER);
    self->space.count = vectors;
    return dv_linear_solver_open(object, &self->base, system_class, variant, solve_row);
}

DvStatus dv_krylov_solver_init(DvObject *object, void *self)
{
    return dv_krylov_solver_open(object, self, NULL, dv_object_variant(object), DV_KRYLOV_OWN);
}

void dv_krylov_solver_reset(DvObject *object, void *self_)
{
    (void)object;
    DvKrylovSolver *self = self_;
    dv_data_set_uint(&self->solves, 0);
    dv_data_set_uint(&self->products, 0);
    self->record = (DvSolveRecord){0};
    self->space.rounding = 0.0;
}

DvStatus dv_krylov_solver_update(DvObject *object, void *self_)
{
    (void)object;
    DvKrylovSolver *self = self_;
    DvText text = {0};
    dv_curve_print(&self->errors, "Error", &text);
    dv_graph_set(&self->graph, &text);
    return DV_OK;
}

void dv_krylov_solver_destroy(DvObject *object, void *self_)
{
    DvKrylovSolver *self = self_;
    dv_krylov_space_free(&self->space);
    dv_curve_free(&self->errors);
    dv_linear_solver_destroy(object, &self->base);
}

/* ---- The system ---- */

/* How many products the next solve is likely to need: as many as the last one. The first one is taken to need all iterations: if a matrix
 * ever pays, its memory is there after the first step. */
static uint32_t expected_products(DvKrylovSolver *self)
{
    const uint32_t last = dv_data_uint(&self->products), iterations = dv_data_uint(&self->iterations);
    return dv_data_uint(&self->solves) > 0 && last < iterations ? last : iterations;
}

static void set_space(DvKrylovSolver *self, DvMechanics *m, const DvStep *step, DvFactors factors,
                      const DvBlockMatrix *matrix, uint32_t products)
{
    dv_krylov_space_set(&self->space, m, step, factors, matrix, products);
    self->base.m = m;
    self->base.n = self->space.n;
}

DvStatus dv_krylov_solver_set_matrix_free(DvKrylovSolver *self, DvMechanics *m, const DvStep *step, DvFactors factors,
                                          const DvBlockMatrix *matrix)
{
    const DvMechanicalOperationsOps *ops = self->base.ops;
    const uint32_t products = expected_products(self);
    /* A matrix that is there already costs nothing but its products. */
    if (!ops->prefers_assembled(m, matrix != NULL ? UINT32_MAX : products)) {
        matrix = NULL;
    } else if (matrix == NULL) {
        dv_phase_begin("assembly");
        matrix = ops->assemble(m, step, factors, DV_ASSEMBLE_CONSTRAINED);
        dv_phase_end();
        if (matrix == NULL)
            return DV_ERROR_INVALID;
    }
    set_space(self, m, step, factors, matrix, products);
    dv_krylov_reserve_states(&self->space);
    return DV_OK;
}

/* Whether a solver that is to assemble need not: the matrix would be the same operator, and cost more. */
static bool does_without(const DvKrylovSolver *self, DvMechanics *m, uint32_t products)
{
    const DvMechanicalOperationsOps *ops = self->base.ops;
    return dv_linear_system_may_be_skipped(self->base.system) && ops->prefers_assembled(m, UINT32_MAX) &&
           !ops->prefers_assembled(m, products);
}

DvStatus dv_krylov_solver_set_system(void *self_, DvMechanics *m, const DvStep *step, DvFactors factors)
{
    DvKrylovSolver *self = self_;
    const DvLinearSystemUse system = self->base.system;
    if (system.ops->is_matrix_free(system.self))
        return dv_krylov_solver_set_matrix_free(self, m, step, factors, NULL);
    const uint32_t products = expected_products(self);
    if (does_without(self, m, products)) {
        system.ops->skip(system.self, self->base.ops->unknowns(m));
        set_space(self, m, step, factors, NULL, products);
        dv_krylov_reserve_states(&self->space);
        return DV_OK;
    }
    const DvBlockMatrix *matrix = system.ops->assemble(system.self, m, step, factors);
    if (matrix == NULL)
        return DV_ERROR_INVALID;
    set_space(self, m, step, factors, matrix, products);
    return DV_OK;
}

bool dv_krylov_solver_starts_from_guess(void *self)
{
    (void)self;
    return true;
}

DvMatrixKind dv_krylov_solver_takes_nearly_symmetric(void *self)
{
    (void)self;
    return DV_MATRIX_NEARLY_SYMMETRIC;
}

/* ---- Solves ---- */

DvStatus dv_krylov_solver_solve(void *self_, DvVecId x, DvVecId b)
{
    DvKrylovSolver *self = self_;
    const DvMechanicalOperationsOps *operations = self->base.ops;
    DvVectorSpace *device = operations->storage ? operations->storage(self->base.m).space : NULL;
    dv_phase_begin("linear solver");
    dv_space_range(device, dv_object_name(dv_object_of(self)));
    uint32_t products = dv_data_uint(&self->products);
    const DvLinearSolverOps *ops = &self->ops->solver;
    dv_krylov_begin(&self->space, x, b, ops->uses_guess != NULL && ops->uses_guess(self));
    const DvStatus status = self->ops->iterate(self, true, &products);
    dv_krylov_end(&self->space);
    /* What the next solve is expected by. The curves that follow from `solves` are stale now. */
    if (products != dv_data_uint(&self->products))
        dv_data_set_uint(&self->products, products);
    ++*(uint32_t *)dv_data_rewrite(&self->solves);
    dv_space_range(device, NULL);
    dv_phase_end();
    return status;
}

bool dv_krylov_solver_record(DvKrylovSolver *self, double residual, double b_norm, double tolerance, bool of_step)
{
    DvSolveRecord *record = &self->record;
    const double limit = fmax(tolerance, DV_KRYLOV_UNSEEN);
    if (of_step)
        record->scale = fmax(record->scale, b_norm);
    double left = residual / (of_step ? record->scale : b_norm);
    if (of_step && left > limit && dv_krylov_is_rounding(&self->space, b_norm))
        left = 0.0;
    if (!dv_solve_record_add(record, left, tolerance, limit))
        return false;
    dv_solve_record_worst(record, 1 + dv_scene_steps(dv_node_scene(dv_object_node(dv_object_of(self)))));
    return true;
}

const DvSolveRecord *dv_krylov_solver_record_of(void *self)
{
    return &((const DvKrylovSolver *)self)->record;
}

static void remedy(void *self, DvText *text)
{
    dv_text_add(text, "raise its iterations, of which %u were not enough, or take SparseLDLSolver",
                dv_data_uint(&((DvKrylovSolver *)self)->iterations));
}

const DvSolveRecordOps dv_krylov_solver_record_ops = {.size = sizeof(DvSolveRecordOps),
                                                      .record = dv_krylov_solver_record_of,
                                                      .unit = "times the largest right-hand side",
                                                      .remedy = remedy};
