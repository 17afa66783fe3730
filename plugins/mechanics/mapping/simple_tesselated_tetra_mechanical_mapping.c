/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * SimpleTesselatedTetraMechanicalMapping: the points of tetrahedra divided in eight follow those of the tetrahedra: copies, and
 * middles of edges (points_of_mesh.h).
 */
#include "points_of_mesh.h"

static DvStatus init(DvObject *object, void *self)
{
    return points_of_mesh_start(object, self, "SimpleTesselatedTetraTopologicalMapping");
}

static const DvField fields[] = {MAPPING_FIELDS(PointsOfMesh), {0}};

const DvClass dv_simple_tesselated_tetra_mechanical_mapping = {
    .size = sizeof(DvClass),
    .name = "SimpleTesselatedTetraMechanicalMapping",
    POINTS_OF_MESH_CLASS,
    .help = "Moves the points of divided tetrahedra.",
    .instance_size = sizeof(PointsOfMesh),
    .fields = fields,
    .init = init,
};
