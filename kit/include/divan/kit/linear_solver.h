/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * How components come by a linear solver.
 */
#ifndef DIVAN_KIT_LINEAR_SOLVER_H
#define DIVAN_KIT_LINEAR_SOLVER_H

#include <divan/contracts/solver.h>
#include <divan/memory.h>
#include <divan/node.h>

DV_BEGIN_DECLS

/* All objects of a search, in scratch memory of the step.     [main] */
static inline DvObject **dv_find_all(const DvNode *node, const char *contract, DvSearch search, size_t *count)
{
    *count = dv_node_find_all(node, contract, search, NULL, 0);
    DvObject **found = (DvObject **)dv_step_alloc(*count, sizeof *found);
    (void)dv_node_find_all(node, contract, search, found, *count);
    return found;
}

/* A linear solver with its functions at hand. */
typedef struct DvLinearSolverUse {
    const DvLinearSolverOps *ops; /* NULL: there is none */
    void *self;
} DvLinearSolverUse;

/* The solver that `link` leads to; without a link the first in the search whose tags are those of the object. None: ops is NULL and
 * nothing is reported; self is then one that cannot be used, which has been reported, or NULL.     [main] at init */
DV_PUBLIC DvLinearSolverUse dv_linear_solver_of(DvObject *object, const DvLink *link, DvSearch search);

/* Which matrices it solves; of none: symmetric ones.     [step] */
static inline DvMatrixKind dv_linear_solver_takes(DvLinearSolverUse solver)
{
    return solver.ops && solver.ops->takes ? solver.ops->takes(solver.self) : DV_MATRIX_SYMMETRIC;
}

DV_END_DECLS
#endif
