/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Mesh2PointMechanicalMapping: the points that a Mesh2PointTopologicalMapping puts on a mesh follow its state (divan/kit/points_of_mesh.h).
 */
#include <divan/kit/points_of_mesh.h>

typedef struct Mesh2PointMechanicalMapping {
    DvPointsOfMesh points;
    DvLink in_mesh, out_mesh;
} Mesh2PointMechanicalMapping;

/* Both meshes are those of the topological mapping: a link may only say so. */
static DvStatus check_mesh(DvObject *object, const DvLink *link, const DvTopologyRef *mesh)
{
    const DvObject *named = dv_link_object(link);
    if (!named || named == mesh->object)
        return DV_OK;
    return dv_error(object, DV_ERROR_INVALID, "%s: '%s' is not that of the topological mapping, '%s'",
                    link->data.field->name, dv_object_path(named), dv_object_path(mesh->object));
}

static DvStatus init(DvObject *object, void *self_)
{
    Mesh2PointMechanicalMapping *self = self_;
    DvStatus status = dv_points_of_mesh_init(object, &self->points, "Mesh2PointTopologicalMapping");
    if (status == DV_OK)
        status = check_mesh(object, &self->in_mesh, &self->points.in_mesh);
    return status == DV_OK ? check_mesh(object, &self->out_mesh, &self->points.out_mesh) : status;
}

static const DvField fields[] = {
    DV_SINGLE_MAPPING_FIELDS_IN(Mesh2PointMechanicalMapping, points.linear.),
    DV_LINK(Mesh2PointMechanicalMapping, points.mapping_link, "topologicalMapping", DV_TOPOLOGICAL_MAPPING,
            .help = "what puts the points there (default: the Mesh2PointTopologicalMapping of the node)"),
    DV_LINK(Mesh2PointMechanicalMapping, in_mesh, "inputTopology", DV_TOPOLOGY,
            .help = "mesh of the input; it need not be named"),
    DV_LINK(Mesh2PointMechanicalMapping, out_mesh, "outputTopology", DV_TOPOLOGY,
            .help = "mesh of the output; it need not be named"),
    {0},
};

const DvClass dv_mesh2point_mechanical_mapping = {
    .size = sizeof(DvClass),
    .name = "Mesh2PointMechanicalMapping",
    DV_POINTS_OF_MESH_CLASS,
    .help = "Moves points that stand on elements of a mesh.",
    .instance_size = sizeof(Mesh2PointMechanicalMapping),
    .fields = fields,
    .init = init,
};
