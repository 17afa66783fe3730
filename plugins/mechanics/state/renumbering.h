/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Which number an element gets by a change of the mesh: for whoever keeps a list of numbers. Only those that are touched are kept, in
 * order, so that to find one takes the logarithm of their number.
 */
#ifndef DIVAN_MECHANICS_RENUMBERING_H
#define DIVAN_MECHANICS_RENUMBERING_H

#include <divan/contracts/topology.h>

typedef struct Renumbering {
    uint32_t *old, *now; /* [count] `old` ascending; now: UINT32_MAX has gone */
    uint32_t count;
    bool all; /* `now` is by number */
} Renumbering;

Renumbering renumbering_of(const DvElementChange *change);
void renumbering_free(Renumbering *renumbering);
/* UINT32_MAX: it has gone. */
uint32_t renumbering_new(const Renumbering *renumbering, uint32_t old);

#endif
