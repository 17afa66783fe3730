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

#include <divan/math/simd.h>

#include <string.h>

enum { DV_SSOR_BLOCK = 8 }; /* numbers of a block row, at most */

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

/* sum += the blocks of a row from slot `first` to `end`, times z. */
DV_SIMD_INLINE void add_blocks(const DvBlockMatrix *a, const uint32_t b, uint32_t first, uint32_t end, const double *z,
                               double *sum)
{
    for (uint32_t e = first; e < end; e++) {
        const double *entry = a->values + (size_t)e * b * b, *at = z + (size_t)a->columns[e] * b;
        for (uint32_t c = 0; c < b; c++)
            for (uint32_t k = 0; k < b; k++)
                sum[c] += entry[c * b + k] * at[k];
    }
}

/* Both sweeps, for a constant b. The scalar rows of a block follow each other. */
DV_SIMD_INLINE void sweep(const DvBlockMatrix *a, const uint32_t b, double omega, double scale, double *z,
                          const double *r)
{
    double sum[DV_SSOR_BLOCK];
    for (uint32_t row = a->rows; row-- > 0;) {
        const uint32_t diagonal = a->diagonal[row];
        const double *d = a->values + (size_t)diagonal * b * b;
        double *at = z + (size_t)row * b;
        memset(sum, 0, b * sizeof *sum);
        add_blocks(a, b, diagonal + 1, a->row_start[row + 1], z, sum);
        for (uint32_t c = b; c-- > 0;) {
            for (uint32_t k = c + 1; k < b; k++)
                sum[c] += d[c * b + k] * at[k];
            at[c] = (r[(size_t)row * b + c] - sum[c]) * omega / d[c * b + c];
        }
    }
    for (uint32_t row = 0; row < a->rows; row++) {
        const uint32_t diagonal = a->diagonal[row];
        const double *d = a->values + (size_t)diagonal * b * b;
        double *at = z + (size_t)row * b;
        memset(sum, 0, b * sizeof *sum);
        add_blocks(a, b, a->row_start[row], diagonal, z, sum);
        for (uint32_t c = 0; c < b; c++) {
            for (uint32_t k = 0; k < c; k++)
                sum[c] += d[c * b + k] * at[k];
            at[c] -= sum[c] * omega / d[c * b + c];
        }
    }
    for (size_t i = 0; scale != 1.0 && i < (size_t)a->rows * b; i++)
        z[i] *= scale;
}

static DvStatus apply(void *self_, double *z, const double *r, size_t n)
{
    (void)n;
    SsorPreconditioner *self = self_;
    const DvBlockMatrix *a = &self->base.matrix;
    const double omega = dv_data_double(&self->omega), scale = self->is_scaled ? 2.0 - omega : 1.0;
    if (a->block == 3)
        sweep(a, 3, omega, scale, z, r);
    else if (a->block == 1)
        sweep(a, 1, omega, scale, z, r);
    else
        sweep(a, a->block, omega, scale, z, r);
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
