/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * SSORPreconditioner: symmetric successive over-relaxation (Young 1954; Axelsson, Iterative Solution Methods, 1994, 7.4), of A = L + D + U:
 *
 *   z = (2 - w) (D / w + L)^-1 (D / w) (D / w + U)^-1 r
 *
 * a backward sweep and a forward one over scalar rows, whatever the blocks are. The factor 2 - w is left out in the variant of 3 x 3
 * blocks; conjugate gradients go the same way with it and without, and their bound r.z is another. For 0 < w < 2 it is positive definite.
 */
#include <divan/kit/preconditioner.h>

#include <string.h>

typedef struct SsorPreconditioner {
    DvPreconditioner base;
    DvData omega;
    bool is_scaled;
} SsorPreconditioner;

static const DvField fields[] = {
    DV_LINEAR_SOLVER_FIELDS(SsorPreconditioner, base.base),
    DV_FIELD(SsorPreconditioner, omega, "omega", dv_type_double, .init = "1", .range = &dv_range_positive,
             .flags = DV_FIELD_LENIENT, .help = "relaxation, below 2; 1: symmetric Gauss-Seidel"),
    {0},
};

static DvStatus init(DvObject *object, void *self)
{
    ((SsorPreconditioner *)self)->is_scaled =
        strcmp(dv_object_variant(object), "CompressedRowSparseMatrixMat3x3d") != 0;
    return dv_preconditioner_init(object, self);
}

static DvStatus build(void *self, const DvBlockMatrix *a)
{
    return dv_preconditioner_require_diagonal(self, dv_preconditioner_keep(self, a));
}

/* (L z)_j, or (U z)_j, of scalar row j: row c of a block row. */
static double sum_of(const DvBlockMatrix *a, uint32_t row, uint32_t c, bool upper, const double *z)
{
    const uint32_t b = a->block, diagonal = a->diagonal[row];
    double sum = 0.0;
    for (uint32_t e = upper ? diagonal : a->row_start[row]; e < (upper ? a->row_start[row + 1] : diagonal + 1); e++) {
        const double *entry = a->values + ((size_t)e * b + c) * b, *at = z + (size_t)a->columns[e] * b;
        const uint32_t first = upper && e == diagonal ? c + 1 : 0, end = !upper && e == diagonal ? c : b;
        for (uint32_t k = first; k < end; k++)
            sum += entry[k] * at[k];
    }
    return sum;
}

static DvStatus apply(void *self_, double *z, const double *r, size_t n)
{
    SsorPreconditioner *self = self_;
    const DvBlockMatrix *a = &self->base.matrix;
    const uint32_t b = a->block, end = (uint32_t)n;
    const double omega = dv_data_double(&self->omega), scale = self->is_scaled ? 2.0 - omega : 1.0;
    for (uint32_t j = end; j-- > 0;)
        z[j] = (r[j] - sum_of(a, j / b, j % b, true, z)) * omega / dv_block_matrix_diagonal(a, j / b, j % b);
    for (uint32_t j = 0; j < end; j++)
        z[j] -= sum_of(a, j / b, j % b, false, z) * omega / dv_block_matrix_diagonal(a, j / b, j % b);
    for (uint32_t j = 0; j < end; j++)
        z[j] *= scale;
    return DV_OK;
}

static const DvPreconditionerOps operations = {.solver = DV_PRECONDITIONER_OPS(apply), .build = build};

const DvClass dv_ssor_preconditioner = {
    .size = sizeof(DvClass),
    .name = "SSORPreconditioner",
    .variants = "CompressedRowSparseMatrixMat3x3d CompressedRowSparseMatrixd",
    .default_variant = "CompressedRowSparseMatrixd",
    .module = "Sofa.Component.LinearSolver.Preconditioner",
    .help = "Sweeps over the rows of the matrix, backward and forward, by successive over-relaxation.",
    .instance_size = sizeof(SsorPreconditioner),
    .fields = fields,
    .init = init,
    .destroy = dv_preconditioner_destroy,
    DV_PRECONDITIONER_CLASS(operations, "MatrixLinearSolver", "LinearSolver"),
};
