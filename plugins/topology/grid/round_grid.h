/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Grids bent into round bodies: what CylinderGridTopology and SphereGridTopology share.
 *
 * The points of a cube of n points per axis, from -r to r, are drawn towards the axis (of a cylinder) or the centre (of a sphere), so that
 * each shell of the cube becomes a circle or a sphere. x lies along (1, 0, 0) made normal to the axis, or along (0, 1, 0) where the axis is
 * (1, 0, 0).
 */
#ifndef DIVAN_TOPOLOGY_ROUND_GRID_H
#define DIVAN_TOPOLOGY_ROUND_GRID_H

#include "grid_base.h"

typedef struct RoundGrid {
    GridBase base;
    DvData center, axis, radius, length; /* length: of cylinders */
    bool is_sphere;
} RoundGrid;

#define ROUND_GRID_FIELDS                                                                                             \
    GRID_BASE_FIELDS(RoundGrid, base.),                                                                               \
        DV_FIELD(RoundGrid, center, "center", dv_type_vec3d, .init = "0 0 0", .unit = "m", .flags = DV_FIELD_AT_LOAD, \
                 .help = "of the body"),                                                                              \
        DV_FIELD(RoundGrid, axis, "axis", dv_type_vec3d, .init = "0 0 1", .flags = DV_FIELD_AT_LOAD,                  \
                 .help = "along which z lies, of any length"),                                                        \
        DV_FIELD(RoundGrid, radius, "radius", dv_type_double, .init = "1", .unit = "m", .range = &dv_range_positive,  \
                 .flags = DV_FIELD_AT_LOAD, .help = "of the outermost points")

DvStatus round_grid_construct(DvObject *object, RoundGrid *grid, bool is_sphere);
/* Of the classes. */
DvStatus round_grid_parse(DvObject *object, void *self, const DvAttributes *attributes);
DvStatus round_grid_init(DvObject *object, void *self);

/* Of a class, with its function `construct`, what both share. */
#define ROUND_GRID_CLASS(construct_of_class)                                                                           \
    .size = sizeof(DvClass), .bases = (const char *const[]){"GridTopology", "MeshTopology", "BaseMeshTopology", NULL}, \
    .module = "Sofa.Component.Topology.Container.Grid", .instance_size = sizeof(RoundGrid), MADE_TOPOLOGY_CLASS,       \
    .construct = (construct_of_class), .parse = round_grid_parse, .init = round_grid_init

#endif
