/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The conformance suites of states, force fields, masses, mappings and constraints on the emulated device: twins stand them in the place of their
 * components, and give what these do. Each row is a scene whose states are kept there.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "constraint_conformance.h"
#include "force_field_conformance.h"
#include "mapping_conformance.h"
#include "mass_conformance.h"
#include "scene_text.h"
#include "state_conformance.h"

/* ---- Meshes: a box out of shape ---- */

#define CORNERS        "0 0 0  1 0.1 0  1.1 1 0.1  0 1 0  0 0 1  1 0 1.1  1.2 1 1  0.1 1 0.9"
#define MESH(elements) "<MeshTopology name='mesh' position='" CORNERS "' " elements "/>"
#define SHEET(elements) \
    "<MeshTopology name='mesh' position='0 0 0  1 0.1 0  1.1 1 0  0 1 0  2 0 0  2.1 1.1 0' " elements "/>"
#define EDGES      "edges='0 1 1 2 2 6'"
#define TRIANGLES  "triangles='0 1 2  0 2 3  1 4 2  4 5 2'"
#define QUADS      "quads='0 1 2 3  1 4 5 2'"
#define TETRAHEDRA "tetrahedra='0 1 2 6  0 2 3 6  0 3 7 6  0 7 4 6  0 4 5 6  0 5 1 6'"
#define HEXAHEDRA  "hexahedra='0 1 2 3 4 5 6 7'"
#define PRISMS     "prisms='0 1 2 4 5 6  0 2 3 4 6 7'"
#define PYRAMIDS   "pyramids='0 1 2 3 6  0 4 5 1 6  0 3 7 4 6'"
#define BOXES      "<RegularGridTopology name='mesh' n='3 3 2' min='0 0 0' max='1 1 0.6'/>"
#define DOFS(word) "<MechanicalObject name='dofs' template='" word "'/>"
#define POINTS \
    "<MechanicalObject name='dofs' template='CudaVec3d' position='0 -1 0  0.4 0.5 0.03  0.8 -0.3 0.06  1.2 2 0'/>"
#define BODIES "1 2 3 0 0 0 1   0 1 0 0.5 0.5 0.5 0.5   2 0 0 0 0.6 0 0.8"

/* ---- Force fields ---- */

typedef struct FieldRow {
    const char *name;
    ForceFieldConformance row;
} FieldRow;

#define AT_REST                                                              \
    .tangent = TANGENT_AT_REST, .energy = ENERGY_AT_REST, .objective = true, \
    .reason = "the derivative of the element's frame is left out, as is usual for corotational elements"
#define SOFT                       "name='field' youngModulus='100' poissonRatio='0.3'"
#define OF_MESH(mesh, word, field) .scene = "<Node>" mesh DOFS(word) field "</Node>"
#define LINEAR(mesh, word, element)                                                                           \
    {                                                                                                         \
        "linear " word " " element,                                                                           \
        {                                                                                                     \
            OF_MESH(mesh, word, "<LinearSmallStrainFEMForceField template='" word "," element "' " SOFT "/>") \
        }                                                                                                     \
    }
#define COROTATIONAL(mesh, element, more)                                                               \
    {                                                                                                   \
        "corotational " element " " more,                                                               \
        {                                                                                               \
            OF_MESH(mesh, "CudaVec3d",                                                                  \
                    "<CorotationalFEMForceField template='CudaVec3d," element "' " SOFT " " more "/>"), \
                AT_REST                                                                                 \
        }                                                                                               \
    }
#define ELEMENTS(mesh, class, method)                                                        \
    {                                                                                        \
        class " " method,                                                                    \
        {                                                                                    \
            OF_MESH(mesh, "CudaVec3d", "<" class " " SOFT " method='" method "'/>"), AT_REST \
        }                                                                                    \
    }
#define SPRINGS(name, word, points, springs)                                                     \
    {                                                                                            \
        name,                                                                                    \
        {                                                                                        \
            .scene = "<Node><MechanicalObject name='dofs' template='" word "' position='" points \
                     "'/><SpringForceField name='field' spring='" springs "'/></Node>",          \
            .deformation = 0.02, .internal = true                                                \
        }                                                                                        \
    }
#define CHAIN "0 0 0  0.4 0.05 0.03  0.8 0 0.06  1.2 0.05 0  1.6 0.3 0.03"

static FieldRow fields[] = {
    LINEAR(MESH(EDGES), "CudaVec3d", "Edge"),
    LINEAR(SHEET(TRIANGLES), "CudaVec3d", "Triangle"),
    LINEAR(SHEET(QUADS), "CudaVec3d", "Quad"),
    LINEAR(MESH(TETRAHEDRA), "CudaVec3d", "Tetrahedron"),
    LINEAR(MESH(HEXAHEDRA), "CudaVec3d", "Hexahedron"),
    LINEAR(MESH(PRISMS), "CudaVec3d", "Prism"),
    LINEAR(MESH(PYRAMIDS), "CudaVec3d", "Pyramid"),
    LINEAR(SHEET(TRIANGLES), "CudaVec2d", "Triangle"),
    LINEAR(SHEET(QUADS), "CudaVec2d", "Quad"),
    COROTATIONAL(MESH(TETRAHEDRA), "Tetrahedron", ""),
    COROTATIONAL(MESH(TETRAHEDRA), "Tetrahedron", "rotationMethod='polar'"),
    COROTATIONAL(MESH(HEXAHEDRA), "Hexahedron", ""),
    COROTATIONAL(BOXES, "Hexahedron", ""),
    COROTATIONAL(MESH(HEXAHEDRA), "Hexahedron", "rotationMethod='polar'"),
    COROTATIONAL(MESH(PRISMS), "Prism", ""),
    COROTATIONAL(MESH(PYRAMIDS), "Pyramid", ""),
    {"corotational Edge",
     {OF_MESH(MESH(EDGES), "CudaVec3d", "<CorotationalFEMForceField template='CudaVec3d,Edge' " SOFT "/>"),
      .tangent = TANGENT_LEFT_OUT, .reason = "the derivative of the rotation is left out, by definition"}},
    {"solid of Hooke's law",
     {OF_MESH(
          MESH(TETRAHEDRA), "CudaVec3d",
          "<SolidFEMForceField name='field' template='CudaVec3d,Tetrahedron' material='Hooke' kinematics='corotational' "
          "parameters='30 40'/>"),
      AT_REST}},
    {"HexahedronFEMForceField small",
     {OF_MESH(MESH(HEXAHEDRA), "CudaVec3d", "<HexahedronFEMForceField " SOFT " method='small'/>")}},
    ELEMENTS(MESH(HEXAHEDRA), "HexahedronFEMForceField", "large"),
    ELEMENTS(MESH(HEXAHEDRA), "HexahedronFEMForceField", "polar"),
    ELEMENTS(BOXES, "HexahedronFEMForceField", "large"),
    {"TetrahedronFEMForceField small",
     {OF_MESH(MESH(TETRAHEDRA), "CudaVec3d", "<TetrahedronFEMForceField " SOFT " method='small'/>")}},
    ELEMENTS(MESH(TETRAHEDRA), "TetrahedronFEMForceField", "large"),
    ELEMENTS(MESH(TETRAHEDRA), "TetrahedronFEMForceField", "polar"),
    ELEMENTS(MESH(TETRAHEDRA), "TetrahedronFEMForceField", "svd"),
    {"TetrahedronFEMForceField exact",
     {OF_MESH(MESH(TETRAHEDRA), "CudaVec3d", "<TetrahedronFEMForceField " SOFT " method='exact'/>"), .internal = true,
      .objective = true}},
    ELEMENTS(MESH(TETRAHEDRA), "TetrahedralCorotationalFEMForceField", "large"),
    ELEMENTS(MESH(TETRAHEDRA), "TetrahedralCorotationalFEMForceField", "polar"),
    {"TetrahedralCorotationalFEMForceField exact",
     {OF_MESH(MESH(TETRAHEDRA), "CudaVec3d", "<TetrahedralCorotationalFEMForceField " SOFT " method='exact'/>"),
      .internal = true, .objective = true}},
    SPRINGS("springs", "CudaVec3d", CHAIN,
            "0 1 150 0 0.38  1 2 170 0 0.38  4 2 190 0 0.5  3 4 210 0 0.38  0 3 80 0 1.5"),
    SPRINGS("springs on a line", "CudaVec1d", "0 0.5 1.1 2", "0 1 10 0 0.4 1 2 20 0 0.7 0 3 5 0 1"),
    SPRINGS("springs in the plane", "CudaVec2d", "0 0 1 0 1 1 0 1.5", "0 1 10 0 0.8 1 2 20 0 0.7 0 2 5 0 1 3 0 9 0 2"),
    SPRINGS("springs in six dimensions", "CudaVec6d", "0 0 0 0 0 0  1 0 0 1 0 2  3 1 0 0 2 1",
            "0 1 10 0 0.8 1 2 20 0 0.7"),
    {"springs between two states",
     {.scene =
          "<Node><Node name='A'><MechanicalObject name='dofs' template='CudaVec3d' position='" CHAIN
          "'/></Node><Node name='B'><MechanicalObject name='dofs' template='CudaVec3d' position='0 1 0  1 1 0'/></Node>"
          "<SpringForceField name='field' template='CudaVec3d' object1='@A/dofs' object2='@B/dofs' "
          "spring='0 1 150 0 0.38  3 0 170 0 0.38 3 1 20 0 1'/></Node>",
      .internal = true}},
    {"springs of a mesh",
     {OF_MESH(MESH(TETRAHEDRA), "CudaVec3d",
              "<MeshSpringForceField name='field' linesStiffness='50' linesDamping='0'/>"),
      .internal = true, .objective = true}},
    {"springs of a grid",
     {OF_MESH(BOXES, "CudaVec3d", "<RegularGridSpringForceField name='field' linesStiffness='50' linesDamping='0'/>"),
      .internal = true, .objective = true}},
    {"triangular bending springs",
     {OF_MESH(SHEET(TRIANGLES), "CudaVec3d", "<TriangularBendingSprings name='field' stiffness='30' damping='0'/>"),
      .internal = true, .objective = true}},
    {"quadular bending springs",
     {OF_MESH(SHEET(QUADS), "CudaVec3d", "<QuadularBendingSprings name='field' stiffness='30' damping='0'/>"),
      .internal = true, .objective = true}},
    {"quad bending springs",
     {OF_MESH(SHEET(QUADS), "CudaVec3d", "<QuadBendingSprings name='field' stiffness='30' damping='0'/>"),
      .internal = true, .objective = true}},
    {"rest springs of some points",
     {.scene = "<Node>" POINTS "<RestShapeSpringsForceField name='field' points='3 1' stiffness='100 200'/></Node>"}},
    {"rest springs of some directions",
     {.scene = "<Node>" POINTS "<RestShapeSpringsForceField name='field' activeDirections='1 0 1'/></Node>"}},
    {"rest springs of bodies",
     {.scene = "<Node><MechanicalObject name='dofs' template='CudaRigid3d' position='" BODIES
               "'/><RestShapeSpringsForceField name='field' stiffness='100 50 20' angularStiffness='20 30'/></Node>",
      .tangent = TANGENT_AT_REST,
      .energy = ENERGY_AT_REST,
      .reason = "the derivative of the torque is that of small rotations"}},
    {"a plane",
     {.scene = "<Node>" POINTS "<PlaneForceField name='field' normal='0 1 0.2' d='0.02' damping='0'/></Node>"}},
    {"a plane that damps",
     {.scene = "<Node>" POINTS "<PlaneForceField name='field' normal='0 1 0.2' d='0.02' damping='3'/></Node>"}},
    {"a plane on both sides",
     {.scene = "<Node>" POINTS "<PlaneForceField name='field' damping='0' bilateral='1'/></Node>"}},
    {"a plane in the plane",
     {.scene = "<Node><MechanicalObject name='dofs' template='CudaVec2d' position='0 -1 1 -2 0 1'/>"
               "<PlaneForceField name='field' normal='0.3 1' damping='0'/></Node>"}},
    {"a constant load",
     {.scene = "<Node>" POINTS "<ConstantForceField name='field' indices='0 2' forces='1 2 3'/></Node>"}},
};

static void is_a_force_field(void **state)
{
    force_field_conformance(&((const FieldRow *)*state)->row);
}

/* ---- Masses ---- */

typedef struct MassRow {
    const char *name;
    MassConformance row;
} MassRow;

#define WEIGHT(parts) "<Node name='root' gravity='1 -9.81 2'>" parts "</Node>"
#define OF_STATE(word, position, mass) \
    .scene = WEIGHT("<MechanicalObject name='dofs' template='" word "' position='" position "'/>" mass)
#define MASS_OF(name, mesh, word, mass, ...)                   \
    {                                                          \
        name,                                                  \
        {                                                      \
            .scene = WEIGHT(mesh DOFS(word) mass), __VA_ARGS__ \
        }                                                      \
    }
#define FEM_MASS(mesh, word, element, ...)                                                                             \
    MASS_OF("FEM mass " word " " element, mesh, word,                                                                  \
            "<NodalMassDensity property='2'/><FEMMass name='mass' template='" word "," element "' topology='@mesh'/>", \
            __VA_ARGS__)
#define FULL_INERTIA "2 1 [0.4 0.1 0, 0.1 0.5 0.05, 0 0.05 0.6]"
#define TWO_INERTIAS FULL_INERTIA " 3 1 1 0 0 0 2 0 0 0 3"

static MassRow masses[] = {
    {"uniform", {OF_STATE("CudaVec3d", "0 0 0 1 0 0 0 2 0", "<UniformMass name='mass' totalMass='6'/>"), .total = 6}},
    {"uniform, of some points",
     {OF_STATE("CudaVec3d", "0 0 0 1 0 0 0 2 0", "<UniformMass name='mass' vertexMass='2' indices='2 0'/>"),
      .total = 4}},
    {"uniform, on a line",
     {OF_STATE("CudaVec1d", "0 1 3", "<UniformMass name='mass' vertexMass='2'/>"), .total = 6, .no_momentum = true}},
    {"uniform, in the plane",
     {OF_STATE("CudaVec2d", "0 1 3 2", "<UniformMass name='mass' vertexMass='2'/>"), .total = 4, .no_momentum = true}},
    {"uniform, of six components",
     {OF_STATE("CudaVec6d", "0 1 3 2 1 1 1 2 3 4 5 6", "<UniformMass name='mass' vertexMass='2'/>"), .total = 4}},
    {"uniform, of bodies",
     {OF_STATE("CudaRigid3d", BODIES, "<UniformMass name='mass' vertexMass='" FULL_INERTIA "'/>"), .total = 6}},
    {"uniform, of bodies that turn",
     {OF_STATE("CudaRigid3d", BODIES, "<UniformMass name='mass' turningInertia='1' vertexMass='" FULL_INERTIA "'/>"),
      .total = 6}},
    {"uniform, of bodies in the plane",
     {OF_STATE("CudaRigid2d", "0 1 0.3 2 1 1", "<UniformMass name='mass' vertexMass='2 1 0.3'/>"), .total = 4,
      .no_momentum = true}},
    {"diagonal, of bodies",
     {OF_STATE("CudaRigid3d", BODIES, "<DiagonalMass name='mass' vertexMass='" TWO_INERTIAS "'/>"), .total = 8}},
    {"diagonal, of bodies that turn",
     {OF_STATE("CudaRigid3d", BODIES, "<DiagonalMass name='mass' turningInertia='1' vertexMass='" TWO_INERTIAS "'/>"),
      .total = 8}},
    MASS_OF("diagonal, of hexahedra", BOXES, "CudaVec3d", "<DiagonalMass name='mass' totalMass='7'/>", .total = 7),
    MASS_OF("of a matrix, triangles", SHEET(TRIANGLES), "CudaVec3d", "<MeshMatrixMass name='mass' totalMass='7'/>",
            .total = 7),
    MASS_OF("of a matrix, quads", SHEET(QUADS), "CudaVec3d", "<MeshMatrixMass name='mass' totalMass='7'/>", .total = 7),
    MASS_OF("of a matrix, tetrahedra", MESH(TETRAHEDRA), "CudaVec3d", "<MeshMatrixMass name='mass' totalMass='7'/>",
            .total = 7),
    MASS_OF("of a matrix, hexahedra", BOXES, "CudaVec3d", "<MeshMatrixMass name='mass' totalMass='7'/>", .total = 7),
    MASS_OF("of a matrix, lumped", MESH(TETRAHEDRA), "CudaVec3d",
            "<MeshMatrixMass name='mass' totalMass='7' lumping='1'/>", .total = 7),
    MASS_OF("of a matrix, consistent", MESH(HEXAHEDRA), "CudaVec3d",
            "<MeshMatrixMass name='mass' totalMass='7' consistent='1'/>", .total = 7),
    FEM_MASS(MESH(EDGES), "CudaVec3d", "Edge", .total = 0),
    FEM_MASS(SHEET(TRIANGLES), "CudaVec3d", "Triangle", .total = 0),
    FEM_MASS(SHEET(QUADS), "CudaVec3d", "Quad", .total = 0),
    FEM_MASS(MESH(TETRAHEDRA), "CudaVec3d", "Tetrahedron", .total = 0),
    FEM_MASS(MESH(HEXAHEDRA), "CudaVec3d", "Hexahedron", .total = 0),
    FEM_MASS(MESH(PRISMS), "CudaVec3d", "Prism", .total = 0),
    FEM_MASS(MESH(PYRAMIDS), "CudaVec3d", "Pyramid", .total = 0),
    FEM_MASS(SHEET(TRIANGLES), "CudaVec2d", "Triangle", .no_momentum = true),
};

static void is_a_mass(void **state)
{
    mass_conformance(&((const MassRow *)*state)->row);
}

/* ---- Mappings ---- */

typedef struct MappingRow {
    const char *name;
    MappingConformance row;
} MappingRow;

#define MAPPED(from, in, positions, child, mapping)                                                        \
    .scene = "<Node name='root'>" from "<MechanicalObject name='parent' template='" in "' " positions "/>" \
             "<Node name='Child'><MechanicalObject name='mapped' " child "/>" mapping "</Node></Node>"
#define POSITION(positions)  "position='" positions "'"
#define OUT(word, positions) "template='" word "' position='" positions "'"
#define INSIDE               OUT("CudaVec3d", "0.2 0.3 0.4  0.9 0.1 0.5  1.2 0.5 0.5  0.5 0.5 -0.3")
#define IS_LINEAR            .geometric_stiffness = GEOMETRIC_LEFT_OUT, .reason = "the mapping is linear"
#define BARYCENTRIC(name, mesh)                                                       \
    {                                                                                 \
        name,                                                                         \
        {                                                                             \
            MAPPED(mesh, "CudaVec3d", "", INSIDE, "<BarycentricMapping/>"), IS_LINEAR \
        }                                                                             \
    }
#define SUBSET(word, positions, child, more)                                                                \
    {                                                                                                       \
        "subset of " word,                                                                                  \
        {                                                                                                   \
            MAPPED("", word, POSITION(positions), OUT(word, child), "<SubsetMapping " more "/>"), IS_LINEAR \
        }                                                                                                   \
    }
#define IDENTITY(in, positions, out)                                                                   \
    {                                                                                                  \
        in " as " out,                                                                                 \
        {                                                                                              \
            MAPPED("", in, POSITION(positions), "template='" out "'", "<IdentityMapping/>"), IS_LINEAR \
        }                                                                                              \
    }
#define RIGID(stiffness, ...)                                                                            \
    {                                                                                                    \
        "rigid " stiffness,                                                                              \
        {                                                                                                \
            MAPPED("", "CudaRigid3d", POSITION(BODIES),                                                  \
                   OUT("CudaVec3d", "0.1 0.2 0.3   -1 0.5 0   0 0 0   2 1 -1   0.3 0.3 0.4"),            \
                   "<RigidMapping rigidIndexPerPoint='2 0 2 0 2' geometricStiffness='" stiffness "'/>"), \
                __VA_ARGS__                                                                              \
        }                                                                                                \
    }

static MappingRow mappings[] = {
    BARYCENTRIC("in a grid", BOXES),
    BARYCENTRIC("in tetrahedra", MESH(TETRAHEDRA)),
    BARYCENTRIC("in hexahedra", MESH(HEXAHEDRA)),
    BARYCENTRIC("on triangles", SHEET(TRIANGLES)),
    BARYCENTRIC("on quads", SHEET(QUADS)),
    BARYCENTRIC("on edges", MESH(EDGES)),
    SUBSET("CudaVec3d", "1 2 3  4 5 6  7 8 9  0 1 0", "0 0 0", "indices='2 0 2'"),
    SUBSET("CudaVec1d", "1 2 3 4 5", "0", "first='1' last='3'"),
    SUBSET("CudaRigid3d", BODIES, "0 0 0 0 0 0 1", "indices='2 1'"),
    IDENTITY("CudaVec3d", "1 2 3 4 5 6", "CudaVec3d"),
    IDENTITY("CudaVec2d", "1 2 3 4 5 6", "CudaVec2d"),
    IDENTITY("CudaVec6d", "1 2 3 4 5 6 7 8 9 10 11 12", "CudaVec3d"),
    IDENTITY("CudaRigid3d", BODIES, "CudaRigid3d"),
    IDENTITY("CudaRigid3d", BODIES, "CudaVec3d"),
    RIGID("None", .geometric_stiffness = GEOMETRIC_LEFT_OUT, .reason = "geometricStiffness is None"),
    RIGID("Exact", .geometric_stiffness = GEOMETRIC_EXACT),
    RIGID("Stabilized", .geometric_stiffness = GEOMETRIC_PROJECTED, .reason = "Stabilized keeps systems definite"),
    {"subsets of two states",
     {.scene =
          "<Node name='root'><Node name='a'><MechanicalObject name='x' template='CudaVec3d' position='1 2 3  4 5 6  7 8 9'/>"
          "</Node><MechanicalObject name='x' template='CudaVec3d' position='0 1 0  0 2 0'/><Node name='Child'>"
          "<MechanicalObject name='mapped' template='CudaVec3d' position='0 0 0'/><SubsetMultiMapping input='@/a/x @/x' "
          "output='@mapped' indexPairs='0 2 1 1 0 2 1 0'/></Node></Node>",
      IS_LINEAR}},
};

static void is_a_mapping(void **state)
{
    mapping_conformance(&((const MappingRow *)*state)->row);
}

/* ---- Constraints ---- */

typedef struct ConstraintRow {
    const char *name;
    ConstraintConformance row;
} ConstraintRow;

#define HELD(word, class, more)                                                        \
    {                                                                                  \
        class " of " word " " more,                                                    \
        {                                                                              \
            .scene = "<Node name='root'><MechanicalObject name='dofs' template='" word \
                     "' size='4'/><" class " name='fixed' " more "/></Node>"           \
        }                                                                              \
    }

static ConstraintRow constraints[] = {
    HELD("CudaVec1d", "FixedProjectiveConstraint", "indices='1 3'"),
    HELD("CudaVec2d", "FixedProjectiveConstraint", "indices='1 3'"),
    HELD("CudaVec3d", "FixedProjectiveConstraint", "indices='1 3' activate_projectVelocity='1'"),
    HELD("CudaVec6d", "FixedProjectiveConstraint", "indices='0-2'"),
    HELD("CudaRigid3d", "FixedProjectiveConstraint", "fixAll='1'"),
    HELD("CudaRigid2d", "FixedProjectiveConstraint", ""),
    HELD("CudaVec3d", "PartialFixedProjectiveConstraint", "indices='1 3' fixedDirections='1 0 1' projectVelocity='1'"),
    HELD("CudaRigid3d", "PartialFixedProjectiveConstraint", "fixAll='1' fixedDirections='1 0 1 0 1 0'"),
    HELD("CudaVec3d", "FixedPlaneProjectiveConstraint", "indices='1 3' direction='0 0 1'"),
    HELD("CudaVec3d", "FixedPlaneProjectiveConstraint", "indices='1 3' direction='0 3 4'"),
    HELD("CudaVec3d", "PlaneProjectiveConstraint", "indices='1 3' normal='-2 0 0'"),
    HELD("CudaVec3d", "LinearMovementProjectiveConstraint", "indices='1 2' keyTimes='0 20' movements='0 0 0 1 2 3'"),
    HELD("CudaVec3d", "AffineMovementProjectiveConstraint", "indices='1 2'"),
};

static void is_a_constraint(void **state)
{
    constraint_conformance(&((const ConstraintRow *)*state)->row);
}

/* ---- States ---- */

typedef struct StateRow {
    const char *name;
    StateConformance row;
} StateRow;

#define OF_WORD(word)                                                                             \
    {                                                                                             \
        word,                                                                                     \
        {                                                                                         \
            .scene = "<Node><MechanicalObject name='dofs' template='" word "' size='37'/></Node>" \
        }                                                                                         \
    }

static StateRow states[] = {
    OF_WORD("CudaVec1d"),   OF_WORD("CudaVec1f"),   OF_WORD("CudaVec2d"),   OF_WORD("CudaVec2f"),
    OF_WORD("CudaVec3d"),   OF_WORD("CudaVec3f"),   OF_WORD("CudaVec3f1"),  OF_WORD("CudaVec6d"),
    OF_WORD("CudaVec6f"),   OF_WORD("CudaRigid2d"), OF_WORD("CudaRigid2f"), OF_WORD("CudaRigid3d"),
    OF_WORD("CudaRigid3f"),
};

static void is_a_state(void **state)
{
    state_conformance(&((const StateRow *)*state)->row);
}

/* ---- All of them ---- */

enum {
    STATES = sizeof states / sizeof *states,
    FIELDS = sizeof fields / sizeof *fields,
    MASSES = sizeof masses / sizeof *masses,
    MAPPINGS = sizeof mappings / sizeof *mappings,
    CONSTRAINTS = sizeof constraints / sizeof *constraints,
};

/* Without a device the rows would stand on the host. */
static void there_is_a_device(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text("<Node>" POINTS "</Node>");
    assert_non_null(dv_state_storage(scene_state(scene, "/dofs")).space);
    dv_scene_free(scene);
}

static int start_with_device(void **state)
{
    return setenv("DIVAN_DEVICE", "emulated", 1) == 0 ? start_plugins(state) : -1;
}

int main(void)
{
    struct CMUnitTest tests[1 + STATES + FIELDS + MASSES + MAPPINGS + CONSTRAINTS] = {
        cmocka_unit_test(there_is_a_device)};
    int count = 1;
    for (int i = 0; i < STATES; i++)
        tests[count++] = (struct CMUnitTest){states[i].name, is_a_state, NULL, NULL, &states[i]};
    for (int i = 0; i < FIELDS; i++)
        tests[count++] = (struct CMUnitTest){fields[i].name, is_a_force_field, NULL, NULL, &fields[i]};
    for (int i = 0; i < MASSES; i++)
        tests[count++] = (struct CMUnitTest){masses[i].name, is_a_mass, NULL, NULL, &masses[i]};
    for (int i = 0; i < MAPPINGS; i++)
        tests[count++] = (struct CMUnitTest){mappings[i].name, is_a_mapping, NULL, NULL, &mappings[i]};
    for (int i = 0; i < CONSTRAINTS; i++)
        tests[count++] = (struct CMUnitTest){constraints[i].name, is_a_constraint, NULL, NULL, &constraints[i]};
    return cmocka_run_group_tests(tests, start_with_device, stop_plugins);
}
