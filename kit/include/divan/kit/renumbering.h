/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Which number an element gets by a change of the mesh: for whoever keeps a list of numbers. Only those that are touched are kept, in
 * order, so that to find one takes the logarithm of their number.
 */
#ifndef DIVAN_KIT_RENUMBERING_H
#define DIVAN_KIT_RENUMBERING_H

#include <divan/contracts/topology.h>

DV_BEGIN_DECLS

typedef struct DvRenumbering {
    uint32_t *old, *now; /* [count] `old` ascending; now: UINT32_MAX has gone */
    uint32_t count;
    bool all; /* `now` is by number */
} DvRenumbering;

/* Of any change, to be freed; one that takes no number away leaves all as they are.     [main] */
DV_NODISCARD DV_PUBLIC DvRenumbering dv_renumbering_of(const DvElementChange *change);
DV_PUBLIC void dv_renumbering_free(DvRenumbering *renumbering);
/* The number now of what had number `old`; UINT32_MAX: it has gone.     [any] */
DV_PUBLIC uint32_t dv_renumbering_new(const DvRenumbering *renumbering, uint32_t old);

DV_END_DECLS
#endif
