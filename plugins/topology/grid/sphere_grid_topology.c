/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * SphereGridTopology: a grid bent into a ball. See round_grid.h.
 */
#include "round_grid.h"

static const DvField fields[] = {
    ROUND_GRID_FIELDS,
    {0},
};

static DvStatus construct(DvObject *object, void *self)
{
    return round_grid_construct(object, self, true);
}

const DvClass dv_sphere_grid_topology = {
    ROUND_GRID_CLASS(construct),
    .name = "SphereGridTopology",
    .help = "A grid bent into a ball.",
    .fields = fields,
};
