/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Problems as words, which a moment or a checkpoint can hold; solved again, what is read gives the same bits as what was written.
 */
#ifndef DV_SOLVERS_PROBLEM_WORDS_H
#define DV_SOLVERS_PROBLEM_WORDS_H

#include <divan/kit/problem_words.h>

extern const DvProblemWordsOps problem_words_ops;

#endif
