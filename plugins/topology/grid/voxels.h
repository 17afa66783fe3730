/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A surface as cells of a regular grid. Pure functions.
 */
#ifndef DIVAN_TOPOLOGY_VOXELS_H
#define DIVAN_TOPOLOGY_VOXELS_H

#include <divan/base.h>

typedef enum VoxelKind { VOXEL_OUTSIDE, VOXEL_INSIDE, VOXEL_BOUNDARY } VoxelKind;

/* n points per axis (at least two), so n - 1 cells; cell (x, y, z) = x + (nx - 1) (y + (ny - 1) z). */
typedef struct VoxelBox {
    uint32_t n[3];
    double min[3], step[3]; /* m; steps are positive */
} VoxelBox;

typedef struct VoxelSurface {
    const double *positions; /* [point_count] x 3, m */
    uint32_t point_count;
    const uint32_t *triangles; /* [triangle_count] x 3, of these points */
    uint32_t triangle_count;
} VoxelSurface;

size_t voxel_count(const VoxelBox *box);
/* The cell around a point and where in it, 0..1 per axis; false when it is in none: fractions are then those of the nearest. */
bool voxel_at(const VoxelBox *box, const double point[3], uint32_t cell[3], double fraction[3]);
uint32_t voxel_index(const VoxelBox *box, const uint32_t cell[3]);

/* BOUNDARY: cells that the surface meets, borders included; OUTSIDE: those that can be reached from the border of the box by way
 * of neighbours that are no BOUNDARY; INSIDE: the rest.     voxels: [voxel_count] */
void voxels_of_surface(const VoxelBox *box, const VoxelSurface *surface, uint8_t *voxels);

/* Blocks of 2 x 2 x 2 cells as one: INSIDE when all eight are, OUTSIDE when all eight are, else BOUNDARY. Weights are means.
 * `coarse` has half the cells of `fine` per axis. */
void voxels_coarsen(const VoxelBox *fine, const uint8_t *fine_voxels, const float *fine_weights, const VoxelBox *coarse,
                    uint8_t *voxels, float *weights);

#endif
