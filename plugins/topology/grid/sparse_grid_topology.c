/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * SparseGridTopology: the cells of a regular grid that a surface fills, as hexahedra.
 *
 * Cells that the surface meets are its boundary; those it encloses are inside; the others do not exist (voxels.h). The surface is a
 * mesh file, else `position` with `facets`, `triangles` and `quads`; points without faces mark their cells. Hexahedra are numbered
 * boundary first, then inside, each in the order of the grid; points along x, then y, then z, so that z runs fastest.
 *
 * With `nbVirtualFinerLevels` L the surface is compared with a grid of 2^L times as many cells per axis, and blocks of 2 x 2 x 2
 * are merged L times: the hexahedra then lie in the order of the grid, x outermost.
 *
 * Each hexahedron says how much of it is filled: a boundary cell counts half (`fillWeighted`), a merged one the mean of its parts.
 * Whoever hangs points on it asks for the cell by the shape of the grid, not by the positions of its points.
 *
 * Edges, triangles and quads are not made: `triangles` and `quads` are the surface.
 */
#include "sparse_grid.h"

static const SparseGridRule rule = {.find_surface = sparse_grid_find_surface, .fill = sparse_grid_fill};

static DvStatus init(DvObject *object, void *self)
{
    (void)object;
    SparseGrid *grid = self;
    grid->rule = &rule;
    return sparse_grid_start(grid);
}

static const DvField fields[] = {SPARSE_GRID_FIELDS(SparseGrid, ), {0}};

const DvClass dv_sparse_grid_topology = {
    .size = sizeof(DvClass),
    .name = "SparseGridTopology",
    .bases = (const char *const[]){"MeshTopology", "BaseMeshTopology", NULL},
    SPARSE_GRID_CLASS,
    .help = "The cells of a regular grid that a surface fills.",
    .instance_size = sizeof(SparseGrid),
    .fields = fields,
    .init = init,
    .destroy = sparse_grid_destroy,
};
