/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Vectors on a device, and the words of scenes made for a GPU: templates that name where and how vectors are kept, and classes that had a name of their own there.
 * Without a device they mean the classes of the host.
 */
#include "device.h"

#include <divan/plugin.h>

#define VECTORS(word, type)                             \
    {DV_RENAME_DOF_TYPE, NULL, "Cuda" word "f", type},  \
    {                                                   \
        DV_RENAME_DOF_TYPE, NULL, "Cuda" word "d", type \
    }
static const DvRename renames[] = {
    VECTORS("Vec1", "Vec1d"),
    VECTORS("Vec2", "Vec2d"),
    VECTORS("Vec3", "Vec3d"),
    VECTORS("Vec6", "Vec6d"),
    VECTORS("Rigid2", "Rigid2d"),
    VECTORS("Rigid3", "Rigid3d"),
    {DV_RENAME_DOF_TYPE, NULL, "CudaVec3f1", "Vec3d"}, /* each point filled up to four numbers */
    {DV_RENAME_DOF_TYPE, NULL, "CudaVec3d1", "Vec3d"},
    {DV_RENAME_CLASS, NULL, "CudaCorotationalFEMForceField", "CorotationalFEMForceField"},
    {DV_RENAME_CLASS, NULL, "CudaLinearSmallStrainFEMForceField", "LinearSmallStrainFEMForceField"},
    {DV_RENAME_CLASS_EXPANDED, NULL, "CudaVisualModel",
     "<Group><OglModel/><IdentityMapping input=\"@.\" output=\"@[-1]\"/></Group>"},
    {DV_RENAME_CLASS, NULL, "CudaPointCollisionModel", "PointCollisionModel"},
    {DV_RENAME_CLASS, NULL, "CudaProximityIntersection", "NewProximityIntersection"},
    {DV_RENAME_CLASS, NULL, "CudaSphere", "SphereCollisionModel"},
    {DV_RENAME_CLASS, NULL, "CudaSphereModel", "SphereCollisionModel"},
    {DV_RENAME_FIELD_HARMLESS, "PointCollisionModel", "groupSize",
     "it told how many points a device looks at together"},
    {DV_RENAME_MODULE, NULL, "SofaCUDA", NULL},
    {DV_RENAME_MODULE, NULL, "SofaCUDA.Component", NULL},
    {DV_RENAME_MODULE, NULL, "SofaCUDA.Core", NULL},
    {0},
};

static const DvContract offers[] = {{.id = DV_VECTOR_SPACE, .ops = &space_of_emulated_ops},
                                    {.id = DV_VECTOR_SPACE, .ops = &space_of_cards_ops},
                                    {.id = DV_DEVICE_OPERATORS, .ops = &space_operators},
                                    {0}};

DV_PLUGIN = {
    .size = sizeof(DvPlugin),
    .abi = DV_ABI_STAMP,
    .id = "divan.cuda",
    .version = DV_VERSION,
    .license = "LGPL-2.1-or-later",
    .help = "Vectors on a device; scenes made for a GPU: their templates and the names of their classes.",
    .offers = offers,
    .renames = renames,
};
