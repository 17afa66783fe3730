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
    .size = sizeof(DvClass),
    .name = "SphereGridTopology",
    .bases = (const char *const[]){"GridTopology", "MeshTopology", "BaseMeshTopology", NULL},
    .family = "topologies",
    .module = "Sofa.Component.Topology.Container.Grid",
    .help = "A grid bent into a ball.",
    .instance_size = sizeof(RoundGrid),
    .fields = fields,
    .contracts = (const DvContract[]){{.id = DV_TOPOLOGY, .ops = &topology_ops, .slot = true}, {0}},
    .construct = construct,
    .parse = round_grid_parse,
    .init = round_grid_init,
    .update = mesh_topology_update,
    .bounding_box = topology_bounding_box,
    .destroy = topology_destroy,
};
