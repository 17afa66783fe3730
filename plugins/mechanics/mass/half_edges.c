/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "half_edges.h"

#include <divan/memory.h>

static void forget_couplings(HalfEdges *half)
{
    dv_free(half->reserved);
    dv_free(half->reserved_other);
    half->reserved = half->reserved_other = NULL;
    half->structure++;
}

static void free_rows(HalfEdges *half)
{
    dv_free(half->begin);
    dv_free(half->end);
    dv_free(half->limit);
    dv_free(half->at);
    dv_free(half->coupling);
}

void half_edges_free(HalfEdges *half)
{
    free_rows(half);
    forget_couplings(half);
    *half = (HalfEdges){.structure = half->structure};
}

void half_edges_build(HalfEdges *half, uint32_t points, DvElements pairs)
{
    half_edges_free(half);
    half->points = half->point_room = points;
    half->begin = dv_alloc(points, sizeof *half->begin);
    half->end = dv_alloc(points, sizeof *half->end);
    half->limit = dv_alloc(points, sizeof *half->limit);
    half->room = 2 * pairs.count;
    half->at = dv_alloc(half->room, sizeof *half->at);
    half->coupling = dv_alloc(half->room, sizeof *half->coupling);
    for (uint32_t e = 0; e < pairs.count; e++) {
        const uint32_t *end = pairs.at + 2 * (size_t)e;
        if (end[0] < points && end[1] < points)
            half->limit[end[0]]++, half->limit[end[1]]++;
    }
    for (uint32_t i = 0; i < points; i++) {
        half->begin[i] = half->end[i] = half->used;
        half->used += half->limit[i];
        half->limit[i] = half->used;
    }
    for (uint32_t e = 0; e < pairs.count; e++) {
        const uint32_t *end = pairs.at + 2 * (size_t)e;
        if (end[0] >= points || end[1] >= points)
            continue;
        half->at[half->end[end[0]]++] = (HalfEdge){end[1], e};
        half->at[half->end[end[1]]++] = (HalfEdge){end[0], e};
    }
}

/* ---- Edits of the mesh ---- */

static void *enlarge(void *array, size_t count, size_t room, size_t size)
{
    return dv_realloc(array, count * size, room * size);
}

static void set_points(HalfEdges *half, uint32_t points)
{
    if (points > half->point_room) {
        const uint32_t old = half->point_room, room = points + points / 2;
        half->begin = enlarge(half->begin, old, room, sizeof *half->begin);
        half->end = enlarge(half->end, old, room, sizeof *half->end);
        half->limit = enlarge(half->limit, old, room, sizeof *half->limit);
        half->point_room = room;
    }
    for (uint32_t i = half->points; i < points; i++)
        half->begin[i] = half->end[i] = half->limit[i] = 0;
    half->points = points;
}

static void make_room(HalfEdges *half, uint32_t point, uint32_t count)
{
    if (count > half->limit[point] - half->begin[point]) {
        const uint32_t needed = half->used + count + count / 2;
        if (needed > half->room) {
            const uint32_t room = needed + needed / 2;
            half->at = enlarge(half->at, half->room, room, sizeof *half->at);
            half->coupling = enlarge(half->coupling, half->room, room, sizeof *half->coupling);
            half->room = room;
        }
        half->begin[point] = half->used;
        half->limit[point] = half->used = needed;
    }
    half->end[point] = half->begin[point] + count;
}

/* Where the couplings of a row are; false: one has not been reserved. */
static bool find_couplings(HalfEdges *half, uint32_t point)
{
    for (uint32_t h = half->begin[point]; h < half->end[point]; h++) {
        uint32_t k = half->reserved[point];
        while (k < half->reserved[point + 1] && half->reserved_other[k] != half->at[h].other)
            k++;
        if (k == half->reserved[point + 1])
            return false;
        half->coupling[h] = point + 1 + k;
    }
    return true;
}

void half_edges_update(HalfEdges *half, const MeshEdits *edits, const DvTopologyRef *topology, uint32_t points)
{
    const DvElements edges = dv_topology_elements(topology, DV_EDGES);
    if (edits->all || half->used / 8 > edges.count + 64) { /* most of the room is that of rows that have moved */
        half_edges_build(half, points, edges);
        return;
    }
    const DvAdjacency around = topology->ops->adjacency(topology->self, DV_POINTS, DV_EDGES);
    bool reserved = half->reserved && !edits->points_edited;
    set_points(half, points);
    for (uint32_t i = 0; i < edits->points.count; i++) {
        const uint32_t point = edits->points.at[i];
        const uint32_t first = point < around.count ? around.begin[point] : 0;
        const uint32_t count = point < around.count ? around.end[point] - first : 0;
        make_room(half, point, count);
        for (uint32_t k = 0; k < count; k++) {
            const uint32_t edge = around.items[first + k], *end = edges.at + 2 * (size_t)edge;
            half->at[half->begin[point] + k] = (HalfEdge){end[0] == point ? end[1] : end[0], edge};
        }
        reserved = reserved && (half->diagonal || find_couplings(half, point));
    }
    if (!reserved)
        forget_couplings(half);
}

/* ---- The matrix ---- */

void half_edges_reserve(HalfEdges *half, DvPattern *pattern, bool diagonal)
{
    dv_free(half->reserved);
    dv_free(half->reserved_other);
    half->reserved = dv_alloc((size_t)half->points + 1, sizeof *half->reserved);
    half->reserved_other = dv_alloc(half->used, sizeof *half->reserved_other);
    half->diagonal = diagonal;
    uint32_t named = 0;
    for (uint32_t i = 0; i < half->points; i++) {
        dv_pattern_add(pattern, i, i);
        for (uint32_t h = half->begin[i]; !diagonal && h < half->end[i]; h++) {
            dv_pattern_add(pattern, i, half->at[h].other);
            half->reserved_other[named] = half->at[h].other;
            half->coupling[h] = i + 1 + named++;
        }
        half->reserved[i + 1] = named;
    }
}
