/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Cells of a grid that are there several times where separate pieces of matter pass through them. Pure functions.
 *
 * On the finest level each cell is one piece, joined to its neighbours. A coarser cell has a piece for each set of joined pieces in its
 * eight parts; where these are several, each weighs an eighth of its last part. Pieces share the points of a face where they are joined
 * across it, and no others.
 */
#ifndef DIVAN_TOPOLOGY_RAMIFICATION_H
#define DIVAN_TOPOLOGY_RAMIFICATION_H

#include "voxels.h"
#include <divan/kit/array.h>

typedef struct Pieces {
    VoxelBox box;
    uint32_t count;
    uint32_t *cell;            /* [count] voxel_index */
    uint8_t *kind;             /* [count] VoxelKind */
    float *weight;             /* [count] */
    DvIndexArray neighbour[3]; /* joined pieces towards smaller x, y, z: rows of */
    uint32_t *start[3];        /* [count + 1] */
} Pieces;

/* Bit `axis` of joined[cell]: it is joined to its neighbour towards smaller coordinates, where both are there. The faces of boundary
 * cells are joined where an edge of the surface goes through them; each edge counts from B - 2 (B - A) on, as old scenes have it.
 * edges: [edge_count] x 2 points     joined: [voxel_count] */
void faces_joined(const VoxelBox *box, const uint8_t *voxels, const double *positions, const uint32_t *edges,
                  uint32_t edge_count, uint8_t *joined);

/* A piece for each cell of the list, in its order. joined NULL: all neighbours are.     All that is made is to be freed. */
Pieces pieces_of_cells(const VoxelBox *box, const uint8_t *voxels, const float *weights, const uint8_t *joined,
                       const uint32_t *cells, uint32_t count);
/* One level coarser; parent: [fine->count] the piece that each belongs to. */
Pieces pieces_coarsen(const Pieces *fine, const VoxelBox *coarse, uint32_t *parent);
void pieces_free(Pieces *pieces);

/* Numbers of the eight points of each piece: those that are shared are one. Returns how many there are.
 * points: [count] x 8 */
uint32_t pieces_number_points(const Pieces *pieces, uint32_t *points);

#endif
