/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Elements of a block of nx x ny x nz points, in the order that all grids share. Pure functions; the lists are
 * appended to.
 */
#ifndef DIVAN_TOPOLOGY_GRID_H
#define DIVAN_TOPOLOGY_GRID_H

#include <divan/kit/mesh.h>

/* point (x, y, z) = x + nx (y + ny z); hexahedron (x, y, z) = x + (nx - 1) (y + (ny - 1) z) */
void grid_hexahedra(const uint32_t n[3], DvIndexArray *hexahedra);
/* All faces of cells, also inside: those normal to z, then to y, then to x; each in the order z, y, x. */
void grid_quads(const uint32_t n[3], DvIndexArray *quads);
/* Two for each quad: (0,1,2) (0,2,3). */
void grid_triangles(const uint32_t *quads, uint32_t count, DvIndexArray *triangles);
/* Edges along x, then y, then z; each in the order z, y, x. */
void grid_edges(const uint32_t n[3], DvIndexArray *edges);
/* u, v of each point: a pair of coordinates in 0..1 on every layer of the block's faces, mirrored on the last layer; 0
 * inside. */
void grid_texture_coordinates(const uint32_t n[3], double *uv);

#endif
