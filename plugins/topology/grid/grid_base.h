/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What grids share: their numbers of points, and the lists of elements that follow from them. GridBase is the first
 * member of a grid's struct.
 */
#ifndef DIVAN_TOPOLOGY_GRID_BASE_H
#define DIVAN_TOPOLOGY_GRID_BASE_H

#include "container/topology.h"

/* Grids beyond this number of points are refused. */
enum { MOST_GRID_POINTS = 1 << 26 };

typedef struct GridBase {
    Topology topology;
    DvData n;
    DvData compute_hexahedra, compute_quads, compute_triangles, compute_edges, compute_points;
    DvData create_texcoords;
    uint64_t list_version; /* of the fields that the lists were computed for; 0: there are none */
} GridBase;

#define GRID_COMPUTE_FIELD(Struct, member, name, what)                                   \
    DV_FIELD(Struct, member, name, dv_type_bool, .init = "1", .flags = DV_FIELD_AT_LOAD, \
             .help = "make the list of " what)
#define GRID_BASE_FIELDS(Struct, in)                                                                                   \
    MESH_TOPOLOGY_FIELDS(Struct, in topology.),                                                                        \
        DV_FIELD(Struct, in n, "n", dv_type_vec3i, .init = "2 2 2", .range = &dv_range_count,                          \
                 .flags = DV_FIELD_AT_LOAD, .help = "points per axis"),                                                \
        GRID_COMPUTE_FIELD(Struct, in compute_hexahedra, "computeHexaList", "hexahedra"),                              \
        GRID_COMPUTE_FIELD(Struct, in compute_quads, "computeQuadList", "quads"),                                      \
        GRID_COMPUTE_FIELD(Struct, in compute_triangles, "computeTriangleList", "triangles"),                          \
        GRID_COMPUTE_FIELD(Struct, in compute_edges, "computeEdgeList", "edges"),                                      \
        GRID_COMPUTE_FIELD(Struct, in compute_points, "computePointList", "positions"),                                \
        DV_FIELD(Struct, in create_texcoords, "createTexCoords", dv_type_bool, .init = "0", .flags = DV_FIELD_AT_LOAD, \
                 .help = "fill uv on the faces")

/* Attributes nx, ny, nz, when all three are there. */
void grid_base_parse(GridBase *grid);
/* Attributes xmin .. zmax, when all six are there, times scale. */
bool grid_box_attributes(const DvObject *object, double box[6]);
/* Too few points are corrected with a warning, too many an error. */
DV_NODISCARD DvStatus grid_base_check(GridBase *grid);
DvStatus grid_base_ask(const DvObject *object, double x, double y,
                       double z); /* whether there is memory for x y z points */
void grid_base_shape(GridBase *grid, uint32_t n[3]);
/* Lists that follow from the number of points, unless they are there. What is not computed here is left to MeshTopology. */
void grid_base_make_lists(GridBase *grid);
/* The end of init, when the points are there. */
DV_NODISCARD DvStatus grid_base_start(GridBase *grid);

#endif
