/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Records of solves: how many of them a solver, of linear systems or of constraints, has ended above what it was asked for, and how bad
 * the worst was. Hosts say it at the end of a run.
 *
 * What is left is measured so that it means the same for every solve of a solver: of a linear system against the largest right-hand
 * side so far, since what a body at rest leaves of nothing is no fault; of constraints as the solver's own error.
 *
 * Threads: [step].
 */
#ifndef DIVAN_CONTRACTS_SOLVE_RECORD_H
#define DIVAN_CONTRACTS_SOLVE_RECORD_H

#include <divan/object.h>

DV_BEGIN_DECLS

#define DV_SOLVE_RECORD "divan.solve-record/1"

typedef struct DvSolveRecord {
    uint64_t solves, unsolved; /* since init or the last reset; those that left more than was asked */
    double left, asked;        /* by the last one, and of it */
    double worst, worst_asked; /* of those unsolved */
    uint64_t worst_step;       /* from 1, in which that was */
    double scale;              /* the solver's own: the largest right-hand side so far */
    bool told;                 /* the solver has said it of the first one itself: hosts add how many there were */
} DvSolveRecord;

/* Another solve has left `left`: unsolved when that is beyond `limit`, which is what was asked or, where nobody would see a
 * difference, more. One that is not finite does not count: it ends a run anyhow. True: it is unsolved. */
static inline bool dv_solve_record_add(DvSolveRecord *record, double left, double asked, double limit)
{
    record->solves++;
    record->left = left;
    record->asked = asked;
    if (!(left > limit) || left > 1e300)
        return false;
    record->unsolved++;
    return true;
}
/* Of one that has left more, in step `step`. */
static inline void dv_solve_record_worst(DvSolveRecord *record, uint64_t step)
{
    if (record->left <= record->worst)
        return;
    record->worst = record->left;
    record->worst_asked = record->asked;
    record->worst_step = step;
}

typedef struct DvSolveRecordOps {
    uint32_t size;
    /* Lent until the next step. */
    const DvSolveRecord *(*record)(void *self);
    const char *unit; /* of what is left, as in "at worst 0.4 of the largest right-hand side"; NULL: none */
    /* Optional: what to do, by what ended the solves: a part of a sentence, "raise iterations". */
    void (*remedy)(void *self, DvText *text);
    /* Optional: what was left after each iteration of the last solve, and what ended it: a part of a line, "1, 0.1, 1e-7: converged".
     *     [main] */
    void (*curve)(void *self, DvText *text);
} DvSolveRecordOps;

DV_END_DECLS
#endif
