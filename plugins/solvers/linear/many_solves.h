/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Many sparse right-hand sides, one after the other: for linear solvers whose method gains nothing from having them together.
 */
#ifndef DV_SOLVERS_MANY_SOLVES_H
#define DV_SOLVERS_MANY_SOLVES_H

#include <divan/contracts/solver.h>

/* x = A^-1 b of n numbers, as DvLinearSolverOps.solve_flat; both may be read one double past their end. */
typedef DvStatus (*DvSolveFlat)(void *self, double *x, const double *b, size_t n);

/* Whether all columns are below n; else an error of the solver `self` is reported. */
DV_NODISCARD DvStatus dv_check_rows(const void *self, const DvSparseRows *rows, size_t n);
/* What the struct of such a solver begins with. */
typedef struct DvManySolves {
    DvSolveFlat solve; /* of one of them; set in init */
    size_t n;          /* unknowns; set with the system */
    double
        left; /* the largest relative residual that was left of those in progress: of iterative methods, by dv_many_left */
} DvManySolves;
void dv_many_left(DvManySolves *many, double left);
/* DvLinearSolverOps.solve_many and compliance. */
DV_NODISCARD DvStatus dv_many_solve(void *self, const DvSparseRows *b, double *x, size_t stride, double *residual);
DV_NODISCARD DvStatus dv_many_compliance(void *self, const DvSparseRows *j, double factor, double *w, size_t stride);
/* The latter for solvers that only sometimes do without a method of their own. */
DV_NODISCARD DvStatus dv_compliance_of_rows(void *self, DvSolveFlat solve, const DvSparseRows *j, size_t n,
                                            double factor, double *w, size_t stride);
/* Row `row` as n numbers. */
void dv_spread_row(const DvSparseRows *rows, uint32_t row, double *dense, size_t n);

#endif
