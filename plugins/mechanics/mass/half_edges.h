/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Pairs of points that a matrix couples, seen from each of their ends: for products that gather at each point, and for its couplings.
 *
 * When elements of a mesh come and go, the rows of their points are made anew, in time with what was touched. A coupling whose pair goes is
 * kept, so that the pattern of the matrix stays, until points come or go; a saved scene holds these pairs.
 */
#ifndef DIVAN_MECHANICS_HALF_EDGES_H
#define DIVAN_MECHANICS_HALF_EDGES_H

#include <divan/contracts/block_matrix.h>

#include <divan/kit/kept_pairs.h>

typedef struct HalfEdge {
    uint32_t other, edge;
} HalfEdge;

typedef struct HalfEdges {
    uint32_t *begin, *end; /* [points] the row of each in `at` */
    HalfEdge *at;
    double *value;      /* of each in `at`, whose edge is its own number then; NULL: edges are those of a list */
    uint32_t *coupling; /* of each in `at`, once they are reserved */
    uint32_t points;
    uint64_t structure; /* + 1 when couplings are others */
    bool paired;        /* couplings between points are reserved: they stay when elements go */
    /* Of their own. */
    DvKeptPairs *kept; /* optional: pairs that are reserved and not there, two numbers each */
    bool edited;       /* rows have room for more */
    uint32_t *limit, point_room, used, lost, room;
    bool is_reserved;
    uint32_t *reserved, *reserved_other; /* [points + 1] where the others of each point begin, if it is reserved */
    uint32_t reserved_points, reserved_room;
} HalfEdges;

/* All anew, from a list of pairs, rows ascending by number in it; those of points beyond the last are left out. */
void half_edges_build(HalfEdges *half, uint32_t points, DvElements pairs);
void half_edges_free(HalfEdges *half);
/* Follows edits of the edges of a mesh, sorted. */
void half_edges_update(HalfEdges *half, const DvMeshEdits *edits, const DvTopologyRef *topology, uint32_t points);

/* Rows with values of their own. Anew: half_edges_start, then half_edges_row for each point. After edits of the elements that couple points:
 * half_edges_begin, half_edges_row for each touched point, half_edges_end. */
void half_edges_start(HalfEdges *half, uint32_t points);
void half_edges_begin(HalfEdges *half, uint32_t points);
/* Room for `count` others of a point, all to be written from at[result] on, and their values; what it had is lost. */
uint32_t half_edges_row(HalfEdges *half, uint32_t point, uint32_t count);
void half_edges_end(HalfEdges *half, const DvMeshEdits *edits);

/* Names the couplings: each point with itself, and unless `diagonal` with those that it shares a pair with. */
void half_edges_reserve(HalfEdges *half, DvPattern *pattern, bool diagonal);
/* The coupling of a point with itself. */
static inline uint32_t half_edges_own(const HalfEdges *half, uint32_t point)
{
    return half->is_reserved ? half->reserved[point] + point : point;
}

#endif
