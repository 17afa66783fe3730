/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * How many pairs of different points a force field couples at least, told without making a list of them: by that the mechanical
 * operations know of a large mesh that a matrix would cost more than products without one, before they lay one out. Offered
 * beside DV_FORCE_FIELD by elements of this plugin.
 */
#ifndef DIVAN_KIT_COUPLED_PAIRS_H
#define DIVAN_KIT_COUPLED_PAIRS_H

#include <divan/base.h>

DV_BEGIN_DECLS

#define DV_COUPLED_PAIRS "mechanics.coupled-pairs/1"
typedef struct DvCoupledPairsOps {
    uint32_t size;
    uint64_t (*least)(void *self); /* of a mesh whose faces have two elements at most     [step] */
} DvCoupledPairsOps;

DV_END_DECLS
#endif
