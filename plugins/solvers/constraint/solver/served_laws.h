/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Which constraint solver serves which laws: what is said of constraints that the one of a scene does not solve for.
 */
#ifndef DV_SOLVERS_SERVED_LAWS_H
#define DV_SOLVERS_SERVED_LAWS_H

#include <divan/contracts/lagrangian_constraint.h>

/* An error of a constraint whose blocks follow one of `laws`, none of which `solver` serves now (`served`): it names the solvers that
 * serve one of them. */
DvStatus served_laws_refuse(const DvObject *constraint, uint32_t laws, const DvObject *solver, uint32_t served);

/* All constraints, and responses to contacts, that are or will be below the node of a solver: an error for each kind of those that it
 * does not serve, and they are out of use.     [main], once the scene is there */
void served_laws_check(const DvObject *solver);
/* Those below `target`, for a loop that solves for none: a warning, true when there are some.     [main] */
bool served_laws_tell_of_unsolved(const DvObject *loop, DvNode *target);

#endif
