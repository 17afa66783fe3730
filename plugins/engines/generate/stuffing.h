/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Isosurface stuffing (Labelle and Shewchuk 2007): tetrahedra of a body-centred cubic lattice inside a closed surface, snapped to it and
 * cut along it if asked for. The lattice is two cubic grids, each the centres of the cells of the other.
 */
#ifndef DIVAN_ENGINES_STUFFING_H
#define DIVAN_ENGINES_STUFFING_H

#include "mesh_inputs.h"

/* Edges of a lattice point: 0 to 5 along -x, +x, -y, +y, -z, +z to the same grid, the others to the corners of the cell around it. The
 * opposite of e is e ^ 1. */
enum { EDGES = 14, LONG_EDGES = 6, NOWHERE = UINT32_MAX };

typedef struct Stuffing {
    const double *surface; /* points */
    MeshTriangles faces;
    double alpha[2]; /* long, short: nearer to the surface than this part of an edge is too near */
    double spacing, corner[3];
    uint32_t size[2][3];   /* points of the two grids */
    uint32_t first, count; /* points of the first grid, of both */
    DvRealArray x;
    int32_t *inside;  /* [count] above 0: inside, below: outside, 0: on the surface */
    double *distance; /* [count][EDGES] to the surface, as part of the edge; 0: none, or moved there */
    uint32_t *cut;    /* [count][EDGES] the point between an outside point and an inside one */
    DvIndexArray tetrahedra;
    uint32_t strange; /* tetrahedra that could not be cut */
    bool
        well_shaped; /* as published: points on both sides are snapped, and tetrahedra of four points on the surface are not made */
    uint32_t near; /* outside points that are too near to the surface, and stay; beside them slivers are cut off */
    uint32_t flat; /* tetrahedra of four points on the surface, which may lie in a plane */
} Stuffing;

/* The point at the end of an edge, or NOWHERE. */
uint32_t stuffing_neighbour(const Stuffing *stuffing, uint32_t point, int edge);
static inline DvVec3 stuffing_point(const Stuffing *stuffing, uint32_t point)
{
    return mesh_point(stuffing->x.data, point);
}

void stuffing_measure(Stuffing *stuffing); /* which points are inside, and how far the surface is */
void stuffing_snap(Stuffing *stuffing);
void stuffing_cut(Stuffing *stuffing);              /* makes the points where edges are cut */
void stuffing_fill(Stuffing *stuffing, bool split); /* makes the tetrahedra */

#endif
