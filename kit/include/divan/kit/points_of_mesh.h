/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Mappings of states along a topological mapping whose output has points of its own: each point is the weighted sum of points of
 * the input that the topological mapping says, plus an offset.
 *
 *   out_i = sum_j w_ij in_j + c_i,   v_out_i = sum_j w_ij v_j,   f_j += sum_i w_ij f_i
 *
 * Points that stand for nothing are left where they are. After a change of either mesh the weights are asked for again, once, when
 * they are next used.
 */
#ifndef DIVAN_KIT_POINTS_OF_MESH_H
#define DIVAN_KIT_POINTS_OF_MESH_H

#include <divan/contracts/topology.h>
#include <divan/kit/linear_mapping.h>

DV_BEGIN_DECLS

typedef struct DvPointsOfMesh {
    DvLinearMapping linear;
    DvLink mapping_link; /* of classes that have one */
    const DvTopologicalMappingOps *topological;
    void *topological_self;
    DvTopologyRef in_mesh, out_mesh;
    double *offset; /* [points of the output] x 3, m */
} DvPointsOfMesh;

/* A class's init: the topological mapping is that of the link, if the class has one, else one of class `class_name` that fills the
 * mesh of the output's node.     [main] */
DV_NODISCARD DV_PUBLIC DvStatus dv_points_of_mesh_init(DvObject *object, DvPointsOfMesh *self, const char *class_name);

extern DV_PUBLIC const DvLinearMappingOps dv_points_of_mesh_ops;
/* Members of DvClass. */
DV_PUBLIC void dv_points_of_mesh_cleanup(DvObject *object, void *self);
DV_PUBLIC void dv_points_of_mesh_destroy(DvObject *object, void *self);

/* What the classes have alike. */
#define DV_POINTS_OF_MESH_CLASS                                                             \
    .variants = "Vec3d,Vec3d", DV_MAPPING_CLASS, .module = "Sofa.Component.Mapping.Linear", \
    .cleanup = dv_points_of_mesh_cleanup, .destroy = dv_points_of_mesh_destroy,             \
    .contracts = DV_LINEAR_MAPPING_CONTRACTS(dv_points_of_mesh_ops)

DV_END_DECLS
#endif
