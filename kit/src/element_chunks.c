/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Chunks of elements: which points they have, and their sums.
 */
#include <divan/kit/element_chunks.h>

#include <string.h>

#include <divan/memory.h>
#include <divan/parallel.h>

/* Slots of points that no other chunk has, and of places that have no point any more. */
static const uint32_t ALONE = UINT32_MAX, NOWHERE = UINT32_MAX - 1;

enum {
    POINTS_PER_TASK = 1024,
    POINTS_AHEAD = 40, /* that are asked for: most that follow each other in a chunk do so in the state, too */
    LEAST_BLOCKS = 32,
    LEAST_PACKED_BLOCKS = 8 * DV_PACK_BLOCKS,
    FEWEST_CHUNKS = 16,  /* of more than the least blocks */
    MOST_PLACES = 65536, /* numbers of 16 bits */
    LEAST_ROOM = 64,
    TETRAHEDRON_NODES = 4 /* of elements that packs are looked for in */
};

/* Some chunks for the threads, and no more: more of them would have more points in common. Sizes go in quarters of a power of two, so that they
 * change seldom while a mesh is edited. */
static uint32_t chunk_size(uint32_t nodes, uint32_t blocks)
{
    const uint32_t most = blocks / FEWEST_CHUNKS;
    uint32_t size = nodes == TETRAHEDRON_NODES ? LEAST_PACKED_BLOCKS : LEAST_BLOCKS, quarters = 3;
    while (size <= most / 2)
        size *= 2;
    while (quarters > 0 && size + size / 4 * quarters > most)
        quarters--;
    return size + size / 4 * quarters;
}

static uint32_t chunk_count(const DvElementChunks *chunks)
{
    return (chunks->blocks + chunks->size - 1) / chunks->size;
}

static uint32_t blocks_end(const DvElementChunks *chunks, uint32_t chunk)
{
    const uint32_t begin = chunk * chunks->size;
    return chunks->blocks - begin < chunks->size ? chunks->blocks : begin + chunks->size;
}

void dv_element_chunks_free(DvElementChunks *chunks)
{
    for (uint32_t c = 0; c < chunks->count; c++)
        dv_free(chunks->chunk[c].list);
    dv_free(chunks->place);
    dv_free(chunks->pack);
    dv_free(chunks->chunk);
    dv_free(chunks->of);
    dv_free(chunks->owner);
    dv_free(chunks->sum);
    dv_free(chunks->shared);
    memset(chunks, 0, sizeof *chunks);
}

static void *enlarge(void *array, size_t count, size_t room, size_t size)
{
    return dv_realloc(array, count * size, room * size);
}

/* Into the list of points that several chunks have, or out of it. */
static void list_if_shared(DvElementChunks *chunks, uint32_t point)
{
    DvPointChunks *of = &chunks->of[point];
    if (of->count <= 1) {
        if (of->shared == 0)
            return;
        const DvSharedPoint last = chunks->shared[--chunks->shared_count];
        chunks->shared[of->shared - 1] = last;
        chunks->of[last.point].shared = of->shared;
        of->shared = 0;
        return;
    }
    if (of->shared == 0 && chunks->shared_count == chunks->shared_room) {
        const uint32_t room = chunks->shared_room + chunks->shared_room / 2 + LEAST_ROOM;
        chunks->shared = enlarge(chunks->shared, chunks->shared_room, room, sizeof *chunks->shared);
        chunks->shared_room = room;
    }
    if (of->shared == 0)
        of->shared = ++chunks->shared_count;
    chunks->shared[of->shared - 1] = (DvSharedPoint){point, of->first, of->count};
}

static uint32_t append_point(DvElementChunks *chunks, DvElementChunk *chunk, uint32_t point)
{
    if (chunk->count == chunk->room) {
        const uint32_t room = chunk->room + chunk->room / 2 + LEAST_ROOM;
        chunk->list = enlarge(chunk->list, chunk->room, room, sizeof *chunk->list);
        chunk->room = room;
    }
    chunk->list[chunk->count] = (DvChunkPoint){point, ALONE};
    chunks->most = chunk->count + 1 > chunks->most ? chunk->count + 1 : chunks->most;
    return chunk->count++;
}

/* The points of a chunk as its elements name them; place_of: [points] zero before and after. False: too many. */
static bool list_points(DvElementChunks *chunks, uint32_t number, const uint32_t *node, uint32_t *place_of)
{
    DvElementChunk *chunk = &chunks->chunk[number];
    const size_t row = (size_t)chunks->nodes * DV_LANES, begin = (size_t)number * chunks->size * row,
                 end = blocks_end(chunks, number) * row;
    for (size_t i = begin; i < end; i++) {
        uint32_t *place = &place_of[node[i]];
        if (*place == 0)
            *place = append_point(chunks, chunk, node[i]) + 1;
        chunks->place[i] = (uint16_t)(*place - 1);
    }
    for (uint32_t i = 0; i < chunk->count; i++) {
        place_of[chunk->list[i].point] = 0;
        chunks->of[chunk->list[i].point].room++;
    }
    chunk->listed = chunk->count;
    return chunk->count <= MOST_PLACES;
}

/* ---- Packs of cells ---- */

/* Where element 48 p + e of a pack has node n, in lists like `node` and `place` from the pack's first block on. */
static uint32_t in_pack(uint32_t e, uint32_t n)
{
    return (e / DV_LANES * TETRAHEDRON_NODES + n) * DV_LANES + e % DV_LANES;
}

/* Numbers the points of a cell as they come; false: there are too many of them, or they come otherwise than `corner` says. */
static bool number_corners(const uint32_t *node, uint32_t cell, bool first, DvElementPack *pack)
{
    uint32_t point[DV_CELL_CORNERS] = {0};
    uint8_t count = 0;
    for (uint32_t e = 0; e < DV_CELL_ELEMENTS; e++)
        for (uint32_t n = 0; n < TETRAHEDRON_NODES; n++) {
            const uint32_t p = node[in_pack(cell * DV_CELL_ELEMENTS + e, n)];
            uint8_t at = 0;
            while (at < count && point[at] != p)
                at++;
            if (at == DV_CELL_CORNERS || (!first && pack->corner[e][n] != at))
                return false;
            point[at] = p;
            count = at == count ? (uint8_t)(count + 1) : count;
            pack->corner[e][n] = at;
        }
    pack->corners = count;
    return true;
}

static bool is_row(const DvElementPack *pack)
{
    if (memcmp(pack->corner, dv_element_row_corner, sizeof pack->corner) != 0)
        return false;
    for (uint32_t i = 0; i < DV_ROW_MEETINGS; i++) {
        const uint16_t *near = pack->place[dv_element_row_meeting[i][0]],
                       *far = pack->place[dv_element_row_meeting[i][1]];
        if (memcmp(near + 1, far, (DV_LANES - 1) * sizeof *near) != 0)
            return false;
    }
    return true;
}

static void find_pack(DvElementChunks *chunks, uint32_t number, const uint32_t *node)
{
    DvElementPack *pack = &chunks->pack[number];
    const size_t begin = (size_t)number * DV_PACK_BLOCKS * TETRAHEDRON_NODES * DV_LANES;
    memset(pack, 0, sizeof *pack);
    for (uint32_t cell = 0; cell < DV_LANES; cell++)
        if (!number_corners(node + begin, cell, cell == 0, pack)) {
            pack->corners = 0;
            return;
        }
    for (uint32_t e = 0; e < DV_CELL_ELEMENTS; e++)
        for (uint32_t n = 0; n < TETRAHEDRON_NODES; n++)
            for (uint32_t cell = 0; cell < DV_LANES; cell++)
                pack->place[pack->corner[e][n]][cell] = chunks->place[begin + in_pack(cell * DV_CELL_ELEMENTS + e, n)];
    pack->row = is_row(pack);
}

/* The packs that have one of these blocks. */
static void find_packs(DvElementChunks *chunks, uint32_t begin, uint32_t end, const uint32_t *node)
{
    if (chunks->nodes != TETRAHEDRON_NODES)
        return;
    for (uint32_t pack = begin / DV_PACK_BLOCKS;
         pack * DV_PACK_BLOCKS < end && (pack + 1) * DV_PACK_BLOCKS <= chunks->blocks; pack++)
        find_pack(chunks, pack, node);
}

/* False: a chunk of this size has more points than there are numbers for. */
static bool build(DvElementChunks *chunks, uint32_t nodes, uint32_t points, uint32_t blocks, uint32_t size,
                  const uint32_t *node)
{
    dv_element_chunks_free(chunks);
    chunks->nodes = nodes;
    chunks->points = chunks->point_room = points;
    chunks->blocks = chunks->block_room = blocks;
    chunks->size = size;
    chunks->count = chunks->chunk_room = chunk_count(chunks);
    chunks->place = dv_alloc((size_t)blocks * nodes * DV_LANES, sizeof *chunks->place);
    if (nodes == TETRAHEDRON_NODES)
        chunks->pack = dv_alloc(blocks / DV_PACK_BLOCKS, sizeof *chunks->pack);
    chunks->chunk = dv_alloc(chunks->count, sizeof *chunks->chunk);
    chunks->of = dv_alloc(points, sizeof *chunks->of);
    uint32_t *place_of = dv_alloc(points, sizeof *place_of);
    bool fits = true;
    for (uint32_t c = 0; fits && c < chunks->count; c++)
        fits = list_points(chunks, c, node, place_of);
    dv_free(place_of);
    if (!fits)
        return false;
    find_packs(chunks, 0, blocks, node);
    for (uint32_t p = 0; p < points; p++) {
        chunks->of[p].first = chunks->owners;
        chunks->owners += chunks->of[p].room;
    }
    chunks->owner_room = chunks->owners + chunks->owners / 8;
    chunks->owner = dv_alloc(chunks->owner_room, sizeof *chunks->owner);
    chunks->sum = dv_alloc(chunks->owner_room, sizeof *chunks->sum);
    for (uint32_t c = 0; c < chunks->count; c++)
        for (uint32_t i = 0; i < chunks->chunk[c].count; i++) {
            DvChunkPoint *at = &chunks->chunk[c].list[i];
            DvPointChunks *of = &chunks->of[at->point];
            at->slot = of->room > 1 ? of->first + of->count : ALONE;
            chunks->owner[of->first + of->count++] = (DvChunkOwner){c, i};
        }
    for (uint32_t p = 0; p < points; p++)
        list_if_shared(chunks, p);
    return true;
}

void dv_element_chunks_build(DvElementChunks *chunks, uint32_t nodes, uint32_t points, uint32_t blocks,
                             const uint32_t *node)
{
    uint32_t size = chunk_size(nodes, blocks);
    while (!build(chunks, nodes, points, blocks, size, node)) /* elements of hardly any points in common */
        size = chunk_size(nodes, FEWEST_CHUNKS * (size / 2));
}

/* ---- Edits of the mesh ---- */

/* Where the chunks of a point leave its sum, when they have become others. */
static void set_slots(DvElementChunks *chunks, uint32_t point)
{
    const DvPointChunks of = chunks->of[point];
    for (uint32_t i = of.first; i < of.first + of.count; i++)
        chunks->chunk[chunks->owner[i].chunk].list[chunks->owner[i].place].slot = of.count > 1 ? i : ALONE;
    list_if_shared(chunks, point);
}

/* Moves the chunks of a point to where one more has room. */
static void make_owner_room(DvElementChunks *chunks, DvPointChunks *of)
{
    if (of->count < of->room)
        return;
    const uint32_t room = 2 * of->count + 1;
    if (chunks->owners + room > chunks->owner_room) {
        const uint32_t larger = chunks->owner_room + chunks->owner_room / 2 + room;
        chunks->owner = enlarge(chunks->owner, chunks->owner_room, larger, sizeof *chunks->owner);
        chunks->sum = enlarge(chunks->sum, 0, larger, sizeof *chunks->sum); /* holds nothing between two forces */
        chunks->owner_room = larger;
    }
    memcpy(chunks->owner + chunks->owners, chunks->owner + of->first, of->count * sizeof *chunks->owner);
    of->first = chunks->owners;
    of->room = room;
    chunks->owners += room;
}

/* The place of a point in a chunk, which may be new to it. */
static uint32_t place_in_chunk(DvElementChunks *chunks, uint32_t chunk, uint32_t point)
{
    DvPointChunks *of = &chunks->of[point];
    for (uint32_t i = of->first; i < of->first + of->count; i++)
        if (chunks->owner[i].chunk == chunk)
            return chunks->owner[i].place;
    make_owner_room(chunks, of);
    uint32_t at = of->first + of->count++;
    for (; at > of->first && chunks->owner[at - 1].chunk > chunk; at--)
        chunks->owner[at] = chunks->owner[at - 1];
    chunks->owner[at] = (DvChunkOwner){chunk, append_point(chunks, &chunks->chunk[chunk], point)};
    const uint32_t place = chunks->owner[at].place;
    set_slots(chunks, point);
    return place;
}

/* A chunk gives all of its points back. */
static void leave_points(DvElementChunks *chunks, uint32_t number)
{
    DvElementChunk *chunk = &chunks->chunk[number];
    for (uint32_t i = 0; i < chunk->count; i++) {
        if (chunk->list[i].slot == NOWHERE)
            continue;
        DvPointChunks *of = &chunks->of[chunk->list[i].point];
        uint32_t at = of->first;
        while (chunks->owner[at].chunk != number)
            at++;
        memmove(chunks->owner + at, chunks->owner + at + 1, (of->first + --of->count - at) * sizeof *chunks->owner);
        set_slots(chunks, chunk->list[i].point);
    }
    chunk->count = 0;
}

static void place_block(DvElementChunks *chunks, uint32_t block, const uint32_t *node)
{
    const size_t row = (size_t)chunks->nodes * DV_LANES;
    for (size_t i = block * row; i < (block + 1) * row; i++)
        chunks->place[i] = (uint16_t)place_in_chunk(chunks, block / chunks->size, node[i]);
}

/* Without the points that none of its elements has any more. */
static void list_again(DvElementChunks *chunks, uint32_t number, const uint32_t *node)
{
    leave_points(chunks, number);
    for (uint32_t block = number * chunks->size; block < blocks_end(chunks, number); block++)
        place_block(chunks, block, node);
    chunks->chunk[number].listed = chunks->chunk[number].count;
}

static bool has_grown(const DvElementChunk *chunk)
{
    return chunk->count > chunk->listed + chunk->listed / 2 + LEAST_ROOM;
}

static void set_points(DvElementChunks *chunks, uint32_t points)
{
    for (uint32_t p = points; p < chunks->points; p++) {
        DvPointChunks *of = &chunks->of[p];
        for (uint32_t i = of->first; i < of->first + of->count; i++)
            chunks->chunk[chunks->owner[i].chunk].list[chunks->owner[i].place] = (DvChunkPoint){0, NOWHERE};
        of->count = 0;
        list_if_shared(chunks, p);
    }
    if (points > chunks->point_room) {
        const uint32_t room = points + points / 2;
        chunks->of = enlarge(chunks->of, chunks->point_room, room, sizeof *chunks->of);
        chunks->point_room = room;
    }
    chunks->points = points;
}

static void set_blocks(DvElementChunks *chunks, uint32_t blocks)
{
    if (blocks > chunks->block_room) {
        const uint32_t room = blocks + blocks / 2;
        const size_t row = (size_t)chunks->nodes * DV_LANES * sizeof *chunks->place;
        chunks->place = enlarge(chunks->place, chunks->block_room, room, row);
        if (chunks->pack)
            chunks->pack =
                enlarge(chunks->pack, chunks->block_room / DV_PACK_BLOCKS, room / DV_PACK_BLOCKS, sizeof *chunks->pack);
        chunks->block_room = room;
    }
    chunks->blocks = blocks;
    const uint32_t count = chunk_count(chunks);
    for (uint32_t c = count; c < chunks->count; c++) {
        leave_points(chunks, c);
        dv_free(chunks->chunk[c].list);
        chunks->chunk[c] = (DvElementChunk){0};
    }
    if (count > chunks->chunk_room) {
        const uint32_t room = count + count / 2;
        chunks->chunk = enlarge(chunks->chunk, chunks->chunk_room, room, sizeof *chunks->chunk);
        chunks->chunk_room = room;
    }
    chunks->count = count;
}

void dv_element_chunks_update(DvElementChunks *chunks, uint32_t points, uint32_t blocks, const uint32_t *node,
                              const uint32_t *touched, uint32_t count)
{
    if (chunk_size(chunks->nodes, blocks) != chunks->size || chunks->points == 0) {
        dv_element_chunks_build(chunks, chunks->nodes, points, blocks, node);
        return;
    }
    set_blocks(chunks, blocks);
    set_points(chunks, points);
    uint32_t done = UINT32_MAX;
    for (uint32_t i = 0; i <= count && blocks > 0; i++) {
        const uint32_t block = i < count ? touched[i] / DV_LANES : blocks - 1;
        if (block == done)
            continue;
        done = block;
        const uint32_t chunk = block / chunks->size;
        place_block(chunks, block, node);
        if (has_grown(&chunks->chunk[chunk])) {
            list_again(chunks, chunk, node);
            find_packs(chunks, chunk * chunks->size, blocks_end(chunks, chunk), node);
        } else {
            find_packs(chunks, block, block + 1, node);
        }
        if (chunks->chunk[chunk].count > MOST_PLACES) {
            dv_element_chunks_build(chunks, chunks->nodes, points, blocks, node);
            return;
        }
    }
}

/* ---- Sums ---- */

typedef struct Addition {
    const DvElementChunks *chunks;
    const double *x;
    double *f;
    DvElementChunkBody body;
    void *context;
} Addition;

DV_SIMD_CLONES static void load_rows(const DvElementChunk *chunk, const double *x, uint32_t last, uint32_t to_ask,
                                     DvElementRow *row)
{
    const DvReal4 zero = {0};
    for (uint32_t i = 0; i < chunk->count; i++) {
        const uint32_t point = chunk->list[i].point;
        const double *at = x + 3 * (size_t)point;
        dv_element_prefetch(x, 3 * sizeof *x, point + POINTS_AHEAD, to_ask, true);
        if (point < last)
            row[i].x = DV_REAL4(at);
        else
            row[i].x = (DvReal4){at[0], at[1], at[2], 0.0};
        row[i].sum = zero;
    }
}

DV_SIMD_CLONES static void store_rows(const DvElementChunk *chunk, const DvElementRow *row, double *f, uint32_t to_ask,
                                      DvReal4 *sum)
{
    for (uint32_t i = 0; i < chunk->count; i++) {
        const DvChunkPoint to = chunk->list[i];
        dv_element_prefetch(f, 3 * sizeof *f, to.point + POINTS_AHEAD, to_ask, true);
        if (to.slot == ALONE) {
            double *at = f + 3 * (size_t)to.point;
            at[0] += row[i].sum[0];
            at[1] += row[i].sum[1];
            at[2] += row[i].sum[2];
        } else if (to.slot != NOWHERE) {
            sum[to.slot] = row[i].sum;
        }
    }
}

static void add_chunks(void *context, uint32_t begin, uint32_t end)
{
    const Addition *work = context;
    const DvElementChunks *chunks = work->chunks;
    const DvStepMark mark = dv_step_mark();
    DvElementRow *row = dv_step_alloc(chunks->most, sizeof *row);
    const uint32_t to_ask = dv_element_prefetch_count(chunks, chunks->points);
    for (uint32_t c = begin; c < end; c++) {
        load_rows(&chunks->chunk[c], work->x, chunks->points - 1, to_ask, row);
        work->body(work->context, row, c * chunks->size, blocks_end(chunks, c));
        if (work->f)
            store_rows(&chunks->chunk[c], row, work->f, to_ask, chunks->sum);
    }
    dv_step_release(mark);
}

DV_SIMD_CLONES static void join_chunks(void *context, uint32_t begin, uint32_t end)
{
    const Addition *work = context;
    for (uint32_t k = begin; k < end; k++) {
        const DvSharedPoint at = work->chunks->shared[k];
        const DvReal4 *part = work->chunks->sum + at.first;
        DvReal4 sum = part[0];
        for (uint32_t i = 1; i < at.count; i++)
            sum += part[i];
        double *f = work->f + 3 * (size_t)at.point;
        f[0] += sum[0];
        f[1] += sum[1];
        f[2] += sum[2];
    }
}

void dv_element_chunks_add(const DvElementChunks *chunks, const double *x, double *f, DvElementChunkBody body,
                           void *context)
{
    Addition work = {chunks, x, f, body, context};
    dv_parallel_for(chunks->count, 1, add_chunks, &work);
    if (f && chunks->shared_count > 0)
        dv_parallel_for(chunks->shared_count, POINTS_PER_TASK, join_chunks, &work);
}
