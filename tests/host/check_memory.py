#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The program where there is no memory: it says so in one line, and no signal ends it.

usage: check_memory.py DIVAN FAILING_HEAP

FAILING_HEAP is loaded in front of the C library and refuses the N-th allocation, or all from the N-th on, or all above a size. Sizes
that scenes choose are asked for in vain with little address space, and in such a size that no machine has it.
"""
import base64
import os
import resource
import struct
import subprocess
import sys
import tempfile
import zlib

MIB = 1 << 20
divan, heap = map(os.path.abspath, sys.argv[1:])
failures = []
passed = 0

SCENES = {
    "beam.scn": """<Node dt="0.01"><EulerImplicitSolver/><SparseLDLSolver template="CompressedRowSparseMatrixMat3x3d"/>
<RegularGridTopology n="3 3 5" min="0 0 0" max="1 1 4"/><MechanicalObject/><UniformMass totalMass="1"/>
<HexahedronFEMForceField youngModulus="1000" poissonRatio="0.3"/>
<BoxROI name="roi" box="-1 -1 -1  2 2 0.1"/><FixedProjectiveConstraint indices="@roi.indices"/></Node>""",
    "contact.scn": """<Node dt="0.01"><CollisionPipeline/><BruteForceBroadPhase/><BVHNarrowPhase/>
<MinProximityIntersection alarmDistance="0.5" contactDistance="0.1"/><CollisionResponse response="PenalityContactForceField"/>
<Node name="ball"><EulerImplicitSolver/><CGLinearSolver iterations="20" tolerance="1e-9" threshold="1e-9"/>
<MechanicalObject position="0 0.3 0"/><UniformMass totalMass="1"/><SphereCollisionModel radius="0.2"/></Node>
<Node name="floor"><MeshTopology position="-1 0 -1  1 0 -1  0 0 1" triangles="0 2 1"/><MechanicalObject/>
<TriangleCollisionModel moving="0" simulated="0"/></Node></Node>""",
    "constraint.scn": """<Node dt="0.01"><FreeMotionAnimationLoop/><BlockGaussSeidelConstraintSolver maxIterations="9" tolerance="1e-3"/>
<Node><EulerImplicitSolver/><SparseLDLSolver template="CompressedRowSparseMatrixMat3x3d"/><MeshOBJLoader name="loader" filename="net.obj"/>
<MeshTopology src="@loader"/><MechanicalObject/><UniformMass totalMass="1"/><TriangleFEMForceField youngModulus="100" poissonRatio="0.3"/>
<LinearSolverConstraintCorrection/><FixedLagrangianConstraint indices="0 1 2"/></Node></Node>""",
}
NET = "".join("v %d %d 0\n" % (i, j) for i in range(5) for j in range(5)) + "".join(
    "f %d %d %d %d\n" % (c, c + 1, c + 6, c + 5) for c in range(1, 20) if c % 5)


def limited(memory):
    def limit():
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_CPU, (60, 60))
        if memory:
            resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    return limit


def run(arguments, variables=None, memory=None):
    done = subprocess.run([divan] + arguments, capture_output=True, env=dict(os.environ, **(variables or {})), preexec_fn=limited(memory))
    return done.returncode, done.stderr.decode(errors="replace")


def judge(name, good, status, text):
    global passed
    if good:
        passed += 1
    else:
        failures.append("%s: exit status %d: %s" % (name, status, text[:400]))


def write_deflated(name, size):
    """A VTK file whose points are so many zeros, deflated."""
    pressed = zlib.compressobj(1)
    zeros = b"".join([pressed.compress(bytes(MIB)) for _ in range(size // MIB)] + [pressed.flush()])
    words = base64.b64encode(struct.pack("<4I", 1, size, 0, len(zeros))) + base64.b64encode(zeros)
    with open(name, "w") as file:
        file.write('<VTKFile type="UnstructuredGrid" version="0.1" byte_order="LittleEndian" compressor="vtkZLibDataCompressor">'
                   '<UnstructuredGrid><Piece NumberOfPoints="%d" NumberOfCells="0"><Points><DataArray type="Float64" Name="Points" '
                   'NumberOfComponents="3" format="binary">%s</DataArray></Points></Piece></UnstructuredGrid></VTKFile>'
                   % (size // 24, words.decode()))


def refuse(command, variable, number):
    """One allocation, or many, are refused: the run ends well, since nobody needed it, or with status 1 and a last line that says why."""
    status, text = run(command, {"LD_PRELOAD": heap, variable: str(number)})
    lines = text.splitlines()
    is_said = bool(lines) and (sum("out of memory" in line for line in lines) == 1 or "there is no room in memory" in text)
    # The system's loader says it in its own words, with status 127.
    good = status == 0 or (status == 1 and is_said) or (status == 127 and "allocate" in text)
    judge("%s %s=%d" % (" ".join(command), variable, number), good, status, text)


def too_large(name, component, *words, memory=512 * MIB):
    """A size that the scene chooses and no memory is there for: an error of the component, and the rest is loaded with --keep-going."""
    with open("large.scn", "w") as file:
        file.write('<Node dt="0.01"><DefaultAnimationLoop/>%s<Node><MechanicalObject name="other"/></Node></Node>' % component)
    for command in (["run", "large.scn", "-n", "1"], ["run", "--keep-going", "large.scn", "-n", "1"]):
        status, text = run(command, memory=memory)
        errors = [line for line in text.splitlines() if line.startswith("error: large.scn:")]
        good = status == (0 if "--keep-going" in command else 1) and len(errors) >= 1 and all(word in errors[0] for word in words)
        judge("%s, %s" % (name, " ".join(command)), good or (status == 1 and bool(errors) and all(w in errors[0] for w in words)), status, text)


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    with open("net.obj", "w") as file:
        file.write(NET)
    for name, text in SCENES.items():
        with open(name, "w") as file:
            file.write(text)
        status, text = run(["run", name, "-n", "3"])
        judge(name, status == 0, status, text)
        number = 1
        while number < 60000:
            for variable in ("DIVAN_TEST_FAIL_AT", "DIVAN_TEST_FAIL_FROM"):
                refuse(["run", name, "-n", "3"], variable, number)
            number += 1 + number // 6
        for size in (100, 1000, 3000, 10000, 30000, 100000, 300000):
            refuse(["run", name, "-n", "3"], "DIVAN_TEST_FAIL_ABOVE", size)
    for number in (10, 1000, 5000):
        refuse(["list"], "DIVAN_TEST_FAIL_FROM", number)
        refuse(["check", "beam.scn"], "DIVAN_TEST_FAIL_FROM", number)

    # What steps ask for is counted.
    with open("written.scn", "w") as file:
        file.write('<Node dt="0.01"><EulerExplicitSolver/><MeshTopology position="0 0 0  1 0 0" edges="0 1"/><MechanicalObject/>'
                   '<UniformMass totalMass="1"/><VTKExporter filename="written" exportEveryNumberOfSteps="1"/></Node>')
    counted = subprocess.run([divan, "bench", "--json", "-n", "3", "written.scn"], capture_output=True)
    judge("allocations of a step that writes a file", b'"allocations_per_step": 0' not in counted.stdout and b"median" in counted.stdout,
          counted.returncode, counted.stdout.decode())

    # What was saved last is named.
    with open("saved.scn", "w") as file:
        file.write(SCENES["beam.scn"])

    grid = '<RegularGridTopology n="%s" min="0 0 0" max="1 1 1"/>'
    too_large("more points than there are numbers", grid % "2000 2000 2000", "RegularGridTopology", "2000 x 2000 x 2000")
    too_large("a grid", grid % "400 400 400", "RegularGridTopology", "400 x 400 x 400", "GiB")
    # The component that asks for most of a matrix is named, not one after it.
    too_large("a matrix", '<EulerImplicitSolver/><SparseLDLSolver template="CompressedRowSparseMatrixMat3x3d"/>' + grid % "40 40 40" +
              '<MechanicalObject/><HexahedronFEMForceField name="solid" youngModulus="1e3" poissonRatio="0.3"/><UniformMass totalMass="1"/>'
              '<SpringForceField name="one" spring="0 1 10 0 0.1"/>', "HexahedronFEMForceField 'solid'", "the matrix of 192003 unknowns",
              memory=390 * MIB)
    write_deflated("zeros.vtu", 192 * MIB)
    too_large("what is inflated", '<MeshVTKLoader filename="zeros.vtu"/>', "MeshVTKLoader", "no room in memory for what it inflates to",
              memory=300 * MIB)
    too_large("numbers of what is inflated", '<MeshVTKLoader filename="zeros.vtu"/>', "MeshVTKLoader", "no room in memory for its values",
              memory=512 * MIB)

for failure in failures:
    print("FAILED: " + failure)
print("%d passed, %d failed" % (passed, len(failures)))
sys.exit(1 if failures else 0)
