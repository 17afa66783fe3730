/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Incision of a triangulated surface along a polyline.
 *
 * First the path becomes a chain of edges of the mesh. The ends of each piece become points: a point of the mesh that is near, a
 * point on an edge of the border, or one inside a triangle, which becomes three. Then the chain is walked from one end to the
 * other: in the triangle around the last point through which the way leads, the opposite edge is split where it is crossed, or
 * one of its ends is taken when that is near; a split edge is an edge of the chain at once. Distances and directions are those in
 * the planes of the triangles. Then the chain is opened: points of it whose triangles fall into two sides are doubled, and the
 * triangles on the left take the new ones. Points inside the surface where the cut ends stay whole.
 *
 * Where the way leaves the surface and enters it again further on, as across an older cut, the chain ends and is opened, and another
 * one begins there: the older cut may have come apart, as far as its lips are near the way.
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
    IndexArray chain; /* points */
    uint32_t opened;  /* points that were doubled */
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
static DvStatus replace(Cut *cut, const IndexArray *triangles, const IndexArray *from, const IndexArray *gone)
{
    IndexArray start = {0};
    for (uint32_t i = 0; i <= from->count; i++)
        array_push(&start, i);
    const DvElementChange descent = {.ancestors = from->data, .ancestor_start = start.data};
    DvStatus status = cut->ops->add_elements(cut->modifier, DV_TRIANGLES, from->count, triangles->data, &descent);
    if (status == DV_OK)
        status = cut->ops->remove_elements(cut->modifier, DV_TRIANGLES, gone->count, gone->data, true);
    array_free(&start);
    return status;
}

/* The triangle with one of its points replaced. */
static void push_with(IndexArray *to, const uint32_t *triangle, uint32_t old, uint32_t now)
{
    for (int i = 0; i < 3; i++)
        array_push(to, triangle[i] == old ? now : triangle[i]);
}

/* A new point on the edge from a to b: each triangle around it becomes two. */
static DvStatus split_between(Cut *cut, uint32_t a, uint32_t b, double weight_of_b, uint32_t *point)
{
    uint32_t around[64];
    const uint32_t count = around_edge(cut, a, b, around, 64), ends[2] = {a, b};
    const double weights[2] = {1 - weight_of_b, weight_of_b};
    IndexArray triangles = {0}, from = {0}, gone = {0};
    if (count == 0 || count > 64)
        return dv_error(cut->mesh->object, DV_ERROR_INVALID,
                        "%" PRIu32 " triangles have points %" PRIu32 " and %" PRIu32, count, a, b);
    DvStatus status = add_point(cut, ends, weights, 2, point);
    for (uint32_t i = 0; i < count && status == DV_OK; i++) {
        push_with(&triangles, triangle_at(cut, around[i]), b, *point);
        push_with(&triangles, triangle_at(cut, around[i]), a, *point);
        array_push(&from, around[i]);
        array_push(&from, around[i]);
        array_push(&gone, around[i]);
    }
    if (status == DV_OK)
        status = replace(cut, &triangles, &from, &gone);
    array_free(&triangles);
    array_free(&from);
    array_free(&gone);
    return status;
}

/* A new point inside a triangle, which becomes three. */
static DvStatus split_triangle(Cut *cut, uint32_t triangle, const double weights[3], uint32_t *point)
{
    uint32_t corners[3];
    IndexArray triangles = {0}, from = {0}, gone = {0};
    memcpy(corners, triangle_at(cut, triangle), sizeof corners);
    DvStatus status = add_point(cut, corners, weights, 3, point);
    for (int i = 0; i < 3; i++) {
        push_with(&triangles, corners, corners[i], *point);
        array_push(&from, triangle);
    }
    array_push(&gone, triangle);
    if (status == DV_OK)
        status = replace(cut, &triangles, &from, &gone);
    array_free(&triangles);
    array_free(&from);
    array_free(&gone);
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
static void try_entry(const Cut *cut, uint32_t point, DvVec3 target, const uint32_t corner[3], Entry *best)
{
    const DvVec3 from = place(cut, point), way = dv_vec3_sub(target, from), a = place(cut, corner[0]),
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

/* The nearest edge of the border over which the way goes on; false: there is none. */
static bool find_entry(const Cut *cut, uint32_t point, DvVec3 target, Entry *best)
{
    const ElementList triangles = topology_elements(cut->mesh, DV_TRIANGLES);
    *best = (Entry){.far = DBL_MAX};
    for (uint32_t i = 0; i < triangles.count; i++)
        for (uint32_t k = 0; k < 3; k++) {
            const uint32_t *t = triangles.at + 3 * (size_t)i, a = t[k], b = t[(k + 1) % 3];
            uint32_t found[1];
            if (a != point && b != point && around_edge(cut, a, b, found, 1) == 1)
                try_entry(cut, point, target, (const uint32_t[3]){a, b, t[(k + 2) % 3]}, best);
        }
    return best->far < DBL_MAX;
}

static DvStatus open_chain(Cut *cut);

/* Goes on where the way enters the surface again, in a chain of its own. */
static DvStatus cross_gap(Cut *cut, uint32_t point, DvVec3 target, uint32_t *next)
{
    Entry entry;
    if (!find_entry(cut, point, target, &entry))
        return dv_error(cut->mesh->object, DV_ERROR_INVALID,
                        "the way to (%g, %g, %g) leaves the surface at point %" PRIu32, target.x, target.y, target.z,
                        point);
    DvStatus status = DV_OK;
    if (entry.along < cut->snap_path)
        *next = entry.a;
    else if (entry.along > 1 - cut->snap_path)
        *next = entry.b;
    else
        status = split_between(cut, entry.a, entry.b, entry.along, next);
    if (status == DV_OK)
        status = open_chain(cut);
    array_clear(&cut->chain);
    array_push(&cut->chain, *next);
    return status;
}

/* Appends the chain's points after `from`, to `to` inclusive. */
static DvStatus walk(Cut *cut, uint32_t from, uint32_t to)
{
    const DvVec3 target = place(cut, to);
    uint32_t around[1], point = from, entered = INVALID_INDEX;
    while (around_edge(cut, point, to, around, 1) == 0) {
        Exit exit;
        uint32_t next;
        DvStatus status = DV_OK;
        if (!find_exit(cut, point, target, &exit)) {
            if (point != entered)
                status = cross_gap(cut, point, target, &entered);
            else
                status = dv_error(cut->mesh->object, DV_ERROR_INVALID,
                                  "the way to (%g, %g, %g) runs along the border at point %" PRIu32, target.x, target.y,
                                  target.z, point);
            if (status != DV_OK)
                return status;
            point = entered;
            continue;
        }
        if (exit.along < cut->snap_path)
            next = exit.a;
        else if (exit.along > 1 - cut->snap_path)
            next = exit.b;
        else
            status = split_between(cut, exit.a, exit.b, exit.along, &next);
        if (status != DV_OK)
            return status;
        if (!(distance_between(cut, next, target) < distance_between(cut, point, target)))
            return dv_error(cut->mesh->object, DV_ERROR_INVALID,
                            "the way to (%g, %g, %g) comes no nearer after point %" PRIu32, target.x, target.y,
                            target.z, point);
        array_push(&cut->chain, next);
        point = next;
    }
    if (point != to)
        array_push(&cut->chain, to);
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

enum { LEFT = 1, RIGHT = 2, MOST_AROUND = 256 };

/* Which of two triangles around `point` share an edge there that is not of the chain. */
static bool hang_together(const Cut *cut, const uint32_t *t, const uint32_t *other, uint32_t point)
{
    for (int i = 0; i < 3; i++)
        if (t[i] != point && has_point(other, t[i]) && !in_chain(cut, point, t[i]))
            return true;
    return false;
}

/* The sides of the triangles around a point of the chain: those at its edges, and what hangs together with them. */
static uint32_t find_sides(const Cut *cut, uint32_t place_in_chain, uint8_t *side)
{
    const uint32_t *chain = cut->chain.data, point = chain[place_in_chain];
    uint32_t length, all = 0;
    const uint32_t *row = around_point(cut, point, &length);
    memset(side, 0, MOST_AROUND);
    for (uint32_t i = 0; i < length && length <= MOST_AROUND; i++) {
        const uint32_t *t = triangle_at(cut, row[i]);
        const uint32_t before = place_in_chain ? chain[place_in_chain - 1] : point,
                       after = place_in_chain + 1 < cut->chain.count ? chain[place_in_chain + 1] : point;
        side[i] |= runs(t, before, point) || runs(t, point, after) ? LEFT : 0;
        side[i] |= runs(t, point, before) || runs(t, after, point) ? RIGHT : 0;
    }
    for (bool grown = true; grown && length <= MOST_AROUND;) {
        grown = false;
        for (uint32_t i = 0; i < length; i++)
            for (uint32_t j = 0; j < length; j++)
                if (side[j] & ~side[i] &&
                    hang_together(cut, triangle_at(cut, row[i]), triangle_at(cut, row[j]), point)) {
                    side[i] |= side[j];
                    grown = true;
                }
    }
    for (uint32_t i = 0; i < length && length <= MOST_AROUND; i++)
        all |= side[i] == (LEFT | RIGHT) ? 4u : side[i];
    return all;
}

/* Triangles on the left, and what their points become. */
typedef struct Left {
    IndexArray triangles, points; /* [triangles x 3] */
} Left;

static void rename_in_left(const Cut *cut, Left *left, uint32_t triangle, uint32_t old, uint32_t now)
{
    uint32_t i = 0;
    while (i < left->triangles.count && left->triangles.data[i] != triangle)
        i++;
    if (i == left->triangles.count) {
        array_push(&left->triangles, triangle);
        array_append(&left->points, triangle_at(cut, triangle), 3);
    }
    for (uint32_t j = 0; j < 3; j++)
        if (left->points.data[3 * i + j] == old)
            left->points.data[3 * i + j] = now;
}

static DvStatus open_chain(Cut *cut)
{
    Left left = {0};
    IndexArray doubled = {0}, start = {0};
    const uint32_t first = cut->mesh->points;
    for (uint32_t i = 0; i < cut->chain.count; i++) {
        uint8_t side[MOST_AROUND];
        uint32_t length;
        if (find_sides(cut, i, side) != (LEFT | RIGHT)) /* both, and none that is on both */
            continue;
        const uint32_t *row = around_point(cut, cut->chain.data[i], &length);
        for (uint32_t j = 0; j < length; j++)
            if (side[j] == LEFT)
                rename_in_left(cut, &left, row[j], cut->chain.data[i], first + doubled.count);
        array_push(&doubled, cut->chain.data[i]);
    }
    for (uint32_t i = 0; i <= doubled.count; i++)
        array_push(&start, i);
    DvStatus status = DV_OK;
    if (doubled.count) {
        const DvElementChange descent = {.ancestors = doubled.data, .ancestor_start = start.data};
        status = cut->ops->add_points(cut->modifier, doubled.count, &descent);
        if (status == DV_OK)
            status = replace(cut, &left.points, &left.triangles, &left.triangles);
    }
    cut->opened += doubled.count;
    array_free(&left.triangles);
    array_free(&left.points);
    array_free(&doubled);
    array_free(&start);
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

DvStatus incise_surface(DvObject *topology, uint32_t positions, const DvCutPoint *path, uint32_t count,
                        double snap_path, double snap_border, uint32_t *opened)
{
    Cut cut = {.snap_path = snap_path, .snap_border = snap_border};
    DvStatus status = begin(&cut, topology, positions);
    *opened = 0;
    for (uint32_t i = 0; i < count && status == DV_OK; i++) {
        uint32_t ignored;
        double weights[3];
        if (!locate(&cut, &path[i], &ignored, weights)) /* before anything changes */
            status = dv_error(topology, DV_ERROR_NOT_FOUND, "(%g, %g, %g) lies above no triangle of the surface",
                              path[i].at[0], path[i].at[1], path[i].at[2]);
    }
    for (uint32_t i = 0; i < count && status == DV_OK; i++) {
        uint32_t point;
        status = insert_end(&cut, &path[i], &point);
        if (status == DV_OK && i == 0)
            array_push(&cut.chain, point);
        else if (status == DV_OK && point != cut.chain.data[cut.chain.count - 1])
            status = walk(&cut, cut.chain.data[cut.chain.count - 1], point);
    }
    if (status == DV_OK)
        status = open_chain(&cut);
    *opened = cut.opened;
    array_free(&cut.chain);
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
    IndexArray triangles = {0}, from = {0}, gone = {0};
    push_with(&triangles, t, a, d);
    push_with(&triangles, t, b, d);
    array_append(&from, around, 2);
    array_append(&gone, around, 2);
    status = replace(&cut, &triangles, &from, &gone);
    array_free(&triangles);
    array_free(&from);
    array_free(&gone);
    return status;
}

const DvSurfaceCuttingOps surface_cutting_ops = {
    .size = sizeof surface_cutting_ops, .incise = incise, .split_edge = split_edge, .swap_edge = swap_edge};
