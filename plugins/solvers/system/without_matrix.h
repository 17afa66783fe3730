/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Operations of linear systems that have no matrix.
 */
#ifndef DIVAN_SOLVERS_WITHOUT_MATRIX_H
#define DIVAN_SOLVERS_WITHOUT_MATRIX_H

#include <divan/contracts/solver.h>

static inline bool without_matrix(void *self_)
{
    (void)self_;
    return true;
}

static inline const DvBlockMatrix *assemble_nothing(void *self_, DvMechanics *m, const DvStep *step, DvFactors factors)
{
    (void)self_;
    (void)m;
    (void)step;
    (void)factors;
    return NULL;
}

#endif
