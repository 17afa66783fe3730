/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * JacobiPreconditioner: z_i = r_i / A_ii. Usually the preconditioner of a PCGLinearSolver; alone it is one Jacobi iteration
 * from zero.
 */
#include "diagonal_preconditioner.h"

static const DvField fields[] = {
    DV_LINEAR_SOLVER_FIELDS(DvPreconditioner, base),
    {0},
};

static DvStatus build(void *self_, const DvBlockMatrix *a)
{
    DvPreconditioner *self = self_;
    double *diagonal = dv_preconditioner_reserve(self, self->base.n);
    for (uint32_t row = 0; row < a->rows; row++)
        for (uint32_t c = 0; c < a->block; c++)
            diagonal[row * a->block + c] = dv_block_matrix_diagonal(a, row, c);
    return dv_preconditioner_require_diagonal(self, a);
}

static DvStatus apply(void *self, double *z, const double *r, size_t n)
{
    const double *diagonal = ((const DvPreconditioner *)self)->numbers;
    for (size_t i = 0; i < n; i++)
        z[i] = r[i] / diagonal[i];
    return DV_OK;
}

static DvDiagonalBlocks diagonal_blocks(void *self)
{
    return (DvDiagonalBlocks){((const DvPreconditioner *)self)->numbers, 1};
}

static const DvDiagonalBlocksOps diagonal_operations = {
    .size = sizeof(DvDiagonalBlocksOps), .get = diagonal_blocks, .is_diagonal = true};

static const DvPreconditionerOps operations = {.solver = DV_PRECONDITIONER_OPS(apply), .build = build};

const DvClass dv_jacobi_preconditioner = {
    .size = sizeof(DvClass),
    .name = "JacobiPreconditioner",
    .variants = "DiagonalMatrix",
    .help = "Divides by the diagonal of the matrix.",
    .fields = fields,
    DIAGONAL_PRECONDITIONER_CLASS(operations, diagonal_operations),
};
