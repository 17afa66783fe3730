#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Files of exporters: which are written and when, what is in them, and that they come back the same through our loaders and, where they are
installed, through readers that others wrote (meshio).     check_exports.py DIVAN"""
import os
import shutil
import struct
import subprocess
import sys
import tempfile

try:
    import meshio
except ImportError:
    meshio = None

DIVAN = os.path.realpath(sys.argv[1])
FAILURES = []
POINTS = [0.1, 1 / 3, -2e-9, 1, 0.007, 1e5 / 3, 1, 1, 0, 0, 1, 0.3, 0.2, 0, 1, 1, 0, 1.1, 1, 1, 0.9, 0, 1, 1, 0.5, 0.5, 3.3, 2, 0, 0, 2, 0, 1]
CELLS = {"edges": [0, 9, 9, 10], "triangles": [0, 1, 2, 1, 9, 5], "quads": [0, 3, 7, 4], "tetrahedra": [4, 5, 6, 8], "hexahedra": [0, 1, 2, 3, 4, 5, 6, 7]}
SOLIDS = 'prisms="0 1 3 4 5 7" pyramids="4 5 6 7 8"'
SCENE = """<Node dt="0.1" gravity="0 -10 0"><DefaultAnimationLoop/>
  <EulerExplicitSolver/><MechanicalObject name="dofs" position="%s"/><UniformMass vertexMass="1"/>
  <MeshTopology name="mesh" position="%s" %s/>%s</Node>"""


def check(good, what):
    if not good:
        FAILURES.append(what)
        print(what)


def numbers(values):
    return " ".join(repr(value) for value in values)


def mesh_scene(exporters, more=""):
    lists = " ".join('%s="%s"' % (name, numbers(cells)) for name, cells in CELLS.items())
    return SCENE % (numbers(POINTS), numbers(POINTS), lists + " " + more, exporters)


def run(text, steps=6, status=0, says=""):
    with open("scene.scn", "w", encoding="ascii") as out:
        out.write(text)
    done = subprocess.run([DIVAN, "run", "scene.scn", "-n", str(steps), "--quiet"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, timeout=60, check=False)
    check(done.returncode == status and says in done.stdout, "exit status %d: %s" % (done.returncode, done.stdout))


def written():
    return sorted(name for name in os.listdir(".") if name != "scene.scn")


def get(name):
    with open(name, "rb") as file:
        return file.read()


def names_and_times():
    """When each file comes, and what it is called."""
    every = 'exportEveryNumberOfSteps="2"'
    os.mkdir("folder")
    run(mesh_scene('<MeshExporter filename="a" format="obj" %s triangles="0"/><MeshExporter name="b" format="obj" exportAtBegin="1" exportAtEnd="1" %s quads="0"/>'
                   '<MeshExporter name="c" filename="folder" format="gmsh" exportAtEnd="1"/><MeshExporter filename="d" exportAtBegin="1" enable="0"/>'
                   '<MeshExporter filename="%%p_%%E_%%e_%%n_%%%%" format="vtk" exportAtEnd="1"/>'
                   '<VTKExporter filename="x" %s/><VTKExporter filename="y.vtu" XMLformat="0" exportAtBegin="1" %s/>'
                   '<VTKExporter filename="z" overwrite="1" %s/><STLExporter filename="s" quad="0 1 2 3" exportAtEnd="1"/>'
                   '<BlenderExporter filename="h" simulationType="3" nbPtsByHair="4" exportAtBegin="1"/>' % ((every,) * 5)))
    check(written() == sorted(["a00001.obj", "a00002.obj", "a00003.obj", "b00000.obj", "b00001.obj", "b00002.obj", "b00003.obj",
                               "folder", "11_7_2_6_%.vtk", "x0.vtu", "x1.vtu", "x2.vtu", "y_0.vtu", "y_1.vtu", "y_2.vtu", "y_3.vtu",
                               "z.vtu", "s.stl", "h", "h_00.bphys"]), "other files: %s" % written())
    check(os.listdir("folder") == ["c.gmsh"], "in a folder: %s" % os.listdir("folder"))
    first = [float(word) for word in get("b00000.obj").split(b"v ", 2)[1].split()[:3]]
    check(first == POINTS[:3], "the first point at the start is %s" % first)
    later = [float(word) for word in get("b00003.obj").split(b"v ", 2)[1].split()[:3]]
    check(abs(later[1] - (POINTS[1] - 0.1 * sum(range(1, 7)))) < 1e-12, "after six steps it is at %s" % later)
    check(get("b00003.obj") != get("b00002.obj"), "two steps have one file")
    hair = get("h_00.bphys")[20:]  # behind the head: points and more, three floats each
    numbers = struct.unpack("<%df" % (len(hair) // 4), hair[:len(hair) // 4 * 4])
    triples = {numbers[i:i + 3] for i in range(len(numbers) - 2)}
    for i in range(0, len(POINTS), 3):
        check(struct.unpack("<3f", struct.pack("<3f", *POINTS[i:i + 3])) in triples, "point %d is not in the file of Blender" % (i // 3))
    here, after = POINTS[12:15], POINTS[15:18]  # a hair begins at every fourth point, with a root one unit towards the next
    length = sum((b - a) ** 2 for a, b in zip(here, after)) ** 0.5
    root = [a + (b - a) / length for a, b in zip(here, after)]
    check(any(max(abs(a - b) for a, b in zip(root, found)) < 1e-6 for found in triples), "no root at %s" % root)


def surfaces():
    """STL, binary and text: sizes, counts, corners, a plane of each quad's halves."""
    run(mesh_scene('<STLExporter filename="b" triangle="0 1 2" exportAtBegin="1"/><STLExporter filename="q" quad="0 1 2 3" exportAtBegin="1"/>'
                   '<STLExporter filename="t" binaryformat="0" quad="0 1 2 3" exportAtBegin="1"/>'), 0)
    binary = get("b.stl")
    check(len(binary) == 84 + 50 and struct.unpack_from("<I", binary, 80)[0] == 1, "b.stl is no file of one facet")
    corners = struct.unpack_from("<9f", binary, 84 + 12)
    check(corners == struct.unpack("<9f", struct.pack("<9f", *POINTS[:9])), "corners %s" % (corners,))
    check(len(get("q.stl")) == 84 + 100 and get("t.stl").count(b"vertex") == 6, "a quad is two facets")
    # Edges and faces of a topology that has cells alone are made for the file.
    text = SCENE % (numbers(POINTS[:12]), numbers(POINTS[:12]), 'tetrahedra="0 1 2 3"', '<MeshExporter filename="e" format="obj" exportAtBegin="1"/>')
    run(text.replace("MeshTopology", "TetrahedronSetTopologyContainer"), 0)
    lines = [line.split()[0] for line in get("e.obj").decode().splitlines() if line.strip()]
    check((lines.count("l"), lines.count("f")) == (6, 4), "edges and faces of a tetrahedron: %s" % lines)
    if meshio:
        for name, facets in (("b", 1), ("q", 2), ("t", 2)):
            check(len(meshio.read(name + ".stl").cells_dict["triangle"]) == facets, "meshio reads %s.stl otherwise" % name)


def same(cells, kind, name):
    size = len(cells[kind][0])
    wanted = CELLS[name]
    check([int(n) for cell in cells[kind] for n in cell] == wanted, "%s of %d nodes: %s instead of %s" % (name, size, cells[kind], wanted))


def other_readers():
    """Points and cells as meshio reads them: to the last bit in text that has all digits."""
    double = 'precision="double" prisms="1" pyramids="1" exportAtBegin="1"'
    run(mesh_scene('<MeshExporter filename="all" %s/><VTKExporter filename="fields" position="@dofs.position" triangles="1" quads="1" tetras="1" hexas="1" pointsDataFields="speed=dofs.velocity dofs.position" %s/>'
                   '<VTKExporter filename="old" XMLformat="0" triangles="1" quads="1" tetras="1" hexas="1" pointsDataFields="speed=dofs.velocity" %s/>'
                   % (double, double, double), SOLIDS), 0, says="quads are not written")
    names = {"line": "edges", "triangle": "triangles", "quad": "quads", "tetra": "tetrahedra", "hexahedron": "hexahedra"}
    for file in ("all.vtu", "all.vtk", "all.gmsh", "fields0.vtu", "old_0.vtu"):
        if not meshio:
            break
        mesh = meshio.read(file, {"all.gmsh": "gmsh", "old_0.vtu": "vtk"}.get(file))
        check([float(n) for point in mesh.points for n in point] == POINTS, "points of %s: %s" % (file, mesh.points))
        for kind, name in names.items():
            same(mesh.cells_dict, kind, name)
        check([sorted(c) for c in mesh.cells_dict["wedge"]] == [[0, 1, 3, 4, 5, 7]] and
              [list(c) for c in mesh.cells_dict["pyramid"]] == [[4, 5, 6, 7, 8]], "prisms or pyramids of %s" % file)
        if "all" not in file:
            check(not mesh.point_data["speed"].any() and mesh.point_data["speed"].shape == (11, 3), "speed of %s" % file)
    check(get("all.face").split()[0] == b"2", "all.face counts %s" % get("all.face"))


def round_trips():
    """What our loaders read is written again with the same bytes."""
    run(mesh_scene('<MeshExporter filename="a" precision="double" exportAtBegin="1"/>'), 0, says="quads are not written")
    for ending, loader, form in (("vtu", "MeshVTKLoader", "vtkxml"), ("vtk", "MeshVTKLoader", "vtk"), ("gmsh", "MeshGmshLoader", "gmsh"),
                                 ("obj", "MeshOBJLoader", "obj")):
        more = 'createSubelements="0"' if ending == "gmsh" else ""
        run('<Node><DefaultAnimationLoop/><%s name="l" filename="a.%s" %s/><MeshTopology src="@l"/>'
            '<Node><MechanicalObject position="@../l.position"/><MeshTopology src="@../l"/>'
            '<MeshExporter name="a" filename="b" format="%s" precision="double" exportAtBegin="1"/></Node></Node>'
            % (loader, ending, more, form), 0)
        first, second = get("a." + ending), get("b." + ending)
        check(first.replace(b"o a", b"o b") == second or first == second, "%s does not come back the same: %s" % (ending, second[:2000].decode()))


KINDS = ["edges", "triangles", "quads", "tetras", "hexas", "prisms", "pyramids"]
COUNTS = [2, 2, 1, 1, 1, 1, 1]
VTK_TYPES, GMSH_TYPES = [3, 5, 9, 10, 12, 13, 14], [1, 2, 3, 4, 5, 6, 7]


def kinds_in(name, form):
    """Which kinds of cells are in a file, each as often as it is there."""
    text = get(name).decode()
    if form == "vtkxml":
        at = text.index('Name="types"')
        return [KINDS[VTK_TYPES.index(int(word))] for word in text[text.index(">", at) + 1:text.index("<", at)].split()]
    if form == "vtk":
        return [KINDS[VTK_TYPES.index(int(word))] for word in text.split("CELL_TYPES")[1].split()[1:] if word.isdigit()]
    if form == "gmsh":
        return [KINDS[GMSH_TYPES.index(int(line.split()[1]))] for line in text.split("$Elements\n")[1].split("\n")[1:-2]]
    corners = [len(line.split()) - 1 for line in text.split("\n") if line.startswith(("f ", "l "))]
    return [{2: "edges", 3: "triangles", 4: "quads"}[n] for n in corners]


def flags_by_table():
    """Each kind of elements alone, and all but one, in each format of both exporters."""
    sets = [[kind] for kind in KINDS] + [[k for k in KINDS if k != kind] for kind in KINDS]
    exporters, expected = "", {}
    for n, chosen in enumerate(sets):
        flags = " ".join('%s="%d"' % (kind, kind in chosen) for kind in KINDS)
        for form, ending in (("vtkxml", "vtu"), ("vtk", "vtk"), ("gmsh", "gmsh"), ("obj", "obj")):
            exporters += '<MeshExporter filename="m%d" format="%s" exportAtBegin="1" %s/>' % (n, form, flags)
            expected["m%d.%s" % (n, ending)] = (form, chosen)
        exporters += '<VTKExporter filename="x%d" exportAtBegin="1" %s/><VTKExporter filename="o%d" XMLformat="0" exportAtBegin="1" %s/>' % (n, flags, n, flags)
        expected["x%d0.vtu" % n], expected["o%d_0.vtu" % n] = ("vtkxml", chosen), ("vtk", chosen)
    run(mesh_scene(exporters, SOLIDS), 0)
    for name, (form, chosen) in expected.items():
        there = kinds_in(name, form)
        wanted = [kind for kind, count in zip(KINDS, COUNTS) if kind in chosen for _ in range(count)]
        if form == "obj": # quads only where there are no triangles
            wanted = [kind for kind in wanted if kind in ("edges", "triangles") or (kind == "quads" and "triangles" not in chosen)]
        check(sorted(there) == sorted(wanted), "%s, of %s: %s" % (name, chosen, there))


# Objects with a field of 11 entries, the field, and what it is called in XML and in legacy files.
FIELDS = [('MechanicalObject template="Vec1d" position="%s"' % numbers(range(11)), "position", ("Float64", 1), "SCALARS %s double 1"),
          ('MechanicalObject template="Vec2d" position="%s"' % numbers(range(22)), "position", ("Float64", 2), "%s 2 11 double"),
          ('MechanicalObject template="Rigid3d" position="%s"' % ("0 0 0 0 0 0 1 " * 11), "position", ("Float64", 7), "%s 7 11 double"),
          ('MechanicalObject template="Rigid3d" position="%s"' % ("0 0 0 0 0 0 1 " * 11), "velocity", ("Float64", 6), "%s 6 11 double"),
          ('IndexValueMapper inputValues="%s"' % numbers(range(11)), "outputValues", ("Float64", 1), "SCALARS %s double 1"),
          ('MergeSets in1="%s"' % numbers(range(11)), "out", ("UInt32", 1), "SCALARS %s unsigned_int 1"),
          ('MathOp template="vector&lt;i&gt;" nbInputs="1" input1="%s"' % numbers(range(11)), "output", ("Int32", 1), "SCALARS %s int 1")]


def fields_by_table():
    """Types of arrays, with and without labels, in both formats."""
    objects = "".join('<Node name="N%d"><%s name="o%d"/></Node>' % (k, row[0], k) for k, row in enumerate(FIELDS))
    lists = " ".join("%sN%d/o%d.%s" % ("label%d=" % k if k % 2 else "", k, k, row[1]) for k, row in enumerate(FIELDS))
    run(mesh_scene(objects + '<VTKExporter filename="x" exportAtBegin="1" pointsDataFields="%s"/><VTKExporter filename="o" XMLformat="0" exportAtBegin="1" '
                   'pointsDataFields="%s"/>' % (lists, lists)), 0)
    xml, legacy = get("x0.vtu").decode(), get("o_0.vtu").decode()
    for k, (_, field, (kind, components), line) in enumerate(FIELDS):
        name = "label%d" % k if k % 2 else field
        tags = [tag for tag in xml.split("<DataArray")[1:] if 'Name="%s"' % name in tag.split(">")[0]]
        check(any('type="%s"' % kind in tag and (components == 1 or 'NumberOfComponents="%d"' % components in tag) for tag in tags),
              "XML, %s: %s" % (name, [tag.split(">")[0] for tag in tags]))
        check(line % name in legacy, "legacy, %s: no '%s'" % (name, line % name))


def bad_input():
    """Elements of points that are not there; fields that are none."""
    run(mesh_scene('<MeshExporter filename="few" format="obj" position="0 0 0  1 0 0  1 1 0  0 1 0" exportAtBegin="1"/>'), 0,
        says="elements are left out of the file: they name points beyond the 4")
    check(get("few.obj").count(b"\nf ") == 1, "few.obj: %s" % get("few.obj"))
    run(mesh_scene('<VTKExporter filename="f" pointsDataFields="dofs.speed" exportAtBegin="1"/>'), 0, says="there is no such field")
    run(mesh_scene('<VTKExporter filename="g" cellsDataFields="dofs.position" exportAtBegin="1"/>'), 0, says="it has 11 entries")
    run(mesh_scene('<MeshExporter filename="../../g" format="vtk" exportAtBegin="1"/>'), 0, status=1, says="is not below")


def main():
    for test in [names_and_times, surfaces, other_readers, round_trips, flags_by_table, fields_by_table, bad_input]:
        work = tempfile.mkdtemp()
        os.chdir(work)
        before = len(FAILURES)
        test()
        os.chdir("/")
        shutil.rmtree(work)
        if len(FAILURES) > before:
            print("-- in " + test.__name__)
    if not meshio:
        print("meshio is not installed: only our own loaders have read the files")
    return len(FAILURES) > 0


sys.exit(main())
