/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * From what runs came to, to what is to be thought of it.
 */
#ifndef DIVAN_VERIFY_JUDGE_H
#define DIVAN_VERIFY_JUDGE_H

#include "watch.h"

/* A figure in one run. */
typedef struct Result {
    double value, exact, error,
        bound;   /* error: |value - exact| / scale, which is |exact| unless the figure says otherwise */
    double size; /* what the order is measured by; NAN: not given */
    bool good;
} Result;

typedef struct Judgement {
    const Section *figure;
    GArray *results;            /* Result, one for each run made */
    double order, order_wanted; /* of the last two runs; wanted NAN: not asked for */
    double limit, limit_error,
        limit_wanted;                  /* what the last two runs extrapolate to, its error and bound; NAN as above */
    bool order_good, limit_good, good; /* good: all of it, or not all as `deviates` says */
    char *deviates;                    /* why the figure is known to leave its bounds; NULL: it is not */
} Judgement;

/* A case of a problem: its runs, and its figures once they are made. */
typedef struct Case {
    const Problem *problem;
    const Section *which; /* NULL: the only one */
    char *name;           /* "beam/large" */
    guint runs;           /* to make */
    Outcome *outcomes;    /* for each of them */
    GPtrArray *judgements;
    bool good;
} Case;

Case *case_new(const Problem *problem, const Section *which, guint runs);
void case_free(Case *c);
Run case_run(const Case *c, guint number);
/* Fills the judgements; what is wrong with bounds and orders is added to the messages of the first run. */
void case_judge(Case *c);
/* Text of an entry of the problem ("title", "method", ...) or one of its figures, with gaps filled; "" where it is not given. */
char *case_text(const Case *c, const Section *section, const char *key);

#endif
