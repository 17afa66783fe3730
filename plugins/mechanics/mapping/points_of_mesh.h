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
#ifndef DIVAN_MECHANICS_POINTS_OF_MESH_H
#define DIVAN_MECHANICS_POINTS_OF_MESH_H

#include "mapping_base.h"
#include "weighted_rows.h"

#include <divan/contracts/topology.h>

typedef struct PointsOfMesh {
    MappingBase base;
    DvLink mapping_link;
    const DvTopologicalMappingOps *topological;
    void *topological_self;
    DvTopologyRef in_mesh, out_mesh;
    WeightedRows rows;
    double *offset; /* [rows.rows] x 3, m */
    bool made;
} PointsOfMesh;

/* A class's init: the topological mapping is that of the link, if the class has one, else one of class `class_name` that fills the
 * mesh of the output's node. */
DV_NODISCARD DvStatus points_of_mesh_start(DvObject *object, PointsOfMesh *self, const char *class_name);

extern const DvMappingOps points_of_mesh_ops;
void points_of_mesh_cleanup(DvObject *object, void *self);
void points_of_mesh_destroy(DvObject *object, void *self);

#define POINTS_OF_MESH_CLASS                                                                                \
    .variants = "Vec3d,Vec3d", MAPPING_CLASS, .module = "Sofa.Component.Mapping.Linear",                    \
    .cleanup = points_of_mesh_cleanup, .destroy = points_of_mesh_destroy, .contracts = (const DvContract[]) \
    {                                                                                                       \
        {DV_MAPPING, &points_of_mesh_ops, .slot = true}, {.id = DV_DRAWABLE, .ops = &mapping_drawable},     \
        {                                                                                                   \
            0                                                                                               \
        }                                                                                                   \
    }

#endif
