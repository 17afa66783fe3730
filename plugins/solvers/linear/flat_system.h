/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Right-hand side and solution of a linear system as flat arrays, for solvers that work on an assembled matrix: the states
 * below the solver one after the other, in tree order.
 */
#ifndef DV_SOLVERS_FLAT_SYSTEM_H
#define DV_SOLVERS_FLAT_SYSTEM_H

#include <divan/contracts/solver.h>

typedef struct DvFlatSystem {
    const DvMechanicalOperationsOps *ops;
    DvMechanics *m;
    size_t n;
    double *b, *x; /* [n + 1], the last one zero: products may read it */
    size_t capacity;
} DvFlatSystem;

/* Takes the size of `m` now; allocates when that has grown. */
void dv_flat_system_set(DvFlatSystem *flat, DvMechanics *m);
void dv_flat_system_free(DvFlatSystem *flat);

/* x = A^-1 b over vectors of the mechanics, by a function on flat arrays. */
DvStatus dv_flat_system_solve(DvFlatSystem *flat, DvVecId x, DvVecId b, void *self,
                              DvStatus (*solve_flat)(void *self, double *x, const double *b, size_t n));

#endif
