/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What direct solvers on all of the matrix share: the library that another plugin offers (divan.dense/1), and the matrix column by column.
 */
#ifndef DIVAN_SOLVERS_DENSE_SOLVER_H
#define DIVAN_SOLVERS_DENSE_SOLVER_H

#include <divan/contracts/dense.h>
#include <divan/kit/direct_solver.h>

typedef struct DenseSolver {
    DvDirectSolver direct;
    const DvDenseOps *dense; /* found at init */
    double *matrix;          /* [n x n] by columns; then what the class makes of it */
    double *numbers;         /* what the class asks for besides */
    int *integers;
    size_t capacity; /* unknowns that there is memory for */
} DenseSolver;

/* DvClass.init: an assembled system, and the library; an error names the plugin and the package that are missing.     [main] */
DV_NODISCARD DvStatus dense_solver_init(DvObject *object, void *self);
void dense_solver_destroy(DvObject *object, void *self);
/* DvDirectSolverOps.analyse: nothing is kept of a structure. */
void dense_solver_analyse(void *self, const DvBlockMatrix *a);
/* In factor: memory for these unknowns and `more` (numbers, integers), and the matrix, filled. DV_ERROR_LIMIT, which is reported; entries
 * that are not finite are DV_ERROR_SINGULAR, for the base to report.     [step] */
DV_NODISCARD DvStatus dense_solver_take(DenseSolver *self, const DvBlockMatrix *a, DvDenseWork more, uint32_t *failed);
/* Sum of the magnitudes of a column, the largest of all columns: the norm of `condition`.     [step] */
double dense_solver_norm(const double *matrix, size_t n);
/* |b - A x| / |b| of the matrix that was factored.     [step] */
double dense_solver_residual(const DenseSolver *self, const DvBlockMatrix *a, const double *x, const double *b);

#endif
