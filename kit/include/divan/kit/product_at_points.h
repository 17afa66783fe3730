/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Products with J of a few points of the output: what acts on little of a mapped state, as contacts do, needs no more of it in each
 * iteration of a solver. Optional, offered beside DV_MAPPING by mappings with one input and one output and without geometric stiffness;
 * the mechanical operations look for it.
 */
#ifndef DIVAN_KIT_PRODUCT_AT_POINTS_H
#define DIVAN_KIT_PRODUCT_AT_POINTS_H

#include <divan/contracts/mapping.h>

DV_BEGIN_DECLS

#define DV_PRODUCT_AT_POINTS "kit.product-at-points/1"
typedef struct DvProductAtPointsOps {
    uint32_t size;
    bool (*is_ready)(void *self); /* false: whole products only */
    /* As apply_j and apply_jt, to the bit: of `points`, ascending, the others of the output being left alone, and zero.     [step] */
    void (*apply_j)(void *self, const DvConstVec *in, const DvVec *out, const uint32_t *points, uint32_t count);
    void (*apply_jt)(void *self, const DvConstVec *out, const DvVec *in, const uint32_t *points, uint32_t count);
} DvProductAtPointsOps;

DV_END_DECLS
#endif
