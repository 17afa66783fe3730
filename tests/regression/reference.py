#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Run scenes of the reference and compare with what it computed for them.

usage: reference.py GROUP [NAME...] [--divan PROGRAM] [--shared FOLDER] [--part I/N] [--verbose]

  trajectories   scenes of sofa/lists/first-light.txt: compare-states
  load           scenes of sofa/lists/first-load.txt: load, 100 steps, save
  probes         probes of probes/first-light.txt: compare-operators and compare-states
  contact        scenes of sofa/lists/first-contact.txt and probes of contact: compare-states with the trajectory, with the frames (1e-6
                 until the first contact, 1e-3 in the ten steps after it; probes 1e-6 to step 20), compare-contacts for those that
                 the reference has contacts of, and for those that rounding decides height, gap and momentum to 1 %
  holds          chainAll for 300 steps, 2,000 in long tests: tori that hang in each other at the start do at the end
  topology       scenes of sofa/lists/first-topology.txt and all that sofa/topology has connectivity of: compare-topology, and
                 compare-states with the frames or else the trajectory; scenes of classes that no plugin has yet are left out, by name
  loaders        what file loaders read, of probes/loaders, likewise
  engines        outputs of engines and mesh creators, of probes/engines and of scenes of sofa/engines: compare-outputs to 1e-9
  exports        files of exporters and recorders, of probes/exports: compare-exports, but those that are not valid there (docs/differences.md)
  restart        of these: saved at step 10, loaded and run on, the same hash at step 30, or where both explode; in long tests all, else
                 those that have a component, or an attribute of one, that none before has
  moments        back to a moment in memory, and restarted from a checkpoint on other threads: the same hashes; some of each kind (with
                 --all, all of the lists)
  threads        the same scenes: the same hashes with 1, 2 and 8 threads and small chunks
  allocations    of scenes of first-light.txt and our own without contacts likewise: no heap allocation in a step after the first (where contacts
                 come and go, tests/collision looks at the steps between)
  speed          median time of a step against sofa/timings.tsv (prints ratios, never fails)
  speed-contact  the same of scenes of sofa/lists/first-contact.txt; times are first scaled by what liver_without_collision takes
                 on this machine at this moment and 80 us, which it took on the machine of the table

NAME keeps the scenes whose path contains one of the names, --part each N-th, from the I-th on, one at a time. Where $DIVAN_TEST_SHARE is
set (./bootstrap sanitize does), only the day's share of groups of more than thirty scenes is run, and 100 steps of `holds`:
tests/support/share.py. The data lie beside the project in ../shared (or $DIVAN_SHARED); without them there is nothing to compare with,
which is said in one line. Closes with "N passed, N failed".
"""
import concurrent.futures
import contextlib
import glob
import gzip
import io
import json
import math
import os
import re
import runpy
import subprocess
import sys
import tempfile
import threading

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from share import is_long, share_of, turn_and_days

ROOT = os.environ.get("DIVAN_TEST_SOURCE_ROOT") or os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
RESTART_AT, RESTART_TO = 10, 30
SLOW = ["Component/LinearSolver/Direct/FEMBAR_SVDLinearSolver.scn"]  # a second a step: restarted from step 1 to 3, two steps of other groups
NOT_FINITE = 3  # exit status of a run that explodes


def option(name, default):
    return sys.argv[sys.argv.index(name) + 1] if name in sys.argv else default


SHARED = os.path.abspath(option("--shared", os.environ.get("DIVAN_SHARED", os.path.join(ROOT, "..", "shared"))))
DIVAN = os.path.abspath(option("--divan", os.environ.get("DIVAN_HOST", os.path.join(ROOT, "build", "hosts", "divan", "divan"))))
MOMENTS = os.environ.get("DIVAN_TEST_MOMENTS", os.path.join(os.path.dirname(DIVAN), "..", "..", "tests", "scenes-moments"))
VERBOSE = "--verbose" in sys.argv
EXAMPLES = os.path.join(SHARED, "sofa", "examples")
PROBES = os.path.join(SHARED, "probes")


# Beside the lists: what uses classes that came later.
MORE_SCENES = ["Component/Constraint/Lagrangian/BilateralLagrangianConstraint_NNCG.scn",
               "Component/Constraint/Lagrangian/BilateralLagrangianConstraint_UGS.scn",
               "Component/Constraint/Lagrangian/FixedLagrangianConstaint_Vec3.scn",
               "Component/Constraint/Lagrangian/BilateralLagrangianConstraint_Rigid.scn",
               "Component/Constraint/Projective/BoxConstraint.scn", "Component/IO/Mesh/BlenderExporter.scn",
               "Component/IO/Mesh/MeshExporter.scn", "Component/IO/Mesh/VTKExporter.scn", "Component/Playback/CompareState.scn",
               "Component/Playback/WriteState.scn", "Component/Constraint/Projective/FixedPlaneProjectiveConstraint.scn",
               "Component/Constraint/Projective/LinearMovementProjectiveConstraint.scn",
               "Component/MechanicalLoad/SurfacePressureForceField.scn", "Component/SolidMechanics/FEM/TopoMap_cylinder3d.scn",
               "Component/Topology/Container/Grid/SparseGridTopology.scn",
               "Component/Topology/Container/Grid/SparseGridMultipleTopology.scn",
               "Component/ODESolver/Backward/BDFOdeSolver_spring1d.scn", "Component/ODESolver/Backward/BDFOdeSolver_spring3d.scn",
               "Component/ODESolver/Backward/NewmarkImplicitSolver.scn", "Component/ODESolver/Backward/StaticSolver.scn",
               "Component/ODESolver/Backward/VariationalSymplecticSolver.scn",
               "Component/SolidMechanics/Spring/RestShapeSpringsForceField.scn",
               "Component/Visual/VisualPointCloud.scn", "Component/LinearSolver/Direct/FEMBAR_EigenSimplicialLDLT.scn",
               "Component/LinearSolver/Direct/FEMBAR_PrecomputedLinearSolver.scn",
               "Component/LinearSolver/Iterative/FEMBAR_MinResLinearSolver.scn",
               "Component/LinearSolver/Preconditioner/FEMBAR_PCG_SSORPreconditioner.scn",
               "Component/LinearSolver/Preconditioner/FEMBAR_PCG_WarpPreconditioner.scn",
               "Component/LinearSolver/Preconditioner/FEMBAR_PCG_WarpedAsyncSparseLDLSolver.scn",
               "Component/LinearSystem/CompositeLinearSystem.scn", "Component/LinearSystem/ConstantSparsityPatternSystem.scn",
               "Tutorials/ForceFields/TutorialForceFieldLiverHexaFEM.scn", "Tutorials/StepByStep/FullObject/3_FullObject.scn",
               "Tutorials/StepByStep/FullObject/4_FullObject.scn",
               "Plugins/ArticulatedSystemPlugin/ArticulatedSystemMapping.scn"]
MORE_PROBES = ["ODE/BDF1.scn", "ODE/BDF3.scn", "ODE/CentralDifference.scn", "ODE/CentralDifference_undamped.scn", "ODE/NewmarkImplicit.scn",
               "ODE/NewmarkImplicit_gamma.scn", "ODE/RungeKutta2.scn", "ODE/Static.scn", "ODE/VariationalSymplectic.scn", "Mapping/Distance.scn", "Mapping/SquareDistance.scn", "Mapping/Barycentric_SparseGridTopology.scn",
               "FEM/HexahedronFEMForceField_sparse.scn", "Mapping/SubsetMulti.scn", "LinearSolver/MinRes.scn",
               "LinearSolver/EigenSimplicialLDLT.scn", "LinearSolver/EigenSimplicialLLT.scn", "LinearSolver/PCG_SSOR.scn",
               "LinearSolver/PCG_WarpLDL.scn", "Spring/BeamFEMForceField.scn"]
# Solids of any element, their masses, and what holds them.
MORE_SCENES += ["Component/Mapping/NonLinear/%s-basic.scn" % n for n in ("RigidMapping", "RigidMapping2d", "RigidRigidMapping")]
MORE_SCENES += ["Component/Topology/Mapping/Hexa2PrismTopologicalMapping.scn", "Component/Visual/VisualVectorField.scn",
                "Component/Mapping/NonLinear/SquareDistanceMapping.scn", "Component/Mapping/Linear/SubsetMultiMapping.scn"]
MORE_SCENES += ["Component/Engine/" + n + ".scn" for n in (
    "Generate/MeshTetraStuffing", "Select/MeshSampler", "Select/NearestPointROI", "Transform/DisplacementMatrixEngine", "Transform/TransformEngine", "Transform/TransformPosition")]
MORE_SCENES += ["Component/Controller/MechanicalStateController.scn", "Component/Controller/MechanicalStateControllerTranslation.scn",
                "Tutorials/StepByStep/Dentistry_Haptics/dentalSurgery_Annex.scn",
                "Component/IO/Mesh/MeshOffLoader.scn", "Component/IO/Mesh/MeshTrianLoader.scn", "Component/IO/Mesh/VoxelGridLoader.scn",
                "Component/Topology/Mapping/Hexa2TetraTopologicalMapping_export.scn"]
# Libraries that a build may lack: scenes with the class are left out there.
PLUGIN_OF_CLASS = {"EigenSparseLU": "divan.mumps", "EigenSparseQR": "divan.cxsparse",
                   "SVDLinearSolver": "divan.lapack", "CholeskySolver": "divan.lapack"}
BY_LIBRARY = ["Component/LinearSolver/Direct/FEMBAR_EigenSparseLU.scn", "Component/LinearSolver/Direct/FEMBAR_EigenSparseQR.scn",
              "Component/SolidMechanics/FEM/RestShapeSpringsForceField3.scn"]
MORE_SCENES += BY_LIBRARY
MORE_SCENES += ["Component/LinearSolver/Direct/Eigen3-SVD.scn", "Component/LinearSolver/Direct/FEMBAR_SVDLinearSolver.scn"]
MORE_PROBES += ["LinearSolver/SVD.scn", "LinearSolver/Cholesky.scn", "LinearSolver/EigenSparseLU.scn", "LinearSolver/EigenSparseQR.scn", "Mapping/Rigid_geometricStiffness1.scn"]
MORE_SCENES += ["Validation/cantilever_beam/" + n for n in (
    "hexahedron/corotational/parallel/assembled/HexahedronCorotationalFEMForceField.scn",
    "hexahedron/corotational/sequential/assembled/HexahedronCorotationalFEMForceField.scn",
    "tetrahedron/corotational/parallel/assembled/TetrahedronCorotationalFEMForceField.scn",
    "tetrahedron/corotational/sequential/assembled/TetrahedronCorotationalFEMForceField.scn",
    "tetrahedron/linear/parallel/assembled/TetrahedronLinearSmallStrainFEMForceField.scn",
    "tetrahedron/linear/sequential/assembled/TetrahedronLinearSmallStrainFEMForceField.scn",
    # Conjugate gradients stopped long before they converge: within ten times the reference's own spread.
    "hexahedron/corotational/parallel/matrixfree/HexahedronCorotationalFEMForceField.scn",
    "hexahedron/corotational/sequential/matrixfree/HexahedronCorotationalFEMForceField.scn",
    "hexahedron/linear/parallel/matrixfree/HexahedronLinearSmallStrainFEMForceField.scn",
    "hexahedron/linear/sequential/matrixfree/HexahedronLinearSmallStrainFEMForceField.scn",
    "tetrahedron/linear/parallel/matrixfree/TetrahedronLinearSmallStrainFEMForceField.scn",
    "tetrahedron/linear/sequential/matrixfree/TetrahedronLinearSmallStrainFEMForceField.scn")]
MORE_PROBES += ["FEM/LinearSmallStrain_%s.scn" % n for n in ("Hexahedron", "Prism", "Tetrahedron")]
MORE_PROBES += ["FEM/Corotational_%s.scn" % n for n in ("Hexahedron_frame", "Hexahedron_identity", "Hexahedron_polar", "Tetrahedron_frame",
                                                        "Tetrahedron_identity", "Tetrahedron_polar")]
MORE_PROBES += ["Shell/Corotational_Quad.scn", "Shell/Corotational_Triangle.scn", "Shell/LinearSmallStrain_Quad.scn",
                "Shell/LinearSmallStrain_Triangle.scn",
                "Mass/FEMMass.scn", "Projective/PartialFixed.scn", "Projective/PartialFixed_rigid.scn"]


# Outputs of engines: a row a class, two where it has two probes, and example scenes, with what compare-outputs is told besides.
ENGINE_PROBES = ["AverageCoord_a", "BoxROI_a", "ClusteringEngine_a", "DifferenceEngine_a", "DilateEngine_a",
                 "DisplacementMatrixEngine_a", "DisplacementTransformEngine_a", "ExtrudeEdgesAndGenerateQuads_a",
                 "ExtrudeQuadsAndGenerateHexas_a", "ExtrudeSurface_a", "GenerateCylinder_a", "GenerateCylinder_c",
                 "GenerateGrid_a", "GenerateRigidMass_a", "GenerateSphere_a", "GenerateSphere_c", "GridMeshCreator_a",
                 "GroupFilterYoungModulus_a", "HausdorffDistance_a", "IndexValueMapper_a", "Indices2ValuesMapper_a",
                 "IndicesFromValues_a", "InvertTransformMatrixEngine_a", "JoinPoints_a", "MergeMeshes_a", "MergePoints_a",
                 "MergeSets_a", "MergeVectors_a", "MeshBarycentricMapperEngine_a", "MeshBoundaryROI_a", "MeshClosingEngine_a", "MeshROI_a", "MeshSampler_a",
                 "MeshSplittingEngine_a", "MeshSubsetEngine_a", "MeshTetraStuffing_a", "NearestPointROI_a",
                 "NormalsFromPoints_a", "NormEngine_a", "PairBoxROI_a", "PlaneROI_a", "PointsFromIndices_a", "ProximityROI_a",
                 "RandomPointDistributionInSurface_a", "RotateTransformMatrixEngine_a", "ScaleTransformMatrixEngine_a",
                 "ShapeMatching_a", "SmoothMeshEngine_a", "SphereROI_a", "Spiral_a", "StringMeshCreator_a", "SubsetTopology_a",
                 "SumEngine_a", "TransformEngine_a", "TransformPosition_a", "TranslateTransformMatrixEngine_a",
                 "ValuesFromIndices_a", "Vertex2Frame_a", "VolumeFromTriangles_a", "VolumeFromVolumetricElements_a"]
ENGINE_SCENES = ["Component/Engine/Analyze/HausdorffDistance.scn", "Component/Engine/Generate/ExtrudeSurface.scn",
                 "Component/Engine/Generate/GenerateRigidMass.scn", "Component/Engine/Generate/MergeMeshes.scn",
                 "Component/Engine/Generate/MeshBarycentricMapperEngine.scn",
                 "Component/Engine/Generate/MeshClosingEngine.scn", "Component/Engine/Generate/MeshTetraStuffing.scn",
                 "Component/Engine/Generate/RandomPointDistributionInSurface.scn",
                 "Component/Engine/Generate/VolumeFromTriangles.scn",
                 "Component/Engine/Generate/VolumeFromVolumetricElements.scn", "Component/Engine/Select/BoxROI_2d.scn",
                 "Component/Engine/Select/MeshBoundaryROI.scn", "Component/Engine/Select/MeshROI.scn",
                 "Component/Engine/Select/MeshSampler.scn", "Component/Engine/Select/NearestPointROI.scn",
                 "Component/Engine/Select/PointsFromIndices.scn", "Component/Engine/Select/ProximityROI.scn",
                 "Component/Engine/Select/SphereROI.scn", "Component/Engine/Transform/DisplacementMatrixEngine.scn",
                 "Component/Engine/Transform/SmoothMeshEngine.scn", "Component/Engine/Transform/TransformEngine.scn",
                 "Component/Engine/Transform/TransformMatrixEngine.scn", "Component/Engine/Transform/TransformPosition.scn",
                 "Component/Engine/Transform/vertex2frame.scn"]
ENGINE_PROBES += [n + "_a" for n in ("ComplementaryROI", "MapIndices", "MathOp", "MergeROIs", "ProjectiveTransformEngine", "QuatToRigidEngine",
                                     "RigidToQuatEngine", "ROIValueMapper", "SelectConnectedLabelsROI", "SelectLabelROI",
                                     "ValuesFromPositions")]
# --skip: rows of docs/differences.md.
OUTPUT_OPTIONS = {"RandomPointDistributionInSurface_a": ['--sizes', 'inPoints', '--skip', 'outPoints'],
                  "MathOp_a": ['--skip', 'points'],
                  "NormalsFromPoints_a": ['--skip', 'quadAngles|follow'],
                  "Spiral_a": ['--skip', 'tight'],
                  "MeshBarycentricMapperEngine_a": ["--skip", "linearInterpolationValues"],
                  "GenerateCylinder_c": ["--skip", "isBezierTetrahedronRational"], "GenerateSphere_c": ["--skip", "cubic.*(Position|Bezier)"],
                  "Component/Engine/Select/MeshSampler.scn": ["--only", "sampler"],
                  "BoxROI_a": ["--skip", "six"], "StringMeshCreator_a": ["--skip", "placed.position"],
                  "SubsetTopology_a": ["--skip", r"fromTetrahedra\.(indices|nbrborder)"]}


# Files of materials that are not there, groups of Gmsh, seams: what loaders read has a list of its own.
for n in ENGINE_SCENES:
    OUTPUT_OPTIONS.setdefault(n, []).extend(["--skip", r"Groups$|(normals|vertPosIdx|vertNormIdx)$"])


# What file loaders read, likewise.
LOADER_PROBES = ["GIDMeshLoader_a", "MeshGmshLoader_a", "MeshOBJLoader_a", "MeshOffLoader_a", "MeshSTLLoader_a", "MeshTrianLoader_a",
                 "MeshVTKLoader_a", "MeshXspLoader_a", "OffSequenceLoader_a", "SphereLoader_a", "VoxelGridLoader_a"]
OUTPUT_OPTIONS.update({"MeshGmshLoader_a": ["--skip", ".*Groups"],
                       "MeshOBJLoader_a": ["--skip", r"(attached\.(normals|texcoords)|simpleSeams\.(normals|vertPosIdx))"]})


# MUMPS and CXSparse make each factor anew, and their work arrays at each solve; ours stay.
# Steps that write a file; what a recording writes to is made when its second block comes.
WRITERS = ["Component/IO/Mesh/%s.scn" % n for n in ("BlenderExporter", "MeshExporter", "VTKExporter")] + ["Component/Playback/%s.scn" % n for n in ("CompareState", "WriteState")]
# Lists of regions that follow what moves grow as points come in.
ALLOCATES = BY_LIBRARY + WRITERS + ["Component/Engine/Select/NearestPointROI.scn"]
# Cuts, contacts, changes of topology, controllers, direct and precomputed solvers: the moment and the checkpoint lie in the midst of them.
MOMENTS_OF = [
    "Benchmark/Performance/BuildLCP/BuiltConstraintCorrection.scn", "Benchmark/Performance/BuildLCP/NonBuiltConstraintCorrection.scn",
    "Benchmark/Performance/MatrixAssembly/MatrixAssembly_direct.scn",
    "Benchmark/TopologicalChanges/AffineMovementConstraint__RemovingMeshTest.scn",
    "Benchmark/TopologicalChanges/FixedPlaneConstraint_RemovingMeshTest.scn",
    "Benchmark/TopologicalChanges/TriangularBendingSprings_RemovingMeshTest.scn",
    "Component/Collision/Response/StickContactForceField.scn", "Component/Constraint/Lagrangian/BilateralLagrangianConstraint_NNCG.scn",
    "Component/Constraint/Lagrangian/FrictionContact_LCP_with_friction.scn",
    "Component/Constraint/Lagrangian/SlidingLagrangianConstraint.scn", "Component/LinearSolver/Direct/FEMBAR_EigenSimplicialLDLT.scn",
    "Component/LinearSolver/Direct/FEMBAR_SparseLDLSolver.scn", "Component/LinearSolver/Preconditioner/FEMBAR_PCG_SSORPreconditioner.scn",
    "Component/LinearSolver/Preconditioner/FEMBAR_PCG_WarpPreconditioner.scn", "Component/LinearSystem/CompositeLinearSystem.scn",
    "Component/ODESolver/Backward/BDFOdeSolver_spring3d.scn", "Component/ODESolver/Backward/NewmarkImplicitSolver.scn",
    "Component/ODESolver/Backward/VariationalSymplecticSolver.scn", "Component/SolidMechanics/FEM/TopoMap_cylinder3d.scn",
    "Component/Topology/Container/Dynamic/AddingHexa2QuadProcess.scn", "Component/Topology/Container/Dynamic/AddingTetraProcess.scn",
    "Component/Topology/Container/Dynamic/RemovingBilateralInteractionConstraint.scn",
    "Component/Topology/Container/Dynamic/RemovingTetraProcess_withCollisionModel.scn",
    "Component/Topology/Container/Dynamic/RemovingTriangle2EdgeProcess.scn", "Demos/chainAll.scn", "Demos/collisionMultiple.scn",
    "Demos/liver.scn", "Demos/mixedPendulum.scn", "Friction/rigid_slides_mu0.2.scn", "Friction/soft_nncg_mu0.3.scn",
    "Friction/spheres_lcp_mu0.3.scn", "Plugins/ArticulatedSystemPlugin/ArticulatedSystemMapping.scn"]


def lines(*path):
    with open(os.path.join(SHARED, *path)) as f:
        return [line.split()[0] for line in f if line.strip() and not line.startswith("#")]


# What hangs ends by `timeout`: far beyond what the longest scene takes under the sanitizers.
def divan(*arguments, timeout=1500):
    environment = dict(os.environ)
    environment["DIVAN_DATA_PATH"] = os.path.join(SHARED, "sofa", "share") + ":" + EXAMPLES
    # In a folder of its own: a run that explodes leaves its last good state where it was started.
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([DIVAN, *arguments], capture_output=True, text=True, timeout=timeout, env=environment, cwd=folder)
    if VERBOSE and done.stderr:
        print(done.stderr, end="")
    return done


STDOUT, TOOLS = sys.stdout, threading.Lock()


def tool(name, *arguments):
    """One of shared/tools, in this process: to start Python takes longer than most comparisons."""
    file = os.path.join(SHARED, "tools", name)
    with TOOLS, contextlib.redirect_stdout(io.StringIO()) as out:
        own, sys.argv = sys.argv, [file, *arguments]
        status = 0
        try:
            runpy.run_path(file, run_name="__main__")
        except SystemExit as end:
            status = end.code
        except Exception as error:  # of whatever kind: the comparison failed
            status = "%s: %s: %s" % (name, type(error).__name__, error)
            print(status)
        finally:
            sys.argv = own
    return not status, (out.getvalue().strip().splitlines() or ["no result"])[-1]


def last_words(done):
    errors = [line for line in done.stderr.splitlines() if line.startswith("error")]
    return (errors or done.stderr.strip().splitlines() or ["no message"])[0][:300]


def steps_of(trajectory):
    with gzip.open(trajectory, "rt") as f:
        return [int(line.split()[1]) for line in f if line.startswith("STEP")]


DUMPED = {}  # (scene, steps, folder): the file; a changed copy of a scene lies in the folder and is run each time


def dumped(scene, steps, folder, name):
    """The states of a run at these steps: where they lie, or none and why."""
    key = scene, tuple(steps), folder
    if key in DUMPED:
        return DUMPED[key], ""
    file = os.path.join(folder, "%s-%d" % (name, len(os.listdir(folder))))
    done = divan("run", scene, "-n", str(steps[-1]), "--quiet", "--dump", file, "--dump-steps", ",".join(map(str, steps)))
    if done.returncode != 0:
        return None, "exit %d: %s" % (done.returncode, last_words(done))
    if not scene.startswith(folder):
        DUMPED[key] = file
    return file, ""


def compare_states(scene, trajectory, folder, *tolerance):
    dump, failure = dumped(scene, steps_of(trajectory), folder, "states")
    return tool("compare-states", trajectory, dump, *tolerance) if dump else (False, failure)


def spread(name):
    """Ten times how far the reference is from itself on another processor, as tolerances: of steps that stop before they converge."""
    with open(os.path.join(SHARED, "sofa", "reproducibility.tsv")) as f:
        rows = [line.split("\t") for line in f if not line.startswith("#")]
    first, later = next(((float(row[1]), float(row[2])) for row in rows if row[0] == name), (0.0, 0.0))
    return ["--rtol1", str(max(1e-6, 10 * first)), "--rtol", str(max(1e-3, 10 * later))]


def trajectory(name, folder):
    scene, file = os.path.join(EXAMPLES, name), os.path.join(SHARED, "sofa", "trajectories", name + ".txt.gz")
    if of_scene(ROUNDING, name):
        return compare_windows(name, scene, file, [(0, 1, "1e-6"), (2, 100000, "1e-3")], folder)
    return compare_states(scene, file, folder, *spread(name))


def load(name, folder):
    scene, saved = os.path.join(EXAMPLES, name), os.path.join(folder, "saved.scn")
    done = divan("save", scene, saved, "-n", "100", "--quiet")
    if done.returncode == 0:
        done = divan("run", saved, "-n", "1", "--quiet")
    return done.returncode == 0, "loads, runs, saves, loads again" if done.returncode == 0 else last_words(done)


def probe(name, folder):
    scene = os.path.join(PROBES, "scenes", name)
    dump = os.path.join(folder, "operators")
    state = os.path.join(PROBES, "operators", name + ".txt.gz")
    plain = os.path.join(folder, "at")
    result = []
    if os.path.exists(state):
        with gzip.open(state, "rb") as packed, open(plain, "wb") as unpacked:
            unpacked.write(packed.read())
        done = divan("probe", scene, "--at", plain, "--out", dump)
        result.append(tool("compare-operators", state, dump) if done.returncode == 0 else (False, last_words(done)))
    trajectory_of_probe = os.path.join(PROBES, "trajectories", name + ".txt.gz")
    if of_scene(ROUNDING, name):
        result.append(compare_windows(name, scene, trajectory_of_probe, [(0, 40, "1e-5")], folder))
    else:
        result.append(compare_states(scene, trajectory_of_probe, folder, "--rtol", "1e-5"))
    return all(ok for ok, _ in result), " | ".join(text for _, text in result)


def engine(name, folder):
    """Outputs after initialisation and after five steps."""
    if name.endswith(".scn"):
        scene, expected = os.path.join(EXAMPLES, name), os.path.join(SHARED, "sofa", "engines", name + ".outputs.gz")
    else:
        kind = "loaders" if name in LOADER_PROBES else "engines"
        scene, expected = [os.path.join(PROBES, kind, name + end) for end in (".scn", ".outputs.txt.gz")]
    outputs = os.path.join(folder, "outputs")
    done = divan("probe", scene, "--outputs", outputs, "--steps", str(steps_of(expected)[-1]))
    return tool("compare-outputs", expected, outputs, *OUTPUT_OPTIONS.get(name, [])) if done.returncode == 0 else (False, last_words(done))


CONTACT_PROBES = ("Constraint/", "Sticking/", "Penalty/", "Groups/", "OBB/", "PerModel/", "SelfCollision/", "Friction/", "Rigid/", "Unbuilt/", "Order/", "Rules/", "Correction/all", "Correction/generic", "Correction/precomputed", "Correction/two")
BOX_SCENES = "Plugins/CollisionOBBCapsule/"
CONSTRAINT_SCENES = ["Component/Constraint/Lagrangian/%sLagrangianConstraint%s.scn" % n
                     for n in (("Bilateral", "_NNCG"), ("Bilateral", "_UGS"), ("Sliding", ""))]
# Known by their reason: steps up to which the trajectory is compared point by point. What is compared after that: see below.
#   RigidMapping: tori in symmetric places, where the last bit decides which of two equally near contacts counts
#   LiverTriangleFEM: conjugate gradients stopped long before they converge; our own run moves by 1e-2 at step 1 when Young's
#     modulus changes by 2e-16
#   plasticity: the same decision of equally near contacts after step 50
#   chainAll: the first step of two tori is what unconverged conjugate gradients leave: the reference differs from itself on another
#     processor by 1.51e-6 there (sofa/reproducibility.tsv), we from it by 1.72e-6
#   FreeMotionAnimationLoop: contacts in symmetric places, in the order in which the last bit sorts the tree; the solver stops
#     before it has converged, so that the order shows from step 10 on
#   Constraint/Sliding: from step 2 on the reference takes what rounding leaves of a distance for a direction, and the point sticks to
#     its axis as far as that lies along it. With its formula our own run moves by its whole motion with the tolerance of the solver
CONTACT_UNTIL = {"Constraint/Sliding.scn": "0",
                 "RigidMapping.scn": "30", "LiverTriangleFEM.scn": "0", "plasticity.scn": "50",
                 "FreeMotionAnimationLoop.scn": "9"}
# Such scenes, as wholes, to 1e-2 of the motion up to this step: the centre of each body, the lowest point of each, how far each goes
# between the frames (its momentum), and the way between the nearest points of each two (what is between them, or how deep they are
# in each other).
AS_A_WHOLE = {"RigidMapping.scn": 50, "LiverTriangleFEM.scn": 100, "plasticity.scn": 300, "FreeMotionAnimationLoop.scn": 20}
# Such scenes with a start that is changed by some 1e-15, which decides as the reference did: one of these runs is its own to the end,
# by the tolerance of all scenes. What is to be replaced, and by what.
NUDGED = {"FreeMotionAnimationLoop.scn": ('dz="0"', 'dz="%g"')}
# Such scenes that fly apart in the end (after the step of AS_A_WHOLE): there the reference is no farther from us than we are from
# ourselves with a start that is changed by some 1e-15.
SCATTERED = {"RigidMapping.scn": ('dx="5"', 'dx="5" dy="%g"')}
# Scenes that are farther from the reference than 1e-6 before anything touches, and no farther than our own run is from one with a start
# that is changed by some 1e-15, which is measured each time. What is to be replaced, and by what.
#   Chain: a ring that falls freely has no forces but those of rounding. Below the tolerance of conjugate gradients these are integrated
#     as by an explicit method and grow a hundredfold a step until the tolerance sees them (with 1e-18 both runs stay within 2e-10)
#   plasticity: the same, until they land
#   livers: conjugate gradients stopped after 25 iterations (with 200, to 1e-18, a changed modulus moves nothing)
#   LiverTriangleFEM: see above
#   NearestPointROI, MeshTetraStuffing: conjugate gradients stopped after 25 and 10 iterations
#   NewmarkImplicitSolver: conjugate gradients stopped after 100 iterations, which leave 2 % of the right-hand side
#   NewProximity_plt_on_plt: at step 20 the cube is all but at rest, and the error that of its velocity; corners and edges that lie on
#     edges of the floor count twice or once by their last bit
#   EulerImplicit_firstOrder: at step 10 the body is all but at rest, 4.5e-5 of its velocity at the start are left
#   LinearSmallStrain_Triangle: a sheet that moves by 1e-3 of its size and is all but at rest, held by what conjugate gradients leave
ROUNDING = {"EulerImplicit_firstOrder.scn": ('name="dofs"', 'name="dofs" dx="%g"'),
            "Shell/LinearSmallStrain_Triangle.scn": ('name="dofs"', 'name="dofs" dx="%g"'),
            "TetrahedronFEMForceField_Chain.scn": ('dx="', 'dy="%g" dx="'),
            "plasticity.scn": ('rotation="90 0 0"', 'rotation="90 0 %g"'),
            "LiverUseNewLoaders.scn": ('name="dofs"', 'name="dofs" dx="%g"'), "Demos/liver.scn": ('name="dofs"', 'name="dofs" dx="%g"'),
            "simpleSphere.scn": ('name="dofs"', 'name="dofs" dx="%g"'), "LiverTriangleFEM.scn": ('name="dofs"', 'name="dofs" dx="%g"'),
            "NearestPointROI.scn": ('ymin="0"', 'ymin="%g"'),
            "MeshTetraStuffing.scn": ("<MechanicalObject />", '<MechanicalObject dx="%g"/>'),
            "NewmarkImplicitSolver.scn": ('src="@loader" dx', 'src="@loader" dy="%g" dx'),
            "NewProximity_plt_on_plt.scn": ('name="dofs" template="Vec3d" position="0.', 'name="dofs" dy="%g" template="Vec3d" position="0.')}
NUDGES = [k * 1e-15 for k in range(1, 9)]
# Steps up to which contacts are compared, where it is not that of the states.
#   Chain: from there on positions differ by 1e-5
#   LCP_with_friction: four corners come down together; which are within the alarm distance first is the last bit's decision
#   LiverTriangleFEM: to the end, though its states are not
CONTACTS_UNTIL = {"TetrahedronFEMForceField_Chain.scn": "70", "LCP_with_friction.scn": "22", "LiverTriangleFEM.scn": "100"}
#   rigid_stick_constraint: a body at rest, whose velocity of 1e-11 is what the solver leaves, to 1e-17
CONTACT_FIRST_STEP = {"chainAll.scn": "2e-5", "rigid_stick_constraint.scn": "2e-6"}


def of_scene(table, name):
    return next((value for ending, value in table.items() if name.endswith(ending)), None)


def read_states(file):
    """{step: {path: [points]}} of a trajectory or a dump; of equal paths the first."""
    frames, frame, path = {}, {}, None
    with (gzip.open if file.endswith(".gz") else open)(file, "rt") as f:
        for line in f:
            tag, _, rest = line.partition(" ")
            if tag == "STEP":
                frame = frames[int(rest.split()[0])] = {}
            elif tag == "STATE":
                path, _, size = rest.rpartition(" ")
                size = int(size)
            elif tag == "X" and size > 0 and path not in frame:
                x = [float(word) for word in rest.split()]
                width = len(x) // size
                frame[path] = [x[i:i + min(width, 3)] for i in range(0, len(x), width)]
    return frames


def between(p, q):
    return math.sqrt(sum((a - b) ** 2 for a, b in zip(p, q)))


def centre(points):
    return [sum(p[axis] for p in points) / len(points) for axis in range(len(points[0]))]


def lowest(points):
    return min(p[1] for p in points)


def nearest(points, others):
    """How far the nearest points of two bodies are from each other; far away, their centres."""
    p, q = centre(points), centre(others)
    if between(p, q) > reach(points) + reach(others):
        return between(p, q)
    return min(between(a, b) for a in points for b in others)


def reach(points):
    middle = centre(points)
    return max(between(p, middle) for p in points)


def motion(frames, path, step):
    """The longest way of a point of a state from the start, up to a step."""
    start = frames[min(frames)][path]
    return max(between(p, q) for k in frames if k <= step and path in frames[k] for p, q in zip(start, frames[k][path]))


def compare_wholes(reference, ours, until):
    """The largest error of height, centre, momentum and gap of the bodies, as a share of the largest motion so far."""
    worst = (0.0, "centre", "-", 0)
    steps = [k for k in sorted(reference) if k <= until]
    for last, step in zip(steps, steps[1:]):
        paths = [p for p in reference[step] if p in reference[steps[0]] and p in ours[step]]  # not points of contact, which come and go
        moved = {path: motion(reference, path, step) for path in paths}
        for path in paths:
            a, b = ([centre(f[k][path]) for k in (last, step)] for f in (reference, ours))
            ways = [[x - y for x, y in zip(f[1], f[0])] for f in (a, b)]
            heights = [[lowest(f[step][path])] for f in (reference, ours)]
            for what, error in (("centre", between(a[1], b[1])), ("momentum", between(*ways)), ("height", between(*heights))):
                if moved[path] > 1e-9:
                    worst = max(worst, (error / moved[path], what, path, step))
        bodies = [path for path in paths if step % 10 == 0 and len(reference[step][path]) > 1]
        for path, other in ((p, o) for i, p in enumerate(bodies) for o in bodies[i + 1:] if p.split("/")[:3] != o.split("/")[:3]):
            gaps = [nearest(f[step][path], f[step][other]) for f in (reference, ours)]
            if max(moved[path], moved[other]) > 1e-9:
                worst = max(worst, (abs(gaps[1] - gaps[0]) / max(moved[path], moved[other]), "gap", path + " to " + other, step))
    return worst


def nudged(scene, change, by, folder):
    with open(scene) as f:
        text = f.read()
    copy = os.path.join(folder, "nudged.scn")
    with open(copy, "w") as f:
        f.write(text.replace(change[0], change[1] % by))
    return copy


def as_a_whole(name, scene, folder, until):
    results = []
    for kept in ("frames", "trajectories"):
        file = os.path.join(SHARED, "sofa", kept, name + ".txt.gz")
        if os.path.exists(file):
            ours = read_states(dumped(scene, steps_of(file), folder, kept)[0])
            results.append(compare_wholes(read_states(file), ours, until))
    error, what, path, step = max(results)
    return error <= 1e-2, "as a whole: %s %.2g at step %d in %s" % (what, error, step, path)


def decides_as_the_reference(name, scene, folder, change):
    file = os.path.join(SHARED, "sofa", "trajectories", name + ".txt.gz")
    for by in NUDGES:
        ok, text = compare_states(nudged(scene, change, by, folder), file, folder)
        if ok:
            return True, "start changed by %g: %s" % (by, text)
    return False, "no change of the start by some 1e-15 gives the run of the reference"


def farthest(a, b, step):
    return max(between(p, q) for path in a[step] if path in b[step] for p, q in zip(a[step][path], b[step][path]))


def scatters(name, scene, folder, change):
    file = os.path.join(SHARED, "sofa", "trajectories", name + ".txt.gz")
    steps = steps_of(file)
    ours, last = read_states(dumped(scene, steps, folder, "ours")[0]), steps[-1]
    away = farthest(read_states(file), ours, last)
    own = max(farthest(read_states(dumped(nudged(scene, change, by, folder), steps, folder, "own")[0]), ours, last) for by in NUDGES)
    return away <= own, "at step %d %.2g from the reference, %.2g from ourselves" % (last, away, own)


# What scenes that are not compared point by point to the end are compared by.
OTHERWISE = ((AS_A_WHOLE, as_a_whole), (NUDGED, decides_as_the_reference), (SCATTERED, scatters))


def first_contact(contacts):
    """The first step in which the reference found a contact; none: beyond all steps."""
    step = 0
    with gzip.open(contacts, "rt") as f:
        for line in f:
            if line.startswith("STEP"):
                step = int(line.split()[1])
            elif line.startswith("PAIR"):
                return step
    return 10 ** 9


def error_of(text):
    """The larger error, at step 1 and later, of what compare-states says."""
    words = text.split()
    return max(float(words[words.index("step") + 2]), float(words[words.index("later") + 1]))


def compared_velocities(file, dump):
    """A dump with velocities at those steps alone at which the reference has some, so that it can be compared with as the reference is."""
    with gzip.open(file, "rt") as f:
        step, known = "", set()
        for line in f:
            step = line.split()[1] if line.startswith("STEP") else step
            known |= {step} if line.startswith("V ") else set()
    with open(dump) as f, open(dump + ".compared", "w") as to:
        for line in f:
            step = line.split()[1] if line.startswith("STEP") else step
            if not line.startswith("V ") or step in known:
                to.write(line)
    return dump + ".compared"


def moves_as_much(scene, steps, dump, window, folder, change):
    """How far our run is from itself with a changed start, in these steps: the farthest of some."""
    errors = []
    for by in NUDGES[::2]:
        own, failure = dumped(nudged(scene, change, by, folder), steps, folder, "own")
        errors.append(error_of(tool("compare-states", dump, own, *window)[1]) if own else 0.0)
    return max(errors)


def compare_windows(name, scene, file, windows, folder):
    """States in windows of steps, each with its tolerance; where rounding decides, to what it moves in our own run."""
    steps, result, texts = steps_of(file), True, []
    dump, failure = dumped(scene, steps, folder, "frames")
    if not dump:
        return False, failure
    for begin, end, tolerance in windows:
        if not any(begin <= step <= end for step in steps):
            continue
        first = of_scene(CONTACT_FIRST_STEP, name) if begin <= 1 else None
        window = ["--from", str(begin), "--until", str(end), "--rtol", tolerance, "--rtol1", first or tolerance]
        ok, text = tool("compare-states", file, dump, *window)
        text = "%.2g in steps %d to %d" % (error_of(text), begin, min(end, steps[-1])) if "later" in text else text
        change = of_scene(ROUNDING, name)
        if not ok and change:
            own = moves_as_much(scene, steps, compared_velocities(file, dump), window, folder, change)
            ok = error_of(tool("compare-states", file, dump, *window)[1]) <= 2 * own
            text += ", %.2g from ourselves with a start changed by 1e-15" % own
        result = result and ok
        texts.append(text)
    return result, "; ".join(texts)


def compare_frames(name, scene, folder):
    """Frames until the first contact and in the ten steps after it; of probes all states to step 20; of a scene without frames that
    rounding decides all of the trajectory."""
    probe = scene.startswith(PROBES)
    frames = os.path.join(SHARED, "sofa", "frames", name + ".txt.gz")
    contacts = os.path.join(SHARED, "sofa", "contacts", name + ".contacts.txt.gz")
    trajectory = os.path.join(PROBES if probe else os.path.join(SHARED, "sofa"), "trajectories", name + ".txt.gz")
    if probe and not of_scene(CONTACT_UNTIL, name):
        return [compare_windows(name, scene, trajectory, [(0, 20, "1e-6")], folder)]
    if os.path.exists(frames) and os.path.exists(contacts):
        first = first_contact(contacts)
        return [compare_windows(name, scene, frames, [(0, first - 1, "1e-6"), (first, first + 10, "1e-3")], folder)]
    if not probe and of_scene(ROUNDING, name):
        return [compare_windows(name, scene, trajectory, [(0, 10 ** 9, "1e-3")], folder)]
    return []


# The tool parts lines at blanks: names that hold some cannot be compared by it.
def can_be_read(contacts):
    with gzip.open(contacts, "rt") as f:
        return all(len(line.split()) == 4 for line in f if line.startswith("PAIR"))


def run_once(scene, files, contacts, last, folder):
    """One run for the states at the steps of several files, for dumped(), and for the table of contacts, where it ends at step `last`. Whether that
    is written; a run that fails is left to those who need it."""
    known = [steps_of(file) for file in files if os.path.exists(file)]
    every = sorted({step for steps in known for step in steps})
    table, whole = os.path.join(folder, "contacts.csv"), os.path.join(folder, "whole")
    to_table = ["--contacts", table] if contacts and every[-1] == last else []
    if len(known) + len(to_table) < 2:
        return False
    if divan("run", scene, "-n", str(every[-1]), "--quiet", "--dump", whole, "--dump-steps", ",".join(map(str, every)), *to_table).returncode != 0:
        return False
    parts = {}
    with open(whole) as f:
        for line in f:
            if line.startswith("STEP "):
                step = int(line.split()[1])
            parts.setdefault(step, []).append(line)
    for steps in known:
        file = os.path.join(folder, "part-%d" % len(os.listdir(folder)))
        with open(file, "w") as f:
            f.writelines(line for step in steps for line in parts[step])
        DUMPED[scene, tuple(steps), folder] = file
    return bool(to_table)


def contact(name, folder):
    scene = scene_of(name)
    kept = PROBES if scene.startswith(PROBES) else os.path.join(SHARED, "sofa")
    contacts = os.path.join(kept, "contacts", name + ".contacts.txt.gz")
    has_contacts, last = os.path.exists(contacts) and can_be_read(contacts), 40 if kept == PROBES else 100
    states = [os.path.join(kept, "trajectories", name + ".txt.gz"), os.path.join(SHARED, "sofa", "frames", name + ".txt.gz")]
    has_table = run_once(scene, states, has_contacts, last, folder)
    tolerance = []
    for known, option_of_tool in ((CONTACT_UNTIL, "--until"), (CONTACT_FIRST_STEP, "--rtol1")):
        value = of_scene(known, name)
        tolerance += [option_of_tool, value] if value else []
    result = [compare_states(scene, os.path.join(kept, "trajectories", name + ".txt.gz"), folder, *tolerance)]
    result += compare_frames(name, scene, folder)
    result += [check(name, scene, folder, known[ending]) for known, check in OTHERWISE for ending in known if name.endswith(ending)]
    if has_contacts:
        table = os.path.join(folder, "contacts.csv")
        done = None if has_table else divan("run", scene, "-n", str(last), "--quiet", "--contacts", table)
        until = [w for e, s in {**CONTACT_UNTIL, **CONTACTS_UNTIL}.items() if name.endswith(e) for w in ("--until", s)]
        result.append((False, last_words(done)) if done and done.returncode != 0 else tool("compare-contacts", contacts, table, *until))
    return all(ok for ok, _ in result), " | ".join(text for _, text in result)


def contact_names():
    names = lines("sofa", "lists", "first-contact.txt")
    names += [BOX_SCENES + n for n in sorted(os.listdir(os.path.join(EXAMPLES, BOX_SCENES))) if n.endswith(".scn")]
    return names + CONSTRAINT_SCENES + [n for f in ("contact.txt", "contact-more.txt") for n in lines("probes", f) if n.startswith(CONTACT_PROBES)]


def holds(name, folder):
    """Of rings that hang in each other the middles stay nearer than both reach: those that part are farther apart from then on."""
    scene = os.path.join(EXAMPLES, name)
    steps = [1, 500, 1000, 1500, 2000] if is_long() else [1, 100, 200, 300] if turn_and_days()[1] == 1 else [1, 50, 100]
    frames = read_states(dumped(scene, steps, folder, "states")[0])
    rings = [path for path in frames[1] if path.split("/")[2].startswith("Surf") or path.startswith("/TorusFixed")]
    nearer = lambda frame, a, b: between(centre(frame[a]), centre(frame[b])) < reach(frame[a]) + reach(frame[b])
    linked = [(a, b) for i, a in enumerate(rings) for b in rings[i + 1:] if between(centre(frames[1][a]), centre(frames[1][b])) < 3.0]
    parted = [(step, a, b) for step in steps for a, b in linked if not nearer(frames[step], a, b)]
    if parted:
        return False, "at step %d %s and %s have parted" % parted[0]
    return len(linked) >= 10, "%d pairs of rings hang in each other after %d steps" % (len(linked), steps[-1])


# Known by their reason: steps up to which states are compared.
#   IdentityMapping: conjugate gradients stopped long before they converge; our own run moves by 6e-3 at step 1 when Young's modulus
#     changes by 2e-16
#   SimpleCarving: the tool falls along the axis onto a point in the middle of the lid; which of the triangles around it, equally near,
#     it touches is the last bit's decision, and what it is pushed aside by then decides at step 98: our own run moves by 1e-2 at
#     step 100 when the tool starts 1e-12 beside the axis, more than the 9e-3 between both. The mesh is the reference's in all steps
#   SphereGridTopology: twelve overturned tetrahedra, and slivers; a rounding error grows tenfold with each of the 25 iterations that
#     conjugate gradients are given: our own run moves by 5e-4 at step 1 when the axis changes by 1e-16
#   TriangularBendingSprings_RemovingMeshTest: a rounding error grows from 1e-16 to 1e-4 between the steps 10 and 60; our own run moves
#     by 1.4e-3 at step 100 when gravity changes by 2e-16, and is 7e-11 from the reference at step 40
#   CylinderGridTopology: a cylinder of springs buckles; our own run is another one at step 100 when the axis changes by 1e-16
#   SubsetTopology_...: conjugate gradients stopped at 1e-5; the reference is 1e-3 and 1e-4 from itself at step 1 (numbers and places
#     are those of step 0)
TOPOLOGY_UNTIL = {"SubsetTopology_localIndicesOption.scn": "0", "SubsetTopology_refiningMesh.scn": "0", "Linear/IdentityMapping.scn": "0", "SimpleCarving.scn": "10", "SphereGridTopology.scn": "0",
                  "CylinderGridTopology.scn": "10", "TriangularBendingSprings_RemovingMeshTest.scn": "60"}
# How far two equal bodies of the reference, one of them beside the other, are from each other, at step 1 and at most: ten iterations of
# conjugate gradients that do not converge.
TOPOLOGY_SPREAD = {"SparseGridRamificationTopology.scn": (1.4e-4, 3.2e-3)}
# Beside the list: what uses classes that came later.
MORE_TOPOLOGY = ["Component/Topology/Container/Grid/CylinderGridTopology.scn", "Component/Topology/Container/Grid/SphereGridTopology.scn",
                 "Component/Topology/Container/Constant/CubeTopology.scn",
                 "Component/Topology/Container/Grid/SparseGridMultipleTopology.scn",
                 "Component/Topology/Container/Grid/SparseGridRamificationTopology.scn",
                 "Component/Topology/Mapping/SubsetTopologicalMapping.scn", "Component/Topology/Mapping/Mesh2PointTopologicalMapping.scn",
                 "Component/Mapping/Linear/SimpleTesselatedTetraTopologicalMapping.scn",
                 "Component/Engine/Select/SubsetTopology_localIndicesOption.scn", "Component/Engine/Select/SubsetTopology_refiningMesh.scn"]


def topology_names():
    folder = os.path.join(SHARED, "sofa", "topology")
    found = {os.path.relpath(f, folder).split(".scn.")[0] + ".scn" for f in glob.glob(os.path.join(folder, "**", "*.gz"), recursive=True)}
    return lines("sofa", "lists", "first-topology.txt") + MORE_TOPOLOGY + sorted(found - set(lines("sofa", "lists", "first-topology.txt")))


def one_of_each_kind(names):
    """Those that have a component, or an attribute of one, that none before has: for what components show in any scene."""
    seen, kept = set(), []
    for name in names:
        with open(scene_of(name), encoding="utf-8", errors="replace") as file:
            tags = re.findall(r"""<(\w+)((?:[^>"']|"[^"]*"|'[^']*')*)>""", file.read())
        kinds = {(tag, word) for tag, rest in tags for word in [""] + re.findall(r"(\w+)\s*=", re.sub(r""""[^"]*"|'[^']*'""", "", rest))}
        if kinds - seen:
            kept.append(name)
            seen |= kinds
    return kept


def compared_scenes():
    """Names of all example scenes whose results are compared; those of topology may wait for a class."""
    return set(lines("sofa", "lists", "first-light.txt") + MORE_SCENES + contact_names() + topology_names())


# The tool ends a path at the first blank: names in it go.
def without_blanks(dump):
    with open(dump) as f:
        text = [line.rstrip("\n") for line in f]
    with open(dump + ".joined", "w") as f:
        for line in text:
            f.write(("TOPOLOGY " + line[9:].replace(" ", "_") if line.startswith("TOPOLOGY ") else line) + "\n")
    return dump + ".joined"


def reproducibility():
    """How far each scene of the reference is from itself on another processor, after step 1."""
    rows = (line.split("\t") for line in open(os.path.join(SHARED, "sofa", "reproducibility.tsv")) if not line.startswith("#"))
    return {row[0]: float(row[2]) for row in rows}


def topology(name, folder):
    scene, kept = os.path.join(EXAMPLES, name), os.path.join(SHARED, "sofa", "topology", name)
    result = []
    changes, named = kept + ".topology.txt.gz", glob.glob(glob.escape(kept) + ".reference_*")
    if os.path.exists(changes) or named:
        dump = os.path.join(folder, "topology")
        steps = max([30] + (steps_of(changes) if os.path.exists(changes) else []))
        done = divan("run", scene, "-n", str(steps), "--quiet", "--dump-topology", dump)
        if "that no plugin of Divan offers yet" in last_words(done):
            return None, last_words(done)
        if done.returncode != 0:
            return False, last_words(done)
        result += [tool("compare-topology", changes, dump)] if os.path.exists(changes) else []
        result += [tool("compare-topology", kept, without_blanks(dump))] if named else []
    states = [os.path.join(SHARED, "sofa", f, name + ".txt.gz") for f in ("frames", "trajectories")]
    states = [f for f in states if os.path.exists(f)]
    until = [w for e, s in TOPOLOGY_UNTIL.items() if name.endswith(e) for w in ("--until", s)]
    if states:  # no one can be nearer than the reference is to itself
        first, later = next((spread for end, spread in TOPOLOGY_SPREAD.items() if name.endswith(end)), (0.0, 0.0))
        allowed = max(1e-3, 10.0 * max(later, reproducibility().get(name, 0.0)))
        result.append(compare_states(scene, states[0], folder, "--rtol", str(allowed), "--rtol1", str(max(1e-6, 10.0 * first)), *until))
    return all(ok for ok, _ in result), " | ".join(text for _, text in result)


def scene_of(name):
    probe_scene = os.path.join(PROBES, "scenes", name)
    return probe_scene if os.path.exists(probe_scene) else os.path.join(EXAMPLES, name)


def hash_at(done, step):
    for line in done.stdout.splitlines():
        if line.startswith("%d " % step):
            return line.split()[1]
    return None


def restart(name, folder):
    scene, saved = scene_of(name), os.path.join(folder, "saved.scn")
    begin, last = (1, 3) if name in SLOW else (RESTART_AT, RESTART_TO)
    straight = divan("run", scene, "-n", str(last), "--hash", "--quiet")
    done = divan("save", scene, saved, "-n", str(begin), "--quiet")
    if done.returncode != 0:
        return False, last_words(done)
    done = divan("run", saved, "-n", str(last - begin), "--hash", "--quiet")
    end = last
    if straight.returncode == NOT_FINITE == done.returncode:  # a scene that explodes: up to there
        end = next((k for k in range(last, begin, -1) if hash_at(straight, k)), last)
    a, b = hash_at(straight, end), hash_at(done, end - begin)
    if a == b and a:
        return True, a
    now, then = hash_at(straight, begin), hash_at(done, 0)
    first = next((k for k in range(last - begin + 1) if hash_at(straight, begin + k) != hash_at(done, k)), None)
    return False, "%s %s; states %s when loaded, first other after %s steps; %s" % (
        a, b, "equal" if now == then else "differ", first, last_words(done) if done.stderr else "")


def moments(name, folder):
    """Ten steps, a moment, ten more; back, and the ten again; and the same from a checkpoint."""
    environment = dict(os.environ)
    environment["DIVAN_DATA_PATH"] = os.path.join(SHARED, "sofa", "share") + ":" + EXAMPLES
    done = subprocess.run([MOMENTS, scene_of(name), "10", "10"], capture_output=True, text=True, timeout=600, env=environment, cwd=folder)
    return done.returncode == 0, (done.stdout.strip().splitlines() or ["exit %d" % done.returncode])[-1]


def threads(name, folder):
    # Eight threads on two cores wait for each other most of the time: a few steps of them.
    runs = [divan("run", scene_of(name), "-n", "2" if name in SLOW else steps, "--hash", "--quiet", "--threads", count, "--grain-divisor", "1000000")
            for count, steps in (("1", "8"), ("2", "8"), ("8", "3"))]
    hashes = [[line for line in r.stdout.splitlines() if line[:1].isdigit()] for r in runs]
    few = len(hashes[2])
    same = hashes[0] == hashes[1] and hashes[0][:few] == hashes[2] and few >= 3 and not any(r.returncode for r in runs)
    return bool(same), "same bits" if same else "hashes differ" if runs[0].returncode == 0 else last_words(runs[0])


def own_scenes_without_contacts():
    scenes = sorted(glob.glob(os.path.join(ROOT, "scenes", "*.scn")))
    return [scene for scene in scenes if "<CollisionPipeline" not in open(scene).read()]


def allocations(name, folder):
    done = divan("bench", name if os.path.isabs(name) else os.path.join(EXAMPLES, name), "-n", "2" if name in SLOW else "10", "--json")
    if done.returncode != 0:
        return False, last_words(done)
    count = json.loads(done.stdout)["allocations_per_step"]
    return count == 0, "%g allocations a step" % count


def median_us(name, runs):
    """The least of the medians of some runs, and allocations a step; or what went wrong."""
    best = None
    for _ in range(runs):
        done = divan("bench", os.path.join(EXAMPLES, name), "--json")
        if done.returncode != 0:
            raise RuntimeError(last_words(done))
        result = json.loads(done.stdout)
        if best is None or result["median_us"] < best["median_us"]:
            best = result
    return best["median_us"], best["allocations_per_step"]


def speed(name, folder, machine=1.0):
    table = {}
    for line in open(os.path.join(SHARED, "sofa", "timings.tsv")):
        if not line.startswith("#"):
            table[line.split("\t")[0]] = float(line.split("\t")[1])
    try:
        took, allocations = median_us(name, 3)
    except RuntimeError as error:
        return False, str(error)
    ratio = table[name] / (took / machine)
    speed.ratios.append(ratio)
    return True, "%10.2f us, reference %10.2f, ratio %6.2f, %g allocations a step" % (
        took / machine, table[name], ratio, allocations)


speed.ratios = []


def speed_contact(name, folder):
    machine = median_us("Variants/liver_without_collision.scn", 3)[0] / 80.0
    ok, text = speed(name, folder, machine)
    return ok, "%s (machine %.2f)" % (text, machine)


def has_class(name, cls):
    for path in (os.path.join(EXAMPLES, name), os.path.join(PROBES, "scenes", name)):
        if os.path.exists(path):
            with open(path, errors="replace") as f:
                return "<" + cls in f.read()
    return False


# Files of exporters, and those that are not compared: not valid in the reference.
EXPORT_PROBES = {"BlenderExporter_a": "", "MeshExporter_a": r"begin_vtkxml", "MeshExporterAll_a": r"\.(mesh|face)$", "VTKExporter_a": "",
                 "MeshExporterKinds_a": r"hexahedra_vtkxml|tetrahedra_(netgen.mesh|tetgen.face)", "WriteState_a": "", "WriteTopology_a": ""}


def exports(name, folder):
    scene = os.path.join(PROBES, "exports", name + ".scn")
    done = subprocess.run([DIVAN, "run", scene, "-n", "6", "--quiet"], capture_output=True, text=True, timeout=100, cwd=folder)
    if "that no plugin of Divan offers yet" in done.stderr:
        return None, last_words(done)
    skip = ["--skip", EXPORT_PROBES[name]] if EXPORT_PROBES[name] else []
    return tool("compare-exports", os.path.join(PROBES, "exports", name), folder, *skip) if done.returncode == 0 else (False, last_words(done))


def main():
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        print(__doc__, end="", file=sys.stderr)
        return 2
    if not os.path.isdir(SHARED):
        print("skipped: no reference data in %s" % SHARED)
        print("0 passed, 0 failed, 1 skipped")
        return 77
    group = sys.argv[1]
    light, first_load, probes = lines("sofa", "lists", "first-light.txt"), lines("sofa", "lists", "first-load.txt"), lines("probes", "first-light.txt")
    light, probes = light + MORE_SCENES, probes + MORE_PROBES
    run, names, workers = {
        "trajectories": (trajectory, light, 2),
        "load": (load, first_load, 2),
        "probes": (probe, probes, 2),
        "contact": (contact, contact_names(), 2),
        "holds": (holds, ["Demos/chainAll.scn"], 1),
        "topology": (topology, topology_names(), 2),
        "engines": (engine, ENGINE_PROBES + ENGINE_SCENES, 2),
        "loaders": (engine, LOADER_PROBES, 2),
        "exports": (exports, sorted(EXPORT_PROBES), 2),
        "restart": (restart, light + probes, 2),
        "moments": (moments, sorted(set(light + probes + contact_names() + topology_names())) if "--all" in sys.argv else MOMENTS_OF, 2),
        "threads": (threads, light + probes, 2),
        "allocations": (allocations, [n for n in light if n not in ALLOCATES] + own_scenes_without_contacts(), 2),
        "speed": (speed, light, 1),
        "speed-contact": (speed_contact, lines("sofa", "lists", "first-contact.txt"), 1),
    }[group]
    with_value = ("--divan", "--shared", "--part")
    rest = [a for i, a in enumerate(sys.argv[2:], 2) if sys.argv[i - 1] not in with_value]
    wanted = [a for a in rest if not a.startswith("-")]
    unknown = [a for a in rest if a.startswith("-") and a not in with_value + ("--verbose", "--all")]
    unknown += [w for w in wanted if not any(w in n for n in names)]
    if unknown:
        print("reference.py: %s: neither an option nor part of a name in %s; --help says what there is" % (unknown[0], group), file=sys.stderr)
        return 2
    names = [n for n in names if not wanted or any(w in n for w in wanted)]
    if group in ("restart", "threads", "allocations") and not wanted and not is_long():
        names = one_of_each_kind(names)
    if len(names) > 30 and not wanted:
        names = share_of(names, "scenes")
    part, parts = map(int, option("--part", "0/1").split("/"))
    names, workers = names[part::parts], 1 if "--part" in sys.argv else workers
    plugins = divan("list").stdout
    absent = [c for c, plugin in PLUGIN_OF_CLASS.items() if plugin + " " not in plugins]
    names = [n for n in names if not any(has_class(n, c) for c in absent)]

    def one(name):
        with tempfile.TemporaryDirectory() as folder:
            try:
                return run(name, folder)
            except subprocess.TimeoutExpired as error:
                return False, "took more than %g s" % error.timeout

    failed = left = 0
    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        for name, (ok, text) in zip(names, pool.map(one, names)):
            failed += ok is False
            left += ok is None
            print("%s %-70s %s" % ("ok    " if ok else "left  " if ok is None else "FAILED", name, text), file=STDOUT, flush=True)
    if speed.ratios:
        print("geometric mean of the ratios: %.2f, least %.2f" % (
            math.exp(sum(map(math.log, speed.ratios)) / len(speed.ratios)), min(speed.ratios)))
    print("%d passed, %d failed%s" % (len(names) - failed - left, failed, ", %d need classes that are not there yet" % left if left else ""))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
