/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A device whose poses are what a test says, and which looks at each force.
 */
#ifndef DIVAN_TEST_BAD_DEVICE_H
#define DIVAN_TEST_BAD_DEVICE_H

#include <divan/divan.h>

typedef enum BadKind { STILL, NOTHING, GARBAGE, SOMETIMES_NOTHING } BadKind;

enum { PEAK = 2 }; /* N, N m */

typedef struct BadDevice {
    DvData unused;
    BadKind kind;
    double largest; /* N or N m, of all that was written; INFINITY: not finite */
    uint64_t written, read_so_far;
    uint32_t random_state;
} BadDevice;

#endif
