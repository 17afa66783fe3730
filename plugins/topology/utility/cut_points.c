/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Points of a surface that a cut goes through: on edges, in triangles, and those that ends of the path become.
 */
#include "cut.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>

/* ---- The mesh as it is now ---- */

const uint32_t *cut_triangle_at(const Cut *cut, uint32_t triangle)
{
    return topology_elements(cut->mesh, DV_TRIANGLES).at + (size_t)triangle * 3;
}

DvVec3 cut_place(const Cut *cut, uint32_t point)
{
    const DvConstVec x = dv_state_read(cut->state, cut->positions);
    return dv_vec3_load(x.at + (size_t)point * x.dim);
}

const uint32_t *cut_around_point(const Cut *cut, uint32_t point, uint32_t *length)
{
    return row_of(topology_adjacency(cut->mesh, DV_POINTS, DV_TRIANGLES), point, length);
}

bool cut_has_point(const uint32_t *triangle, uint32_t point)
{
    return triangle[0] == point || triangle[1] == point || triangle[2] == point;
}

uint32_t cut_around_edge(const Cut *cut, uint32_t a, uint32_t b, uint32_t *found, uint32_t capacity)
{
    uint32_t length, count = 0;
    const uint32_t *row = cut_around_point(cut, a, &length);
    for (uint32_t i = 0; i < length; i++)
        if (cut_has_point(cut_triangle_at(cut, row[i]), b) && count++ < capacity)
            found[count - 1] = row[i];
    return count;
}

bool cut_solve_in_plane(DvVec3 p, const DvVec3 corner[3], double *s, double *t)
{
    const DvVec3 u = dv_vec3_sub(corner[1], corner[0]), v = dv_vec3_sub(corner[2], corner[0]),
                 d = dv_vec3_sub(p, corner[0]);
    const double uu = dv_vec3_dot(u, u), uv = dv_vec3_dot(u, v), vv = dv_vec3_dot(v, v);
    const double du = dv_vec3_dot(d, u), dv = dv_vec3_dot(d, v), det = uu * vv - uv * uv;
    if (!(det > 1e-24 * uu * vv))
        return false;
    *s = (du * vv - dv * uv) / det;
    *t = (dv * uu - du * uv) / det;
    return true;
}

/* ---- New points ---- */

static DvStatus add_point(Cut *cut, const uint32_t *ancestors, const double *weights, uint32_t count, uint32_t *point)
{
    const uint32_t start[2] = {0, count};
    const DvElementChange descent = {.ancestors = ancestors, .weights = weights, .ancestor_start = start};
    *point = cut->mesh->points;
    return cut->ops->add_points(cut->modifier, 1, &descent);
}

DvStatus cut_replace(Cut *cut, const DvIndexArray *triangles, const DvIndexArray *from, const DvIndexArray *gone)
{
    DvIndexArray start = {0};
    for (uint32_t i = 0; i <= from->count; i++)
        dv_array_push(&start, i);
    const DvElementChange descent = {.ancestors = from->data, .ancestor_start = start.data};
    DvStatus status = cut->ops->add_elements(cut->modifier, DV_TRIANGLES, from->count, triangles->data, &descent);
    if (status == DV_OK)
        status = cut->ops->remove_elements(cut->modifier, DV_TRIANGLES, gone->count, gone->data, true);
    dv_array_free(&start);
    return status;
}

void cut_push_with(DvIndexArray *to, const uint32_t *triangle, uint32_t old, uint32_t now)
{
    for (int i = 0; i < 3; i++)
        dv_array_push(to, triangle[i] == old ? now : triangle[i]);
}

/* An edge of the chain has been split: the chain goes through the new point. */
static void put_in_chain(Cut *cut, uint32_t a, uint32_t b, uint32_t point)
{
    DvIndexArray *chain = &cut->chain;
    for (uint32_t i = 1; i < chain->count; i++) {
        const uint32_t p = chain->data[i - 1], q = chain->data[i];
        if (!((p == a && q == b) || (p == b && q == a)))
            continue;
        dv_array_resize(chain, chain->count + 1);
        memmove(chain->data + i + 1, chain->data + i, (chain->count - 1 - i) * sizeof *chain->data);
        chain->data[i++] = point;
    }
}

DvStatus cut_split_between(Cut *cut, uint32_t a, uint32_t b, double weight_of_b, uint32_t *point)
{
    uint32_t around[64];
    const uint32_t count = cut_around_edge(cut, a, b, around, 64), ends[2] = {a, b};
    const double weights[2] = {1 - weight_of_b, weight_of_b};
    DvIndexArray triangles = {0}, from = {0}, gone = {0};
    if (count == 0 || count > 64)
        return dv_error(cut->mesh->object, DV_ERROR_INVALID,
                        "%" PRIu32 " triangles have points %" PRIu32 " and %" PRIu32, count, a, b);
    DvStatus status = add_point(cut, ends, weights, 2, point);
    for (uint32_t i = 0; i < count && status == DV_OK; i++) {
        cut_push_with(&triangles, cut_triangle_at(cut, around[i]), b, *point);
        cut_push_with(&triangles, cut_triangle_at(cut, around[i]), a, *point);
        dv_array_push(&from, around[i]);
        dv_array_push(&from, around[i]);
        dv_array_push(&gone, around[i]);
    }
    if (status == DV_OK)
        status = cut_replace(cut, &triangles, &from, &gone);
    if (status == DV_OK)
        put_in_chain(cut, a, b, *point);
    dv_array_free(&triangles);
    dv_array_free(&from);
    dv_array_free(&gone);
    return status;
}

/* A new point inside a triangle, which becomes three. */
static DvStatus split_triangle(Cut *cut, uint32_t triangle, const double weights[3], uint32_t *point)
{
    uint32_t corners[3];
    DvIndexArray triangles = {0}, from = {0}, gone = {0};
    memcpy(corners, cut_triangle_at(cut, triangle), sizeof corners);
    DvStatus status = add_point(cut, corners, weights, 3, point);
    for (int i = 0; i < 3; i++) {
        cut_push_with(&triangles, corners, corners[i], *point);
        dv_array_push(&from, triangle);
    }
    dv_array_push(&gone, triangle);
    if (status == DV_OK)
        status = cut_replace(cut, &triangles, &from, &gone);
    dv_array_free(&triangles);
    dv_array_free(&from);
    dv_array_free(&gone);
    return status;
}

/* ---- Ends ---- */

/* The squared distance of p to a triangle's plane, where its foot is inside; `weights` are then those of the corners. */
static bool is_above(const Cut *cut, uint32_t triangle, DvVec3 p, double weights[3], double *distance)
{
    const uint32_t *points = cut_triangle_at(cut, triangle);
    const DvVec3 corner[3] = {cut_place(cut, points[0]), cut_place(cut, points[1]), cut_place(cut, points[2])};
    double s, t;
    if (!cut_solve_in_plane(p, corner, &s, &t) || s < -1e-9 || t < -1e-9 || s + t > 1 + 1e-9)
        return false;
    weights[0] = fmax(1 - s - t, 0);
    weights[1] = fmax(s, 0);
    weights[2] = fmax(t, 0);
    const DvVec3 foot =
        dv_vec3_add(dv_vec3_scale(corner[0], weights[0]),
                    dv_vec3_add(dv_vec3_scale(corner[1], weights[1]), dv_vec3_scale(corner[2], weights[2])));
    const DvVec3 up = dv_vec3_sub(p, foot);
    *distance = dv_vec3_dot(up, up);
    return true;
}

bool cut_locate(const Cut *cut, const DvCutPoint *end, uint32_t *triangle, double weights[3])
{
    const uint32_t count = topology_elements(cut->mesh, DV_TRIANGLES).count;
    const DvVec3 p = dv_vec3_load(end->at);
    double nearest = DBL_MAX, distance, here[3];
    if (end->triangle < count && is_above(cut, end->triangle, p, weights, &distance)) {
        *triangle = end->triangle;
        return true;
    }
    for (uint32_t i = 0; i < count; i++)
        if (is_above(cut, i, p, here, &distance) && distance < nearest) {
            nearest = distance;
            *triangle = i;
            memcpy(weights, here, sizeof here);
        }
    return nearest < DBL_MAX;
}

DvStatus cut_insert_end(Cut *cut, const DvCutPoint *end, uint32_t *point)
{
    uint32_t triangle, around[1];
    double w[3];
    if (!cut_locate(cut, end, &triangle, w))
        return dv_error(cut->mesh->object, DV_ERROR_NOT_FOUND, "(%g, %g, %g) lies above no triangle of the surface",
                        end->at[0], end->at[1], end->at[2]);
    const uint32_t *corner = cut_triangle_at(cut, triangle);
    for (int i = 0; i < 3; i++)
        if (w[i] > 1 - cut->snap_border) {
            *point = corner[i];
            return DV_OK;
        }
    for (uint32_t i = 0; i < 3; i++) {
        const uint32_t j = (i + 1) % 3, k = (i + 2) % 3;
        const bool on_edge = w[i] < 1e-9;
        if (on_edge || (w[i] < cut->snap_border && cut_around_edge(cut, corner[j], corner[k], around, 1) == 1))
            return cut_split_between(cut, corner[j], corner[k], w[k] / (w[j] + w[k]), point);
    }
    return split_triangle(cut, triangle, w, point);
}
