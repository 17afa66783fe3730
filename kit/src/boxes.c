/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Boxes along the axes, and turned ones.
 */
#include <divan/kit/boxes.h>

#include <math.h>

void dv_boxes_order_corners(DvData *boxes)
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

void dv_boxes_add_bounds(DvData *boxes, double *bounds)
{
    size_t count;
    const double *box = dv_data_doubles(boxes, &count);
    for (size_t i = 0; i < count; i++, box += 6)
        for (int axis = 0; axis < 3; axis++) {
            bounds[axis] = fmin(bounds[axis], box[axis]);
            bounds[3 + axis] = fmax(bounds[3 + axis], box[3 + axis]);
        }
}

const DvType dv_oriented_boxes_type = {.size = sizeof(DvType),
                                       .name = "list of 10 numbers",
                                       .scalar = DV_SCALAR_DOUBLE,
                                       .components = 10,
                                       .list = true,
                                       .element_size = 10 * sizeof(double)};

void dv_oriented_boxes_check(DvData *boxes)
{
    size_t count;
    const double *at = dv_data_doubles(boxes, &count);
    for (size_t i = 0; i < count; i++, at += 10) {
        const DvVec3 p0 = dv_vec3_load(at), p1 = dv_vec3_load(at + 3), p2 = dv_vec3_load(at + 6);
        const DvVec3 u = dv_vec3_sub(p1, p0), v = dv_vec3_sub(p2, p0);
        const double sides = dv_vec3_norm_squared(u) * dv_vec3_norm_squared(v);
        bool zeros = true;
        for (int k = 0; k < 10; k++)
            zeros = zeros && at[k] == 0.0;
        if (!zeros && !(dv_vec3_norm_squared(dv_vec3_cross(u, v)) > 1e-24 * sides))
            dv_field_warning(boxes, (int64_t)i,
                             "its three points are in one line, so it has no plane and the selection is meaningless; "
                             "give three corners of a rectangle");
        else if (!zeros && at[9] == 0.0)
            dv_field_warning(boxes, (int64_t)i,
                             "its depth, the last number, is 0: only points on its plane are selected, "
                             "if rounding allows");
    }
}

DvOrientedBox dv_oriented_box_make(const double *at)
{
    const DvVec3 p0 = dv_vec3_load(at), p1 = dv_vec3_load(at + 3), p2 = dv_vec3_load(at + 6);
    const double depth = at[9];
    const DvVec3 n = dv_vec3_normalize(dv_vec3_cross(dv_vec3_sub(p1, p0), dv_vec3_sub(p2, p0)));
    const DvVec3 p3 = dv_vec3_add(p0, dv_vec3_sub(p2, p1));
    const DvVec3 e0 = dv_vec3_normalize(dv_vec3_cross(dv_vec3_sub(p1, p0), n));
    const DvVec3 e2 = dv_vec3_normalize(dv_vec3_cross(dv_vec3_sub(p3, p0), n));
    const DvVec3 e1 = dv_vec3_normalize(
        dv_vec3_cross(dv_vec3_sub(p2, p3), dv_vec3_sub(dv_vec3_add(p2, dv_vec3_scale(n, depth)), p3)));
    const DvVec3 e3 = dv_vec3_normalize(dv_vec3_cross(dv_vec3_sub(p2, p1), dv_vec3_scale(n, depth)));
    const DvVec3 diagonal = dv_vec3_sub(p2, p0);
    const double width = fabs(dv_vec3_dot(diagonal, e0)), length = fabs(dv_vec3_dot(diagonal, e2));
    return (DvOrientedBox){
        {{p0, e0, width}, {p2, e1, width}, {p0, e2, length}, {p2, e3, length}, {p0, n, fabs(depth / 2)}}};
}

bool dv_oriented_box_has_point(const DvOrientedBox *box, const double *p)
{
    const DvVec3 at = dv_vec3_load(p);
    for (int i = 0; i < 5; i++)
        if (!(fabs(dv_vec3_dot(dv_vec3_sub(at, box->slab[i].from), box->slab[i].axis)) <= box->slab[i].limit))
            return false;
    return true;
}

/* The edges of both rectangles, half the depth in front of and behind the given one, and those between them. */
void dv_oriented_boxes_draw(DvData *boxes, DvDraw *draw, double pixels, const double *color)
{
    size_t count;
    const double *at = dv_data_doubles(boxes, &count);
    if (count == 0)
        return;
    double *lines = dv_alloc(count, 72 * sizeof *lines), *to = lines;
    for (size_t i = 0; i < count; i++, at += 10) {
        const DvVec3 p0 = dv_vec3_load(at), p1 = dv_vec3_load(at + 3), p2 = dv_vec3_load(at + 6);
        const DvVec3 n = dv_vec3_normalize(dv_vec3_cross(dv_vec3_sub(p1, p0), dv_vec3_sub(p2, p0)));
        const DvVec3 base[4] = {p0, p1, p2, dv_vec3_add(p0, dv_vec3_sub(p2, p1))};
        DvVec3 corner[8];
        for (size_t c = 0; c < 8; c++)
            corner[c] = dv_vec3_add(base[c % 4], dv_vec3_scale(n, (c < 4 ? -0.5 : 0.5) * at[9]));
        for (size_t e = 0; e < 12; e++, to += 6) {
            const size_t side = e % 4, layer = e / 4; /* both rectangles, then the edges between them */
            dv_vec3_store(corner[layer == 1 ? 4 + side : side], to);
            dv_vec3_store(corner[layer == 0 ? (side + 1) % 4 : layer == 1 ? 4 + (side + 1) % 4 : 4 + side], to + 3);
        }
    }
    draw->ops->lines(draw, lines, 12 * (uint32_t)count, pixels, color);
    dv_free(lines);
}
