/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A few eigenvalues of a large symmetric problem K x = value M x, those next to a number, by an iteration that asks for products and
 * solutions. A service; dv_service(DV_EIGENPAIRS) is NULL where no plugin has one.
 */
#ifndef DIVAN_CONTRACTS_EIGENPAIRS_H
#define DIVAN_CONTRACTS_EIGENPAIRS_H

#include <divan/base.h>

DV_BEGIN_DECLS

/* M is symmetric and positive semidefinite, K symmetric. */
typedef struct DvEigenProblem {
    size_t n;     /* unknowns */
    double shift; /* the eigenvalues next to it; none itself */
    void *user;
    /* y = M x, and x = (K - shift M)^-1 b, of n numbers each; an error ends the iteration. */
    DvStatus (*multiply)(void *user, double *y, const double *x);
    DvStatus (*solve)(void *user, double *x, const double *b);
} DvEigenProblem;

#define DV_EIGENPAIRS "divan.eigenpairs/1"
typedef struct DvEigenpairsOps {
    uint32_t size;
    /* The `count` eigenvalues above `shift` that are next to it, values [count] ascending, with vectors [count x n], v^T M v = 1.
     * `start` [n] is where the iteration begins: what it has no part in, and the operators do not lead to, stays zero. 0 < count,
     * count + 2 <= n. Results are the same in each run. DV_ERROR_NOT_CONVERGED, DV_ERROR_LIMIT: no memory, DV_ERROR_INVALID: a count
     * that cannot be, or the error of an operator; `why` gets a sentence of all but the last. Calls come one after the other,
     * others wait.     [any] */
    DvStatus (*nearest)(const DvEigenProblem *problem, const double *start, uint32_t count, double *values,
                        double *vectors, DvText *why);
} DvEigenpairsOps;

DV_END_DECLS
#endif
