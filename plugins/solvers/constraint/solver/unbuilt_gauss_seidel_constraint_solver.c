/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * UnbuiltGaussSeidelConstraintSolver: the sweeps of BlockGaussSeidelConstraintSolver without ever forming W: of a direct solver by
 * half solutions, of loose points and rigid bodies by the rows of J. Blocks begin with no force.
 */
#include "iterative_constraint_solver.h"

typedef struct UnbuiltGaussSeidelConstraintSolver {
    IterativeConstraintSolver base; /* first: errors know the object by it */
} UnbuiltGaussSeidelConstraintSolver;

static const DvField fields[] = {ITERATIVE_CONSTRAINT_SOLVER_FIELDS(UnbuiltGaussSeidelConstraintSolver), {0}};

static DvStatus solve(void *self, const DvStep *step, DvConstraintOrder order)
{
    return iterative_constraint_solver_step(self, step, order, true, gauss_seidel);
}

static const DvConstraintSolverOps ops = ITERATIVE_CONSTRAINT_SOLVER_OPS(solve, DV_LAWS_ALL);

const DvClass dv_unbuilt_gauss_seidel_constraint_solver = {
    ITERATIVE_CONSTRAINT_SOLVER_CLASS(&ops),
    .name = "UnbuiltGaussSeidelConstraintSolver",
    .help = "Finds the forces of constraints and contacts, block by block, without a compliance matrix.",
    .instance_size = sizeof(UnbuiltGaussSeidelConstraintSolver),
    .fields = fields,
};
