/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Fields of boxes along the axes: lists of a smallest and a largest corner.
 */
#ifndef DIVAN_TOPOLOGY_BOXES_H
#define DIVAN_TOPOLOGY_BOXES_H

#include <divan/object.h>

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

#endif
