/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Elements in blocks of eight: lists of which element touches which point and pair, and the sum over them.
 */
#include <divan/kit/element_blocks.h>

#include <stdlib.h>
#include <string.h>

static void free_pairs(DvElementBlocks *mesh)
{
    dv_free(mesh->pair);
    dv_free(mesh->pair_begin);
    dv_free(mesh->pair_end);
    dv_free(mesh->pair_entry);
}

void dv_element_blocks_free(DvElementBlocks *mesh)
{
    dv_element_chunks_free(&mesh->chunks);
    dv_free(mesh->node);
    dv_free(mesh->point);
    dv_free(mesh->begin);
    dv_free(mesh->end);
    dv_free(mesh->limit);
    dv_free(mesh->entry);
    free_pairs(mesh);
    *mesh = (DvElementBlocks){.kept = mesh->kept};
}

static DvStatus no_point(const DvObject *object, const char *kind, uint32_t element, uint32_t point, uint32_t points,
                         const uint32_t *list, size_t count)
{
    DvText text = {0};
    dv_text_add_missing(&text, "point", point, "the state", points, list, count);
    const DvStatus status = dv_error(object, DV_ERROR_INVALID, "%s %u: %s", kind, element, text.at);
    dv_text_free(&text);
    return status;
}

static DvStatus check_element(const DvObject *object, const char *kind, uint32_t nodes, uint32_t points,
                              const uint32_t *list, uint32_t elements, uint32_t element)
{
    for (uint32_t n = 0; n < nodes; n++) {
        const uint32_t point = list[element * (size_t)nodes + n];
        if (point >= points)
            return no_point(object, kind, element, point, points, list, elements * (size_t)nodes);
    }
    return DV_OK;
}

static void set_lane(DvElementBlocks *mesh, uint32_t lane, const uint32_t *element)
{
    for (uint32_t n = 0; n < mesh->nodes; n++)
        mesh->node[((size_t)(lane / DV_LANES) * mesh->nodes + n) * DV_LANES + lane % DV_LANES] = element[n];
}

/* Lanes that no element has repeat the last one. */
static void fill_last_block(DvElementBlocks *mesh, const uint32_t *list)
{
    for (uint32_t lane = mesh->elements; lane < mesh->blocks * DV_LANES; lane++)
        set_lane(mesh, lane, list + (size_t)(mesh->elements - 1) * mesh->nodes);
}

/* What is kept of one here and by its force field: something of each node, and something of each pair of nodes. */
static double bytes_of_element(uint32_t nodes)
{
    return 64.0 * nodes + 20.0 * nodes * nodes;
}

DvStatus dv_element_blocks_build(DvElementBlocks *mesh, const DvObject *object, const char *kind, uint32_t points,
                                 uint32_t nodes, uint32_t elements, const uint32_t *list)
{
    dv_element_blocks_free(mesh);
    for (uint32_t i = 0; i < elements; i++) {
        const DvStatus status = check_element(object, kind, nodes, points, list, elements, i);
        if (status != DV_OK)
            return status;
    }
    const DvStatus room =
        dv_memory_ask(object, (double)elements * bytes_of_element(nodes), "%u elements of type %s", elements, kind);
    if (room != DV_OK)
        return room;
    mesh->nodes = nodes;
    mesh->elements = elements;
    mesh->blocks = mesh->block_room = (elements + DV_LANES - 1) / DV_LANES;
    mesh->points = mesh->point_room = points;
    mesh->used = mesh->entry_room = elements * nodes;
    const size_t lanes = (size_t)mesh->blocks * DV_LANES;
    mesh->node = dv_alloc(lanes * nodes, sizeof *mesh->node);
    mesh->point = dv_alloc(points, sizeof *mesh->point);
    mesh->begin = dv_alloc(points, sizeof *mesh->begin);
    mesh->end = dv_alloc(points, sizeof *mesh->end);
    mesh->limit = dv_alloc(points, sizeof *mesh->limit);
    mesh->entry = dv_alloc(mesh->used, sizeof *mesh->entry);
    for (uint32_t i = 0; i < elements; i++)
        set_lane(mesh, i, list + (size_t)i * nodes);
    fill_last_block(mesh, list);
    dv_element_chunks_build(&mesh->chunks, nodes, points, mesh->blocks, mesh->node);
    for (uint32_t i = 0; i < mesh->used; i++)
        mesh->limit[list[i]]++;
    for (uint32_t p = 0, sum = 0; p < points; p++) {
        mesh->begin[p] = mesh->end[p] = sum;
        sum += mesh->limit[p];
        mesh->limit[p] = sum;
    }
    for (uint32_t i = 0; i < mesh->used; i++)
        mesh->entry[mesh->end[list[i]]++] = i;
    return DV_OK;
}

/* ---- Edits of the mesh ---- */

static void *enlarge(void *array, size_t count, size_t room, size_t size)
{
    return dv_realloc(array, count * size, room * size);
}

static void make_room(DvElementBlocks *mesh, uint32_t points, uint32_t elements)
{
    const uint32_t blocks = (elements + DV_LANES - 1) / DV_LANES, old = mesh->point_room;
    if (blocks > mesh->block_room) {
        const uint32_t room = blocks + blocks / 2;
        const size_t row = (size_t)DV_LANES * mesh->nodes;
        mesh->node = enlarge(mesh->node, mesh->block_room, room, row * sizeof *mesh->node);
        mesh->block_room = room;
    }
    if (points > old) {
        const uint32_t room = mesh->point_room = points + points / 2;
        dv_free(mesh->point);
        mesh->point = dv_alloc(room, sizeof *mesh->point);
        mesh->begin = enlarge(mesh->begin, old, room, sizeof *mesh->begin);
        mesh->end = enlarge(mesh->end, old, room, sizeof *mesh->end);
        mesh->limit = enlarge(mesh->limit, old, room, sizeof *mesh->limit);
    }
    for (uint32_t p = mesh->points; p < points; p++)
        mesh->begin[p] = mesh->end[p] = mesh->limit[p] = 0;
    for (uint32_t p = points; p < mesh->points; p++)
        mesh->lost += mesh->limit[p] - mesh->begin[p];
    mesh->elements = elements;
    mesh->blocks = blocks;
    mesh->points = points;
}

/* All rows one after the other again, with room for half as many more. */
static void pack_rows(DvElementBlocks *mesh)
{
    uint64_t sum = 0;
    for (uint32_t p = 0; p < mesh->points; p++)
        sum += (mesh->end[p] - mesh->begin[p]) * 3 / 2;
    uint32_t *entry = dv_alloc(sum, sizeof *entry), at = 0;
    for (uint32_t p = 0; p < mesh->points; p++) {
        const uint32_t count = mesh->end[p] - mesh->begin[p];
        memcpy(entry + at, mesh->entry + mesh->begin[p], count * sizeof *entry);
        mesh->begin[p] = at;
        mesh->end[p] = at + count;
        at += count * 3 / 2;
        mesh->limit[p] = at;
    }
    dv_free(mesh->entry);
    mesh->entry = entry;
    mesh->used = mesh->entry_room = at;
    mesh->lost = 0;
}

/* Room for `count` entries in the row of a point, which loses what it has. */
static uint32_t *row_of(DvElementBlocks *mesh, uint32_t point, uint32_t count)
{
    if (count > mesh->limit[point] - mesh->begin[point]) {
        const uint32_t room = count + count / 2;
        mesh->lost += mesh->limit[point] - mesh->begin[point];
        mesh->begin[point] = mesh->end[point] = mesh->limit[point] = 0;
        if (mesh->lost > mesh->used / 2)
            pack_rows(mesh);
        if (mesh->used + room > mesh->entry_room) {
            const uint32_t larger = mesh->entry_room + mesh->entry_room / 2 + room;
            mesh->entry = enlarge(mesh->entry, mesh->entry_room, larger, sizeof *mesh->entry);
            mesh->entry_room = larger;
        }
        mesh->begin[point] = mesh->used;
        mesh->used += room;
        mesh->limit[point] = mesh->used;
    }
    mesh->end[point] = mesh->begin[point] + count;
    return mesh->entry + mesh->begin[point];
}

static void gather_row(DvElementBlocks *mesh, const DvAdjacency *around, const uint32_t *list, uint32_t point)
{
    const uint32_t begin = point < around->count ? around->begin[point] : 0;
    const uint32_t count = point < around->count ? around->end[point] - begin : 0;
    uint32_t *entry = row_of(mesh, point, count);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t element = around->items[begin + i];
        const bool again = i > 0 && around->items[begin + i - 1] == element; /* the point is two of its corners */
        uint32_t n = again ? entry[i - 1] % mesh->nodes + 1 : 0;
        while (n + 1 < mesh->nodes && list[(size_t)element * mesh->nodes + n] != point)
            n++;
        entry[i] = element * mesh->nodes + n;
    }
}

/* The first pair whose first point is `point` or a later one. */
static uint32_t first_pair(const DvElementBlocks *mesh, uint32_t point)
{
    uint32_t low = 0, high = mesh->pairs;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (mesh->pair[2 * (size_t)middle] < point)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The entries of one pair, if they fit where they were; how many there are. */
static uint32_t gather_pair(DvElementBlocks *mesh, uint32_t pair)
{
    const uint32_t p = mesh->pair[2 * (size_t)pair], q = mesh->pair[2 * (size_t)pair + 1], nodes = mesh->nodes;
    const uint32_t limit = pair + 1 < mesh->pairs ? mesh->pair_begin[pair + 1] : mesh->pair_room;
    uint32_t count = 0;
    for (uint32_t e = mesh->begin[p]; e < mesh->end[p]; e++) {
        const uint32_t element = mesh->entry[e] / nodes, n = mesh->entry[e] % nodes;
        for (uint32_t m = 0; m < nodes; m++) {
            if (dv_element_blocks_point(mesh, element, m) != q)
                continue;
            if (mesh->pair_begin[pair] + count < limit)
                mesh->pair_entry[mesh->pair_begin[pair] + count] = element << 6 | n << 3 | m;
            count++;
        }
    }
    mesh->pair_end[pair] = mesh->pair_begin[pair] + count;
    return mesh->pair_end[pair] <= limit ? count : UINT32_MAX;
}

/* Pairs of touched points. False: there is one more than before, or one has more elements than ever. */
static bool update_pairs(DvElementBlocks *mesh, const DvMeshEdits *edits)
{
    for (uint32_t i = 0; i < edits->points.count; i++) {
        const uint32_t p = edits->points.data[i];
        uint32_t entries = 0, expected = 0;
        for (uint32_t k = first_pair(mesh, p); k < mesh->pairs && mesh->pair[2 * (size_t)k] == p; k++) {
            const bool touched = dv_mesh_edits_touch_point(edits, mesh->pair[2 * (size_t)k + 1]);
            const uint32_t count = touched ? gather_pair(mesh, k) : mesh->pair_end[k] - mesh->pair_begin[k];
            if (count == UINT32_MAX)
                return false;
            entries += count;
        }
        for (uint32_t e = mesh->begin[p]; e < mesh->end[p]; e++)
            for (uint32_t m = 0; m < mesh->nodes; m++)
                expected += dv_element_blocks_point(mesh, mesh->entry[e] / mesh->nodes, m) > p;
        if (entries != expected)
            return false;
    }
    return true;
}

/* ---- Pairs without elements ---- */

/* Those of points that are not touched stay; those of touched points are looked for. */
static void update_kept(DvElementBlocks *mesh, const DvMeshEdits *edits)
{
    size_t before = 0, count = 0;
    if (!mesh->kept)
        return;
    (void)dv_data_uints(&mesh->kept->pairs, &before);
    for (uint32_t i = 0; i < edits->points.count; i++)
        for (uint32_t k = first_pair(mesh, edits->points.data[i]);
             k < mesh->pairs && mesh->pair[2 * (size_t)k] == edits->points.data[i]; k++)
            count += mesh->pair_begin[k] == mesh->pair_end[k];
    uint32_t *at = dv_data_begin(&mesh->kept->pairs, before + 2 * count);
    size_t used = 0;
    for (size_t i = 0; i + 1 < before; i += 2)
        if (!dv_mesh_edits_touch_point(edits, at[i])) {
            at[used++] = at[i];
            at[used++] = at[i + 1];
        }
    for (uint32_t i = 0; i < edits->points.count; i++)
        for (uint32_t k = first_pair(mesh, edits->points.data[i]);
             k < mesh->pairs && mesh->pair[2 * (size_t)k] == edits->points.data[i]; k++)
            if (mesh->pair_begin[k] == mesh->pair_end[k]) {
                at[used++] = mesh->pair[2 * (size_t)k];
                at[used++] = mesh->pair[2 * (size_t)k + 1];
            }
    (void)dv_data_begin(&mesh->kept->pairs, used);
    dv_data_end(&mesh->kept->pairs);
}

static bool is_coupled(const void *mesh_, uint32_t first, uint32_t second)
{
    const DvElementBlocks *mesh = mesh_;
    if (first >= mesh->points)
        return true; /* it has gone */
    for (uint32_t e = mesh->begin[first]; e < mesh->end[first]; e++)
        for (uint32_t m = 0; m < mesh->nodes; m++)
            if (dv_element_blocks_point(mesh, mesh->entry[e] / mesh->nodes, m) == second)
                return true;
    return false;
}

DvStatus dv_element_blocks_update(DvElementBlocks *mesh, const DvObject *object, const char *kind,
                                  const DvMeshEdits *edits, const DvTopologyRef *topology, uint32_t points,
                                  uint32_t elements, const uint32_t *list, bool *paired)
{
    *paired = !mesh->paired || !edits->points_edited;
    for (uint32_t i = 0; i < edits->elements.count; i++) {
        const DvStatus status =
            check_element(object, kind, mesh->nodes, points, list, elements, edits->elements.data[i]);
        if (status != DV_OK)
            return status;
    }
    make_room(mesh, points, elements);
    for (uint32_t i = 0; i < edits->elements.count; i++)
        set_lane(mesh, edits->elements.data[i], list + (size_t)edits->elements.data[i] * mesh->nodes);
    fill_last_block(mesh, list);
    dv_element_chunks_update(&mesh->chunks, points, mesh->blocks, mesh->node, edits->elements.data,
                             edits->elements.count);
    const DvAdjacency around = topology->ops->adjacency(topology->self, DV_POINTS, edits->kind);
    for (uint32_t i = 0; i < edits->points.count; i++)
        gather_row(mesh, &around, list, edits->points.data[i]);
    if (mesh->paired && *paired)
        *paired = update_pairs(mesh, edits);
    if (!*paired) {
        mesh->paired = false;
        mesh->pairs = 0;
    }
    if (!*paired || edits->points_edited)
        dv_kept_pairs_forget(mesh->kept);
    else if (mesh->paired)
        update_kept(mesh, edits);
    else
        dv_kept_pairs_prune(mesh->kept, is_coupled, mesh);
    return DV_OK;
}

void dv_element_blocks_load_block(DvElementBlocks *mesh, const double *x, uint32_t block)
{
    const uint32_t *node = mesh->node + (size_t)block * mesh->nodes * DV_LANES;
    for (uint32_t i = 0; i < mesh->nodes * DV_LANES; i++) {
        const double *at = x + 3 * (size_t)node[i];
        mesh->point[node[i]] = (DvReal4){at[0], at[1], at[2], 0.0};
    }
}

/* ---- Sums over elements ---- */

void dv_element_blocks_mean(const DvElementBlocks *mesh, const double *value, double *at_point)
{
    for (uint32_t p = 0; p < mesh->points; p++) {
        const uint32_t begin = mesh->begin[p], end = mesh->end[p];
        double sum = 0.0;
        for (uint32_t e = begin; e < end; e++)
            sum += value[mesh->entry[e] / mesh->nodes];
        at_point[p] = end > begin ? sum / (end - begin) : 0.0;
    }
}

typedef struct PointLoad {
    DvReal4 *point;
    const double *x;
} PointLoad;

DV_SIMD_CLONES static void load_chunk(void *context, uint32_t begin, uint32_t end)
{
    const PointLoad *work = context;
    for (uint32_t p = begin; p < end; p++) {
        const double *x = work->x + 3 * (size_t)p;
        const DvReal4 row = {x[0], x[1], x[2], 0.0};
        work->point[p] = row;
    }
}

void dv_element_blocks_load(DvElementBlocks *mesh, const double *x)
{
    dv_parallel_for(mesh->points, DV_POINTS_PER_CHUNK, load_chunk, &(PointLoad){mesh->point, x});
}

static void make_room_for_pairs(DvElementBlocks *mesh, size_t most)
{
    if (mesh->pair && most <= mesh->pair_capacity)
        return;
    mesh->pair_capacity = mesh->pair ? most + most / 4 : most; /* again: the mesh grows */
    free_pairs(mesh);
    mesh->pair = dv_alloc(mesh->pair_capacity, 2 * sizeof *mesh->pair);
    mesh->pair_begin = dv_alloc(mesh->pair_capacity, sizeof *mesh->pair_begin);
    mesh->pair_end = dv_alloc(mesh->pair_capacity, sizeof *mesh->pair_end);
    mesh->pair_entry = dv_alloc(mesh->pair_capacity, sizeof *mesh->pair_entry);
}

/* Pairs without an element, sorted; dv_free. */
static uint32_t *sorted_kept(const DvElementBlocks *mesh, uint32_t *count)
{
    size_t numbers = 0;
    const uint32_t *at = mesh->kept ? dv_data_uints(&mesh->kept->pairs, &numbers) : NULL;
    *count = (uint32_t)numbers / 2;
    uint32_t *sorted = dv_alloc(numbers, sizeof *sorted);
    if (numbers == 0)
        return sorted;
    memcpy(sorted, at, numbers * sizeof *sorted);
    qsort(sorted, *count, 2 * sizeof *sorted, dv_kept_pairs_compare);
    return sorted;
}

/* `second` among `found` ascending numbers, if it is not there. */
static uint32_t put_in(uint32_t *seconds, uint32_t found, uint32_t second)
{
    uint32_t at = found;
    while (at > 0 && seconds[at - 1] > second)
        at--;
    if (at > 0 && seconds[at - 1] == second)
        return found;
    memmove(seconds + at + 1, seconds + at, (found - at) * sizeof *seconds);
    seconds[at] = second;
    return found + 1;
}

/* The pairs of the elements around each point, sorted by the second point; a stable order keeps elements ascending. */
void dv_element_blocks_find_pairs(DvElementBlocks *mesh)
{
    if (mesh->paired || mesh->elements == 0)
        return;
    const uint32_t nodes = mesh->nodes, points = mesh->points;
    uint32_t kept_count, next = 0, *kept = sorted_kept(mesh, &kept_count);
    make_room_for_pairs(mesh, (size_t)mesh->elements * nodes * (nodes - 1) / 2 + kept_count);
    mesh->paired = true;
    dv_kept_pairs_make(mesh->kept, true);
    uint32_t *pair_of =
        dv_alloc(points, sizeof *pair_of); /* of the second point, + 1, while one first point is handled */
    uint32_t *seconds = dv_alloc(points, sizeof *seconds), *counts = dv_alloc(points, sizeof *counts);
    uint32_t entries = 0;
    for (uint32_t p = 0; p < points; p++) {
        uint32_t found = 0;
        for (uint32_t e = mesh->begin[p]; e < mesh->end[p]; e++) {
            const uint32_t element = mesh->entry[e] / nodes;
            for (uint32_t m = 0; m < nodes; m++) {
                const uint32_t q = dv_element_blocks_point(mesh, element, m);
                if (q <= p)
                    continue;
                if (counts[q]++ == 0) {
                    uint32_t at = found++; /* insertion keeps `seconds` sorted: few neighbours */
                    for (; at > 0 && seconds[at - 1] > q; at--)
                        seconds[at] = seconds[at - 1];
                    seconds[at] = q;
                }
            }
        }
        for (; next < kept_count && kept[2 * (size_t)next] <= p; next++)
            if (kept[2 * (size_t)next] == p && kept[2 * (size_t)next + 1] < points)
                found = put_in(seconds, found, kept[2 * (size_t)next + 1]);
        for (uint32_t k = 0; k < found; k++) {
            const uint32_t q = seconds[k], number = mesh->pairs++;
            mesh->pair[2 * (size_t)number] = p;
            mesh->pair[2 * (size_t)number + 1] = q;
            mesh->pair_begin[number] = pair_of[q] = entries;
            entries += counts[q];
            mesh->pair_end[number] = entries;
            counts[q] = 0;
        }
        for (uint32_t e = mesh->begin[p]; e < mesh->end[p]; e++) {
            const uint32_t element = mesh->entry[e] / nodes, n = mesh->entry[e] % nodes;
            for (uint32_t m = 0; m < nodes; m++) {
                const uint32_t q = dv_element_blocks_point(mesh, element, m);
                if (q > p)
                    mesh->pair_entry[pair_of[q]++] = element << 6 | n << 3 | m;
            }
        }
    }
    mesh->pair_room = entries;
    dv_free(kept);
    dv_free(pair_of);
    dv_free(seconds);
    dv_free(counts);
}

void dv_element_blocks_reserve(DvElementBlocks *mesh, DvPattern *pattern)
{
    dv_element_blocks_find_pairs(mesh);
    for (uint32_t p = 0; p < mesh->points; p++)
        dv_pattern_add(pattern, p, p);
    for (uint32_t k = 0; k < mesh->pairs; k++) {
        const uint32_t a = mesh->pair[2 * (size_t)k], b = mesh->pair[2 * (size_t)k + 1];
        dv_pattern_add(pattern, a, b);
        dv_pattern_add(pattern, b, a);
    }
}

void dv_element_blocks_draw(const DvElementBlocks *mesh, DvDraw *draw, const double *position,
                            const uint8_t (*faces)[3], uint32_t count, double gap, const double (*color)[4],
                            uint32_t colors)
{
    const uint32_t per_color = count / colors;
    double *corner = dv_alloc((size_t)mesh->elements * per_color, 9 * sizeof *corner);
    for (uint32_t c = 0; c < colors; c++) {
        double *at = corner;
        for (uint32_t i = 0; i < mesh->elements; i++) {
            double middle[3] = {0.0, 0.0, 0.0};
            for (uint32_t n = 0; n < mesh->nodes; n++)
                for (uint32_t axis = 0; axis < 3; axis++)
                    middle[axis] += position[3 * (size_t)dv_element_blocks_point(mesh, i, n) + axis] / mesh->nodes;
            for (uint32_t k = c * per_color; k < (c + 1) * per_color; k++)
                for (uint32_t n = 0; n < 3; n++) {
                    const double *p = position + 3 * (size_t)dv_element_blocks_point(mesh, i, faces[k][n]);
                    for (uint32_t axis = 0; axis < 3; axis++)
                        *at++ = p[axis] + gap * (middle[axis] - p[axis]);
                }
        }
        draw->ops->triangles(draw, corner, mesh->elements * per_color, color[c]);
    }
    dv_free(corner);
}
