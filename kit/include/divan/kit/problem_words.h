/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A service of the plugin of solvers: problems of constraints as words, for who holds one and must be able to go on from a moment or a
 * checkpoint. Solved again, what is read gives the same bits as what was written.
 */
#ifndef DIVAN_KIT_PROBLEM_WORDS_H
#define DIVAN_KIT_PROBLEM_WORDS_H

#include <divan/contracts/lagrangian_constraint.h>

DV_BEGIN_DECLS

#define DV_PROBLEM_WORDS "solvers.problem-words/1"

/* Of problems of the solvers of divan.solvers. */
typedef struct DvProblemWordsOps {
    uint32_t size;
    /* How many words it takes, and with `words` (may be NULL) writes them. 0: it has a law of a third party, which no words can name.     [any] */
    size_t (*write)(const DvConstraintProblem *problem, uint32_t *words);
    /* A problem that is the caller's, to be let go by release_problem of a solver; `states` of its rows are NULL. NULL: these are no words of a
     * problem.     [main] */
    const DvConstraintProblem *(*read)(const uint32_t *words, size_t count);
} DvProblemWordsOps;

DV_END_DECLS
#endif
