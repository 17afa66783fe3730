/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Boxes along the axes.
 */
#include "boxes.h"

#include <math.h>

void boxes_order_corners(DvData *boxes)
{
    size_t count;
    (void)dv_data_doubles(boxes, &count);
    bool inverted = false;
    const double *old = boxes->value;
    for (size_t i = 0; i < count; i++)
        for (size_t axis = 0; axis < 3; axis++)
            inverted = inverted || old[6 * i + axis] > old[6 * i + 3 + axis];
    if (!inverted)
        return;
    double *box = dv_data_begin(boxes, count);
    for (; count-- > 0; box += 6)
        for (int axis = 0; axis < 3; axis++)
            if (box[axis] > box[3 + axis]) {
                const double swap = box[axis];
                box[axis] = box[3 + axis];
                box[3 + axis] = swap;
            }
    dv_data_end(boxes);
}

void boxes_add_bounds(DvData *boxes, double *bounds)
{
    size_t count;
    const double *box = dv_data_doubles(boxes, &count);
    for (size_t i = 0; i < count; i++, box += 6)
        for (int axis = 0; axis < 3; axis++) {
            bounds[axis] = fmin(bounds[axis], box[axis]);
            bounds[3 + axis] = fmax(bounds[3 + axis], box[3 + axis]);
        }
}
