/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The way of a cut from point to point over the surface, which becomes a chain of edges; and over gaps of it.
 */
#include "cut.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>

/* ---- The way between two points ---- */

/* Where the way from `point` to `to` leaves the triangles around: through the edge from a to b, at a part `along` of it. */
typedef struct Exit {
    uint32_t a, b;
    double along;
} Exit;

static bool find_exit(const Cut *cut, uint32_t point, DvVec3 to, Exit *exit)
{
    uint32_t length;
    const uint32_t *row = cut_around_point(cut, point, &length);
    double best = -1e-6;
    bool found = false;
    for (uint32_t i = 0; i < length; i++) {
        const uint32_t *t = cut_triangle_at(cut, row[i]);
        const uint32_t k = t[0] == point ? 0 : t[1] == point ? 1 : 2, a = t[(k + 1) % 3], b = t[(k + 2) % 3];
        const DvVec3 corner[3] = {cut_place(cut, point), cut_place(cut, a), cut_place(cut, b)};
        double u, v;
        if (!cut_solve_in_plane(to, corner, &u, &v) || !(u + v > 0))
            continue;
        const double inside = fmin(u, v) / (u + v);
        if (inside > best) {
            best = inside;
            found = true;
            *exit = (Exit){a, b, fmin(fmax(v / (u + v), 0), 1)};
        }
    }
    return found;
}

static double distance_between(const Cut *cut, uint32_t point, DvVec3 to)
{
    return dv_vec3_norm(dv_vec3_sub(to, cut_place(cut, point)));
}

/* Parts of two segments where they are nearest; false: they are parallel. */
static bool nearest_parts(DvVec3 from, DvVec3 way, DvVec3 a, DvVec3 edge, double *far, double *along)
{
    const DvVec3 apart = dv_vec3_sub(a, from);
    const double ww = dv_vec3_dot(way, way), we = dv_vec3_dot(way, edge), ee = dv_vec3_dot(edge, edge),
                 det = ww * ee - we * we;
    if (!(det > 1e-18 * ww * ee))
        return false;
    *far = (dv_vec3_dot(apart, way) * ee - dv_vec3_dot(apart, edge) * we) / det;
    *along = (dv_vec3_dot(apart, way) * we - dv_vec3_dot(apart, edge) * ww) / det;
    return true;
}

/* One edge of a triangle of the border, from a to b with the third point c behind it. */
static void try_entry(const Cut *cut, DvVec3 from, DvVec3 target, const uint32_t corner[3], Entry *best)
{
    const DvVec3 way = dv_vec3_sub(target, from), a = cut_place(cut, corner[0]),
                 edge = dv_vec3_sub(cut_place(cut, corner[1]), a), behind = dv_vec3_sub(cut_place(cut, corner[2]), a);
    double far, along;
    if (!nearest_parts(from, way, a, edge, &far, &along) || far < -1e-9 || far >= 1 || along < -1e-9 ||
        along > 1 + 1e-9)
        return;
    const DvVec3 gap = dv_vec3_sub(dv_vec3_madd(from, far, way), dv_vec3_madd(a, along, edge));
    const DvVec3 inwards =
        dv_vec3_sub(behind, dv_vec3_scale(edge, dv_vec3_dot(behind, edge) / dv_vec3_dot(edge, edge)));
    if (dv_vec3_norm(gap) > cut->snap_path * dv_vec3_norm(edge) || !(dv_vec3_dot(inwards, way) > 0) || far >= best->far)
        return;
    *best = (Entry){corner[0], corner[1], fmin(fmax(along, 0), 1), far};
}

bool cut_find_entry(const Cut *cut, DvVec3 from, uint32_t point, DvVec3 target, Entry *best)
{
    const ElementList triangles = topology_elements(cut->mesh, DV_TRIANGLES);
    *best = (Entry){.far = DBL_MAX};
    for (uint32_t i = 0; i < triangles.count; i++)
        for (uint32_t k = 0; k < 3; k++) {
            const uint32_t *t = triangles.at + 3 * (size_t)i, a = t[k], b = t[(k + 1) % 3];
            uint32_t found[1];
            if (a != point && b != point && cut_around_edge(cut, a, b, found, 1) == 1)
                try_entry(cut, from, target, (const uint32_t[3]){a, b, t[(k + 2) % 3]}, best);
        }
    return best->far < DBL_MAX;
}

DvStatus cut_begin_chain(Cut *cut, uint32_t point)
{
    const DvStatus status = cut_open_chain(cut);
    dv_array_clear(&cut->chain);
    dv_array_push(&cut->chain, point);
    return status;
}

static bool are_joined(const Cut *cut, uint32_t a, uint32_t b)
{
    uint32_t around[1];
    return cut_around_edge(cut, a, b, around, 1) > 0;
}

/* A part of an edge so near its end that nothing is left to split. */
static bool is_end(double along)
{
    return along < 1e-9 || along > 1 - 1e-9;
}

static DvVec3 place_on(const Cut *cut, const Exit *exit)
{
    const DvVec3 a = cut_place(cut, exit->a);
    return dv_vec3_madd(a, exit->along, dv_vec3_sub(cut_place(cut, exit->b), a));
}

/* Where the way goes on from a point: an end of the edge that it crosses (*next), or the edge, which is to be split (INVALID_INDEX).
 * False: it leads out of the surface, or no nearer. */
static bool find_next(const Cut *cut, uint32_t point, DvVec3 target, Exit *exit, uint32_t *next)
{
    const double distance = distance_between(cut, point, target);
    if (!find_exit(cut, point, target, exit))
        return false;
    const bool near_a = exit->along<cut->snap_path, near_b = exit->along> 1 - cut->snap_path;
    *next = near_a ? exit->a : near_b ? exit->b : INVALID_INDEX;
    if (*next != INVALID_INDEX && distance_between(cut, *next, target) < distance)
        return true;
    *next = INVALID_INDEX;
    return !is_end(exit->along) && dv_vec3_norm(dv_vec3_sub(target, place_on(cut, exit))) < distance;
}

/* Another point in the place of one, from which the way leads on: the other lip of an older cut. INVALID_INDEX: there is none. */
static uint32_t find_twin(const Cut *cut, uint32_t point, uint32_t to, DvVec3 target)
{
    const DvVec3 here = cut_place(cut, point);
    const double near = 1e-9 * distance_between(cut, point, target);
    for (uint32_t i = 0; i < cut->mesh->points; i++) {
        Exit exit;
        uint32_t next;
        if (i != point && distance_between(cut, i, here) <= near &&
            (are_joined(cut, i, to) || find_next(cut, i, target, &exit, &next)))
            return i;
    }
    return INVALID_INDEX;
}

static bool is_on_border(const Cut *cut, uint32_t point)
{
    uint32_t length, found[1];
    const uint32_t *row = cut_around_point(cut, point, &length);
    for (uint32_t i = 0; i < length; i++)
        for (uint32_t j = 0; j < 3; j++) {
            const uint32_t other = cut_triangle_at(cut, row[i])[j];
            if (other != point && cut_around_edge(cut, point, other, found, 1) == 1)
                return true;
        }
    return false;
}

DvStatus cut_enter(Cut *cut, const Entry *entry, DvVec3 target, uint32_t *point)
{
    Exit exit;
    uint32_t next;
    const bool near_a = entry->along<cut->snap_path, near_b = entry->along> 1 - cut->snap_path;
    *point = near_a ? entry->a : entry->b;
    if (is_end(entry->along) || ((near_a || near_b) && find_next(cut, *point, target, &exit, &next)))
        return DV_OK;
    return cut_split_between(cut, entry->a, entry->b, entry->along, point);
}

/* Goes on where the way enters the surface again, in a chain of its own. `entered`: where it did so last. */
static DvStatus cross_gap(Cut *cut, uint32_t point, uint32_t to, uint32_t entered, uint32_t *next)
{
    const DvVec3 target = cut_place(cut, to);
    Entry entry;
    DvStatus status = DV_OK;
    *next = find_twin(cut, point, to, target);
    if (*next == INVALID_INDEX && point != entered && cut_find_entry(cut, cut_place(cut, point), point, target, &entry))
        status = cut_enter(cut, &entry, target, next);
    else if (*next == INVALID_INDEX && is_on_border(cut, to))
        *next = to; /* the way comes to it from without */
    if (status == DV_OK && *next == INVALID_INDEX)
        status = dv_error(cut->mesh->object, DV_ERROR_INVALID,
                          "the way to (%g, %g, %g) leaves the surface at point %" PRIu32, target.x, target.y, target.z,
                          point);
    return status == DV_OK ? cut_begin_chain(cut, *next) : status;
}

DvStatus cut_walk(Cut *cut, uint32_t from, uint32_t to)
{
    const DvVec3 target = cut_place(cut, to);
    const double arrived = 1e-12 * distance_between(cut, from, target);
    uint32_t point = from, entered = INVALID_INDEX;
    while (point != to && !are_joined(cut, point, to)) {
        Exit exit;
        uint32_t next;
        DvStatus status = DV_OK;
        if (distance_between(cut, point, target) <= arrived)
            return cut_begin_chain(cut, to); /* its twin has been reached */
        if (find_next(cut, point, target, &exit, &next)) {
            if (next == INVALID_INDEX)
                status = cut_split_between(cut, exit.a, exit.b, exit.along, &next);
            if (status == DV_OK)
                dv_array_push(&cut->chain, next);
        } else {
            status = cross_gap(cut, point, to, entered, &next);
            entered = next;
        }
        if (status != DV_OK)
            return status;
        point = next;
    }
    if (point != to)
        dv_array_push(&cut->chain, to);
    return DV_OK;
}
