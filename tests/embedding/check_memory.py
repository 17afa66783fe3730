#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Hosts without a heap of their own where there is no memory: what a scene chooses the size of fails with a status and a message that says
what there is no room for and how much it needs, and the host goes on; else it ends with one line and status 1.

usage: check_memory.py MEMORY_HOST FAILING_HEAP
"""
import os
import re
import struct
import subprocess
import sys
import tempfile

MIB = 1 << 20
host, heap = map(os.path.abspath, sys.argv[1:])
failures = []
passed = 0

SMALL = """<Node dt="0.01"><EulerImplicitSolver/><SparseLDLSolver template="CompressedRowSparseMatrixMat3x3d"/>
<RegularGridTopology n="3 3 5" min="0 0 0" max="1 1 4"/><MechanicalObject/><UniformMass totalMass="1"/>
<HexahedronFEMForceField youngModulus="1000" poissonRatio="0.3"/></Node>"""
GRID = '<Node dt="0.01"><DefaultAnimationLoop/>%s<RegularGridTopology n="%s" min="0 0 0" max="1 1 1"/></Node>'
BODY = """<Node dt="0.01"><DefaultAnimationLoop/><EulerImplicitSolver/>%s
<RegularGridTopology n="%d %d %d" min="0 0 0" max="1 1 1"/><MechanicalObject/><UniformMass totalMass="1"/>
<HexahedronFEMForceField youngModulus="1000" poissonRatio="0.3"/></Node>"""
LDL = '<SparseLDLSolver template="CompressedRowSparseMatrixMat3x3d"/>'
MATRIX = ((30, "elements of type hexahedron"), (70, "HexahedronFEMForceField"), (100, "HexahedronFEMForceField"), (150, "HexahedronFEMForceField"), (200, "81000 unknowns"))
CONSTRAINTS = """<Node dt="0.01"><FreeMotionAnimationLoop/><BlockGaussSeidelConstraintSolver maxIterations="3" tolerance="1e-3"/>
<Node><EulerImplicitSolver/>%s<RegularGridTopology n="16 16 4" min="0 0 0" max="1 1 1"/><MechanicalObject/><UniformMass totalMass="1"/>
<LinearSolverConstraintCorrection/><FixedLagrangianConstraint fixAll="1"/></Node></Node>""" % LDL
LOADER = '<Node dt="0.01"><DefaultAnimationLoop/><%s name="loader" filename="%s"/></Node>'


def write(name, data):
    with open(name, "wb" if isinstance(data, bytes) else "w") as file:
        file.write(data)
    return name


def run(scene, mebi, variables=None):
    done = subprocess.run([host, scene, str(mebi), "small.scn"], capture_output=True, env=dict(os.environ, **(variables or {})), timeout=60)
    return done.returncode, done.stderr.decode(errors="replace")


def judge(name, good, status, text):
    global passed
    if good:
        passed += 1
    else:
        failures.append("%s: exit status %d: %s" % (name, status, text[:400]))


def too_large(scene, mebi, *words):
    """The scene fails with a message that has all words and a size; the host lives on and the next scene works."""
    status, text = run(scene, mebi)
    lines = [line for line in text.splitlines() if "there is no room in memory" in line]
    good = status == 10 and lines and all(word in lines[0] for word in words) and re.search(r"\d (bytes|[KMGTPE]iB)", lines[0])
    judge("%s, %d MiB" % (scene, mebi), good, status, text)


def ends_well(scene, variable, number):
    """Whatever is refused, no signal ends the host: the scene works, or fails with a message, or one line is the end of it."""
    status, text = run(scene, 0, {"LD_PRELOAD": heap, "DIVAN_TEST_FAIL_LATER": "1", variable: str(number)})
    is_said = re.search("out of memory|no room in memory|cannot be read|broken XML: invalid argument", text)
    judge("%s %s=%d" % (scene, variable, number), status == 0 or (status in (1, 2, 3, 10) and is_said), status, text)


def obj_mesh(side):
    points = ["v %d %d 0" % (i, j) for i in range(side) for j in range(side)]
    corner = [i * side + j + 1 for i in range(side - 1) for j in range(side - 1)]
    return "\n".join(points + ["f %d %d %d %d" % (c, c + 1, c + side + 1, c + side) for c in corner]) + "\n"


def gmsh_mesh(side):
    points = ["%d %d %d 0" % (i * side + j + 1, i, j) for i in range(side) for j in range(side)]
    corner = [i * side + j + 1 for i in range(side - 1) for j in range(side - 1)]
    quads = ["%d 3 2 0 1 %d %d %d %d" % (n + 1, c, c + 1, c + side + 1, c + side) for n, c in enumerate(corner)]
    return "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n%d\n%s\n$EndNodes\n$Elements\n%d\n%s\n$EndElements\n" % (
        len(points), "\n".join(points), len(quads), "\n".join(quads))


def vtk_mesh(side):
    points = struct.pack(">%dd" % (3 * side * side), *[float(x) for i in range(side) for j in range(side) for x in (i, j, 0)])
    corner = [i * side + j for i in range(side - 1) for j in range(side - 1)]
    quads = struct.pack(">%di" % (5 * len(corner)), *[n for c in corner for n in (4, c, c + 1, c + side + 1, c + side)])
    head = "# vtk DataFile Version 3.0\nmesh\nBINARY\nDATASET POLYDATA\nPOINTS %d double\n" % (side * side)
    return head.encode() + points + b"\nPOLYGONS %d %d\n" % (len(corner), 5 * len(corner)) + quads + b"\n"


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    write("small.scn", SMALL)

    # Sizes that a scene chooses.
    too_large(write("grid.scn", GRID % ("", "200 200 200")), 100, "RegularGridTopology", "200 x 200 x 200")
    write("matrix.scn", BODY % (LDL, 30, 30, 30))
    for mebi, word in MATRIX:
        too_large("matrix.scn", mebi, word)
    write("compliance.scn", CONSTRAINTS)
    for mebi in (50, 80, 120):
        too_large("compliance.scn", mebi, "LinearSolverConstraintCorrection", "the compliance of 3072 constraints")
    for loader, name, data in (("MeshOBJLoader", "mesh.obj", obj_mesh(300)), ("MeshGmshLoader", "mesh.msh", gmsh_mesh(300)),
                               ("MeshVTKLoader", "mesh.vtk", vtk_mesh(300))):
        write(name, data)
        for mebi in (1, 3, 8, 14):
            too_large(write("loader.scn", LOADER % (loader, name)), mebi, loader, name)
        status, text = run("loader.scn", 128)
        judge("%s with room" % name, status == 0, status, text)
        if isinstance(data, str):  # 48 bytes for each word that stands behind a blank
            too_large("loader.scn", 14, "up to %.0f MiB are needed" % (48 * (len(data.split()) - 1) / MIB))
    write("numbers.scn", '<Node dt="0.01"><DefaultAnimationLoop/><MechanicalObject position="%s"/></Node>' % ("1 2 3 " * 700000))
    for mebi in (2, 10, 20):
        too_large("numbers.scn", mebi, "numbers.scn")

    # What fails anywhere.
    for scene in ("small.scn", "loader.scn", "numbers.scn"):
        for size in (65536, 300000, 1000000, 5000000):
            ends_well(scene, "DIVAN_TEST_FAIL_ABOVE", size)
    number = 1
    while number < 3000:
        ends_well("small.scn", "DIVAN_TEST_FAIL_AT", number)
        number += 1 + number // 15

for failure in failures:
    print("FAILED: " + failure)
print("%d passed, %d failed" % (passed, len(failures)))
sys.exit(1 if failures else 0)
