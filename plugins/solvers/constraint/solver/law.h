/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The laws of blocks of constraints: what a block does to its lambda when it looks at its own rows alone.
 */
#ifndef DV_SOLVERS_LAW_H
#define DV_SOLVERS_LAW_H

#include <divan/contracts/lagrangian_constraint.h>

#include <math.h>

/* Prepares factor [rows x rows] of the block w [rows x rows]; only bilateral blocks of several rows have one. Rows that only repeat
 * others, or that nothing answers, have zeros there: their lambda stays. `scratch`: [rows] */
void law_factor(const DvConstraintBlock *block, const double *w, double *factor, double *scratch);

/* Whether a bilateral block of three rows has no force because its determinant is too small by p[1]. */
bool law_lets_go(const DvConstraintBlock *block, const double *w);

/* New lambda of the block from d, its violation at the present lambda. d may change. A row on which nothing that can move depends
 * (w is 0 there) has no force. */
void law_resolve(const DvConstraintBlock *block, const double *w, const double *factor, double *d, double *lambda);

/* Coulomb, inline for sweeps over many contacts: the normal force first, then the tangential one by the mean compliance of both directions, back onto the cone. */
static inline void law_friction(double mu, double least, const double *w, double *d, double *lambda)
{
    const double before = lambda[0];
    const double normal = w[0] > least ? before - d[0] / w[0] : -1.0;
    if (normal < 0.0) {
        lambda[0] = lambda[1] = lambda[2] = 0.0;
        return;
    }
    lambda[0] = normal;
    d[1] += w[3] * (normal - before);
    d[2] += w[6] * (normal - before);
    const double tangential = w[4] + w[8];
    if (tangential > 0.0) {
        lambda[1] -= 2.0 * d[1] / tangential;
        lambda[2] -= 2.0 * d[2] / tangential;
    }
    const double size = sqrt(lambda[1] * lambda[1] + lambda[2] * lambda[2]), most = mu * normal;
    if (size > most) {
        lambda[1] *= most / size;
        lambda[2] *= most / size;
    }
}

#endif
