/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * SphereQuadTopology: the surface of a cube drawn onto a sphere.
 */
#include "cube_topology.h"

static DvStatus construct(DvObject *object, void *self)
{
    ((CubeTopology *)self)->is_sphere = true;
    return topology_construct(object, self);
}

static const DvField fields[] = {
    CUBE_FIELDS,
    DV_FIELD(CubeTopology, center, "center", dv_type_vec3d, .init = "0 0 0", .unit = "m", .flags = DV_FIELD_AT_LOAD,
             .help = "of the sphere"),
    DV_FIELD(CubeTopology, radius, "radius", dv_type_double, .init = "0", .unit = "m", .range = &dv_range_not_negative,
             .flags = DV_FIELD_REQUIRED | DV_FIELD_AT_LOAD, .help = "of the sphere"),
    {0},
};

const DvClass dv_sphere_quad_topology = {
    .size = sizeof(DvClass),
    .name = "SphereQuadTopology",
    .bases = (const char *const[]){"CubeTopology", "MeshTopology", "BaseMeshTopology", NULL},
    .module = "Sofa.Component.Topology.Container.Constant",
    .help = "A sphere in quads: the surface of a cube, each point at the distance of the radius.",
    .instance_size = sizeof(CubeTopology),
    .fields = fields,
    MADE_TOPOLOGY_CLASS,
    .construct = construct,
    .parse = cube_topology_parse,
    .init = cube_topology_init,
};
