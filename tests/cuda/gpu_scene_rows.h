/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Rows of test_gpu_scenes.c: scenes as they are made for a GPU, `$` the word of their states. Beams are fixed at x = 0 and sink.
 */
#define TRUNCATED(iterations)                                           \
    "<EulerImplicitSolver rayleighStiffness='0.1' rayleighMass='0.1'/>" \
    "<CGLinearSolver iterations='" iterations "' tolerance='1e-6' threshold='1e-6'/>"
#define GRID(n) "<RegularGridTopology name='grid' n='" n "' min='0 6 -2' max='16 10 2'/>"
#define FIXED \
    "<BoxROI name='box' box='-0.01 5 -3 0.01 11 3'/><FixedProjectiveConstraint template='$' indices='@box.indices'/>"
#define STATE   "<MechanicalObject name='dofs' template='$' position='@grid.position'/>"
#define SURFACE "<Node name='View'><OglModel name='model'/><IdentityMapping input='@../dofs' output='@model'/></Node>"
#define SOFT    " youngModulus='2000' poissonRatio='0.3' "
#define TETRAHEDRA                                                                                                                     \
    "<TetrahedronSetTopologyContainer name='cells'/><TetrahedronSetTopologyModifier/><TetrahedronSetGeometryAlgorithms template='$'/>" \
    "<Hexa2TetraTopologicalMapping input='@grid' output='@cells' swapping='1'/>"
#define TETRAHEDRON_BEAM(solver, n)                                                    \
    solver GRID(n)                                                                     \
    STATE TETRAHEDRA "<TetrahedronFEMForceField template='$' method='large'" SOFT "/>" \
                     "<DiagonalMass template='$' totalMass='50'/>" FIXED SURFACE
#define HEXAHEDRON_BEAM(solver, n)                                                   \
    solver GRID(n) STATE "<HexahedronFEMForceField template='$' method='large'" SOFT \
                         "/><DiagonalMass template='$' totalMass='50'/>" FIXED SURFACE
#define SPRING_BEAM(solver)                                                                                \
    solver GRID("40 10 10") STATE TETRAHEDRA "<MeshSpringForceField template='$' tetrasStiffness='1200'/>" \
                                             "<UniformMass template='$' totalMass='100'/>" FIXED SURFACE
#define TISSUE(solver, n)                                                                                  \
    solver "<RegularGridTopology name='grid' n='" n "' min='0 0 0' max='10 10 0'/>" STATE                  \
           "<TriangleSetTopologyContainer name='sheet'/><TriangleSetTopologyModifier/>"                    \
           "<Quad2TriangleTopologicalMapping input='@grid' output='@sheet'/>"                              \
           "<TriangularFEMForceField template='$' youngModulus='600' poissonRatio='0.3' method='large'/>"  \
           "<DiagonalMass template='$' massDensity='0.15'/>"                                               \
           "<SphereROI name='corners' centers='0 0 0 10 0 0 0 10 0 10 10 0' radii='0.11 0.11 0.11 0.11'/>" \
           "<FixedProjectiveConstraint template='$' indices='@corners.indices'/>" SURFACE
#define ELEMENTS(mesh, force) \
    TRUNCATED("20") mesh "<MechanicalObject name='dofs' template='$' position='@mesh.position'/>" force FIXED_CORNER
#define FIXED_CORNER  "<FixedProjectiveConstraint template='$' indices='0 1 2'/>"
#define CUBES         "<RegularGridTopology name='mesh' n='4 4 4' min='0 0 0' max='3 3 3'/>"
#define POINTS_OF_TWO "<MeshTopology name='mesh' position='0 0 0 1 0 0 1 1 0 0 1 0 0 0 1 1 0 1 1 1 1 0 1 1 0.5 0.5 2' "
#define RK4           "<RungeKutta4Solver/>"
#define DENSE         "<NodalMassDensity property='2'/><FEMMass template='$,"

{"tetrahedra", "dt='0.01' gravity='0 -9 0'", TETRAHEDRON_BEAM(TRUNCATED("20"), "40 10 10"), true, false},
    {"tetrahedra by Runge and Kutta", "dt='0.002' gravity='0 -9 0'", TETRAHEDRON_BEAM(RK4, "40 10 10"), true, false},
    {"many tetrahedra", "dt='0.01' gravity='0 -9 0'", TETRAHEDRON_BEAM(TRUNCATED("20"), "76 16 16"), true, true},
    {"hexahedra", "dt='0.02' gravity='0 -9 0'", HEXAHEDRON_BEAM(TRUNCATED("20"), "40 10 10"), true, false},
    {"hexahedra by Runge and Kutta", "dt='0.002' gravity='0 -9 0'", HEXAHEDRON_BEAM(RK4, "40 10 10"), true, false},
    {"many hexahedra", "dt='0.01' gravity='0 -9 0'", HEXAHEDRON_BEAM(TRUNCATED("20"), "76 16 16"), true, true},
    {"springs", "dt='0.01' gravity='0 -9 0'",
     SPRING_BEAM("<EulerImplicitSolver rayleighStiffness='0' rayleighMass='0'/>"
                 "<CGLinearSolver iterations='20' tolerance='1e-6' threshold='1e-6'/>"),
     true, false},
    {"springs by Runge and Kutta", "dt='0.002' gravity='0 -9 0'", SPRING_BEAM(RK4), true, false},
    {"small tissue", "dt='0.01' gravity='0 -9 -1'", TISSUE(TRUNCATED("20"), "20 20 1"), false, false},
    {"tissue", "dt='0.01' gravity='0 -9 -1'", TISSUE(TRUNCATED("20"), "100 100 1"), false, true},
    {"cloth", "dt='0.04' gravity='0 -2 0'",
     "<EulerImplicitSolver rayleighStiffness='0.1' rayleighMass='0.1'/>"
     "<CGLinearSolver iterations='10' tolerance='1e-6' threshold='1e-6'/>"
     "<RegularGridTopology name='grid' n='100 1 100' min='-5 0 -5' max='5 0 5'/>" STATE
     "<UniformMass template='$' totalMass='100'/><MeshSpringForceField template='$' linesStiffness='1000' quadsStiffness='1000'/>"
     "<QuadBendingSprings template='$' stiffness='2000' damping='1'/>"
     "<PlaneForceField template='$' normal='0 1 0' d='-0.1' stiffness='1000'/>" SURFACE,
     true, false},
    {"corotational hexahedra", "dt='0.01' gravity='0 -9 0'",
     ELEMENTS(CUBES, "<CudaCorotationalFEMForceField template='$,Hexahedron'" SOFT
                     "topology='@mesh'/><DiagonalMass template='$' totalMass='50'/>"),
     true, false},
    {"linear hexahedra", "dt='0.01' gravity='0 -9 0'",
     ELEMENTS(CUBES, "<CudaLinearSmallStrainFEMForceField template='$,Hexahedron'" SOFT
                     "topology='@mesh'/><DiagonalMass template='$' totalMass='50'/>"),
     true, false},
    {"corotational tetrahedra", "dt='0.01' gravity='0 -9 0'",
     ELEMENTS(POINTS_OF_TWO "tetrahedra='0 1 2 6 0 2 3 6 0 3 7 6 0 7 4 6 0 4 5 6 0 5 1 6'/>",
              "<CudaCorotationalFEMForceField template='$,Tetrahedron'" SOFT
              "topology='@mesh'/><UniformMass template='$' totalMass='50'/>"),
     true, false},
    {"corotational prisms", "dt='0.01' gravity='0 -9 0'",
     ELEMENTS(POINTS_OF_TWO "prisms='0 1 2 4 5 6 0 2 3 4 6 7'/>", DENSE
              "Prism' topology='@mesh'/><CudaCorotationalFEMForceField template='$,Prism'" SOFT "topology='@mesh'/>"),
     true, false},
    {"linear pyramids", "dt='0.01' gravity='0 -9 0'",
     ELEMENTS(POINTS_OF_TWO "pyramids='4 5 6 7 8 0 1 2 3 8'/>",
              DENSE "Pyramid' topology='@mesh'/><CudaLinearSmallStrainFEMForceField template='$,Pyramid'" SOFT
                    "topology='@mesh'/>"),
     true, false},
    {"corotational triangles", "dt='0.01' gravity='0 -9 0'",
     ELEMENTS(POINTS_OF_TWO "triangles='0 1 5 0 5 4 1 2 6 1 6 5 4 5 8 5 6 8 6 7 8 7 4 8'/>",
              "<CudaCorotationalFEMForceField template='$,Triangle'" SOFT
              "topology='@mesh'/><UniformMass template='$' totalMass='50'/>"),
     true, false},
    {"linear quads", "dt='0.01' gravity='0 -9 0'",
     ELEMENTS(POINTS_OF_TWO "quads='0 1 5 4 1 2 6 5 2 3 7 6'/>",
              "<CudaLinearSmallStrainFEMForceField template='$,Quad'" SOFT
              "topology='@mesh'/><UniformMass template='$' totalMass='50'/>"),
     true, false},
    {"masses of a mesh", "dt='0.01' gravity='0 -9 0'",
     ELEMENTS(CUBES, "<HexahedronFEMForceField template='$'" SOFT "/><MeshMatrixMass template='$' totalMass='50'/>"),
     true, false},
    {"tetrahedra and springs", "dt='0.01' gravity='0 -9 0'",
     ELEMENTS(POINTS_OF_TWO "tetrahedra='0 1 2 6 0 2 3 6 0 3 7 6 0 7 4 6 0 4 5 6 0 5 1 6'/>",
              "<TetrahedronFEMForceField template='$'" SOFT
              "/><SpringForceField template='$' spring='8 4 100 1 1 8 5 100 1 1 8 6 100 1 1'/>"
              "<UniformMass template='$' totalMass='50'/>"),
     true, false},
    {"liver", "dt='0.02' gravity='0 -9.81 0'",
     TRUNCATED(
         "25") "<MeshGmshLoader name='mesh' filename='meshes/liver.msh'/><TetrahedronSetTopologyContainer src='@mesh'/>"
               "<TetrahedronSetGeometryAlgorithms template='$'/><MechanicalObject name='dofs' template='$' src='@mesh'/>"
               "<TetrahedronFEMForceField template='$' youngModulus='10000' poissonRatio='0.4' method='large'/>"
               "<DiagonalMass template='$' massDensity='1060'/><BoxROI name='box' box='-0.06 0.062 -0.03  0.02 0.1 0.03'/>"
               "<FixedProjectiveConstraint template='$' indices='@box.indices'/>"
               "<Node name='Spheres'><MechanicalObject name='points' template='$' position='0 0 0  0.02 0.02 0'/>"
               "<BarycentricMapping/></Node>",
     true, false},
#undef TRUNCATED
#undef GRID
#undef FIXED
#undef STATE
#undef SURFACE
#undef SOFT
#undef TETRAHEDRA
#undef TETRAHEDRON_BEAM
#undef HEXAHEDRON_BEAM
#undef SPRING_BEAM
#undef TISSUE
#undef ELEMENTS
#undef FIXED_CORNER
#undef CUBES
#undef POINTS_OF_TWO
#undef RK4
#undef DENSE
