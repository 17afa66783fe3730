/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * How easily contacts move a body: what forces f on a state move of it in a step, by the masses, the springs that are integrated
 * implicitly, and what is held.
 */
#ifndef DIVAN_COLLISION_MOBILITY_H
#define DIVAN_COLLISION_MOBILITY_H

#include <divan/contracts/state.h>
#include <divan/divan.h>

/* Whether contacts that a response in `node` answers act as they are at the beginning of a step, whatever they become in it: no solver
 * stands there or above, or it integrates explicitly. */
bool forces_are_explicit(const DvNode *node);

/* Whether two bodies are integrated implicitly, each by a solver of its own: contacts between them are in the system of neither. */
bool solvers_are_apart(const DvNode *first, const DvNode *second);

/* f^T A^-1 f over dt^2, in N^2/kg, or a little less (some steps of conjugate gradients), with A = M + dt^2 K. `f`: [points x deriv] N.
 * Of a mapped state A is that of what it follows. 0: nothing moves it. `primed`: forces have been asked of the force fields at the
 * present positions, which else is done here. Scratch of the step.     [main, step] */
double mobility_under(DvStateRef state, const double *f, double dt, bool primed);

/* The mapping that computes a state and no other one; NULL: there is none. */
DvObject *mapping_to(const DvObject *state);

#endif
