/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * SparseGridRamificationTopology: a SparseGridTopology whose cells are there several times where separate pieces of the surface pass
 * through them (ramification.h): both sides of a narrow slit move on their own, however coarse the grid is.
 *
 * What is separate is decided on the finest level, `nbVirtualFinerLevels` below. Points that hang on the grid hang on the piece that
 * their cell of the finest level belongs to.
 */
#include "sparse_grid.h"

static bool is_ramified(SparseGrid *grid)
{
    (void)grid;
    return true;
}

static const SparseGridRule rule = {
    .find_surface = sparse_grid_find_surface, .fill = sparse_grid_fill, .is_ramified = is_ramified};

static DvStatus init(DvObject *object, void *self)
{
    (void)object;
    SparseGrid *grid = self;
    grid->rule = &rule;
    return sparse_grid_start(grid);
}

static const DvField fields[] = {SPARSE_GRID_FIELDS(SparseGrid, ), FINEST_CONNECTIVITY_FIELD(SparseGrid, ), {0}};

const DvClass dv_sparse_grid_ramification_topology = {
    .size = sizeof(DvClass),
    .name = "SparseGridRamificationTopology",
    .bases = (const char *const[]){"SparseGridTopology", "MeshTopology", "BaseMeshTopology", NULL},
    SPARSE_GRID_CLASS,
    .help = "The cells of a regular grid that a surface fills, once for each separate piece of it.",
    .instance_size = sizeof(SparseGrid),
    .fields = fields,
    .init = init,
    .destroy = sparse_grid_destroy,
};
