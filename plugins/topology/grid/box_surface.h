/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The surface of a block of nx x ny x nz points: its points, edges and quads, in the order that scenes rely on.
 *
 * Numbers of points: all of the block, as grids have them (with points inside); or those on the surface (layer z = 0,
 * layer z = nz - 1, then the rim of each layer between); or a number on each face that a point lies on (split).
 */
#ifndef DIVAN_TOPOLOGY_BOX_SURFACE_H
#define DIVAN_TOPOLOGY_BOX_SURFACE_H

#include <divan/kit/mesh.h>

typedef enum BoxNumbers {
    BOX_SURFACE_POINTS, /* on the surface alone */
    BOX_ALL_POINTS,     /* inside too */
    BOX_SPLIT_POINTS,   /* each face has its own */
} BoxNumbers;

typedef struct BoxSurface {
    uint32_t n[3]; /* points per axis, 2 or more */
    BoxNumbers numbers;
} BoxSurface;

uint32_t box_surface_points(const BoxSurface *box);
/* Place of each point in the block, 3 numbers each. */
void box_surface_places(const BoxSurface *box, uint32_t (*places)[3]);
/* At each point of the surface, in the order z, y, x: the edges that go from it along x, y and z. */
void box_surface_edges(const BoxSurface *box, DvIndexArray *edges);
/* Looking outward: face z = 0, face z = nz - 1, then those of y, then those of x. */
void box_surface_quads(const BoxSurface *box, DvIndexArray *quads);

#endif
