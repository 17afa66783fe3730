/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * SVDLinearSolver: A = U S V^T of all of the matrix, and x = V S^-1 U^T b without the singular values that are at most minSingularValue: of all
 * x that fit b as well as any, the shortest. For small systems, also those that are singular or not symmetric.
 */
#include "linear/dense_solver.h"

#include <divan/divan.h>
#include <divan/memory.h>

typedef struct SvdLinearSolver {
    DenseSolver base;
    DvData least, condition;
    double *values, *u, *vt, *alone, *work; /* in base.numbers; alone: [n] the number of an equation of its own, or 0 */
    uint32_t rank;
    bool told;
} SvdLinearSolver;

static const DvField fields[] = {
    DV_LINEAR_SOLVER_FIELDS(SvdLinearSolver, base.direct.base),
    DV_FIELD_HELD("verbose", dv_type_bool, .init = "0", .help = "kept for old scenes: set printLog"),
    DV_FIELD(SvdLinearSolver, least, "minSingularValue", dv_type_double, .init = "1e-6",
             .range = &dv_range_not_negative, .help = "singular values up to this one are left out"),
    DV_FIELD(SvdLinearSolver, condition, "conditionNumber", dv_type_double, .init = "0", .flags = DV_FIELD_READ_ONLY,
             .help = "largest over smallest singular value of the last matrix"),
    {0},
};

/* How many singular values count. */
static uint32_t rank_of(SvdLinearSolver *self, uint32_t n)
{
    const double least = dv_data_double(&self->least);
    uint32_t rank = 0;
    while (rank < n && self->values[rank] > least)
        rank++;
    return rank;
}

/* Unknowns without couplings, those of held points among them, have their own equation: rounding of the others stays out of them. */
static void find_alone(SvdLinearSolver *self, uint32_t n)
{
    const double *matrix = self->base.matrix;
    for (size_t i = 0; i < n; i++) {
        bool coupled = false;
        for (size_t j = 0; j < n && !coupled; j++)
            coupled = j != i && (matrix[i * n + j] != 0 || matrix[j * n + i] != 0);
        self->alone[i] = coupled ? 0.0 : matrix[i * n + i];
    }
}

static DvStatus factor(void *self_, const DvBlockMatrix *a, uint32_t *failed)
{
    SvdLinearSolver *self = self_;
    DenseSolver *base = &self->base;
    const uint32_t n = a->rows * a->block;
    const size_t square = (size_t)n * n;
    const DvDenseWork work = base->dense->svd_work(n);
    DvStatus status =
        dense_solver_take(base, a, (DvDenseWork){2 * square + 2 * (size_t)n + work.numbers, work.integers}, failed);
    if (status != DV_OK)
        return status;
    self->u = base->numbers;
    self->vt = self->u + square;
    self->values = self->vt + square;
    self->alone = self->values + n;
    self->work = self->alone + n;
    find_alone(self, n);
    status = base->dense->svd(n, base->matrix, self->values, self->u, self->vt, self->work, base->integers);
    if (status != DV_OK)
        return dv_error(dv_object_of(self), status, "the singular values of the matrix could not be computed");
    self->rank = rank_of(self, n);
    dv_data_set_double(&self->condition, self->values[0] / self->values[n - 1]);
    if (self->rank < n && !self->told)
        dv_remark(
            dv_object_of(self),
            "%u of %u singular values are at most minSingularValue %g and are left out: solutions are the shortest "
            "of those that fit best",
            n - self->rank, n, dv_data_double(&self->least));
    self->told = self->rank < n;
    return DV_OK;
}

static void substitute(void *self_, double *x, const double *b)
{
    SvdLinearSolver *self = self_;
    DvStatus status = self->base.dense->svd_solve((uint32_t)self->base.direct.base.n, self->rank, self->values, self->u,
                                                  self->vt, x, b, self->work);
    (void)status; /* sizes are those that were factored */
    const size_t n = self->base.direct.base.n;
    for (size_t i = 0; i < n; i++)
        if (fabs(self->alone[i]) > dv_data_double(&self->least))
            x[i] = b[i] / self->alone[i];
}

/* Where something is left out, b may not fit. */
static double refine(void *self_, const DvBlockMatrix *a, double *x, const double *b)
{
    const SvdLinearSolver *self = self_;
    return self->rank < self->base.direct.base.n ? dense_solver_residual(&self->base, a, x, b) : 0.0;
}

/* Another bound counts from the next system on, also where the matrix is the same. */
static DvStatus set_system(void *self_, DvMechanics *m, const DvStep *step, DvFactors factors)
{
    SvdLinearSolver *self = self_;
    const DvStatus status = dv_direct_solver_set_system(self, m, step, factors);
    const uint32_t n = (uint32_t)self->base.direct.base.n;
    if (status != DV_OK || n == 0)
        return status;
    const uint32_t rank = rank_of(self, n);
    self->base.direct.factorizations += rank != self->rank;
    self->rank = rank;
    return DV_OK;
}

static DvMatrixKind takes(void *self)
{
    (void)self;
    return DV_MATRIX_ANY;
}

static const DvDirectSolverOps operations = {
    .solver = {DV_DIRECT_SOLVER_OPS, .set_system = set_system, DV_LINEAR_SOLVER_ONE_BY_ONE, .takes = takes},
    .analyse = dense_solver_analyse,
    .factor = factor,
    .substitute = substitute,
    .refine = refine,
};

const DvClass dv_svd_linear_solver = {
    .size = sizeof(DvClass),
    .name = "SVDLinearSolver",
    .variants = "CompressedRowSparseMatrixMat3x3d CompressedRowSparseMatrixd FullMatrix",
    .default_variant = "CompressedRowSparseMatrixMat3x3d",
    .module = "Sofa.Component.LinearSolver.Direct",
    .help =
        "Direct solver of small systems, also singular or unsymmetric ones, by singular values (LAPACK). The same bits "
        "on processors of one type.",
    .instance_size = sizeof(SvdLinearSolver),
    .fields = fields,
    .init = dense_solver_init,
    .destroy = dense_solver_destroy,
    DV_DIRECT_SOLVER_CLASS(operations, "MatrixLinearSolver", "LinearSolver"),
};
