/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Fields of boxes along the axes: lists of a smallest and a largest corner.
 *
 * A turned box is three points and a depth: a rectangle through the first two points, as wide as the third is far away, and half the
 * depth thick on both sides of its plane.
 */
#ifndef DIVAN_TOPOLOGY_BOXES_H
#define DIVAN_TOPOLOGY_BOXES_H

#include <divan/contracts/visual.h>
#include <divan/math/vec.h>

/* Exchanges coordinates of corners that are the wrong way round. */
void boxes_order_corners(DvData *boxes);
/* Grows bounds (smallest, largest corner) by all boxes. */
void boxes_add_bounds(DvData *boxes, double *bounds);
/* Whether a point of `spatial` coordinates is in a box, borders included. */
static inline bool box_has_point(const double *box, const double *point, uint32_t spatial)
{
    for (uint32_t axis = 0; axis < spatial; axis++)
        if (!(point[axis] >= box[axis] && point[axis] <= box[3 + axis]))
            return false;
    return true;
}

extern const DvType oriented_boxes_type; /* of a field: 10 numbers each */

/* Its slabs: |(p - from) . axis| <= limit. */
typedef struct Slab {
    DvVec3 from, axis;
    double limit;
} Slab;
typedef struct OrientedBox {
    Slab slab[5];
} OrientedBox;

/* From 10 numbers. */
OrientedBox oriented_box_make(const double *at);
bool oriented_box_has_point(const OrientedBox *box, const double *point);
void oriented_boxes_draw(DvData *boxes, DvDraw *draw, double pixels, const double *color);

#endif
