/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Sums over elements in pieces that stay in the cache.
 *
 * Blocks of eight elements that follow each other are a chunk. A chunk brings the rows of its points together (DvElementRow), its elements
 * gather from there and add there what they give to their nodes; then its sums leave it once: straight to the result where
 * no other chunk has the point, else to a row of `sum`, and what stands there is added point by point in the order of the chunks.
 * So an element writes nothing to memory and reads nothing but its own data, and points pass by once for each chunk that has them.
 *
 * Tetrahedra that cut boxes follow each other six by six: where eight such cells in a row are cut alike, 48 elements are a pack. A body can
 * then take eight cells at a time, each in a lane, and bring its eight corners together once instead of 24 nodes. Where each cell is beside the
 * next, as in the rows of a grid, half of the corners are those of the lane before.
 *
 * What is added in which order follows from the list of elements alone: the same bits for any number of threads, and for a mesh that was edited as
 * for one that was made like this. A chunk may keep points that it has no more: they get zero.
 */
#ifndef DIVAN_KIT_ELEMENT_CHUNKS_H
#define DIVAN_KIT_ELEMENT_CHUNKS_H

#include <divan/contracts/state.h>
#include <divan/math/simd.h>

#include <string.h>

DV_BEGIN_DECLS

/* A point in a chunk while it runs. */
typedef struct DvElementRow {
    DvReal4 x, sum; /* the last number is free */
} DvElementRow;

typedef struct DvChunkPoint {
    uint32_t point;
    uint32_t slot; /* row of `sum`, or nowhere, or straight to the result */
} DvChunkPoint;

typedef struct DvElementChunk {
    DvChunkPoint *list;
    uint32_t count, room;
    uint32_t listed; /* when it was last listed: those are its points, what came since may have gone */
} DvElementChunk;

/* The chunks of a point, ascending: owner[first] ... owner[first + count - 1]. */
typedef struct DvPointChunks {
    uint32_t first, count, room;
    uint32_t shared; /* where it is in the list of those that several have, + 1 */
} DvPointChunks;

/* A point that several chunks have. */
typedef struct DvSharedPoint {
    uint32_t point, first, count; /* as in DvPointChunks */
} DvSharedPoint;

typedef struct DvChunkOwner {
    uint32_t chunk, place;
} DvChunkOwner;

enum { DV_CELL_ELEMENTS = 6, DV_CELL_CORNERS = 8, DV_PACK_BLOCKS = DV_CELL_ELEMENTS };

/* Elements 48 p to 48 p + 47, of which the six of a cell are in one lane. */
typedef struct DvElementPack {
    uint16_t place[DV_CELL_CORNERS][DV_LANES]; /* of the corners in their chunk */
    uint8_t corner[DV_CELL_ELEMENTS][4];       /* corner that each node is, the same in all lanes */
    uint8_t corners;                           /* 0: these elements are no cells */
    bool row; /* cells that dv_cut_hexahedron has cut, each but the last meeting the next: see dv_element_row_corner */
} DvElementPack;

/* Of cells in a row: corners numbered as the tetrahedra of dv_cut_hexahedron name them; and pairs of them, one that a cell shares with the cell
 * before and what it is of that. */
enum { DV_ROW_MEETINGS = 4 };
static const uint8_t dv_element_row_corner[DV_CELL_ELEMENTS][4] = {{0, 1, 2, 3}, {0, 2, 4, 3}, {2, 4, 3, 5},
                                                                   {3, 4, 0, 6}, {3, 6, 0, 1}, {6, 1, 7, 0}};
static const uint8_t dv_element_row_meeting[DV_ROW_MEETINGS][2] = {{0, 2}, {4, 5}, {7, 1}, {6, 3}};

typedef struct DvElementChunks {
    uint32_t nodes, points, blocks;
    uint32_t size;         /* blocks in a chunk; of tetrahedra whole packs */
    uint32_t count;        /* of chunks */
    uint32_t most;         /* points in a chunk */
    uint16_t *place;       /* [blocks][nodes][8] of a node in its chunk */
    DvElementPack *pack;   /* [blocks / 6] of tetrahedra, else NULL */
    DvElementChunk *chunk; /* [count] */
    DvPointChunks *of;     /* [points] */
    DvChunkOwner *owner;   /* of all points */
    DvReal4 *sum;          /* beside `owner` */
    DvSharedPoint *shared; /* [shared_count] in any order */
    uint32_t owners;       /* in use, or once */
    uint32_t shared_count;
    uint32_t block_room, chunk_room, point_room, owner_room, shared_room;
} DvElementChunks;

/* `node`: [blocks][nodes][8] points, all lanes filled. */
DV_PUBLIC void dv_element_chunks_build(DvElementChunks *chunks, uint32_t nodes, uint32_t points, uint32_t blocks,
                                       const uint32_t *node);
DV_PUBLIC void dv_element_chunks_free(DvElementChunks *chunks);
/* The mesh has other points or blocks now, and those of the `count` elements `touched`, ascending, and the last have other nodes. */
DV_PUBLIC void dv_element_chunks_update(DvElementChunks *chunks, uint32_t points, uint32_t blocks, const uint32_t *node,
                                        const uint32_t *touched, uint32_t count);

/* Of some blocks of a chunk, whose points are in `row`. */
typedef void (*DvElementChunkBody)(void *context, DvElementRow *row, uint32_t begin, uint32_t end);
/* f += what the elements add to the rows of their points; NULL: nowhere.     x, f: points x 3; body runs in several threads */
DV_PUBLIC void dv_element_chunks_add(const DvElementChunks *chunks, const double *x, double *f, DvElementChunkBody body,
                                     void *context);

static inline const uint16_t *dv_element_places(const DvElementChunks *chunks, uint32_t block)
{
    return chunks->place + (size_t)block * chunks->nodes * DV_LANES;
}

/* The pack that begins with a block, if it is one of cells. */
static inline const DvElementPack *dv_element_pack_at(const DvElementChunks *chunks, uint32_t block)
{
    if (!chunks->pack || block % DV_PACK_BLOCKS != 0 || block + DV_PACK_BLOCKS > chunks->blocks)
        return NULL;
    const DvElementPack *pack = &chunks->pack[block / DV_PACK_BLOCKS];
    return pack->corners > 0 ? pack : NULL;
}

/* From how many blocks on their data do not stay in the second cache, a megabyte. */
enum { DV_BLOCKS_BEYOND_CACHE = 512 };

/* How many pieces of an array may be asked for. */
static inline uint32_t dv_element_prefetch_count(const DvElementChunks *chunks, uint32_t pieces)
{
    return chunks->blocks < DV_BLOCKS_BEYOND_CACHE ? 0 : pieces;
}

/* Asks for a piece that will be needed some turns later, to the first cache or to the second: what the processor reads ahead by itself ends
 * wherever a chunk brings its points together.     count: of dv_element_prefetch_count */
DV_SIMD_INLINE void dv_element_prefetch(const void *array, size_t size, uint32_t index, uint32_t count, bool first)
{
    if (index >= count)
        return;
    const char *at = (const char *)array + size * index;
#pragma GCC unroll 32
    for (size_t i = 0; i < size; i += 64)
        if (first)
            __builtin_prefetch(at + i, 0, 3);
        else
            __builtin_prefetch(at + i, 0, 2);
}

/* xyz[c][lane] = component c of row[lane].     narrow: here and below as DV_SIMD_LEVELS says */
DV_SIMD_INLINE void dv_element_transpose(const DvReal4 row[DV_LANES], bool narrow, DvReal8 xyz[3])
{
    const uint32_t each[DV_LANES] = {0, 1, 2, 3, 4, 5, 6, 7};
    dv_real8_from_rows(row, each, narrow, xyz);
}

/* The rows at eight places: read one by one, compilers put the places together to vectors and take these apart in memory. */
DV_SIMD_INLINE void dv_element_rows_at(DvElementRow *row, const uint16_t place[DV_LANES], DvElementRow *at[DV_LANES])
{
    uint64_t four[2];
    memcpy(four, place, sizeof four);
    DV_EACH (half, 2)
        DV_EACH (i, 4)
            at[4 * half + i] = row + (four[half] >> 16 * i & 0xffffu);
}

/* xyz[c][lane] = component c of the point at[lane]. */
DV_SIMD_INLINE void dv_element_rows_gather(DvElementRow *const at[DV_LANES], bool narrow, DvReal8 xyz[3])
{
    DvReal4 x[DV_LANES];
    DV_EACH (i, DV_LANES)
        x[i] = at[i]->x;
    dv_element_transpose(x, narrow, xyz);
}

/* The sum at[lane] += what xyz has there, lane by lane: several lanes may have the same point. */
DV_SIMD_INLINE void dv_element_rows_add(DvElementRow *const at[DV_LANES], bool narrow, const DvReal8 xyz[3])
{
    const DvReal8 none = {0};
    DvReal4 lane[DV_LANES];
    dv_real8_to_rows(lane, 1, xyz, &none, narrow);
    DV_EACH (i, DV_LANES)
        at[i]->sum += lane[i];
}

/* Lanes 1 to 7 of xyz, then a row. */
DV_SIMD_INLINE void dv_element_next_lanes(const DvReal8 xyz[3], DvReal4 last, bool narrow, DvReal8 next[3])
{
    if (narrow) {
        DV_EACH (c, 3) {
            const DvReal4 low = DV_SHUFFLE(xyz[c], xyz[c], 0, 1, 2, 3), high = DV_SHUFFLE(xyz[c], xyz[c], 4, 5, 6, 7);
            next[c] = dv_real8_join(DV_SHUFFLE(low, high, 1, 2, 3, 4), DV_SHUFFLE(high, dv_real4(last[c]), 1, 2, 3, 4));
        }
        return;
    }
    const DvReal8 row = DV_SHUFFLE(last, last, 0, 1, 2, 3, 0, 1, 2, 3);
    next[0] = DV_SHUFFLE(xyz[0], row, 1, 2, 3, 4, 5, 6, 7, 8);
    next[1] = DV_SHUFFLE(xyz[1], row, 1, 2, 3, 4, 5, 6, 7, 9);
    next[2] = DV_SHUFFLE(xyz[2], row, 1, 2, 3, 4, 5, 6, 7, 10);
}

/* Lane 7 as a row. */
DV_SIMD_INLINE DvReal4 dv_element_last_lane(const DvReal8 xyz[3], bool narrow)
{
    if (narrow) {
        const DvReal4 last = {xyz[0][7], xyz[1][7], xyz[2][7], 0.0};
        return last;
    }
    const DvReal8 xy = DV_SHUFFLE(xyz[0], xyz[1], 7, 15, 7, 15, 7, 15, 7, 15),
                  row = DV_SHUFFLE(xy, xyz[2], 0, 1, 15, 15, 0, 1, 15, 15);
    return DV_SHUFFLE(row, row, 0, 1, 2, 3);
}

/* Zero, then lanes 0 to 6 of a. */
DV_SIMD_INLINE DvReal8 dv_element_previous_lanes(DvReal8 a, bool narrow)
{
    if (!narrow)
        return DV_SHUFFLE(dv_real8(0.0), a, 7, 8, 9, 10, 11, 12, 13, 14);
    const DvReal4 low = DV_SHUFFLE(a, a, 0, 1, 2, 3), high = DV_SHUFFLE(a, a, 4, 5, 6, 7);
    return dv_real8_join(DV_SHUFFLE(dv_real4(0.0), low, 3, 4, 5, 6), DV_SHUFFLE(low, high, 3, 4, 5, 6));
}

/* Of elements whose first node is the origin: from there to each of `count` others. */
DV_SIMD_INLINE void dv_element_rows_edges(DvElementRow *row, const uint16_t *place, int count, bool narrow,
                                          DvReal8 edge[][3])
{
    DvElementRow *origin[DV_LANES], *end[DV_LANES];
    dv_element_rows_at(row, place, origin);
    DV_EACH (k, count) { /* cheaper before they are transposed */
        DvReal4 lane[DV_LANES];
        dv_element_rows_at(row, place + (k + 1) * DV_LANES, end);
        DV_EACH (i, DV_LANES)
            lane[i] = end[i]->x - origin[i]->x;
        dv_element_transpose(lane, narrow, edge[k]);
    }
}

/* Forces on the ends, and their opposite on the origin. */
DV_SIMD_INLINE void dv_element_rows_add_to_ends(DvElementRow *row, const uint16_t *place, int count, bool narrow,
                                                const DvReal8 f[][3])
{
    const DvReal8 none = {0};
    DvElementRow *origin[DV_LANES], *end[DV_LANES];
    DvReal4 sum[DV_LANES];
    dv_element_rows_at(row, place, origin);
    DV_EACH (k, count) {
        DvReal4 lane[DV_LANES];
        dv_element_rows_at(row, place + (k + 1) * DV_LANES, end);
        dv_real8_to_rows(lane, 1, f[k], &none, narrow);
        DV_EACH (i, DV_LANES) {
            end[i]->sum += lane[i];
            sum[i] = k == 0 ? lane[i] : sum[i] + lane[i];
        }
    }
    DV_EACH (i, DV_LANES)
        origin[i]->sum -= sum[i]; /* cppcheck-suppress uninitvar ; there is an end at least */
}

DV_END_DECLS
#endif
