/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * SimpleTesselatedTetraMechanicalMapping: the points of tetrahedra divided in eight follow those of the tetrahedra: copies, and
 * middles of edges (divan/kit/points_of_mesh.h).
 */
#include <divan/kit/points_of_mesh.h>

static DvStatus init(DvObject *object, void *self)
{
    return dv_points_of_mesh_init(object, self, "SimpleTesselatedTetraTopologicalMapping");
}

static const DvField fields[] = {DV_SINGLE_MAPPING_FIELDS_IN(DvPointsOfMesh, linear.), {0}};

const DvClass dv_simple_tesselated_tetra_mechanical_mapping = {
    .size = sizeof(DvClass),
    .name = "SimpleTesselatedTetraMechanicalMapping",
    DV_POINTS_OF_MESH_CLASS,
    .help = "Moves the points of divided tetrahedra.",
    .instance_size = sizeof(DvPointsOfMesh),
    .fields = fields,
    .init = init,
};
