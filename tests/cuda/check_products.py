#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Products by tetrahedra move fewer bytes than rows of blocks would, which the log says, in whatever order points and elements come.

check_products.py DIVAN"""
import os
import random
import re
import subprocess
import sys
import tempfile

divan = os.path.abspath(sys.argv[1])
N = (9, 6, 7)
CORNERS = ((0, 1, 2, 6), (0, 2, 3, 6), (0, 3, 7, 6), (0, 7, 4, 6), (0, 4, 5, 6), (0, 5, 1, 6))


def mesh(shuffled):
    points = [(x, y, z) for z in range(N[2]) for y in range(N[1]) for x in range(N[0])]
    elements = []
    for i, (x, y, z) in enumerate(points):
        if x + 1 < N[0] and y + 1 < N[1] and z + 1 < N[2]:
            a, b = N[0], N[0] * N[1]
            corner = (i, i + 1, i + a + 1, i + a, i + b, i + b + 1, i + b + a + 1, i + b + a)
            elements += [[corner[k] for k in node] for node in CORNERS]
    if shuffled:
        chance = random.Random(7)
        new = list(range(len(points)))
        chance.shuffle(new)
        moved = [None] * len(points)
        for old, place in enumerate(new):
            moved[place] = points[old]
        points = moved
        elements = [[new[p] for p in element] for element in elements]
        chance.shuffle(elements)
    return points, elements


def scene(word, shuffled):
    points, elements = mesh(shuffled)
    text = lambda lists: " ".join(str(number) for numbers in lists for number in numbers)
    return f"""<Node name="root" dt="0.01"><DefaultAnimationLoop/><Node><EulerImplicitSolver/><CGLinearSolver iterations="5"/>
<MeshTopology position="{text(points)}" tetrahedra="{text(elements)}"/><MechanicalObject template="{word}"/>
<TetrahedronFEMForceField youngModulus="2000" poissonRatio="0.3" method="large"/><DiagonalMass totalMass="5"/></Node></Node>"""


with tempfile.TemporaryDirectory() as folder:
    for word in ("CudaVec3d", "CudaVec3f"):
        moved = []
        for shuffled in (False, True):
            with open(os.path.join(folder, "body.scn"), "w", encoding="utf-8") as to:
                to.write(scene(word, shuffled))
            done = subprocess.run([divan, "run", "body.scn", "-n", "1", "--device", "emulated", "--verbose"],
                                  capture_output=True, text=True, check=False, cwd=folder)
            found = re.search(r"tetrahedra move (\d+) bytes an element, and so are made; rows of blocks would move (\d+)", done.stdout + done.stderr)
            if done.returncode or not found:
                sys.exit(f"{word}: {done.returncode}: {done.stdout}{done.stderr}")
            by_elements, by_rows = (int(number) for number in found.groups())
            if not by_elements < by_rows:
                sys.exit(f"{word}, shuffled: {shuffled}: {by_elements} bytes by elements, {by_rows} by rows")
            moved.append(by_elements)
        if not moved[1] < 1.15 * moved[0]:
            sys.exit(f"{word}: {moved[0]} bytes an element, {moved[1]} of a mesh in any order")
        print(word, moved, by_rows)
