#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""divan run --export: what is in the files, bit for bit as --dump has it, also by readers that others wrote (vtk, meshio) where they are installed;
that files are whole whatever ends the run; and what is refused.     check_export.py DIVAN"""
import math
import os
import re
import resource
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree
import zlib

try:
    import h5py
except ImportError:
    h5py = None
try:
    import meshio
except ImportError:
    meshio = None
try:
    import vtk
    from vtk.util.numpy_support import vtk_to_numpy
except ImportError:
    vtk = None

DIVAN = os.path.realpath(sys.argv[1])
FAILURES = []
BAR = """<Node dt="0.01" gravity="0 -9.81 0"><DefaultAnimationLoop/>
  <Node name="Bar"><EulerImplicitSolver/><CGLinearSolver iterations="25" tolerance="1e-9" threshold="1e-9"/>
    <RegularGridTopology name="grid" n="%s" min="0 0 0" max="2 1 1"/><MechanicalObject name="state"/><UniformMass totalMass="1"/>
    <FixedProjectiveConstraint indices="0 1"/><HexahedronFEMForceField youngModulus="1000" poissonRatio="0.3"/>
    <Node name="Skin &amp; bone"><MeshTopology position="0.1 0.2 0.3  1.9 0.2 0.3  1 0.9 0.7" triangles="0 1 2"/>
      <MechanicalObject name="points"/><BarycentricMapping/></Node>
    <Node name="Frames"><MechanicalObject template="Vec1d" name="flat" position="1 2"/></Node></Node></Node>"""
KINDS = """<Node dt="0.1" gravity="0 -10 0"><DefaultAnimationLoop/><EulerExplicitSolver/>
  <MechanicalObject name="dofs" position="@mesh.position" velocity="0.1 0.2 1e-7"/><UniformMass vertexMass="1"/>
  <MeshTopology name="mesh" position="0 0 0 1 0 0 0 1 0 0 0 1 1 0 1 0 1 1 2 0 0 2 1 0 1 1 0 2 0 1 2 1 1 1 1 1 1.5 0.5 3 0.1 0.2 -3"
    tetrahedra="0 2 1 13" hexahedra="1 6 7 8 4 9 10 11" prisms="0 1 2 3 4 5" pyramids="4 9 10 11 12"/></Node>"""


def check(good, what):
    if not good:
        FAILURES.append(what)
        print(what)


def numbers(points):
    return "  ".join(" ".join(repr(x) for x in point) for point in points)


def run(text, *words, steps=4, status=0, says="", **more):
    with open("scene.scn", "w", encoding="ascii") as out:
        out.write(text)
    done = subprocess.run([DIVAN, "run", "scene.scn", "-n", str(steps), "--quiet", *words], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=60, check=False, **more)
    check(done.returncode == status and says in done.stdout, "%s: exit status %d: %s" % (words, done.returncode, done.stdout))
    return done.stdout


def dumped(name):
    """{(step, path, "X" or "V"): numbers}"""
    values, step, path = {}, None, None
    for line in open(name, encoding="ascii"):
        words = line.split()
        if words[0] == "STEP":
            step = int(words[1])
        elif words[0] == "STATE":
            path = line[6:line.rindex(" ")]
        elif words[0] in "XV":
            values[step, path, words[0]] = [float(word) for word in words[1:]]
    return values


FORMATS = {"Float64": "d", "Int32": "i", "Int64": "q", "UInt8": "B"}


def read_vtk(name):
    """{name of an array: its numbers}, {attribute: its number} of a piece; arrays are appended, raw or packed"""
    data = open(name, "rb").read()
    at = data.index(b"<AppendedData")
    start = data.index(b"_", at) + 1
    root = xml.etree.ElementTree.fromstring(data[:at] + b"</VTKFile>")
    check(root.get("header_type") == "UInt64" and root.get("byte_order") == "LittleEndian", "%s: %s" % (name, root.attrib))
    arrays = {}
    for parent in root.iter():
        for array in parent.findall("DataArray"):
            place = start + int(array.get("offset"))
            if root.get("compressor"):
                blocks, size, last = struct.unpack_from("<3Q", data, place)
                sizes = struct.unpack_from("<%dQ" % blocks, data, place + 24)
                place += 24 + 8 * blocks
                numbers = b""
                for k in range(blocks):
                    numbers += zlib.decompress(data[place:place + sizes[k]])
                    place += sizes[k]
                check(len(numbers) == (blocks - (last > 0)) * size + last, name + ": sizes of blocks")
            else:
                size, = struct.unpack_from("<Q", data, place)
                numbers = data[place + 8:place + 8 + size]
                check(len(numbers) == size, name + ": ends too early")
            form = FORMATS[array.get("type")]
            arrays[parent.tag, array.get("Name")] = list(struct.unpack("<%d%s" % (len(numbers) // struct.calcsize(form), form), numbers))
    piece = root.find(".//Piece")
    return arrays, {key: int(value) for key, value in piece.attrib.items()}


def series(name):
    """[(time, name of the part, file)]"""
    return [(float(entry.get("timestep")), entry.get("name"), entry.get("file"))
            for entry in xml.etree.ElementTree.parse(name).getroot().iter("DataSet")]


def same_as_dumped():
    """Parts, times, positions, velocities and displacements of a series, raw and packed."""
    run(BAR % "5 3 3", "--export", "bar.pvd", "--every", "2", "--dump", "states", "--dump-steps", "0:5", steps=5)
    run(BAR % "5 3 3", "--export", "packed.pvd", "--every", "2", "--compress", steps=5)
    states, entries = dumped("states"), series("bar.pvd")
    check([entry[:2] for entry in entries] == [(0.01 * step if step < 5 else 0.05, part) for step in (0, 2, 4, 5) for part in
                                               ("/Bar/state", "/Bar/Skin & bone/points")], "entries: %s" % entries)
    for (time_, path, file), packed in zip(entries, series("packed.pvd")):
        step = int(re.search(r"_(\d{6})\.vt[up]$", file).group(1))
        arrays, sizes = read_vtk(file)
        check((arrays, sizes) == read_vtk(packed[2]), file + ": is another one when it is packed")
        points, speeds = states[step, path, "X"], states[step, path, "V"]
        check(sizes["NumberOfPoints"] == len(points) // 3, file + ": points")
        check(arrays["Points", None] == points, file + ": positions")
        check(arrays["PointData", "velocity"] == speeds, file + ": velocities")
        moved = [x - y for x, y in zip(points, states[0, path, "X"])] # a mapped state is at rest where the scene says, not where it is mapped to
        check(max(abs(x - y) for x, y in zip(arrays["PointData", "displacement"], moved)) <= (0 if "state" in path else 1e-15), file + ": displacements")
        check(("PointData", "force") in arrays and len(arrays) == (10 if file.endswith(".vtp") else 7), file + ": arrays")
    grid, _ = read_vtk("bar/Bar-state_000000.vtu")
    check(grid["Cells", "types"] == [12] * 16 and grid["Cells", "offsets"] == [8 * (k + 1) for k in range(16)], "cells of a grid")
    check(grid["Cells", "connectivity"][:8] == [0, 1, 6, 5, 15, 16, 21, 20], "a cell of a grid: %s" % grid["Cells", "connectivity"][:8])
    skin, sizes = read_vtk("bar/Bar-Skin---bone-points_000000.vtp")
    check(skin["Polys", "connectivity"] == [0, 1, 2] and skin["Polys", "offsets"] == [3] and sizes["NumberOfPolys"] == 1, "a triangle: %s" % skin)
    run(BAR % "3 2 2", "--export", "one.pvd", "--fields", "velocity", steps=1)
    check(set(name for of, name in read_vtk("one/Bar-state_000001.vtu")[0] if of == "PointData") == {"velocity"}, "--fields velocity")
    run(BAR % "2 2 2", "--export", "cell.pvd", "--compress", steps=1)
    types = read_vtk("cell/Bar-state_000001.vtu")[0]["Cells", "types"]  # of one byte
    check(types == [12], "one cell, compressed: %s" % types)


def by_others():
    """What vtk and meshio read is what was written; cells are upright for vtk."""
    run(KINDS, "--export", "kinds.pvd", steps=2)
    run(KINDS, "--export", "packed.pvd", "--compress", steps=2)
    arrays, _ = read_vtk("kinds/dofs_000002.vtu")
    check(arrays["Cells", "types"] == [10, 12, 13, 14], "types: %s" % arrays["Cells", "types"])
    for name in ("kinds/dofs_000002.vtu", "packed/dofs_000002.vtu"):
        if meshio:
            mesh = meshio.read(name)
            check(mesh.points.ravel().tolist() == arrays["Points", None], name + ": positions of meshio")
            check(mesh.point_data["velocity"].ravel().tolist() == arrays["PointData", "velocity"], name + ": velocities of meshio")
            check(sorted(mesh.cells_dict) == ["hexahedron", "pyramid", "tetra", "wedge"], name + ": cells of meshio")
        if vtk:
            reader = vtk.vtkXMLUnstructuredGridReader()
            reader.SetFileName(name)
            reader.Update()
            grid = reader.GetOutput()
            check(vtk_to_numpy(grid.GetPoints().GetData()).ravel().tolist() == arrays["Points", None], name + ": positions of vtk")
            check(vtk_to_numpy(grid.GetPointData().GetArray("velocity")).ravel().tolist() == arrays["PointData", "velocity"], name + ": velocities of vtk")
            sizes = vtk.vtkCellSizeFilter()
            sizes.SetInputData(grid)
            sizes.Update()
            volumes = vtk_to_numpy(sizes.GetOutput().GetCellData().GetArray("Volume")).tolist()
            if int(vtk.vtkVersion.GetVTKMajorVersion()) * 100 + int(vtk.vtkVersion.GetVTKMinorVersion()) >= 907:
                check(max(abs(a - b) for a, b in zip(volumes, (0.5, 1, 0.5, 2 / 3))) < 1e-9, name + ": volumes %s" % volumes)
    if meshio:
        run(KINDS, "--export", "kinds.msh", steps=2)
        mesh = meshio.read("kinds.msh")
        check(mesh.points.ravel().tolist() == arrays["Points", None], "positions of kinds.msh")
        check({kind: len(cells) for kind, cells in mesh.cells_dict.items()} == {"tetra": 1, "hexahedron": 1, "wedge": 1, "pyramid": 1}, "cells of kinds.msh")


LOADED = """<Node><DefaultAnimationLoop/><Node name="It"><%s name="loader" filename="%s" createSubelements="0"/>
  <MechanicalObject name="dofs" position="@loader.position"/><MeshTopology name="mesh" src="@loader"/></Node></Node>"""


def round_trips():
    """Our loaders read the same mesh from what was written; of solids, surfaces are closed and seen from outside."""
    run(KINDS, "--export", "all.msh", "--dump", "states", "--dump-topology", "mesh", steps=3)
    points = dumped("states")[3, "/dofs", "X"]
    lists = [line for line in open("mesh", encoding="ascii") if line[:4] in ("TETR", "HEXA")][-2:]
    for loader, name in (("MeshGmshLoader", "all.msh"), ("MeshOBJLoader", "all.obj"), ("MeshPLYLoader", "all.ply")):
        run(KINDS, "--export", name, steps=3)
        run(LOADED % (loader, name), "--dump", "again", "--dump-topology", "mesh", steps=0)
        check(dumped("again")[0, "/It/dofs", "X"] == points, name + ": positions come back as others")
        again = [line for line in open("mesh", encoding="ascii") if line[:4] in ("TETR", "HEXA")]
        check(name != "all.msh" or again == lists, name + ": elements come back as others: %s" % again)
    bar = BAR % "4 3 2"
    run(bar, "--export", "bar.stl", steps=0)
    data = open("bar.stl", "rb").read()
    count, = struct.unpack_from("<I", data, 80)
    volume = 0.0
    for k in range(count):
        a, b, c = (struct.unpack_from("<3f", data, 84 + 50 * k + 12 + 12 * corner) for corner in range(3))
        volume += sum(a[i] * (b[(i + 1) % 3] * c[(i + 2) % 3] - b[(i + 2) % 3] * c[(i + 1) % 3]) for i in range(3)) / 6
    check(count == 2 * (2 * (6 + 3 + 2)) + 1 and abs(volume - 2) < 0.2, "bar.stl: %d triangles, volume %g" % (count, volume))
    run(bar, "--export", "each.obj", "--every", "2", steps=5)
    check(sorted(name for name in os.listdir(".") if name.startswith("each")) ==
          ["each_%06d.obj" % step for step in (0, 2, 4, 5)], "files of --every")
    check(open("each_000005.obj", encoding="ascii").read().count("\no ") == 2, "objects of each.obj")


def series_of_hdf5():
    """The same numbers in XDMF, each element list once; skipped where divan.hdf5 is not there, or h5py."""
    if "divan.hdf5" not in subprocess.run([DIVAN, "list"], stdout=subprocess.PIPE, text=True, timeout=60, check=False).stdout:
        return
    fields, step = "displacement,velocity,stress,strain", re.compile(r"_(\d{6})\.")
    run(BAR % "5 3 3", "--export", "bar.pvd", "--fields", fields, steps=2)
    for name, more in (("bar", ()), ("packed", ("--compress",))):
        run(BAR % "5 3 3", "--export", name + ".xdmf", "--fields", fields, *more, steps=2)
        check(sorted(file for file in os.listdir(name) if file.endswith(".h5")) ==
              sorted(["Bar-state_mesh0.h5", "Bar-Skin---bone-points_mesh0.h5"] + ["%s_%06d.h5" % (name, k) for k in range(3)]), "files: %s" % os.listdir(name))
        frames = xml.etree.ElementTree.parse(name + ".xdmf").getroot().findall("Domain/Grid/Grid")
        check([float(frame.find("Time").get("Value")) for frame in frames] == [0, 0.01, 0.02], "times of " + name)
        for k, frame in enumerate(frames):
            for grid in frame.findall("Grid"):
                part = [file for _, path, file in series("bar.pvd") if path == grid.get("Name") and int(step.search(file).group(1)) == k]
                arrays, _ = read_vtk(part[0])
                cells = "Cells" if part[0].endswith(".vtu") else "Polys"
                items = [(None, item) for item in grid.findall("Geometry/DataItem")] + [("elements", item) for item in grid.findall("Topology/DataItem")]
                items += [(attribute.get("Name"), attribute.find("DataItem")) for attribute in grid.findall("Attribute")]
                check(len(items) == len(arrays) - (2 if cells == "Cells" else 5), "items of %s: %s" % (name, items))
                for what, item in items if h5py else ():
                    file, place = item.text.split(":")
                    with h5py.File(file, "r") as data:
                        values = data[place][()]
                    check(list(values.shape) == [int(word) for word in item.get("Dimensions").split()], item.text + ": shape")
                    expected = next(numbers for (of, label), numbers in arrays.items() if (label == what and of.endswith("Data")) or (of == "Points" and what is None) or
                                    (what == "elements" and label == "connectivity" and of == cells))
                    check(values.ravel().tolist() == expected, item.text + ": is not what the file of VTK has")
    run(KINDS, "--export", "kinds.xdmf", steps=0)
    topology = xml.etree.ElementTree.parse("kinds.xdmf").getroot().find(".//Topology")
    check(topology.get("TopologyType") == "Mixed" and topology.get("NumberOfElements") == "4", "mixed elements")
    if h5py:
        with h5py.File("kinds/dofs_mesh0.h5", "r") as data:
            check(data["elements"][()].tolist() == [6, 0, 2, 1, 13, 9, 1, 6, 7, 8, 4, 9, 10, 11, 8, 0, 1, 2, 3, 4, 5, 7, 4, 9, 10, 11, 12],
                  "mixed elements: %s" % data["elements"][()].tolist())


def product(*matrices):
    result = matrices[0]
    for other in matrices[1:]:
        result = [[sum(result[i][k] * other[k][j] for k in range(3)) for j in range(3)] for i in range(3)]
    return result


def transposed(a):
    return [list(row) for row in zip(*a)]


def six(a):
    return [a[0][0], a[1][1], a[2][2], a[0][1], a[1][2], a[0][2]]


YOUNG, POISSON = 1000.0, 0.3
LAMBDA, MU = YOUNG * POISSON / ((1 + POISSON) * (1 - 2 * POISSON)), YOUNG / (2 * (1 + POISSON))
UNIT = [[1.0, 0, 0], [0, 1.0, 0], [0, 0, 1.0]]
STRETCH = [[1.02, 0.003, 0.001], [0.003, 0.99, -0.002], [0.001, -0.002, 1.005]] # symmetric
TURN = product([[math.cos(0.7), -math.sin(0.7), 0], [math.sin(0.7), math.cos(0.7), 0], [0, 0, 1.0]],
               [[1.0, 0, 0], [0, math.cos(-1.1), -math.sin(-1.1)], [0, math.sin(-1.1), math.cos(-1.1)]])
BOX = [[x + 0.1 * (y == 1 and z == 1), y, 1.5 * z] for z in (0.0, 1.0) for y in (0.0, 1.0) for x in (0.0, 1.0)]
CORNERS = "0 1 3 2 4 5 7 6"
TETRAHEDRA = "0 1 2 4 1 3 2 7 1 4 5 7 2 6 4 7 1 2 4 7"


def volume_of(a, b, c, d):
    u, v, w = ([BOX[n][k] - BOX[a][k] for k in range(3)] for n in (b, c, d))
    return abs(sum(u[i] * (v[(i + 1) % 3] * w[(i + 2) % 3] - v[(i + 2) % 3] * w[(i + 1) % 3]) for i in range(3))) / 6


VOLUME = sum(volume_of(*(int(word) for word in TETRAHEDRA.split()[4 * k:4 * k + 4])) for k in range(5))


def hooke(e, scale=1.0):
    trace = e[0][0] + e[1][1] + e[2][2]
    return [[scale * (LAMBDA * trace * (i == j) + 2 * MU * e[i][j]) for j in range(3)] for i in range(3)]


def closed_form(kinematics):
    """F, strain, Cauchy's stress, energy per volume of a body that is stretched, and turned where the law knows it"""
    f = STRETCH if kinematics == "small" else product(TURN, STRETCH)
    e = [[STRETCH[i][j] - UNIT[i][j] for j in range(3)] for i in range(3)]
    if kinematics == "finite":
        c = product(transposed(f), f)
        e = [[0.5 * (c[i][j] - UNIT[i][j]) for j in range(3)] for i in range(3)]
    s = hooke(e)
    energy = 0.5 * sum(s[i][j] * e[i][j] for i in range(3) for j in range(3))
    if kinematics == "finite":
        det = sum(f[0][i] * (f[1][(i + 1) % 3] * f[2][(i + 2) % 3] - f[1][(i + 2) % 3] * f[2][(i + 1) % 3]) for i in range(3))
        return f, e, [[v / det for v in row] for row in product(f, s, transposed(f))], energy
    if kinematics == "corotational":
        return f, product(TURN, e, transposed(TURN)), product(TURN, s, transposed(TURN)), energy
    return f, e, s, energy


def patch_tests():
    """Of a homogeneous deformation all elements have the strain and stress of the closed form; energies add up to that of the volume."""
    material = 'youngModulus="%g" poissonRatio="%g"' % (YOUNG, POISSON)
    law = 'material="StVenantKirchhoff" parameters="%r %r" kinematics="finite"' % (MU, LAMBDA)
    tetra, hexa = 'tetrahedra="%s"' % TETRAHEDRA, 'hexahedra="%s"' % CORNERS
    fields = (("corotational", tetra, "TetrahedronFEMForceField %s method='polar'" % material),
              ("corotational", tetra, "TetrahedronFEMForceField %s method='large'" % material),
              ("small", tetra, "TetrahedronFEMForceField %s method='small'" % material),
              ("corotational", tetra, "TetrahedralCorotationalFEMForceField %s" % material),
              ("corotational", hexa, "HexahedronFEMForceField %s method='polar'" % material),
              ("corotational", hexa, "HexahedronFEMForceField %s method='large'" % material),
              ("small", hexa, "HexahedronFEMForceField %s method='small'" % material),
              ("corotational", hexa, "CorotationalFEMForceField template='Vec3d,Hexahedron' %s" % material),
              ("corotational", tetra, "CorotationalFEMForceField template='Vec3d,Tetrahedron' %s" % material),
              ("small", tetra, "LinearSmallStrainFEMForceField template='Vec3d,Tetrahedron' %s" % material),
              ("finite", tetra, "SolidFEMForceField template='Vec3d,Tetrahedron' %s" % law),
              ("finite", hexa, "SolidFEMForceField template='Vec3d,Hexahedron' %s" % law))
    for kinematics, cells, words in fields:
        f, e, s, energy = closed_form(kinematics)
        now = [[sum(f[i][j] * x[j] for j in range(3)) + (0.3, -2, 1)[i] for i in range(3)] for x in BOX]
        scene = """<Node dt="0.01"><DefaultAnimationLoop/><Node name="Body"><EulerImplicitSolver/><CGLinearSolver iterations="1" tolerance="1" threshold="1"/>
          <MeshTopology name="mesh" position="%s" %s/><MechanicalObject name="state" position="%s" rest_position="%s"/><UniformMass totalMass="1"/>
          <%s/></Node></Node>""" % (*(numbers(points) for points in (BOX,)), cells, numbers(now), numbers(BOX), words)
        run(scene, "--export", "patch.pvd", "--fields", "stress,strain,energy", steps=0)
        arrays, sizes = read_vtk("patch/Body-state_000000.vtu")
        wrong = 0.0
        for k in range(sizes["NumberOfCells"]):
            wrong = max([wrong] + [abs(a - b) / YOUNG for a, b in zip(arrays["CellData", "stress"][6 * k:6 * k + 6], six(s))])
            wrong = max([wrong] + [abs(a - b) for a, b in zip(arrays["CellData", "strain"][6 * k:6 * k + 6], six(e))])
            d = [s[0][0] - s[1][1], s[1][1] - s[2][2], s[2][2] - s[0][0]]
            mises = math.sqrt(0.5 * sum(x * x for x in d) + 3 * (s[0][1] ** 2 + s[1][2] ** 2 + s[0][2] ** 2))
            wrong = max(wrong, abs(arrays["CellData", "vonMises"][k] - mises) / YOUNG)
        check(wrong < 1e-13, "%s: strain or stress differ by %g" % (words, wrong))
        check(hexa == cells or abs(sum(arrays["CellData", "energy"]) / (energy * VOLUME) - 1) < 1e-12, "%s: energy %g" % (words, sum(arrays["CellData", "energy"])))
    membrane()
    run(scene.replace("</Node></Node>", "<SolidFEMForceField name='second' template='Vec3d,Hexahedron' %s/></Node></Node>" % law), "--export", "two.pvd",
        "--fields", "energy", steps=0)
    names = sorted(name for of, name in read_vtk("two/Body-state_000000.vtu")[0] if of == "CellData")
    check(len(names) == 2 and all(name.endswith(".energy") for name in names) and "second.energy" in names, "names of two force fields: %s" % names)


def membrane():
    """Plane stress of a triangle that is stretched along x and turned."""
    corners, stretched = [[0.0, 0, 0], [1.0, 0, 0], [0.2, 0.7, 0]], [[0.0, 0, 0], [1.01, 0, 0], [0.202, 0.7, 0]]
    now = [[sum(TURN[i][j] * x[j] for j in range(3)) for i in range(3)] for x in stretched]
    normal, across = YOUNG / (1 - POISSON ** 2) * 0.01, POISSON * YOUNG / (1 - POISSON ** 2) * 0.01
    expected = six(product(TURN, [[normal, 0, 0], [0, across, 0], [0, 0, 0]], transposed(TURN)))
    for name, more in (("TriangleFEMForceField", 'method="large" thickness="0.01"'), ("TriangularFEMForceField", 'method="large"')):
        run("""<Node dt="0.01"><DefaultAnimationLoop/><Node name="Body"><EulerImplicitSolver/><CGLinearSolver iterations="1" tolerance="1" threshold="1"/>
          <MeshTopology name="mesh" position="%s" triangles="0 1 2"/><MechanicalObject name="state" position="%s" rest_position="%s"/><UniformMass totalMass="1"/>
          <%s youngModulus="%g" poissonRatio="%g" %s/></Node></Node>""" % (numbers(corners), numbers(now), numbers(corners), name, YOUNG, POISSON, more),
            "--export", "membrane.pvd", "--fields", "stress,energy", steps=0)
        arrays, _ = read_vtk("membrane/Body-state_000000.vtp")
        check(max(abs(a - b) for a, b in zip(arrays["CellData", "stress"], expected)) < 1e-10, "%s: stress %s" % (name, arrays["CellData", "stress"]))
        energy = 0.5 * normal * 0.01 * 0.35 * (0.01 if "thickness" in more else 1)
        check(abs(arrays["CellData", "energy"][0] / energy - 1) < 1e-9, "%s: energy %s" % (name, arrays["CellData", "energy"]))


CONTACT = """<Node dt="0.01" gravity="0 -9.81 0"><FreeMotionAnimationLoop/><BlockGaussSeidelConstraintSolver tolerance="1e-12" maxIterations="1000"/>
  <CollisionPipeline name="pipeline"/><BruteForceBroadPhase/><BVHNarrowPhase/><NewProximityIntersection alarmDistance="0.2" contactDistance="0.1"/>
  <CollisionResponse response="FrictionContactConstraint" responseParams="mu=0"/>
  <Node name="Ball"><EulerImplicitSolver/><SparseLDLSolver/>
    <MechanicalObject name="state" position="0 0.1 0"/><UniformMass totalMass="2"/><LinearSolverConstraintCorrection/><PointCollisionModel/></Node>
  <Node name="Floor"><MechanicalObject position="-1 0 -1  -1 0 1  1 0 0"/><MeshTopology triangles="0 1 2"/>
    <TriangleCollisionModel moving="0" simulated="0"/></Node></Node>"""


def contacts():
    """Points with forces: at rest, a ball's contact carries its weight."""
    run(CONTACT, "--export", "touch.pvd", "--fields", "contacts", "--every", "50", steps=100)
    parts = [name for _, name, file in series("touch.pvd") if "100" in file]
    check("/pipeline" in parts or "//pipeline" in parts, "parts with contacts: %s" % parts)
    arrays, sizes = read_vtk("touch/pipeline_000100.vtp")
    check(sizes["NumberOfVerts"] == 1 and abs(abs(arrays["PointData", "force"][1]) - 2 * 9.81) < 1e-6, "force of a contact: %s" % arrays)


def mesh_that_changes():
    """Elements that go while a scene runs; the mesh of a frame is that of its time."""
    carved = """<Node dt="0.01" gravity="0 0 0"><DefaultAnimationLoop/><Node name="Body"><EulerExplicitSolver/>
      <MeshTopology name="from" position="0 0 0 1 0 0 0 1 0 0 0 1 1 1 1" tetrahedra="0 1 2 3 1 2 3 4"/>
      <MechanicalObject name="state" position="@from.position"/><TetrahedronSetTopologyContainer name="mesh" src="@from"/>
      <TetrahedronSetTopologyModifier/><UniformMass vertexMass="1"/>
      <TopologicalChangeProcessor useDataInputs="1" listening="1" timeToRemove="0.025" tetrahedraToRemove="1"/></Node></Node>"""
    run(carved, "--export", "carved.pvd", steps=5)
    counts = [read_vtk(file)[1]["NumberOfCells"] for _, _, file in series("carved.pvd")]
    check(counts[0] == 2 and counts[-1] == 1 and counts == sorted(counts, reverse=True), "cells of frames: %s" % counts)


def whole_files():
    """A run that is killed leaves the frames before, all of them whole."""
    with open("scene.scn", "w", encoding="ascii") as out:
        out.write(BAR % "21 11 11")
    for delay in (0.15, 0.3, 0.45):
        shutil.rmtree("killed", ignore_errors=True)
        if os.path.exists("killed.pvd"):
            os.remove("killed.pvd")
        with subprocess.Popen([DIVAN, "run", "scene.scn", "-n", "100000", "--quiet", "--export", "killed.pvd"]) as process:
            time.sleep(delay)
            process.send_signal(signal.SIGKILL)
        entries = series("killed.pvd") if os.path.exists("killed.pvd") else []
        for _, _, file in entries:
            _ = read_vtk(file)
        files = [name for name in os.listdir("killed") if not name.endswith(".part")] if os.path.exists("killed") else []
        for name in files:
            _ = read_vtk("killed/" + name)
        check(len(files) - len(entries) in (0, 1, 2), "killed: %d files, %d entries" % (len(files), len(entries)))


def refusals():
    bar = BAR % "5 3 3"
    os.symlink("/dev/full", "full.obj")
    run(bar, "--export", "full.obj", status=1, says="full.obj: not everything could be written: No space left on device")
    with open("mine.stl", "w", encoding="ascii") as out:
        out.write("mine")
    os.chmod("mine.stl", 0o444)
    run(bar, "--export", "mine.stl", status=1, says="is write-protected")
    check(open("mine.stl", encoding="ascii").read() == "mine", "a file that is write-protected was replaced")

    def little_room():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1024, 1024))
    said = run(bar, "--export", "room.pvd", "--fields", "velocity", steps=50, status=1, says="not everything could be written: File too large", preexec_fn=little_room)
    check("room/Bar-state_000000.vtu" in said and not os.listdir("room"), "no room: %s %s" % (said, os.listdir("room")))
    with open("taken", "w", encoding="ascii") as out:
        out.write("x")
    run(bar, "--export", "taken.pvd", status=1, says="taken, the folder of its frames: there is a file of this name")
    os.mkdir("own")
    with open("own/Cloth-state_000002.vtp", "w", encoding="ascii") as out:
        out.write("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    os.symlink("Cloth-state_000002.vtp", "own/triangle.obj")
    cloth = """<Node dt="0.01"><DefaultAnimationLoop/><Node name="Cloth"><EulerExplicitSolver/><MeshOBJLoader name="loader" filename="own/triangle.obj"/>
      <MechanicalObject name="state" position="@loader.position"/><MeshTopology src="@loader"/><UniformMass vertexMass="1"/></Node></Node>"""
    run(cloth, "--export", "own.pvd", status=1, says="own/Cloth-state_000002.vtp: is a file that the scene is made from")
    check(open("own/Cloth-state_000002.vtp", encoding="ascii").read().startswith("v 0 0 0"), "a mesh that the scene is made from was replaced")
    check([time_ for time_, _, _ in series("own.pvd")] == [0, 0.01], "frames before one that is refused")


CHECKS = (same_as_dumped, by_others, round_trips, series_of_hdf5, patch_tests, contacts, mesh_that_changes, whole_files, refusals)
for function in CHECKS:
    work = tempfile.mkdtemp()
    os.chdir(work)
    function()
    os.chdir("/")
    shutil.rmtree(work)
sys.exit(1 if FAILURES else 0)
