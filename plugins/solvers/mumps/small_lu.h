/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * LU with partial pivoting of a small dense matrix (Golub and Van Loan, Matrix Computations, 3.4): MUMPS's administration costs a small system
 * some 50 microseconds, its arithmetic a hundredth of that.
 */
#ifndef DV_MUMPS_SMALL_LU_H
#define DV_MUMPS_SMALL_LU_H

#include <divan/contracts/block_matrix.h>

enum { SMALL_LU_MOST = 48 }; /* unknowns */

typedef struct SmallLu {
    uint32_t n, moved;
    uint32_t pivot[SMALL_LU_MOST]; /* row that was exchanged with row k in step k */
    double lu[SMALL_LU_MOST * SMALL_LU_MOST];
} SmallLu;

/* a->rows <= SMALL_LU_MOST. The number of pivots found: n, else the matrix is singular, and *failed the unknown that has none. */
uint32_t dv_small_lu_factor(SmallLu *self, const DvSparseRows *a, uint32_t *failed);

/* In place of b [n]: the solution of A x = b, or of A^T x = b. */
void dv_small_lu_solve(const SmallLu *self, bool transposed, double *b);

#endif
