/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A = P^T L D L^T P of a symmetric matrix of b x b blocks, L unit lower triangular, D diagonal (of either sign).
 *
 * No pivoting: D may have negative entries, an exact zero ends the factorization. Pivots that are mere rounding, as they
 * come up in indefinite matrices and in singular ones, are replaced by small numbers (Li and Demmel 1998), and solutions of
 * such factorizations are refined with the residual. What depends on the pattern alone is
 * kept until dv_block_ldl_analyse is called again; after it neither factor nor solve allocates. One thread at a time.
 */
#ifndef DV_SOLVERS_BLOCK_LDL_H
#define DV_SOLVERS_BLOCK_LDL_H

#include "node_ordering.h"

#include <divan/contracts/block_matrix.h>
#include <divan/contracts/operator.h>

typedef struct DvBlockLdl DvBlockLdl;

DvBlockLdl *dv_block_ldl_new(void);
/* Of whom it is told that there is no memory for the factor: dv_block_ldl_factor then gives DV_ERROR_LIMIT. */
void dv_block_ldl_set_owner(DvBlockLdl *ldl, const DvObject *owner);
void dv_block_ldl_free(DvBlockLdl *ldl); /* NULL is allowed */

/* Ordering and symbolic factorization. Rows that are zero now but for the diagonal block take no part in it: fixed points
 * cost nothing. `order` (NULL: the order of least work) must stay callable until the next analysis. */
void dv_block_ldl_analyse(DvBlockLdl *ldl, const DvBlockMatrix *a, DvOrderNodes order, void *context);

/* Numbers for the analysed pattern; the structure of A is that of the analysis. When a row that was left out is coupled
 * now, there is another analysis, with it. DV_ERROR_SINGULAR if a pivot is zero or not a number: *failed is then its row in
 * A (scalar index). */
DV_NODISCARD DvStatus dv_block_ldl_factor(DvBlockLdl *ldl, const DvBlockMatrix *a, uint32_t *failed);

/* A x = b; x may be b. Many right-hand sides: block_ldl_many.h. */
void dv_block_ldl_solve(DvBlockLdl *ldl, const double *b, double *x);
/* x = P^T L^-T D^-1 y from a half solution y = L^-1 P b, in the order of elimination; x may be y. */
void dv_block_ldl_finish(DvBlockLdl *ldl, const double *y, double *x);
const double *dv_block_ldl_weights(const DvBlockLdl *ldl); /* 1 / D, in the order of elimination */
/* Whether all pivots are positive, as those of a positive definite matrix are; else *row is the row in A of the first that is not. */
bool dv_block_ldl_is_positive(const DvBlockLdl *ldl, uint32_t *row);
/* Whether some pivot has lost many digits, so that solutions want refinement. */
bool dv_block_ldl_is_delicate(const DvBlockLdl *ldl);

/* Refines a solution x of A x = b where pivots have lost many digits, else does nothing; A as it was factored. Returns the
 * largest entry of the residual over that of b: more than rounding means that A is singular. */
double dv_block_ldl_refine(DvBlockLdl *ldl, const DvBlockMatrix *a, const double *b, double *x);

uint64_t dv_block_ldl_nonzeros(
    const DvBlockLdl *ldl);                       /* entries below the diagonal of L, zeros of the storage left out */
double dv_block_ldl_flops(const DvBlockLdl *ldl); /* multiplications and additions of a factorization */
uint32_t dv_block_ldl_analyses(const DvBlockLdl *ldl); /* analyses so far */
/* Each becomes the other, so that what holds an address has the other's factor. The number of analyses stays where both have the same
 * structure and order, else it is one that neither has had. */
void dv_block_ldl_swap(DvBlockLdl *a, DvBlockLdl *b);
/* The factor as the operator "factor" of states, see divan/contracts/operator.h; `panels` holds a list of it, and is the caller's, who frees it.
 * `size`: [states]. */
void dv_block_ldl_describe(const DvBlockLdl *ldl, uint64_t version, const uint32_t *size, uint32_t states,
                           uint32_t **panels, DvOperator *out);
void dv_block_ldl_use_level(DvBlockLdl *ldl,
                            int level); /* instruction set, see dense_panel.h: for tests and benchmarks */

#endif
