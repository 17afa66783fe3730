/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Incision of a triangulated surface along a polyline.
 *
 * First the path becomes a chain of edges of the mesh. The ends of each piece become points: a point of the mesh that is near, a
 * point on an edge of the border, or one inside a triangle, which becomes three. Then the chain is walked from one end to the
 * other: in the triangle around the last point through which the way leads, the opposite edge is split where it is crossed, or
 * one of its ends is taken when that is near; a split edge is an edge of the chain at once. Distances and directions are those in
 * the planes of the triangles. Then the chain is opened: where the triangles around a point of it fall into parts, the one on
 * its right keeps the point and each other one gets its own. Points inside the surface where the cut ends stay whole.
 *
 * Where the way leaves the surface and enters it again further on, as across an older cut, the chain ends and is opened, and another
 * one begins there: the older cut may have come apart, as far as its lips are near the way. The same where a point has another one in its
 * place from which the way leads on, and at the end where that has another one in its place. A point of the path that lies above no triangle
 * stands for where the ways from and to it cross the border.
 *
 * New points are weighted sums of those they lie between, new triangles come from those they are parts of, so what is attached is
 * interpolated. No point goes, and none of those that were there moves.
 *
 * What a step of the walk costs is in proportion to the triangles around a point; only ends without a triangle are looked for in
 * the whole mesh.
 */
#include "incision.h"

#include "mapping/topological_mapping.h"

#include <divan/contracts/state.h>
#include <divan/math/vec.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

typedef struct Cut {
    Topology *mesh;
    const DvTopologyModifierOps *ops;
    void *modifier;
    DvStateRef state;
    DvVecId positions;
    double snap_path, snap_border;
    DvIndexArray chain; /* points */
    uint32_t opened;    /* points that were doubled */
} Cut;

/* ---- The mesh as it is now ---- */

static const uint32_t *triangle_at(const Cut *cut, uint32_t triangle)
{
    return topology_elements(cut->mesh, DV_TRIANGLES).at + (size_t)triangle * 3;
}

static DvVec3 place(const Cut *cut, uint32_t point)
{
    const DvConstVec x = dv_state_read(cut->state, cut->positions);
    return dv_vec3_load(x.at + (size_t)point * x.dim);
}

static const uint32_t *around_point(const Cut *cut, uint32_t point, uint32_t *length)
{
    return row_of(topology_adjacency(cut->mesh, DV_POINTS, DV_TRIANGLES), point, length);
}

static bool has_point(const uint32_t *triangle, uint32_t point)
{
    return triangle[0] == point || triangle[1] == point || triangle[2] == point;
}

/* The triangles with both points, into `found`; how many there are. */
static uint32_t around_edge(const Cut *cut, uint32_t a, uint32_t b, uint32_t *found, uint32_t capacity)
{
    uint32_t length, count = 0;
    const uint32_t *row = around_point(cut, a, &length);
    for (uint32_t i = 0; i < length; i++)
        if (has_point(triangle_at(cut, row[i]), b) && count++ < capacity)
            found[count - 1] = row[i];
    return count;
}

/* s and t of p = corner 0 + s (corner 1 - corner 0) + t (corner 2 - corner 0), in the triangle's plane. False: it has no area. */
static bool solve_in_plane(DvVec3 p, const DvVec3 corner[3], double *s, double *t)
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

/* Triangles take the place of others; `from` is the one that each comes from. */
static DvStatus replace(Cut *cut, const DvIndexArray *triangles, const DvIndexArray *from, const DvIndexArray *gone)
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

/* The triangle with one of its points replaced. */
static void push_with(DvIndexArray *to, const uint32_t *triangle, uint32_t old, uint32_t now)
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

/* A new point on the edge from a to b: each triangle around it becomes two. */
static DvStatus split_between(Cut *cut, uint32_t a, uint32_t b, double weight_of_b, uint32_t *point)
{
    uint32_t around[64];
    const uint32_t count = around_edge(cut, a, b, around, 64), ends[2] = {a, b};
    const double weights[2] = {1 - weight_of_b, weight_of_b};
    DvIndexArray triangles = {0}, from = {0}, gone = {0};
    if (count == 0 || count > 64)
        return dv_error(cut->mesh->object, DV_ERROR_INVALID,
                        "%" PRIu32 " triangles have points %" PRIu32 " and %" PRIu32, count, a, b);
    DvStatus status = add_point(cut, ends, weights, 2, point);
    for (uint32_t i = 0; i < count && status == DV_OK; i++) {
        push_with(&triangles, triangle_at(cut, around[i]), b, *point);
        push_with(&triangles, triangle_at(cut, around[i]), a, *point);
        dv_array_push(&from, around[i]);
        dv_array_push(&from, around[i]);
        dv_array_push(&gone, around[i]);
    }
    if (status == DV_OK)
        status = replace(cut, &triangles, &from, &gone);
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
    memcpy(corners, triangle_at(cut, triangle), sizeof corners);
    DvStatus status = add_point(cut, corners, weights, 3, point);
    for (int i = 0; i < 3; i++) {
        push_with(&triangles, corners, corners[i], *point);
        dv_array_push(&from, triangle);
    }
    dv_array_push(&gone, triangle);
    if (status == DV_OK)
        status = replace(cut, &triangles, &from, &gone);
    dv_array_free(&triangles);
    dv_array_free(&from);
    dv_array_free(&gone);
    return status;
}

/* ---- Ends ---- */

/* The squared distance of p to a triangle's plane, where its foot is inside; `weights` are then those of the corners. */
static bool is_above(const Cut *cut, uint32_t triangle, DvVec3 p, double weights[3], double *distance)
{
    const uint32_t *points = triangle_at(cut, triangle);
    const DvVec3 corner[3] = {place(cut, points[0]), place(cut, points[1]), place(cut, points[2])};
    double s, t;
    if (!solve_in_plane(p, corner, &s, &t) || s < -1e-9 || t < -1e-9 || s + t > 1 + 1e-9)
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

static bool locate(const Cut *cut, const DvCutPoint *end, uint32_t *triangle, double weights[3])
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

/* The point of the mesh that an end of the path becomes. */
static DvStatus insert_end(Cut *cut, const DvCutPoint *end, uint32_t *point)
{
    uint32_t triangle, around[1];
    double w[3];
    if (!locate(cut, end, &triangle, w))
        return dv_error(cut->mesh->object, DV_ERROR_NOT_FOUND, "(%g, %g, %g) lies above no triangle of the surface",
                        end->at[0], end->at[1], end->at[2]);
    const uint32_t *corner = triangle_at(cut, triangle);
    for (int i = 0; i < 3; i++)
        if (w[i] > 1 - cut->snap_border) {
            *point = corner[i];
            return DV_OK;
        }
    for (uint32_t i = 0; i < 3; i++) {
        const uint32_t j = (i + 1) % 3, k = (i + 2) % 3;
        const bool on_edge = w[i] < 1e-9;
        if (on_edge || (w[i] < cut->snap_border && around_edge(cut, corner[j], corner[k], around, 1) == 1))
            return split_between(cut, corner[j], corner[k], w[k] / (w[j] + w[k]), point);
    }
    return split_triangle(cut, triangle, w, point);
}

/* ---- The way between two points ---- */

/* Where the way from `point` to `to` leaves the triangles around: through the edge from a to b, at a part `along` of it. */
typedef struct Exit {
    uint32_t a, b;
    double along;
} Exit;

static bool find_exit(const Cut *cut, uint32_t point, DvVec3 to, Exit *exit)
{
    uint32_t length;
    const uint32_t *row = around_point(cut, point, &length);
    double best = -1e-6;
    bool found = false;
    for (uint32_t i = 0; i < length; i++) {
        const uint32_t *t = triangle_at(cut, row[i]);
        const uint32_t k = t[0] == point ? 0 : t[1] == point ? 1 : 2, a = t[(k + 1) % 3], b = t[(k + 2) % 3];
        const DvVec3 corner[3] = {place(cut, point), place(cut, a), place(cut, b)};
        double u, v;
        if (!solve_in_plane(to, corner, &u, &v) || !(u + v > 0))
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
    return dv_vec3_norm(dv_vec3_sub(to, place(cut, point)));
}

/* Where the way from `from` to `to` enters the surface over its border. */
typedef struct Entry {
    uint32_t a, b;
    double along, far; /* part of the edge, part of the way */
} Entry;

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
    const DvVec3 way = dv_vec3_sub(target, from), a = place(cut, corner[0]),
                 edge = dv_vec3_sub(place(cut, corner[1]), a), behind = dv_vec3_sub(place(cut, corner[2]), a);
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

/* The nearest edge of the border over which the way from a place goes on; false: there is none. `point`, at that place, is none of its
 * ends. */
static bool find_entry(const Cut *cut, DvVec3 from, uint32_t point, DvVec3 target, Entry *best)
{
    const ElementList triangles = topology_elements(cut->mesh, DV_TRIANGLES);
    *best = (Entry){.far = DBL_MAX};
    for (uint32_t i = 0; i < triangles.count; i++)
        for (uint32_t k = 0; k < 3; k++) {
            const uint32_t *t = triangles.at + 3 * (size_t)i, a = t[k], b = t[(k + 1) % 3];
            uint32_t found[1];
            if (a != point && b != point && around_edge(cut, a, b, found, 1) == 1)
                try_entry(cut, from, target, (const uint32_t[3]){a, b, t[(k + 2) % 3]}, best);
        }
    return best->far < DBL_MAX;
}

static DvStatus open_chain(Cut *cut);

/* The chain ends, and another one begins. */
static DvStatus begin_chain(Cut *cut, uint32_t point)
{
    const DvStatus status = open_chain(cut);
    dv_array_clear(&cut->chain);
    dv_array_push(&cut->chain, point);
    return status;
}

static bool are_joined(const Cut *cut, uint32_t a, uint32_t b)
{
    uint32_t around[1];
    return around_edge(cut, a, b, around, 1) > 0;
}

/* A part of an edge so near its end that nothing is left to split. */
static bool is_end(double along)
{
    return along < 1e-9 || along > 1 - 1e-9;
}

static DvVec3 place_on(const Cut *cut, const Exit *exit)
{
    const DvVec3 a = place(cut, exit->a);
    return dv_vec3_madd(a, exit->along, dv_vec3_sub(place(cut, exit->b), a));
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
    const DvVec3 here = place(cut, point);
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
    const uint32_t *row = around_point(cut, point, &length);
    for (uint32_t i = 0; i < length; i++)
        for (uint32_t j = 0; j < 3; j++) {
            const uint32_t other = triangle_at(cut, row[i])[j];
            if (other != point && around_edge(cut, point, other, found, 1) == 1)
                return true;
        }
    return false;
}

/* The point where the way enters over an edge of the border: an end that is near, unless the way leads out again there. */
static DvStatus enter(Cut *cut, const Entry *entry, DvVec3 target, uint32_t *point)
{
    Exit exit;
    uint32_t next;
    const bool near_a = entry->along<cut->snap_path, near_b = entry->along> 1 - cut->snap_path;
    *point = near_a ? entry->a : entry->b;
    if (is_end(entry->along) || ((near_a || near_b) && find_next(cut, *point, target, &exit, &next)))
        return DV_OK;
    return split_between(cut, entry->a, entry->b, entry->along, point);
}

/* Goes on where the way enters the surface again, in a chain of its own. `entered`: where it did so last. */
static DvStatus cross_gap(Cut *cut, uint32_t point, uint32_t to, uint32_t entered, uint32_t *next)
{
    const DvVec3 target = place(cut, to);
    Entry entry;
    DvStatus status = DV_OK;
    *next = find_twin(cut, point, to, target);
    if (*next == INVALID_INDEX && point != entered && find_entry(cut, place(cut, point), point, target, &entry))
        status = enter(cut, &entry, target, next);
    else if (*next == INVALID_INDEX && is_on_border(cut, to))
        *next = to; /* the way comes to it from without */
    if (status == DV_OK && *next == INVALID_INDEX)
        status = dv_error(cut->mesh->object, DV_ERROR_INVALID,
                          "the way to (%g, %g, %g) leaves the surface at point %" PRIu32, target.x, target.y, target.z,
                          point);
    return status == DV_OK ? begin_chain(cut, *next) : status;
}

/* Appends the chain's points after `from`, to `to` inclusive. */
static DvStatus walk(Cut *cut, uint32_t from, uint32_t to)
{
    const DvVec3 target = place(cut, to);
    const double arrived = 1e-12 * distance_between(cut, from, target);
    uint32_t point = from, entered = INVALID_INDEX;
    while (point != to && !are_joined(cut, point, to)) {
        Exit exit;
        uint32_t next;
        DvStatus status = DV_OK;
        if (distance_between(cut, point, target) <= arrived)
            return begin_chain(cut, to); /* its twin has been reached */
        if (find_next(cut, point, target, &exit, &next)) {
            if (next == INVALID_INDEX)
                status = split_between(cut, exit.a, exit.b, exit.along, &next);
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

/* ---- Opening ---- */

static bool in_chain(const Cut *cut, uint32_t a, uint32_t b)
{
    for (uint32_t i = 1; i < cut->chain.count; i++) {
        const uint32_t p = cut->chain.data[i - 1], q = cut->chain.data[i];
        if ((p == a && q == b) || (p == b && q == a))
            return true;
    }
    return false;
}

/* Whether a triangle runs from a to b. */
static bool runs(const uint32_t *t, uint32_t a, uint32_t b)
{
    return (t[0] == a && t[1] == b) || (t[1] == a && t[2] == b) || (t[2] == a && t[0] == b);
}

enum { MOST_AROUND = 256 };

/* Which of two triangles around `point` share an edge there that is not of the chain. */
static bool hang_together(const Cut *cut, const uint32_t *t, const uint32_t *other, uint32_t point)
{
    for (int i = 0; i < 3; i++)
        if (t[i] != point && has_point(other, t[i]) && !in_chain(cut, point, t[i]))
            return true;
    return false;
}

/* What hangs together around a point of the chain: for each triangle the first of its part. 0: too many. */
static uint32_t find_parts(const Cut *cut, uint32_t point, uint32_t *part)
{
    uint32_t length;
    const uint32_t *row = around_point(cut, point, &length);
    for (uint32_t i = 0; i < length && length <= MOST_AROUND; i++)
        part[i] = i;
    for (bool grown = true; grown && length <= MOST_AROUND;) {
        grown = false;
        for (uint32_t i = 0; i < length; i++)
            for (uint32_t j = 0; j < length; j++)
                if (part[j] < part[i] &&
                    hang_together(cut, triangle_at(cut, row[i]), triangle_at(cut, row[j]), point)) {
                    part[i] = part[j];
                    grown = true;
                }
    }
    return length <= MOST_AROUND ? length : 0;
}

static bool is_at_chain(const Cut *cut, const uint32_t *t, uint32_t point)
{
    for (int i = 0; i < 3; i++)
        if (t[i] != point && in_chain(cut, point, t[i]))
            return true;
    return false;
}

/* Whether a triangle is on the right of the chain at one of its places. */
static bool is_right(const Cut *cut, const uint32_t *t, uint32_t at)
{
    const uint32_t *chain = cut->chain.data, point = chain[at];
    return (at > 0 && runs(t, point, chain[at - 1])) || (at + 1 < cut->chain.count && runs(t, chain[at + 1], point));
}

static bool was_before(const Cut *cut, uint32_t at)
{
    for (uint32_t i = 0; i < at; i++)
        if (cut->chain.data[i] == cut->chain.data[at])
            return true;
    return false;
}

/* Triangles that get new points, and what theirs become. */
typedef struct Parted {
    DvIndexArray triangles, points; /* [triangles x 3] */
} Parted;

static void rename_in(const Cut *cut, Parted *parted, uint32_t triangle, uint32_t old, uint32_t now)
{
    uint32_t i = 0;
    while (i < parted->triangles.count && parted->triangles.data[i] != triangle)
        i++;
    if (i == parted->triangles.count) {
        dv_array_push(&parted->triangles, triangle);
        dv_array_append(&parted->points, triangle_at(cut, triangle), 3);
    }
    for (uint32_t j = 0; j < 3; j++)
        if (parted->points.data[3 * i + j] == old)
            parted->points.data[3 * i + j] = now;
}

/* Of the parts around one place of the chain that are beside it, the one on its right keeps the point, each other gets one of its own. */
static void part_point(const Cut *cut, uint32_t at, Parted *parted, DvIndexArray *doubled)
{
    uint32_t part[MOST_AROUND], kept = INVALID_INDEX, ignored;
    const uint32_t point = cut->chain.data[at], length = find_parts(cut, point, part);
    const uint32_t *row = around_point(cut, point, &ignored);
    for (uint32_t i = 0; i < length && kept == INVALID_INDEX; i++)
        kept = is_right(cut, triangle_at(cut, row[i]), at) ? part[i] : INVALID_INDEX;
    for (uint32_t first = 0; first < length && kept != INVALID_INDEX; first++) {
        bool beside = false;
        for (uint32_t i = first; i < length && part[first] == first && first != kept; i++)
            beside = beside || (part[i] == first && is_at_chain(cut, triangle_at(cut, row[i]), point));
        for (uint32_t i = first; i < length && beside; i++)
            if (part[i] == first)
                rename_in(cut, parted, row[i], point, cut->mesh->points + doubled->count);
        if (beside)
            dv_array_push(doubled, point);
    }
}

static DvStatus open_chain(Cut *cut)
{
    Parted parted = {0};
    DvIndexArray doubled = {0}, start = {0};
    for (uint32_t i = 0; i < cut->chain.count; i++)
        if (!was_before(cut, i))
            part_point(cut, i, &parted, &doubled);
    for (uint32_t i = 0; i <= doubled.count; i++)
        dv_array_push(&start, i);
    DvStatus status = DV_OK;
    if (doubled.count) {
        const DvElementChange descent = {.ancestors = doubled.data, .ancestor_start = start.data};
        status = cut->ops->add_points(cut->modifier, doubled.count, &descent);
        if (status == DV_OK)
            status = replace(cut, &parted.points, &parted.triangles, &parted.triangles);
    }
    cut->opened += doubled.count;
    dv_array_free(&parted.triangles);
    dv_array_free(&parted.points);
    dv_array_free(&doubled);
    dv_array_free(&start);
    return status;
}

/* ---- The operation ---- */

static DvStatus begin(Cut *cut, DvObject *topology, DvVecId positions)
{
    Topology *mesh = topology_of(topology);
    if (!mesh || !mesh->dynamic || mesh->own != DV_TRIANGLES)
        return dv_error(topology, DV_ERROR_INVALID, "only a TriangleSetTopologyContainer can be incised");
    DvObject *found[16];
    const size_t count = dv_node_find_all(dv_object_node(topology), DV_TOPOLOGY_MODIFIER, DV_SEARCH_LOCAL, found, 16);
    for (size_t i = 0; i < count && i < 16; i++)
        if (is_modifier(found[i]) && modifier_topology(found[i]) == mesh)
            cut->modifier = dv_object_self(found[i]), cut->ops = dv_object_ops(found[i], DV_TOPOLOGY_MODIFIER);
    cut->mesh = mesh;
    cut->positions = positions;
    cut->state = dv_state_ref(dv_node_context(dv_object_node(topology), DV_STATE));
    if (!cut->ops)
        return dv_error(topology, DV_ERROR_MISSING, "it needs a TriangleSetTopologyModifier in its node to be incised");
    if (!cut->state.ops || cut->state.dof->spatial != 3 || dv_state_count(cut->state) < mesh->points ||
        !dv_state_read(cut->state, positions).at)
        return dv_error(topology, DV_ERROR_MISSING, "it needs a state of points in space to be incised");
    return DV_OK;
}

/* Where a way from a point of the path that is not above the surface enters it, on the way to another one. */
static DvStatus insert_crossing(Cut *cut, const DvCutPoint *outside, const DvCutPoint *other, uint32_t *point)
{
    const DvVec3 from = dv_vec3_load(outside->at), target = dv_vec3_load(other->at);
    Entry entry;
    if (find_entry(cut, from, INVALID_INDEX, target, &entry))
        return enter(cut, &entry, target, point);
    return dv_error(cut->mesh->object, DV_ERROR_NOT_FOUND, "(%g, %g, %g) lies above no triangle of the surface", from.x,
                    from.y, from.z);
}

static bool is_over(const Cut *cut, const DvCutPoint *point)
{
    uint32_t triangle;
    double weights[3];
    return locate(cut, point, &triangle, weights);
}

/* Whether a piece of the path, or its end, is on the surface. */
static bool meets(const Cut *cut, const DvCutPoint *outside, const DvCutPoint *other)
{
    Entry entry;
    return find_entry(cut, dv_vec3_load(outside->at), INVALID_INDEX, dv_vec3_load(other->at), &entry);
}

/* A piece next to each point of the path is to be on the surface; before anything changes. */
static DvStatus check_path(const Cut *cut, const DvCutPoint *path, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (is_over(cut, &path[i]))
            continue;
        const bool before = i > 0 && meets(cut, &path[i], &path[i - 1]),
                   after = i + 1 < count && meets(cut, &path[i], &path[i + 1]);
        const bool lost =
            (i > 0 && !before && is_over(cut, &path[i - 1])) || (i + 1 < count && !after && is_over(cut, &path[i + 1]));
        if (lost || !(before || after))
            return dv_error(cut->mesh->object, DV_ERROR_NOT_FOUND, "(%g, %g, %g) lies above no triangle of the surface",
                            path[i].at[0], path[i].at[1], path[i].at[2]);
    }
    return DV_OK;
}

/* The ends of one piece of the path become points of the mesh, and the chain goes from one to the other. */
static DvStatus cut_piece(Cut *cut, const DvCutPoint *from, const DvCutPoint *to)
{
    uint32_t first = cut->chain.count ? cut->chain.data[cut->chain.count - 1] : INVALID_INDEX;
    uint32_t last = first;
    DvStatus status = DV_OK;
    if (!is_over(cut, from)) {
        if (!is_over(cut, to) && !meets(cut, from, to))
            return DV_OK;
        status = insert_crossing(cut, from, to, &first);
        if (status == DV_OK)
            status = begin_chain(cut, first);
    } else if (first == INVALID_INDEX) {
        status = insert_end(cut, from, &first);
        dv_array_push(&cut->chain, first);
    }
    if (status == DV_OK)
        status = is_over(cut, to) ? insert_end(cut, to, &last) : insert_crossing(cut, to, from, &last);
    return status == DV_OK && first != last ? walk(cut, first, last) : status;
}

DvStatus incise_surface(DvObject *topology, uint32_t positions, const DvCutPoint *path, uint32_t count,
                        double snap_path, double snap_border, uint32_t *opened)
{
    Cut cut = {.snap_path = snap_path, .snap_border = snap_border};
    DvStatus status = begin(&cut, topology, positions);
    *opened = 0;
    if (status == DV_OK)
        status = check_path(&cut, path, count);
    for (uint32_t i = 1; i < count && status == DV_OK; i++)
        status = cut_piece(&cut, &path[i - 1], &path[i]);
    if (status == DV_OK)
        status = open_chain(&cut);
    *opened = cut.opened;
    dv_array_free(&cut.chain);
    return status;
}

static DvStatus incise(DvObject *topology, const DvCutPoint *path, uint32_t count, double snap_path, double snap_border,
                       uint32_t *opened)
{
    return incise_surface(topology, DV_POSITION, path, count, snap_path, snap_border, opened);
}

static DvStatus split_edge(DvObject *topology, uint32_t edge, double weight, uint32_t *point)
{
    Cut cut = {0};
    const DvStatus status = begin(&cut, topology, DV_POSITION);
    if (status != DV_OK)
        return status;
    const ElementList edges = topology_elements(cut.mesh, DV_EDGES);
    if (edge >= edges.count || !(weight > 0 && weight < 1))
        return dv_error(topology, DV_ERROR_INVALID, "edge %" PRIu32 " of %" PRIu32 " cannot be split at %g", edge,
                        edges.count, weight);
    return split_between(&cut, edges.at[2 * (size_t)edge], edges.at[2 * (size_t)edge + 1], weight, point);
}

/* Two triangles that share an edge take the other diagonal of their quadrilateral. */
static DvStatus swap_edge(DvObject *topology, uint32_t edge)
{
    Cut cut = {0};
    uint32_t around[2];
    DvStatus status = begin(&cut, topology, DV_POSITION);
    if (status != DV_OK)
        return status;
    const ElementList edges = topology_elements(cut.mesh, DV_EDGES);
    const uint32_t a = edge < edges.count ? edges.at[2 * (size_t)edge] : 0,
                   b = edge < edges.count ? edges.at[2 * (size_t)edge + 1] : 0;
    if (edge >= edges.count || around_edge(&cut, a, b, around, 2) != 2)
        return dv_error(topology, DV_ERROR_INVALID, "edge %" PRIu32 " of %" PRIu32 " has not two triangles", edge,
                        edges.count);
    const uint32_t *t = triangle_at(&cut, around[0]), *u = triangle_at(&cut, around[1]);
    const uint32_t c = t[0] ^ t[1] ^ t[2] ^ a ^ b, d = u[0] ^ u[1] ^ u[2] ^ a ^ b;
    if (runs(t, a, b) == runs(u, a, b) || around_edge(&cut, c, d, (uint32_t[1]){0}, 1) > 0)
        return dv_error(topology, DV_ERROR_INVALID,
                        "edge %" PRIu32
                        " cannot be swapped: its triangles look to opposite sides, or the other diagonal is there",
                        edge);
    DvIndexArray triangles = {0}, from = {0}, gone = {0};
    push_with(&triangles, t, a, d);
    push_with(&triangles, t, b, d);
    dv_array_append(&from, around, 2);
    dv_array_append(&gone, around, 2);
    status = replace(&cut, &triangles, &from, &gone);
    dv_array_free(&triangles);
    dv_array_free(&from);
    dv_array_free(&gone);
    return status;
}

const DvSurfaceCuttingOps surface_cutting_ops = {
    .size = sizeof surface_cutting_ops, .incise = incise, .split_edge = split_edge, .swap_edge = swap_edge};
