#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""ParaView reads the series that `divan run --export` writes: .pvd raw and packed, .xdmf by both of its readers: times, parts, positions, displacements
and cells, bit for bit as --dump has them. Skipped without pvpython.     check_paraview.py DIVAN"""
import json
import os
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77
SCENE = """<Node dt="0.01" gravity="0 -9.81 0"><DefaultAnimationLoop/>
  <Node name="Bar"><EulerImplicitSolver/><SparseLDLSolver/>
    <RegularGridTopology name="grid" n="5 3 3" min="0 0 0" max="2 1 1"/><MechanicalObject name="state"/><UniformMass totalMass="1"/>
    <FixedProjectiveConstraint indices="0 1"/><HexahedronFEMForceField name="FEM" youngModulus="1000" poissonRatio="0.3"/>
    <Node name="Skin &amp; bone"><MeshTopology position="0.1 0.2 0.3  1.9 0.2 0.3  1 0.9 0.7" triangles="0 1 2"/>
      <MechanicalObject name="points"/><BarycentricMapping/></Node></Node></Node>"""
# What pvpython runs: for each reader and time the parts. It is given absolute names: with the mere name of a file in the present folder
# the Xdmf3 reader of ParaView 5.11 looks for HDF5 in "series.xdmfseries/...".
READ = """
import json, sys
from paraview import servermanager, simple
from vtkmodules.util.numpy_support import vtk_to_numpy

def lists(data):
    return {data.GetArrayName(i): vtk_to_numpy(data.GetArray(i)).ravel().tolist() for i in range(data.GetNumberOfArrays())}

def parts(data):
    found, walk = [], data.NewIterator()
    walk.InitTraversal()
    while not walk.IsDoneWithTraversal():
        part = walk.GetCurrentDataObject()
        found.append({"x": vtk_to_numpy(part.GetPoints().GetData()).ravel().tolist(), "points": lists(part.GetPointData()),
                      "cells": lists(part.GetCellData()), "types": [part.GetCellType(i) for i in range(part.GetNumberOfCells())],
                      "first": [part.GetCell(0).GetPointId(i) for i in range(part.GetCell(0).GetNumberOfPoints())]})
        walk.GoToNextItem()
    return found

result = {}
for name in sys.argv[2:]:
    kinds = [simple.OpenDataFile] + ([lambda file: simple.XDMFReader(FileNames=[file])] if name.endswith(".xdmf") else [])
    for kind in kinds:
        reader = kind(name)
        frames = []
        for time in reader.TimestepValues:
            reader.UpdatePipeline(time)
            frames.append([time, parts(servermanager.Fetch(reader))])
        result[name + " " + type(reader).__name__] = frames
with open(sys.argv[1], "w") as file:
    json.dump(result, file)
"""


def dumped(name):
    """{(step, path): positions}"""
    values, step, path = {}, None, None
    for line in open(name, encoding="ascii"):
        words = line.split()
        if words[0] == "STEP":
            step = int(words[1])
        elif words[0] == "STATE":
            path = line[6:line.rindex(" ")]
        elif words[0] == "X":
            values[step, path] = [float(word) for word in words[1:]]
    return values


def run(divan, *words):
    done = subprocess.run([divan, "run", "scene.scn", "-n", "4", "--quiet", "--every", "2", *words], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=60, check=False)
    if done.returncode:
        print(done.stdout)
    return done.returncode == 0


def problems_of(reader, frames, states):
    if [time for time, _ in frames] != [0, 0.02, 0.04]:
        return ["%s: times %s" % (reader, [time for time, _ in frames])]
    found = []
    for step, (_, parts) in zip((0, 2, 4), frames):
        for path, part in zip(("/Bar/state", "/Bar/Skin & bone/points"), parts):
            where, solid = "%s, step %d, %s: " % (reader, step, path), path == "/Bar/state"
            at, start = states[step, path], states[0, path]
            moved = [a - b for a, b in zip(part["points"].get("displacement", []), (x - y for x, y in zip(at, start)))]
            if part["x"] != at:
                found.append(where + "positions")
            if len(moved) != len(at) or max(map(abs, moved)) > 1e-15:
                found.append(where + "displacements")
            if part["types"] != ([12] * 16 if solid else [5]) or part["first"] != ([0, 1, 6, 5, 15, 16, 21, 20] if solid else [0, 1, 2]):
                found.append(where + "cells %s %s" % (part["types"], part["first"]))
            if "pvd" in reader and solid and (len(part["cells"].get("stress", [])) != 96 or len(part["cells"].get("vonMises", [])) != 16):
                found.append(where + "stresses %s" % list(part["cells"]))
        if len(parts) != 2:
            found.append("%s, step %d: %d parts" % (reader, step, len(parts)))
    return found


def main():
    divan, paraview = os.path.realpath(sys.argv[1]), shutil.which("pvpython")
    if not paraview:
        print("skipped: there is no pvpython")
        return SKIPPED
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for name, text in (("scene.scn", SCENE), ("read.py", READ)):
            with open(name, "w", encoding="ascii") as file:
                file.write(text)
        good = run(divan, "--export", "raw.pvd", "--fields", "displacement,stress", "--dump", "states", "--dump-steps", "0,2,4")
        good = good and run(divan, "--export", "packed.pvd", "--fields", "displacement,stress", "--compress")
        names = [os.path.join(folder, name) for name in ("raw.pvd", "packed.pvd")]
        if run(divan, "--export", "series.xdmf", "--fields", "displacement"):
            names.append(os.path.join(folder, "series.xdmf"))
        else:
            print("without HDF5: .pvd alone")
        environment = {key: value for key, value in os.environ.items() if key != "LD_LIBRARY_PATH"}
        done = subprocess.run([paraview, "read.py", "result.json", *names], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              timeout=100, check=False, env=environment)
        if not good or done.returncode or not os.path.exists("result.json"):
            print(done.stdout)
            return 1
        states = dumped("states")
        with open("result.json", encoding="ascii") as file:
            result = json.load(file)
        found = [problem for reader, frames in result.items() for problem in problems_of(os.path.basename(reader), frames, states)]
        print("\n".join(found) or "read alike: " + ", ".join(os.path.basename(reader) for reader in result))
        return 1 if found else 0


sys.exit(main())
