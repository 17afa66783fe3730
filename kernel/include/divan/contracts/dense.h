/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Dense linear algebra by a library that lives in a plugin of its own. A service; dv_service(DV_DENSE) is NULL where no plugin has one.
 *
 * A matrix a of n rows lies column by column: entry (i, j) is a[i + j * n]. It is the caller's, and is overwritten where that is said. Of
 * symmetric matrices the lower triangle is read (i >= j) unless said otherwise. `work` is the caller's too, as many numbers as the function
 * of the same name in DvDenseWork says; nothing is allocated and nothing is kept between calls.
 *
 * Errors are returned, not reported: DV_ERROR_INVALID, a size that is 0 or too large; DV_ERROR_NOT_FINITE, entries that are not finite;
 * DV_ERROR_SINGULAR, and *failed is the row without a pivot; DV_ERROR_NOT_CONVERGED, an iteration of the library that did not end.
 *
 * Any number of threads at once, each with arrays of its own; each call is computed by the thread that calls. The bits of results are those
 * of one type of processor: another one may take other instructions.     All [any]
 */
#ifndef DIVAN_CONTRACTS_DENSE_H
#define DIVAN_CONTRACTS_DENSE_H

#include <divan/base.h>

DV_BEGIN_DECLS

typedef enum DvDenseMethod {
    DV_DENSE_CHOLESKY, /* L L^T, of symmetric positive definite matrices */
    DV_DENSE_LU        /* P L U with partial pivoting, of any; all of the matrix is read */
} DvDenseMethod;

typedef struct DvDenseWork {
    size_t numbers;  /* doubles */
    size_t integers; /* ints */
} DvDenseWork;

enum { DV_DENSE_MOST = 20000 }; /* rows */

/* All required. `integers` as `numbers`: the caller's. */
#define DV_DENSE "divan.dense/1"
typedef struct DvDenseOps {
    uint32_t size;
    const char *(*library)(void); /* what stands behind, for people */
    /* a becomes its factors; pivots [n] of LU, else NULL. A pivot of Cholesky that is not positive: DV_ERROR_SINGULAR, and it stands at
     * entry (*failed, *failed). */
    DvStatus (*factor)(DvDenseMethod method, uint32_t n, double *a, int *pivots, uint32_t *failed);
    /* In place of `count` right-hand sides in b [count x n] the solutions of A x = b, or (`transposed`) of A^T x = b. */
    DvStatus (*solve)(DvDenseMethod method, bool transposed, uint32_t n, const double *a, const int *pivots, double *b,
                      uint32_t count);
    /* An estimate of 1 / (|A| |A^-1|) in the norm of columns, from the factors and that norm of A: 0 when singular. work: numbers 4 n,
     * integers n. */
    DvStatus (*condition)(DvDenseMethod method, uint32_t n, const double *a, double norm, double *work, int *integers,
                          double *reciprocal);
    /* values [n] ascending, and a becomes the vectors, column by column: A v = value v; with b, symmetric positive definite and
     * overwritten, A v = value B v with v^T B v = 1. b not positive definite: DV_ERROR_SINGULAR. */
    DvDenseWork (*eigen_work)(uint32_t n);
    DvStatus (*eigen)(uint32_t n, double *a, double *b, double *values, double *work, int *integers, uint32_t *failed);
    /* A = U S V^T: values [n] descending, u [n x n], and vt [n x n] which is V^T; a is overwritten. */
    DvDenseWork (*svd_work)(uint32_t n);
    DvStatus (*svd)(uint32_t n, double *a, double *values, double *u, double *vt, double *work, int *integers);
    /* x = V S^-1 U^T b, without the values from number `rank` on: of least norm. work: numbers n. x is not b. */
    DvStatus (*svd_solve)(uint32_t n, uint32_t rank, const double *values, const double *u, const double *vt, double *x,
                          const double *b, double *work);
    /* Static condensation of a symmetric matrix whose first `inner` rows are eliminated: their part must be positive definite. The first
     * `inner` columns of a become C with x_inner = L^-T (L^-1 b_inner - C^T x_kept), see `expand`; entries of the others (i, j >= inner)
     * become the Schur complement A_kk - A_ki A_ii^-1 A_ik, both triangles. 0 < inner < n. */
    DvStatus (*condense)(uint32_t n, uint32_t inner, double *a, uint32_t *failed);
    /* With what `condense` left. Forward: b [n] of the whole becomes L^-1 b_inner, then b_kept - A_ki A_ii^-1 b_inner. Backward: [n] of that
     * first part, then x_kept, becomes x of the whole. */
    DvStatus (*condense_forward)(uint32_t n, uint32_t inner, const double *a, double *b);
    DvStatus (*condense_backward)(uint32_t n, uint32_t inner, const double *a, double *x);
} DvDenseOps;

DV_END_DECLS
#endif
