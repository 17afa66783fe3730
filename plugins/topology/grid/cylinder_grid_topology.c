/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * CylinderGridTopology: a grid bent into a cylinder, from its centre along the axis. See round_grid.h.
 */
#include "round_grid.h"

static const DvField fields[] = {
    ROUND_GRID_FIELDS,
    DV_FIELD(RoundGrid, length, "length", dv_type_double, .init = "1", .unit = "m", .range = &dv_range_positive,
             .flags = DV_FIELD_LENIENT | DV_FIELD_AT_LOAD, .help = "along the axis, from the centre on"),
    {0},
};

static DvStatus construct(DvObject *object, void *self)
{
    return round_grid_construct(object, self, false);
}

const DvClass dv_cylinder_grid_topology = {
    ROUND_GRID_CLASS(construct),
    .name = "CylinderGridTopology",
    .help = "A grid bent into a cylinder.",
    .fields = fields,
};
