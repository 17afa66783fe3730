/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What sparse grids share: the cells of a regular grid that a surface fills, as hexahedra. Every class has a SparseGrid first in its own
 * struct.
 */
#ifndef DIVAN_TOPOLOGY_SPARSE_GRID_H
#define DIVAN_TOPOLOGY_SPARSE_GRID_H

#include "container/topology.h"
#include "voxels.h"
#include <divan/kit/mesh_types.h>

/* A surface, as triangles, and the edges of its polygons but for the one that closes each. */
typedef struct Surface {
    DvRealArray positions;
    DvIndexArray triangles, edges;
} Surface;

/* A mesh file's, behind what is there. */
void surface_add_mesh(Surface *surface, const DvMesh *mesh);

/* A grid, and what its cells are. */
typedef struct Level {
    VoxelBox box;
    uint8_t *voxels; /* [voxel_count] VoxelKind */
    float *weights;  /* [voxel_count] */
} Level;

typedef struct SparseGrid SparseGrid;

typedef struct SparseGridRule {
    /* All surfaces, one after the other. */
    DvStatus (*find_surface)(SparseGrid *grid, Surface *surface);
    /* What the cells of the finest level are: `level` has its box and room. */
    void (*fill)(SparseGrid *grid, const Surface *surface, Level *level);
    bool (*is_ramified)(SparseGrid *grid); /* optional: separate pieces of a cell are cells of their own */
} SparseGridRule;

struct SparseGrid {
    Topology topology;
    DvData n, min, max, cell_width, finer_levels, fill_weighted, only_inside_cells, facets;
    DvData finest_connectivity; /* of those that declare it */

    const SparseGridRule *rule;
    VoxelBox box, finest; /* of the hexahedra; of what the surface was compared with, or the same */
    uint32_t *hexahedron; /* [cells] of the finest grid; NO_CELL: it has none */
    uint8_t *kind;        /* [hexahedra] VoxelKind */
    float *filled;        /* [hexahedra] */
};

/* A class's find_surface and fill, of one surface. */
DvStatus sparse_grid_find_surface(SparseGrid *grid, Surface *surface);
void sparse_grid_fill(SparseGrid *grid, const Surface *surface, Level *level);
/* Members of the class; its init sets the rule first. */
DV_NODISCARD DvStatus sparse_grid_start(SparseGrid *grid);
void sparse_grid_destroy(DvObject *object, void *self);
extern const DvSparseGridOps sparse_grid_ops;

#define SPARSE_GRID_FIELDS(Struct, in)                                                                           \
    MESH_TOPOLOGY_FIELDS(Struct, in topology.),                                                                  \
        DV_FIELD(Struct, in n, "n", dv_type_vec3i, .init = "2 2 2", .flags = DV_FIELD_AT_LOAD,                   \
                 .help = "points per axis of the grid; at least 2"),                                             \
        DV_FIELD(Struct, in min, "min", dv_type_vec3d, .init = "0 0 0", .unit = "m", .flags = DV_FIELD_AT_LOAD,  \
                 .help = "smallest corner of the box (default: a little beyond the surface)"),                   \
        DV_FIELD(Struct, in max, "max", dv_type_vec3d, .init = "0 0 0", .unit = "m", .flags = DV_FIELD_AT_LOAD,  \
                 .help = "largest corner of the box (default: a little beyond the surface)"),                    \
        DV_FIELD(Struct, in cell_width, "cellWidth", dv_type_double, .init = "0", .unit = "m",                   \
                 .range = &dv_range_not_negative, .flags = DV_FIELD_LENIENT | DV_FIELD_AT_LOAD,                  \
                 .help = "when positive, cells are at most this wide, whatever n is"),                           \
        DV_FIELD(Struct, in finer_levels, "nbVirtualFinerLevels", dv_type_uint, .init = "0",                     \
                 .flags = DV_FIELD_AT_LOAD,                                                                      \
                 .help = "how often the cells are halved to compare them with the surface"),                     \
        DV_FIELD(Struct, in fill_weighted, "fillWeighted", dv_type_bool, .init = "1", .flags = DV_FIELD_AT_LOAD, \
                 .help = "cells that the surface meets are half as stiff"),                                      \
        DV_FIELD(Struct, in only_inside_cells, "onlyInsideCells", dv_type_bool, .init = "0",                     \
                 .flags = DV_FIELD_AT_LOAD, .help = "leave out cells that the surface meets"),                   \
        DV_FIELD(Struct, in facets, "facets", dv_mesh_type_index_lists, .flags = DV_FIELD_AT_LOAD,               \
                 .help = "polygons of the surface, where there is no file")
#define FINEST_CONNECTIVITY_FIELD(Struct, in)                                                                        \
    DV_FIELD(Struct, in finest_connectivity, "finestConnectivity", dv_type_bool, .init = "1",                        \
             .flags = DV_FIELD_AT_LOAD,                                                                              \
             .help = "on the finest level cells that the surface meets are joined where an edge of it goes through " \
                     "their common face; else wherever they touch")

/* But for .destroy, which is sparse_grid_destroy or calls it. */
#define SPARSE_GRID_CLASS                                                                      \
    .family = "topologies", .module = "Sofa.Component.Topology.Container.Grid",                \
    .contracts = (const DvContract[]){{.id = DV_TOPOLOGY, .ops = &topology_ops, .slot = true}, \
                                      {.id = DV_SPARSE_GRID, .ops = &sparse_grid_ops},         \
                                      {0}},                                                    \
    .construct = topology_construct, .bounding_box = topology_bounding_box

#endif
