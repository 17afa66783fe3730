/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * CholeskySolver: L L^T of all of the matrix, from its lower triangle. For small systems that are positive definite.
 */
#include "linear/dense_solver.h"

#include <divan/divan.h>
#include <divan/memory.h>

#include <string.h>

typedef struct CholeskySolver {
    DenseSolver base;
    DvData condition;
} CholeskySolver;

static const DvField fields[] = {
    DV_LINEAR_SOLVER_FIELDS(CholeskySolver, base.direct.base),
    DV_FIELD(CholeskySolver, condition, "conditionNumber", dv_type_double, .init = "0", .flags = DV_FIELD_READ_ONLY,
             .help = "an estimate of the condition number of the last matrix, in the norm of columns"),
    {0},
};

static DvStatus factor(void *self_, const DvBlockMatrix *a, uint32_t *failed)
{
    CholeskySolver *self = self_;
    DenseSolver *base = &self->base;
    const uint32_t n = a->rows * a->block;
    DvStatus status = dense_solver_take(base, a, (DvDenseWork){4 * (size_t)n, n}, failed);
    if (status != DV_OK)
        return status;
    const double norm = dense_solver_norm(base->matrix, n);
    status = base->dense->factor(DV_DENSE_CHOLESKY, n, base->matrix, NULL, failed);
    /* A pivot of zero is said with the points whose rows are empty, by the base. */
    if (status == DV_ERROR_SINGULAR && base->matrix[*failed * ((size_t)n + 1)] < 0.0)
        return dv_linear_solver_refuse_indefinite(&base->direct.base, *failed, "SparseLDLSolver");
    double reciprocal = 0.0;
    if (status == DV_OK)
        status = base->dense->condition(DV_DENSE_CHOLESKY, n, base->matrix, norm, base->numbers, base->integers,
                                        &reciprocal);
    if (status == DV_OK)
        dv_data_set_double(&self->condition, 1.0 / reciprocal);
    return status;
}

static void substitute(void *self_, double *x, const double *b)
{
    CholeskySolver *self = self_;
    const size_t n = self->base.direct.base.n;
    memcpy(x, b, n * sizeof *x);
    DvStatus status = self->base.dense->solve(DV_DENSE_CHOLESKY, false, (uint32_t)n, self->base.matrix, NULL, x, 1);
    (void)status; /* sizes are those that were factored */
}

static const DvDirectSolverOps operations = {
    .solver = {DV_DIRECT_SOLVER_OPS, .set_system = dv_direct_solver_set_system, DV_LINEAR_SOLVER_ONE_BY_ONE},
    .analyse = dense_solver_analyse,
    .factor = factor,
    .substitute = substitute,
};

const DvClass dv_cholesky_solver = {
    .size = sizeof(DvClass),
    .name = "CholeskySolver",
    .variants = "FullMatrix SparseMatrix",
    .default_variant = "SparseMatrix",
    .module = "Sofa.Component.LinearSolver.Direct",
    .help = "Direct solver of small positive definite systems: dense Cholesky factorization (LAPACK). The same bits on "
            "processors of one type.",
    .instance_size = sizeof(CholeskySolver),
    .fields = fields,
    .init = dense_solver_init,
    .destroy = dense_solver_destroy,
    DV_DIRECT_SOLVER_CLASS(operations, "MatrixLinearSolver", "LinearSolver"),
};
