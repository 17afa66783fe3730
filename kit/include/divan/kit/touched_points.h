/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Points that a component touches: of a state that a device keeps only these travel to a component that acts on the host. Optional, offered
 * beside its force field; the mechanical operations look for it.
 */
#ifndef DIVAN_KIT_TOUCHED_POINTS_H
#define DIVAN_KIT_TOUCHED_POINTS_H

#include <divan/contracts/force_field.h>

DV_BEGIN_DECLS

#define DV_TOUCHED_POINTS "kit.touched-points/1"
typedef struct DvTouchedPointsOps {
    uint32_t size;
    /* Of its first or second state: all that its functions read or write when they are called next, ascending, each once. NULL: perhaps all.
     * [step] */
    const uint32_t *(*points)(void *self, uint32_t state, uint32_t *count);
} DvTouchedPointsOps;

DV_END_DECLS
#endif
