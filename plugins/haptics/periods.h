/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Times between the ticks of a loop, counted in classes of one per cent from 1 us to 1 s: one thread adds, another may look at any time. And a thread that
 * does nothing but wait as the loop does: what its periods are, the computer makes of any loop.
 */
#ifndef DV_HAPTICS_PERIODS_H
#define DV_HAPTICS_PERIODS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

enum { PERIOD_CLASSES = 1390 };
typedef struct Periods {
    uint32_t counts[PERIOD_CLASSES];
    double longest;
} Periods;

void periods_clear(Periods *periods);
void periods_add(Periods *periods, double seconds);
/* The median, what 99 and 99.9 % are below, the longest; zeros where there are none. */
void periods_look(const Periods *periods, double out[4]);

typedef struct BareThread {
    pthread_t thread;
    bool runs, quit; /* quit: atomic */
    double each;     /* s */
    Periods periods;
} BareThread;

void bare_thread_start(BareThread *bare, double each);
void bare_thread_stop(BareThread *bare); /* also where it does not run */

#endif
