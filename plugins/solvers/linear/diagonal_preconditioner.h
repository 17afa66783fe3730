/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the preconditioners that take only the diagonal of an assembled matrix, or blocks on it, do alike.
 */
#ifndef DV_SOLVERS_DIAGONAL_PRECONDITIONER_H
#define DV_SOLVERS_DIAGONAL_PRECONDITIONER_H

#include "linear/flat_system.h"
#include "linear/linear_solver_fields.h"
#include "linear/many_solves.h"

/* The struct of such a class, or what it begins with. */
typedef struct DvDiagonalPreconditioner {
    DvManySolves many; /* first */
    DvLinearSolverFields common;
    DvLinearSystemUse system;
    DvFlatSystem flat;
    double *numbers; /* [capacity] what it keeps of the matrix */
    size_t capacity;
} DvDiagonalPreconditioner;

/* In init. `variant` is that of the linear system it makes where the scene has none. */
DV_NODISCARD DvStatus dv_diagonal_preconditioner_init(DvObject *object, DvDiagonalPreconditioner *self,
                                                      const char *variant, DvSolveFlat solve_flat);
/* The matrix of the system, and room for `numbers` numbers for each group of `group` unknowns; NULL after an error. */
const DvBlockMatrix *dv_diagonal_preconditioner_assemble(DvDiagonalPreconditioner *self, DvMechanics *m,
                                                         const DvStep *step, DvFactors factors, size_t group,
                                                         size_t numbers);
/* DvLinearSolverOps.solve, is_matrix_free and mechanics, DvClass.destroy. */
DvStatus dv_diagonal_preconditioner_solve(void *self, DvVecId x, DvVecId b);
bool dv_diagonal_preconditioner_is_matrix_free(void *self);
const DvMechanics *dv_diagonal_preconditioner_mechanics(void *self);
void dv_diagonal_preconditioner_destroy(DvObject *object, void *self);

#endif
