/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The laws of blocks of constraints: what a block does to its lambda when it looks at its own rows alone.
 */
#ifndef DV_SOLVERS_LAW_H
#define DV_SOLVERS_LAW_H

#include <divan/contracts/lagrangian_constraint.h>

/* Prepares factor [rows x rows] of the block w [rows x rows]; only bilateral blocks of several rows have one. Rows that only repeat
 * others, or that nothing answers, have zeros there: their lambda stays. `scratch`: [rows] */
void law_factor(const DvConstraintBlock *block, const double *w, double *factor, double *scratch);

/* Whether a bilateral block of three rows has no force because its determinant is too small by p[1]. */
bool law_lets_go(const DvConstraintBlock *block, const double *w);

/* New lambda of the block from d, its violation at the present lambda. d may change. A row on which nothing that can move depends
 * (w is 0 there) has no force. */
void law_resolve(const DvConstraintBlock *block, const double *w, const double *factor, double *d, double *lambda);

#endif
