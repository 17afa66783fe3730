/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "half_edges.h"

#include <stdlib.h>
#include <string.h>

#include <divan/memory.h>

static void forget_couplings(HalfEdges *half)
{
    half->is_reserved = half->paired = false;
    half->structure++;
}

static void free_rows(HalfEdges *half)
{
    dv_free(half->begin);
    dv_free(half->end);
    dv_free(half->limit);
    dv_free(half->at);
    dv_free(half->value);
    dv_free(half->coupling);
}

void half_edges_free(HalfEdges *half)
{
    free_rows(half);
    forget_couplings(half);
    dv_free(half->reserved);
    dv_free(half->reserved_other);
    *half = (HalfEdges){.structure = half->structure, .kept = half->kept};
}

static void start(HalfEdges *half, uint32_t points, uint32_t room)
{
    half_edges_free(half);
    half->points = half->point_room = points;
    half->begin = dv_alloc(points, sizeof *half->begin);
    half->end = dv_alloc(points, sizeof *half->end);
    half->limit = dv_alloc(points, sizeof *half->limit);
    half->room = room;
    half->at = dv_alloc(room, sizeof *half->at);
    half->coupling = dv_alloc(room, sizeof *half->coupling);
}

void half_edges_start(HalfEdges *half, uint32_t points)
{
    start(half, points, 0);
    half->value = dv_alloc(1, sizeof *half->value);
}

void half_edges_build(HalfEdges *half, uint32_t points, DvElements pairs)
{
    start(half, points, 2 * pairs.count);
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

void half_edges_begin(HalfEdges *half, uint32_t points)
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
    for (uint32_t i = points; i < half->points; i++)
        half->lost += half->limit[i] - half->begin[i];
    half->points = points;
    half->edited = true;
}

static void set_room(HalfEdges *half, uint32_t room)
{
    half->at = enlarge(half->at, half->room, room, sizeof *half->at);
    half->coupling = enlarge(half->coupling, half->room, room, sizeof *half->coupling);
    if (half->value)
        half->value = enlarge(half->value, half->room, room, sizeof *half->value);
    half->room = room;
}

/* All rows one after the other again, with room for half as many more. */
static void pack_rows(HalfEdges *half)
{
    HalfEdges old = *half;
    uint32_t room = 0;
    for (uint32_t i = 0; i < half->points; i++)
        room += (half->end[i] - half->begin[i]) * 3 / 2;
    half->at = dv_alloc(room, sizeof *half->at);
    half->coupling = dv_alloc(room, sizeof *half->coupling);
    half->value = half->value ? dv_alloc(room, sizeof *half->value) : NULL;
    half->room = room;
    half->used = half->lost = 0;
    for (uint32_t i = 0; i < half->points; i++) {
        const uint32_t first = half->begin[i], count = half->end[i] - first;
        for (uint32_t k = 0; k < count; k++) {
            half->at[half->used + k] = old.at[first + k];
            half->coupling[half->used + k] = old.coupling[first + k];
            if (half->value) {
                half->at[half->used + k].edge = half->used + k;
                half->value[half->used + k] = old.value[first + k];
            }
        }
        half->begin[i] = half->used;
        half->end[i] = half->used + count;
        half->used += count * 3 / 2;
        half->limit[i] = half->used;
    }
    dv_free(old.at);
    dv_free(old.coupling);
    dv_free(old.value);
}

uint32_t half_edges_row(HalfEdges *half, uint32_t point, uint32_t count)
{
    if (count > half->limit[point] - half->begin[point]) {
        half->lost += half->limit[point] - half->begin[point];
        half->begin[point] = half->end[point] = half->limit[point] = 0;
        if (half->lost > half->used / 2)
            pack_rows(half);
        const uint32_t needed = half->used + count + (half->edited ? count / 2 : 0);
        if (needed > half->room)
            set_room(half, needed + needed / 2);
        half->begin[point] = half->used;
        half->limit[point] = half->used = needed;
    }
    half->end[point] = half->begin[point] + count;
    for (uint32_t h = half->begin[point]; half->value && h < half->end[point]; h++)
        half->at[h].edge = h;
    return half->begin[point];
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

static bool row_has(const HalfEdges *half, uint32_t point, uint32_t other)
{
    for (uint32_t h = half->begin[point]; h < half->end[point]; h++)
        if (half->at[h].other == other)
            return true;
    return false;
}

/* Pairs of a point and a later one that are reserved and not there, to `at` unless it is NULL; how many. */
static uint32_t kept_of(const HalfEdges *half, uint32_t point, uint32_t *at)
{
    uint32_t count = 0;
    for (uint32_t k = half->reserved[point]; k < half->reserved[point + 1]; k++) {
        if (half->reserved_other[k] < point || row_has(half, point, half->reserved_other[k]))
            continue;
        if (at) {
            at[2 * count] = point;
            at[2 * count + 1] = half->reserved_other[k];
        }
        count++;
    }
    return count;
}

/* Those of points that are not touched stay; those of touched points are looked for. */
static void update_kept(HalfEdges *half, const DvMeshEdits *edits)
{
    if (!half->kept)
        return;
    size_t before = 0, count = 0, used = 0;
    (void)dv_data_uints(&half->kept->pairs, &before);
    for (uint32_t i = 0; i < edits->points.count; i++)
        count += kept_of(half, edits->points.data[i], NULL);
    if (before + count == 0)
        return;
    uint32_t *at = dv_data_begin(&half->kept->pairs, before + 2 * count);
    for (size_t i = 0; i + 1 < before; i += 2)
        if (!dv_mesh_edits_touch_point(edits, at[i])) {
            at[used++] = at[i];
            at[used++] = at[i + 1];
        }
    for (uint32_t i = 0; i < edits->points.count; i++)
        used += 2 * (size_t)kept_of(half, edits->points.data[i], at + used);
    (void)dv_data_begin(&half->kept->pairs, used);
    dv_data_end(&half->kept->pairs);
}

static bool is_coupled(const void *half_, uint32_t first, uint32_t second)
{
    const HalfEdges *half = half_;
    return first >= half->points || row_has(half, first, second);
}

void half_edges_end(HalfEdges *half, const DvMeshEdits *edits)
{
    if (!half->is_reserved) {
        dv_kept_pairs_prune(half->kept, is_coupled, half);
        return;
    }
    bool stays = !edits->points_edited;
    for (uint32_t i = 0; i < edits->points.count && stays && half->paired; i++)
        stays = find_couplings(half, edits->points.data[i]);
    if (!stays) {
        forget_couplings(half);
        dv_kept_pairs_forget(half->kept);
    } else if (half->paired) {
        update_kept(half, edits);
    }
}

void half_edges_update(HalfEdges *half, const DvMeshEdits *edits, const DvTopologyRef *topology, uint32_t points)
{
    const DvElements edges = dv_topology_elements(topology, DV_EDGES);
    if (edits->all) {
        half_edges_build(half, points, edges);
        return;
    }
    const DvAdjacency around = topology->ops->adjacency(topology->self, DV_POINTS, DV_EDGES);
    half_edges_begin(half, points);
    for (uint32_t i = 0; i < edits->points.count; i++) {
        const uint32_t point = edits->points.data[i];
        const uint32_t first = point < around.count ? around.begin[point] : 0;
        const uint32_t count = point < around.count ? around.end[point] - first : 0;
        const uint32_t row = half_edges_row(half, point, count);
        for (uint32_t k = 0; k < count; k++) {
            const uint32_t edge = around.items[first + k], *end = edges.at + 2 * (size_t)edge;
            half->at[row + k] = (HalfEdge){end[0] == point ? end[1] : end[0], edge};
        }
    }
    half_edges_end(half, edits);
}

/* ---- The matrix ---- */

/* Kept pairs from each of their ends, sorted by it; dv_free. */
static uint32_t (*sorted_kept(const HalfEdges *half, uint32_t *count))[2]
{
    size_t numbers = 0;
    const uint32_t *at = half->kept ? dv_data_uints(&half->kept->pairs, &numbers) : NULL;
    *count = (uint32_t)numbers / 2 * 2;
    uint32_t(*sorted)[2] = dv_alloc(*count, sizeof *sorted);
    for (uint32_t i = 0; i + 1 < *count; i += 2) {
        sorted[i][0] = sorted[i + 1][1] = at[i];
        sorted[i][1] = sorted[i + 1][0] = at[i + 1];
    }
    if (*count)
        qsort(sorted, *count, sizeof *sorted, dv_kept_pairs_compare);
    return sorted;
}

/* Room for the couplings; what is in it is lost when there is not enough. */
static void make_room_for_couplings(HalfEdges *half, uint32_t others)
{
    if (half->points >= half->reserved_points) {
        dv_free(half->reserved);
        half->reserved_points = half->points + half->points / 4 + 1;
        half->reserved = dv_alloc(half->reserved_points, sizeof *half->reserved);
    }
    if (others > half->reserved_room) {
        dv_free(half->reserved_other);
        half->reserved_room = others + others / 4;
        half->reserved_other = dv_alloc(half->reserved_room, sizeof *half->reserved_other);
    }
}

void half_edges_reserve(HalfEdges *half, DvPattern *pattern, bool diagonal)
{
    uint32_t kept_count, next = 0, (*kept)[2] = sorted_kept(half, &kept_count);
    make_room_for_couplings(half, diagonal ? 0 : half->used + kept_count);
    half->is_reserved = true;
    half->paired = !diagonal;
    dv_kept_pairs_make(half->kept, half->paired);
    uint32_t *begin = half->reserved, *other = half->reserved_other, named = 0;
    begin[0] = 0;
    for (uint32_t i = 0; i < half->points; i++) {
        dv_pattern_add(pattern, i, i);
        for (uint32_t h = half->begin[i]; !diagonal && h < half->end[i]; h++) {
            other[named] = half->at[h].other;
            half->coupling[h] = i + 1 + named++;
        }
        for (; next < kept_count && kept[next][0] <= i; next++)
            if (!diagonal && kept[next][0] == i && kept[next][1] < half->points && !row_has(half, i, kept[next][1]))
                other[named++] = kept[next][1];
        for (uint32_t k = begin[i]; k < named; k++)
            dv_pattern_add(pattern, i, other[k]);
        begin[i + 1] = named;
    }
    dv_free(kept);
}
