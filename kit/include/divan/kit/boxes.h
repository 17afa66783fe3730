/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Fields of boxes along the axes: lists of a smallest and a largest corner.
 *
 * A turned box is three points and a depth: a rectangle through the first two points, as wide as the third is far away, and half the
 * depth thick on both sides of its plane.
 */
#ifndef DIVAN_KIT_BOXES_H
#define DIVAN_KIT_BOXES_H

#include <divan/contracts/visual.h>
#include <divan/math/vec.h>

DV_BEGIN_DECLS

/* Exchanges coordinates of corners that are the wrong way round. */
DV_PUBLIC void dv_boxes_order_corners(DvData *boxes);
/* Grows bounds (smallest, largest corner) by all boxes. */
DV_PUBLIC void dv_boxes_add_bounds(DvData *boxes, double *bounds);
/* Whether a point of `spatial` coordinates is in a box, borders included. */
static inline bool dv_box_has_point(const double *box, const double *point, uint32_t spatial)
{
    for (uint32_t axis = 0; axis < spatial; axis++)
        if (!(point[axis] >= box[axis] && point[axis] <= box[3 + axis]))
            return false;
    return true;
}

DV_PUBLIC extern const DvType dv_oriented_boxes_type; /* of a field: 10 numbers each */

/* Its slabs: |(p - from) . axis| <= limit. */
typedef struct DvSlab {
    DvVec3 from, axis;
    double limit;
} DvSlab;
typedef struct DvOrientedBox {
    DvSlab slab[5];
} DvOrientedBox;

/* Warns of boxes whose three points are in one line, so that they have no plane, and of a depth of 0; zeros alone are no box yet. */
DV_PUBLIC void dv_oriented_boxes_check(DvData *boxes);
/* From 10 numbers. */
DV_PUBLIC DvOrientedBox dv_oriented_box_make(const double *at);
DV_PUBLIC bool dv_oriented_box_has_point(const DvOrientedBox *box, const double *point);
DV_PUBLIC void dv_oriented_boxes_draw(DvData *boxes, DvDraw *draw, double pixels, const double *color);

DV_END_DECLS

#endif
