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
#include "cut.h"

#include <inttypes.h>

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
    if (cut_find_entry(cut, from, INVALID_INDEX, target, &entry))
        return cut_enter(cut, &entry, target, point);
    return dv_error(cut->mesh->object, DV_ERROR_NOT_FOUND, "(%g, %g, %g) lies above no triangle of the surface", from.x,
                    from.y, from.z);
}

static bool is_over(const Cut *cut, const DvCutPoint *point)
{
    uint32_t triangle;
    double weights[3];
    return cut_locate(cut, point, &triangle, weights);
}

/* Whether a piece of the path, or its end, is on the surface. */
static bool meets(const Cut *cut, const DvCutPoint *outside, const DvCutPoint *other)
{
    Entry entry;
    return cut_find_entry(cut, dv_vec3_load(outside->at), INVALID_INDEX, dv_vec3_load(other->at), &entry);
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
            status = cut_begin_chain(cut, first);
    } else if (first == INVALID_INDEX) {
        status = cut_insert_end(cut, from, &first);
        dv_array_push(&cut->chain, first);
    }
    if (status == DV_OK)
        status = is_over(cut, to) ? cut_insert_end(cut, to, &last) : insert_crossing(cut, to, from, &last);
    return status == DV_OK && first != last ? cut_walk(cut, first, last) : status;
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
        status = cut_open_chain(&cut);
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
    return cut_split_between(&cut, edges.at[2 * (size_t)edge], edges.at[2 * (size_t)edge + 1], weight, point);
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
    if (edge >= edges.count || cut_around_edge(&cut, a, b, around, 2) != 2)
        return dv_error(topology, DV_ERROR_INVALID, "edge %" PRIu32 " of %" PRIu32 " has not two triangles", edge,
                        edges.count);
    const uint32_t *t = cut_triangle_at(&cut, around[0]), *u = cut_triangle_at(&cut, around[1]);
    const uint32_t c = t[0] ^ t[1] ^ t[2] ^ a ^ b, d = u[0] ^ u[1] ^ u[2] ^ a ^ b;
    if (cut_runs(t, a, b) == cut_runs(u, a, b) || cut_around_edge(&cut, c, d, (uint32_t[1]){0}, 1) > 0)
        return dv_error(topology, DV_ERROR_INVALID,
                        "edge %" PRIu32
                        " cannot be swapped: its triangles look to opposite sides, or the other diagonal is there",
                        edge);
    DvIndexArray triangles = {0}, from = {0}, gone = {0};
    cut_push_with(&triangles, t, a, d);
    cut_push_with(&triangles, t, b, d);
    dv_array_append(&from, around, 2);
    dv_array_append(&gone, around, 2);
    status = cut_replace(&cut, &triangles, &from, &gone);
    dv_array_free(&triangles);
    dv_array_free(&from);
    dv_array_free(&gone);
    return status;
}

const DvSurfaceCuttingOps surface_cutting_ops = {
    .size = sizeof surface_cutting_ops, .incise = incise, .split_edge = split_edge, .swap_edge = swap_edge};
