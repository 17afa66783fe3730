/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What CubeTopology and SphereQuadTopology share: the surface of a box, as it is or drawn onto a sphere.
 */
#ifndef DIVAN_TOPOLOGY_CUBE_TOPOLOGY_H
#define DIVAN_TOPOLOGY_CUBE_TOPOLOGY_H

#include "container/topology.h"

#include <math.h>

typedef struct CubeTopology {
    Topology topology;
    DvData n[3], internal_points, split_normals, min, max;
    DvData center, radius; /* of spheres */
    bool is_sphere;
} CubeTopology;

#define CUBE_COUNT_FIELD(axis, name)                                                                            \
    DV_FIELD(CubeTopology, n[axis], name, dv_type_int, .range = &(const DvRange){.least = 2, .most = INFINITY}, \
             .flags = DV_FIELD_REQUIRED | DV_FIELD_AT_LOAD, .help = "points along this axis")
#define CUBE_FIELDS                                                                                                 \
    MESH_TOPOLOGY_FIELDS(CubeTopology, topology.), CUBE_COUNT_FIELD(0, "nx"), CUBE_COUNT_FIELD(1, "ny"),            \
        CUBE_COUNT_FIELD(2, "nz"),                                                                                  \
        DV_FIELD(CubeTopology, internal_points, "internalPoints", dv_type_bool, .init = "0",                        \
                 .flags = DV_FIELD_AT_LOAD,                                                                         \
                 .help = "number the points inside too; the elements stay those of the surface"),                   \
        DV_FIELD(CubeTopology, split_normals, "splitNormals", dv_type_bool, .init = "0", .flags = DV_FIELD_AT_LOAD, \
                 .help = "faces of the box share no points; internalPoints has no effect then"),                    \
        DV_FIELD(CubeTopology, min, "min", dv_type_vec3d, .init = "0 0 0", .unit = "m", .flags = DV_FIELD_AT_LOAD,  \
                 .help = "smallest corner of the box"),                                                             \
        DV_FIELD(CubeTopology, max, "max", dv_type_vec3d, .init = "1 1 1", .unit = "m", .flags = DV_FIELD_AT_LOAD,  \
                 .help = "largest corner of the box")

DvStatus cube_topology_parse(DvObject *object, void *self, const DvAttributes *attributes);
DvStatus cube_topology_init(DvObject *object, void *self);

#endif
