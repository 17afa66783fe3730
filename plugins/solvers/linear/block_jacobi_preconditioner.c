/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * BlockJacobiPreconditioner: multiplies by the inverses of the 3 x 3 blocks on the diagonal of the matrix, whatever the DOF
 * types: block g couples the unknowns 3 g, 3 g + 1 and 3 g + 2. A last block that is not full is filled with the identity.
 */
#include "linear/diagonal_preconditioner.h"
#include "linear/singular_points.h"

#include <math.h>
#include <string.h>

static const DvField fields[] = {
    DV_LINEAR_SOLVER_FIELDS(DvDiagonalPreconditioner),
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
static DvStatus set_system(void *self_, DvMechanics *m, const DvStep *step, DvFactors factors)
{
    DvDiagonalPreconditioner *self = self_;
    const DvBlockMatrix *a = dv_diagonal_preconditioner_assemble(self, m, step, factors, 3, 9);
    if (!a)
        return DV_ERROR_INVALID;
    const size_t groups = (self->flat.n + 2) / 3;
    if (groups > 0)
        gather_blocks(a, self->numbers);
    for (size_t g = 0; g < groups; g++)
        if (!invert(self->numbers + 9 * g))
            return dv_singular_points_refuse(dv_object_of(self), self->flat.ops, m, a, (uint32_t)(3 * g));
    return DV_OK;
}

/* Transposed, as the method has it: the same for symmetric matrices. */
static DvStatus solve_flat(void *self_, double *x, const double *b, size_t n)
{
    const DvDiagonalPreconditioner *self = self_;
    for (size_t g = 0; 3 * g < n; g++) {
        const double *inverse = self->numbers + 9 * g;
        const size_t filled = n - 3 * g < 3 ? n - 3 * g : 3;
        double z[3] = {0};
        for (size_t r = 0; r < filled; r++)
            for (size_t c = 0; c < filled; c++)
                z[r] += inverse[3 * c + r] * b[3 * g + c];
        memcpy(x + 3 * g, z, filled * sizeof *z);
    }
    return DV_OK;
}

static DvStatus init(DvObject *object, void *self)
{
    return dv_diagonal_preconditioner_init(object, self, "BlockDiagonalMatrixMat3x3d", solve_flat);
}

static const DvLinearSolverOps ops = {
    .size = sizeof(DvLinearSolverOps),
    .set_system = set_system,
    .solve = dv_diagonal_preconditioner_solve,
    .solve_flat = solve_flat,
    .is_matrix_free = dv_diagonal_preconditioner_is_matrix_free,
    .solve_many = dv_many_solve,
    .compliance = dv_many_compliance,
    .mechanics = dv_diagonal_preconditioner_mechanics,
};

const DvClass dv_block_jacobi_preconditioner = {
    .size = sizeof(DvClass),
    .name = "BlockJacobiPreconditioner",
    .variants = "FullVector",
    .bases = (const char *const[]){"MatrixLinearSolver", "LinearSolver", NULL},
    .family = "preconditioners",
    .module = "Sofa.Component.LinearSolver.Preconditioner",
    .help = "Multiplies by the inverses of the 3 x 3 diagonal blocks of the matrix.",
    .instance_size = sizeof(DvDiagonalPreconditioner),
    .fields = fields,
    .contracts = (const DvContract[]){{.id = DV_LINEAR_SOLVER, .ops = &ops}, {0}},
    .init = init,
    .destroy = dv_diagonal_preconditioner_destroy,
};
