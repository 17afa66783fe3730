/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * PrecomputedLinearSolver: the inverse of the first matrix, for ever: x = A0^-1 b, whatever the bodies do meanwhile. Right where the matrix does
 * not change; other forces are as those of an integrator that is explicit in what has changed.
 *
 * The inverse is read from a file and written to one (dense_inverse.h). It is made anew where the number of unknowns or the factors of
 * mass and stiffness change, as with another dt.
 */
#include "linear/dense_inverse.h"

#include <divan/divan.h>

typedef struct PrecomputedLinearSolver {
    DvLinearSolver base;
    DvData use_file;
    DenseInverse inverse;
    uint64_t versions;
} PrecomputedLinearSolver;

static const DvField fields[] = {
    DV_LINEAR_SOLVER_FIELDS(PrecomputedLinearSolver, base),
    DENSE_INVERSE_FIELDS(PrecomputedLinearSolver, inverse),
    DV_FIELD_HELD("jmjt_twostep", dv_type_bool, .init = "1",
                  .help = "how the compliance of constraints is computed; it is the same"),
    DV_FIELD(PrecomputedLinearSolver, use_file, "use_file", dv_type_bool, .init = "1",
             .help = "read the inverse from <node>-<unknowns>-<dt>.comp in the working directory, and write it there"),
    {0},
};

static DvStatus set_system(void *self_, DvMechanics *m, const DvStep *step, DvFactors factors)
{
    PrecomputedLinearSolver *self = self_;
    dv_linear_solver_take(&self->base, m);
    if (dense_inverse_is_of(&self->inverse, self->base.n, factors)) {
        dv_linear_solver_skip(&self->base);
        return DV_OK;
    }
    const DvBlockMatrix *a = dv_linear_solver_assemble(&self->base, m, step, factors);
    if (a == NULL)
        return DV_ERROR_INVALID;
    dv_phase_begin("factorization");
    const DvStatus status =
        dense_inverse_make_by_factor(&self->inverse, &self->base, a, factors, step->dt, dv_data_bool(&self->use_file));
    dv_phase_end();
    self->versions++;
    return status;
}

static DvStatus solve_flat(void *self, double *x, const double *b, size_t n)
{
    (void)n;
    dense_inverse_apply(&((const PrecomputedLinearSolver *)self)->inverse, x, b);
    return DV_OK;
}

static DvStatus compliance(void *self_, const DvSparseRows *j, double factor, double *w, size_t stride)
{
    const PrecomputedLinearSolver *self = self_;
    const DvStatus status = dv_linear_solver_check_rows(&self->base, j);
    if (status != DV_OK)
        return status;
    dv_phase_begin("compliance");
    dense_inverse_compliance(&self->inverse, j, factor, w, stride);
    dv_phase_end();
    return DV_OK;
}

static uint64_t factor_version(void *self)
{
    return ((const PrecomputedLinearSolver *)self)->versions;
}

static DvStatus init(DvObject *object, void *self)
{
    return dv_linear_solver_open(object, self, NULL, "CompressedRowSparseMatrixd", solve_flat);
}

static DvStatus restore(DvObject *object, void *self)
{
    (void)object;
    dense_inverse_restore(&((PrecomputedLinearSolver *)self)->inverse);
    return DV_OK;
}

static void reset(DvObject *object, void *self)
{
    (void)object;
    dense_inverse_free(&((PrecomputedLinearSolver *)self)->inverse);
}

static void destroy(DvObject *object, void *self)
{
    reset(object, self);
    dv_linear_solver_destroy(object, self);
}

static const DvLinearSolverOps operations = {
    DV_LINEAR_SOLVER_OPS,     .set_system = set_system,         .solve = dv_linear_solver_solve,
    .solve_flat = solve_flat, .factor_version = factor_version, .solve_many = dv_linear_solver_solve_many,
    .compliance = compliance};

const DvClass dv_precomputed_linear_solver = {
    .size = sizeof(DvClass),
    .name = "PrecomputedLinearSolver",
    .variants = "FullVector",
    .family = "linear solvers",
    .bases = (const char *const[]){"MatrixLinearSolver", "LinearSolver", NULL},
    .module = "Sofa.Component.LinearSolver.Direct",
    .help = "The inverse of the first matrix, which is taken for ever.",
    .instance_size = sizeof(PrecomputedLinearSolver),
    .fields = fields,
    .contracts = (const DvContract[]){{.id = DV_LINEAR_SOLVER, .ops = &operations}, {0}},
    .init = init,
    .restore = restore,
    .reset = reset,
    .destroy = destroy,
};
