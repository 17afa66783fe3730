/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The plugin of meshes: topologies and their changes, grids, topological mappings.
 * classes.def lists its classes.
 */
#include "cutting/cutting.h"
#include "utility/incision.h"
#include <divan/plugin.h>

#define DV_CLASS(name) extern const DvClass name;
#include "classes.def"
#undef DV_CLASS

static const DvClass *const classes[] = {
#define DV_CLASS(name) &name,
#include "classes.def"
#undef DV_CLASS
    NULL,
};

/* The groups of objects that scenes of 2011 include for each kind of dynamic mesh. */
#define SET_TOPOLOGY(Kind)                                                                          \
    {                                                                                               \
        DV_RENAME_CLASS_EXPANDED, NULL, #Kind "SetTopology",                                        \
            "<Group><" #Kind "SetTopologyContainer name=\"Container\" src=\"@\" tags=\"\"/><" #Kind \
            "SetTopologyModifier name=\"Modifier\"/><" #Kind                                        \
            "SetGeometryAlgorithms name=\"GeomAlgo\" template=\"Vec3d\"/></Group>"                  \
    }

#define NO_ALGORITHMS(Kind)                                                                         \
    {                                                                                               \
        DV_RENAME_CLASS_HARMLESS, NULL, #Kind "SetTopologyAlgorithms", "the modifier does its work" \
    }

/* What `input` and `output` of topological mappings were called. */
#define MAPPING_OBJECTS(Class)                      \
    {DV_RENAME_FIELD, Class, "object1", "input"},   \
    {                                               \
        DV_RENAME_FIELD, Class, "object2", "output" \
    }

/* Names of earlier years. */
static const DvRename renames[] = {
    {DV_RENAME_CLASS, NULL, "Mesh", "MeshTopology"},
    {DV_RENAME_CLASS, NULL, "CylinderGrid", "CylinderGridTopology"},
    {DV_RENAME_CLASS, NULL, "RegularGrid", "RegularGridTopology"},
    {DV_RENAME_CLASS, NULL, "SparseGrid", "SparseGridTopology"},
    {DV_RENAME_CLASS, NULL, "SparseGridMultiple", "SparseGridMultipleTopology"},
    {DV_RENAME_CLASS, NULL, "SparseGridRamification", "SparseGridRamificationTopology"},
    {DV_RENAME_CLASS, NULL, "SphereGrid", "SphereGridTopology"},
    {DV_RENAME_CLASS, NULL, "SphereQuad", "SphereQuadTopology"},
    SET_TOPOLOGY(Point),
    SET_TOPOLOGY(Edge),
    SET_TOPOLOGY(Triangle),
    SET_TOPOLOGY(Quad),
    SET_TOPOLOGY(Tetrahedron),
    SET_TOPOLOGY(Hexahedron),
    NO_ALGORITHMS(Point),
    NO_ALGORITHMS(Edge),
    NO_ALGORITHMS(Triangle),
    NO_ALGORITHMS(Quad),
    NO_ALGORITHMS(Tetrahedron),
    NO_ALGORITHMS(Hexahedron),
    MAPPING_OBJECTS("CenterPointTopologicalMapping"),
    MAPPING_OBJECTS("Edge2QuadTopologicalMapping"),
    MAPPING_OBJECTS("Hexa2PrismTopologicalMapping"),
    MAPPING_OBJECTS("IdentityTopologicalMapping"),
    MAPPING_OBJECTS("Hexa2QuadTopologicalMapping"),
    MAPPING_OBJECTS("Hexa2TetraTopologicalMapping"),
    MAPPING_OBJECTS("Mesh2PointTopologicalMapping"),
    MAPPING_OBJECTS("Quad2TriangleTopologicalMapping"),
    MAPPING_OBJECTS("SimpleTesselatedTetraTopologicalMapping"),
    MAPPING_OBJECTS("SubsetTopologicalMapping"),
    MAPPING_OBJECTS("Tetra2TriangleTopologicalMapping"),
    MAPPING_OBJECTS("Triangle2EdgeTopologicalMapping"),
    {DV_RENAME_FIELD_HARMLESS, "TetrahedronSetGeometryAlgorithms", "swapping", "it never had one"},
    {DV_RENAME_MODULE, NULL, "Sofa.Component.Topology", NULL},
    {DV_RENAME_MODULE, NULL, "Sofa.Component.Topology.Container", NULL},
    {DV_RENAME_MODULE, NULL, "SofaBaseTopology", NULL},
    {DV_RENAME_MODULE, NULL, "SofaCarving", NULL},
    {DV_RENAME_MODULE, NULL, "SofaGeneralTopology", NULL},
    {DV_RENAME_MODULE, NULL, "SofaTopologyMapping", NULL},
    {DV_RENAME_MODULE, NULL, "SofaTopologicalMapping", NULL},
    {0},
};

static const DvContract services[] = {
    {.id = DV_SURFACE_CUTTING, .ops = &surface_cutting_ops}, {.id = DV_CUTTING, .ops = &cutting_ops}, {0}};

DV_PLUGIN = {
    .size = sizeof(DvPlugin),
    .abi = DV_ABI_STAMP,
    .id = "divan.topology",
    .version = DV_VERSION,
    .license = "LGPL-2.1-or-later",
    .help = "Meshes: topologies, grids, topological mappings.",
    .offers = services,
    .classes = classes,
    .renames = renames,
};
