/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Many sparse right-hand sides of a factored matrix A = P^T L D L^T P, such as the rows J of constraints.
 *
 * A forward sweep, Y = L^-1 P J^T, reaches only the ancestors of a row's entries in the elimination tree (Gilbert and Peierls
 * 1988); with it J A^-1 J^T = Y^T D^-1 Y needs no backward sweep. Rows are taken eight at a time, side by side in a vector, in
 * groups of neighbours in the tree; groups run in parallel. Each number is computed in one order, whatever the threads.
 * Allocates when there are more rows, or longer ones, than ever before.
 */
#ifndef DV_SOLVERS_BLOCK_LDL_MANY_H
#define DV_SOLVERS_BLOCK_LDL_MANY_H

#include "block_ldl.h"

typedef struct DvLdlMany DvLdlMany;

DvLdlMany *dv_ldl_many_new(DvBlockLdl *ldl); /* which stays, factored, while it is used */
void dv_ldl_many_free(DvLdlMany *many);      /* NULL is allowed */

/* Y of these rows, of n columns; the other functions are about the last ones. */
void dv_ldl_many_forward(DvLdlMany *many, const DvSparseRows *b);
/* w(i, j) += factor y_i^T D^-1 y_j at w[i * stride + j], the same at (j, i). */
void dv_ldl_many_gram(DvLdlMany *many, double factor, double *w, size_t stride);
/* x_i = A^-1 b_i at x + i * stride, n numbers. */
void dv_ldl_many_backward(DvLdlMany *many, double *x, size_t stride);
/* Y as rows, its columns in the order of elimination; exact zeros are left out. Lent until the next call. */
DvSparseRows dv_ldl_many_rows(DvLdlMany *many);

#endif
