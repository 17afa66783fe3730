/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Equalities that cannot hold together: two rows that move the same, as their compliances say, and ask for different things.
 */
#ifndef DV_SOLVERS_CONTRADICTION_H
#define DV_SOLVERS_CONTRADICTION_H

#include "problem.h"

typedef struct Contradiction {
    uint32_t row, other;
    double apart; /* in the unit of the violation: by how much one of them fails when the other holds */
} Contradiction;

/* The first pair of rows that contradict each other, those of the largest gap; false: there is none, or there are too many rows to
 * look. Costs a dense W: for problems that have not been solved.     [step] */
bool contradiction_find(const Problem *problem, Contradiction *found);

#endif
