/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What an animation loop says of the solvers below it before the first step: several ODE solvers that move the same states, and linear
 * solvers that nobody asks.
 */
#ifndef DV_SOLVERS_SOLVER_CHECKS_H
#define DV_SOLVERS_SOLVER_CHECKS_H

#include <divan/contracts/solver.h>

/* Which ODE solvers of a node count: each makes a step after the other; the first alone; the last, whose free motion replaces the others'. */
typedef enum SolversOfNode { SOLVERS_EACH, SOLVERS_FIRST, SOLVERS_LAST } SolversOfNode;

/* In bwd_init of a loop, when all is there.     [main] */
void solver_checks_run(const DvObject *loop, DvNode *target, SolversOfNode taken);

#endif
