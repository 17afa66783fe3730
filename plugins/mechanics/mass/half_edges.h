/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Pairs of points that a matrix couples, seen from each of their ends: for products that gather at each point, and for its couplings.
 *
 * When edges of a mesh come and go, the rows of their ends are made anew, in time with what was touched. A coupling whose edge goes is
 * kept, so that the pattern of the matrix stays, until points come or go.
 */
#ifndef DIVAN_MECHANICS_HALF_EDGES_H
#define DIVAN_MECHANICS_HALF_EDGES_H

#include <divan/contracts/block_matrix.h>

#include "state/mesh_edits.h"

typedef struct HalfEdge {
    uint32_t other, edge;
} HalfEdge;

typedef struct HalfEdges {
    uint32_t *begin, *end; /* [points] the row of each in `at`, edges ascending */
    HalfEdge *at;
    uint32_t *coupling; /* of each in `at`, once they are reserved */
    uint32_t points;
    uint64_t structure; /* + 1 when couplings are others */
    /* Of their own. */
    uint32_t *limit, point_room, used, room;
    uint32_t *reserved, *reserved_other; /* [points + 1] where the others of each point begin; NULL: not reserved */
    bool diagonal;                       /* no others were named */
} HalfEdges;

/* All anew, from a list of pairs; those of points beyond the last are left out. */
void half_edges_build(HalfEdges *half, uint32_t points, DvElements pairs);
void half_edges_free(HalfEdges *half);
/* Follows edits of the edges of a mesh, sorted. */
void half_edges_update(HalfEdges *half, const MeshEdits *edits, const DvTopologyRef *topology, uint32_t points);

/* Names the couplings: each point with itself, and unless `diagonal` with those that it shares a pair with. */
void half_edges_reserve(HalfEdges *half, DvPattern *pattern, bool diagonal);
/* The coupling of a point with itself. */
static inline uint32_t half_edges_own(const HalfEdges *half, uint32_t point)
{
    return half->reserved ? half->reserved[point] + point : point;
}

#endif
