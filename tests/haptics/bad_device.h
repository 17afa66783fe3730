/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A device whose poses are what a test says, and which looks at each force.
 */
#ifndef DIVAN_TEST_BAD_DEVICE_H
#define DIVAN_TEST_BAD_DEVICE_H

#include <divan/divan.h>

/* With this in the environment, a file that has the last force, as text. */
#define BAD_DEVICE_FILE "BAD_DEVICE_FILE"

typedef enum BadKind {
    STILL,
    NOTHING,
    GARBAGE,
    SOMETIMES_NOTHING,
    SLOW,   /* a read takes 2 ms, 20 ticks */
    LOST,   /* it does not answer, and says so */
    WATCHED /* what the thread of the ticks asks of the system is counted, but for the clock */
} BadKind;

enum { PEAK = 2 }; /* N, N m */

typedef struct BadDevice {
    DvData unused;
    BadKind kind;
    double largest; /* N or N m, of all that was written; INFINITY: not finite */
    uint64_t written, read_so_far;
    uint32_t random_state;
    double last;     /* N or N m: of the last that was written, the sum of all sizes; atomic */
    bool is_watched; /* the thread */
    unsigned calls;  /* atomic: of the system */
    int called;      /* the last of them */
    int file;        /* or -1 */
} BadDevice;

#endif
