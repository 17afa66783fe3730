/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * One run: the scene is filled, loaded and stepped; series are watched; figures come from them. docs/verification.md has the words.
 */
#ifndef DIVAN_VERIFY_WATCH_H
#define DIVAN_VERIFY_WATCH_H

#include "problem.h"

#include <stdio.h>

enum { MAX_SAMPLES = 300 }; /* of a curve */

typedef struct Sample {
    double time, value;
} Sample;

/* What a run says of a figure. */
typedef struct FigureValues {
    double value, exact, scale; /* scale: NAN where the figure does not give one */
    bool when;                  /* false: the figure is not for this case */
    bool of_first_run;          /* exact is the value of the first run */
} FigureValues;

/* What a run came to. */
typedef struct Outcome {
    bool good;         /* false: it did not end, messages say why */
    GArray *values;    /* FigureValues, for each figure */
    GPtrArray *curves; /* GArray of Sample, for each series to plot */
    GString *messages; /* errors, and warnings that change results, a line each, with line ends */
} Outcome;

/* Makes the run in this process. */
void watch_run(Run *run, Outcome *outcome);
void outcome_init(Outcome *outcome);
void outcome_clear(Outcome *outcome);
/* Between processes. false: less than the whole was read. */
void outcome_write(const Outcome *outcome, FILE *file);
bool outcome_read(Outcome *outcome, FILE *file);

#endif
