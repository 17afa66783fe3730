/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The series that a run watches, one value for the start and one for each step.
 */
#ifndef DIVAN_VERIFY_SERIES_H
#define DIVAN_VERIFY_SERIES_H

#include "watch.h"

#include <math.h>

#include <divan/contracts/mechanical_operations.h>
#include <divan/contracts/state.h>

enum { MAX_VARIABLES = 24, MAX_SERIES = 64 };

typedef enum Kind {
    FORMULA,
    POINT,
    LARGEST,
    SMALLEST,
    SUM,
    MEAN,
    ENTRY,
    KINETIC,
    POTENTIAL,
    ENERGY,
    MOMENTUM,
    FREQUENCY
} Kind;

typedef struct Series {
    const ProblemEntry *entry;
    Kind kind;
    DvStateRef state;
    const char *names[MAX_VARIABLES]; /* of the variables of its formula, NULL at the end */
    GArray *rest;                     /* double: coordinates at the start, where the state has none at rest */
    guint point;                      /* or entry of the field, or component of the momentum */
    DvFormula *formula;
    DvData *field;
    double constant;
    GArray *values; /* double, one for the start and one for each step */
} Series;

typedef struct Watch {
    Run *run;
    DvScene *scene;
    Series series[MAX_SERIES];
    guint count;
    GArray *times; /* double */
    const DvMechanicalOperationsOps *ops;
    DvMechanics *mechanics;
} Watch;

static inline double last_of(const GArray *values)
{
    return values->len ? g_array_index(values, double, values->len - 1) : NAN;
}

/* Numbers of the run, and of the series so far: series stand for their last value. */
bool watch_number(void *watch_, const char *name, double *value, DvText *problem);
bool watch_open(Watch *watch);
void watch_close(Watch *watch);
void watch_observe(Watch *watch);

#endif
