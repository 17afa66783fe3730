/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Block matrices: the global matrix of a system, in block compressed rows, and how components write into it.
 *
 * Rows and columns are grouped in blocks of b scalars (b = 1, 2 or 3: the greatest common divisor of the derivative
 * sizes in the system; a rigid body takes two blocks of 3). The structure is found once: each component names, in a
 * fixed order, the pairs of points it couples (DvPattern); from then on assembly adds to known slots and searches
 * nothing. It stays until the topology of a component changes. The full matrix is stored, both triangles, also when it
 * is symmetric.
 */
#ifndef DIVAN_CONTRACTS_BLOCK_MATRIX_H
#define DIVAN_CONTRACTS_BLOCK_MATRIX_H

#include <divan/base.h>

DV_BEGIN_DECLS

typedef struct DvBlockMatrix {
    uint32_t rows;              /* block rows = block columns */
    uint32_t block;             /* b */
    const uint32_t *row_start;  /* [rows + 1] */
    const uint32_t *columns;    /* [row_start[rows]] ascending within a row; the diagonal block is always there */
    const uint32_t *diagonal;   /* [rows] slot of the diagonal block of each row */
    const uint32_t *transposed; /* [row_start[rows]] slot of the transposed block: the structure is symmetric */
    double *values;             /* [row_start[rows]] x b x b, each block row-major, 64-byte aligned */
    uint64_t structure;         /* number of the structure: another number, another structure */
    uint64_t version;           /* the same number: the same values as before, bit for bit */
} DvBlockMatrix;

/* Rows over the scalar unknowns of such a matrix, as constraints give them: row i has the values[e] in columns[e] for
 * row_start[i] <= e < row_start[i + 1], ascending. */
typedef struct DvSparseRows {
    uint32_t rows;
    const uint32_t *row_start; /* [rows + 1] */
    const uint32_t *columns;
    const double *values;
} DvSparseRows;

/* Where a component names its couplings: pair k is the k-th call. `a` and `b` choose the states when there are two
 * (0, 1). */
typedef struct DvPattern DvPattern;
typedef struct DvPatternOps {
    uint32_t size;
    void (*add)(DvPattern *pattern, uint32_t a, uint32_t row_point, uint32_t b, uint32_t column_point);
} DvPatternOps;
struct DvPattern {
    const DvPatternOps *ops;
};
static inline void dv_pattern_add(DvPattern *p, uint32_t row_point, uint32_t column_point)
{
    p->ops->add(p, 0, row_point, 0, column_point);
}

/* Which matrices a linear solver takes. */
typedef enum DvMatrixKind {
    DV_MATRIX_SYMMETRIC,        /* those that are their transposes, to rounding: LDL^T, Cholesky */
    DV_MATRIX_NEARLY_SYMMETRIC, /* and those that differ where steps are known to bear it: conjugate gradients */
    DV_MATRIX_ANY               /* LU, QR, SVD */
} DvMatrixKind;

/* What a component gives where the matrix is to be symmetric and K is not: (K + K^T) / 2, or nothing where that would
 * make steps unstable (its force then counts as explicit). */
typedef enum DvSymmetry { DV_SYMMETRIC, DV_SYMMETRIC_PART, DV_SYMMETRIC_WITHOUT } DvSymmetry;

/* Where it then adds. Coupling k of state pair (a, b) is a dense deriv_a x deriv_b matrix. When `direct` is set, all of
 * it is one block of the matrix: coupling k starts at values[slot[k] * b * b], row-major, to be added to in place. */
typedef struct DvMatrixView {
    double *values;
    const uint32_t *slot; /* [couplings] of a direct view; else the first of several, see dv_view_add */
    uint32_t block;       /* b */
    bool direct;
    const void *indirect; /* the owner's */
    void (*add)(const struct DvMatrixView *view, uint32_t coupling, const double *dense, double factor);
    DvMatrixKind kind; /* as in DvStep */
} DvMatrixView;

/* += factor * dense (row-major, deriv_a x deriv_b).     [step], [worker] for couplings that share no slot */
static inline void dv_view_add(const DvMatrixView *view, uint32_t coupling, const double *dense, double factor)
{
    if (view->direct) {
        double *at = view->values + (size_t)view->slot[coupling] * view->block * view->block;
        const uint32_t n = view->block * view->block;
        for (uint32_t i = 0; i < n; i++)
            at[i] += factor * dense[i];
    } else {
        view->add(view, coupling, dense, factor);
    }
}

DV_END_DECLS
#endif
