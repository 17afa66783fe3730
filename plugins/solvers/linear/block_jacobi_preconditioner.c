/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * BlockJacobiPreconditioner: multiplies by the inverses of the 3 x 3 blocks on the diagonal of the matrix, whatever the DOF
 * types: block g couples the unknowns 3 g, 3 g + 1 and 3 g + 2. A last block that is not full is filled with the identity.
 */
#include "diagonal_preconditioner.h"

#include <math.h>
#include <string.h>

static const DvField fields[] = {
    DV_LINEAR_SOLVER_FIELDS(DvPreconditioner, base),
    {0},
};

/* The 3 x 3 blocks of scalars on the diagonal; blocks of the matrix may lie across them. */
static void gather_blocks(const DvBlockMatrix *a, double *blocks)
{
    const uint32_t b = a->block;
    const uint32_t n = a->rows * b;
    memset(blocks, 0, (size_t)(n + 2) / 3 * 9 * sizeof *blocks);
    for (uint32_t i = n; i % 3 != 0; i++)
        blocks[(size_t)(i / 3) * 9 + 4 * (i % 3)] = 1.0;
    for (uint32_t row = 0; row < a->rows; row++)
        for (uint32_t e = a->row_start[row]; e < a->row_start[row + 1]; e++) {
            const uint32_t column = a->columns[e];
            if ((row > column ? row - column : column - row) * b >= 3 + b)
                continue; /* too far from the diagonal */
            for (uint32_t r = 0; r < b; r++)
                for (uint32_t c = 0; c < b; c++) {
                    const uint32_t i = row * b + r, j = column * b + c;
                    if (i / 3 == j / 3)
                        blocks[(size_t)(i / 3) * 9 + 3 * (i % 3) + j % 3] = a->values[((size_t)e * b + r) * b + c];
                }
        }
}

/* In place, by cofactors; false when the determinant is zero or not a number. */
static bool invert(double *m)
{
    const double c00 = m[4] * m[8] - m[5] * m[7];
    const double c01 = m[5] * m[6] - m[3] * m[8];
    const double c02 = m[3] * m[7] - m[4] * m[6];
    const double determinant = m[0] * c00 + m[1] * c01 + m[2] * c02;
    if (!(fabs(determinant) > 0.0))
        return false;
    const double inverse[9] = {c00, m[2] * m[7] - m[1] * m[8], m[1] * m[5] - m[2] * m[4],
                               c01, m[0] * m[8] - m[2] * m[6], m[2] * m[3] - m[0] * m[5],
                               c02, m[1] * m[6] - m[0] * m[7], m[0] * m[4] - m[1] * m[3]};
    for (int i = 0; i < 9; i++)
        m[i] = inverse[i] / determinant;
    return true;
}

/* Keeps the inverses: [groups] x 9, row-major. */
static DvStatus build(void *self_, const DvBlockMatrix *a)
{
    DvPreconditioner *self = self_;
    const size_t groups = (self->base.n + 2) / 3;
    double *inverses = dv_preconditioner_reserve(self, 9 * groups);
    if (groups > 0)
        gather_blocks(a, inverses);
    for (size_t g = 0; g < groups; g++)
        if (!invert(inverses + 9 * g))
            return dv_linear_solver_refuse_singular(&self->base, a, (uint32_t)(3 * g));
    return DV_OK;
}

/* Transposed, as the method has it: the same for symmetric matrices. */
static DvStatus apply(void *self, double *x, const double *b, size_t n)
{
    const double *inverses = ((const DvPreconditioner *)self)->numbers;
    for (size_t g = 0; 3 * g < n; g++) {
        const double *inverse = inverses + 9 * g;
        const size_t filled = n - 3 * g < 3 ? n - 3 * g : 3;
        double z[3] = {0};
        for (size_t r = 0; r < filled; r++)
            for (size_t c = 0; c < filled; c++)
                z[r] += inverse[3 * c + r] * b[3 * g + c];
        memcpy(x + 3 * g, z, filled * sizeof *z);
    }
    return DV_OK;
}

static DvDiagonalBlocks diagonal_blocks(void *self)
{
    return (DvDiagonalBlocks){((const DvPreconditioner *)self)->numbers, 3};
}

static const DvDiagonalBlocksOps diagonal_operations = {.size = sizeof(DvDiagonalBlocksOps), .get = diagonal_blocks};

static const DvPreconditionerOps operations = {
    .solver = DV_PRECONDITIONER_OPS(apply), .build = build, .system = "BlockDiagonalMatrixMat3x3d"};

const DvClass dv_block_jacobi_preconditioner = {
    .size = sizeof(DvClass),
    .name = "BlockJacobiPreconditioner",
    .variants = "FullVector",
    .help = "Multiplies by the inverses of the 3 x 3 diagonal blocks of the matrix.",
    .fields = fields,
    DIAGONAL_PRECONDITIONER_CLASS(operations, diagonal_operations),
};
