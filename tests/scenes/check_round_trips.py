#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""check_round_trips.py DIVAN: what each writer of meshes writes, the loader of its format reads as the same mesh: to the last bit from
binary files and from text with all digits, of STL to single precision. Meshes that programs stumble over go through each."""
import os
import struct
import subprocess
import sys
import tempfile

DIVAN = os.path.realpath(sys.argv[1])
KINDS = {"edges": 2, "triangles": 3, "quads": 4, "tetrahedra": 4, "hexahedra": 8}
FAILURES = []


def mesh(points, **lists):
    return {"position": points, **{kind: lists.get(kind, []) for kind in KINDS}}


def grid(n):
    points = [(i / n, j / n, (i * j) / (n * n * 3.0)) for j in range(n + 1) for i in range(n + 1)]
    quads = [(j * (n + 1) + i, j * (n + 1) + i + 1, (j + 1) * (n + 1) + i + 1, (j + 1) * (n + 1) + i) for j in range(n) for i in range(n)]
    return mesh(points, quads=quads)


CORNERS = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)]
TINY, HUGE = 5e-324, 1.7976931348623157e308
MESHES = {
    "empty": mesh([]),
    "one_point": mesh([(0.1, 0.2, 0.3)]),
    "no_elements": mesh(CORNERS),
    "doubled_points": mesh([(0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 0, 0), (0, 1, 0), (1, 1, 0)], triangles=[(0, 1, 2), (3, 5, 4)]),
    "degenerate": mesh([(0, 0, 0), (1, 0, 0), (2, 0, 0), (0, 1, 0)], triangles=[(0, 1, 2), (0, 1, 1), (0, 1, 3)]),
    "unused_points": mesh([(9, 9, 9), (0, 0, 0), (8, 8, 8), (1, 0, 0), (0, 1, 0), (7, 7, 7)], triangles=[(1, 3, 4)]),
    "not_manifold": mesh([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (0, -1, 0)], triangles=[(0, 1, 2), (0, 1, 3), (0, 1, 4)]),
    "turned_over": mesh([(0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 0)], triangles=[(0, 1, 2), (1, 2, 3)]),
    "huge_and_tiny": mesh([(HUGE, 0, 0), (-HUGE, TINY, 1e-310), (1 / 3, -0.0, 2.2250738585072014e-308), (1e300, 0.1, 1e-300)],
                          triangles=[(0, 1, 2), (1, 2, 3)]),
    "of_all_kinds": mesh(CORNERS, edges=[(0, 6)], triangles=[(0, 1, 2)], quads=[(4, 5, 6, 7)], tetrahedra=[(0, 1, 3, 4)],
                         hexahedra=[(0, 1, 2, 3, 4, 5, 6, 7)]),
    "many": grid(40),
}


def text(rows):
    return "  ".join(" ".join(repr(float(x)) if isinstance(x, float) else str(x) for x in row) for row in rows)


def run(*arguments, folder):
    done = subprocess.run([DIVAN, *arguments], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, timeout=60)
    return done.returncode, done.stdout


def write(folder, given):
    lists = " ".join('%s="%s"' % (kind, text(given[kind])) for kind in KINDS if given[kind])
    with open(os.path.join(folder, "write.scn"), "w", encoding="utf-8") as file:
        file.write('<Node name="root" gravity="0 0 0"><DefaultAnimationLoop/><%s position="%s" %s/>%s'
                   '<MeshExporter filename="a" format="ALL" precision="double" exportAtEnd="1" position="%s" edges="%d"/>'
                   '<STLExporter filename="b" binaryformat="1" exportAtEnd="1"/><STLExporter filename="t" binaryformat="0" exportAtEnd="1"/>'
                   '<MeshExporter filename="f" format="vtkxml" exportAtEnd="1" position="%s"/><MeshExporter filename="f" format="vtk" exportAtEnd="1" position="%s"/>'
                   '</Node>' % ("MeshTopology" if lists else "PointSetTopologyContainer", text(given["position"]), lists,
                                 '<MechanicalObject position="%s"/>' % text(given["position"]) if lists else "", text(given["position"]), 1 if given["edges"] else 0,
                                 text(given["position"]), text(given["position"])))
    said = []
    if not lists:  # nothing to export but points
        return [("mesh", *run("run", "write.scn", "-n", "0", folder=folder))]
    for ending in ("obj", "ply", "msh", "stl", "pvd"):
        status, out = run("run", "write.scn", "-n", "0", "--export", "x." + ending, folder=folder)
        said.append((ending, status, out))
    return said


def read(folder, files):
    with open(os.path.join(folder, "read.scn"), "w", encoding="utf-8") as file:
        file.write('<Node name="root"><DefaultAnimationLoop/>\n')
        for i, (name, loader) in enumerate(files):
            file.write('<Node name="n%d"><%s name="it" filename="%s"/></Node>\n' % (i, loader, name))
        file.write("</Node>\n")
    status, out = run("probe", "read.scn", "--outputs", "out.txt", folder=folder)
    there = {}
    if status == 0:
        with open(os.path.join(folder, "out.txt"), encoding="utf-8") as file:
            for line in file:
                if line.startswith("DATA ") and line.split()[1].rpartition(".")[2] in ("position", *KINDS):
                    words = line.split()
                    there[words[1]] = [float(w) for w in words[3:] if w not in "[]"]
    return status, out, there


def single(x):
    try:
        return struct.unpack("f", struct.pack("f", x))[0]
    except OverflowError:
        return float("inf") if x > 0 else float("-inf")


def same(a, b):
    """Bit for bit: the sign of 0 too."""
    return len(a) == len(b) and struct.pack("%dd" % len(a), *a) == struct.pack("%dd" % len(b), *b)


def flat(rows):
    return [float(x) for row in rows for x in row]


def corners(points, triangles):
    return [single(x) for triangle in triangles for i in triangle for x in points[int(i)]]


def check_lists(name, file, given, there, path, kinds):
    if not same(flat(given["position"]), there.get(path + ".position", [])):
        FAILURES.append("%s: %s has other points: %s" % (name, file, there.get(path + ".position", [])[:12]))
    for kind in kinds:
        # To files of Gmsh the sides of solids are written too, and its loader makes edges of faces, behind what is given.
        found = there.get(path + "." + kind, [])
        if flat(given[kind]) != (found[:len(flat(given[kind]))] if file == "a.gmsh" else found):
            FAILURES.append("%s: %s has other %s: %s" % (name, file, kind, there.get(path + "." + kind, [])[:12]))


def check_rounded(name, file, given, there, path):
    """precision="float": as a float has them, but to the last bit where no float holds a number."""
    points, found = flat(given["position"]), there.get(path + ".position", [])
    rounded = all(abs(x) <= 3.4e38 for x in points)
    near = len(points) == len(found) and all(abs(a - b) <= 1e-7 * abs(a) for a, b in zip(points, found))
    if not (near if rounded else same(points, found)):
        FAILURES.append("%s: %s has other points: %s" % (name, file, found[:12]))


def whole(points, triangles):
    """Readers of STL leave out facets of which two corners are in one place, and say so."""
    return [t for t in triangles if len({tuple(single(x) for x in points[int(i)]) for i in t}) == 3]


def check_stl(name, file, given, there, path):
    rows = iter(there.get(path + ".position", []))
    points = list(zip(rows, rows, rows))
    rows = iter(there.get(path + ".triangles", []))
    expected = given["triangles"] or [t for a, b, c, d in given["quads"] for t in ((a, b, c), (a, c, d))]
    found = list(zip(rows, rows, rows))
    if corners(given["position"], whole(given["position"], expected)) != corners(points, whole(points, found)):
        FAILURES.append("%s: %s has other triangles" % (name, file))


def check(name, given):
    with tempfile.TemporaryDirectory() as folder:
        for ending, status, said in write(folder, given):
            refused = name == "huge_and_tiny" and ending == "stl"  # which has single precision alone
            if bool(status) != refused or refused and "single precision" not in said:
                FAILURES.append("%s.%s: exit status %d when it is written: %s" % (name, ending, status, said))
        series = os.path.join(folder, "x")
        parts = [os.path.join("x", f) for f in os.listdir(series)] if os.path.isdir(series) else []
        solid, surface, all_kinds = bool(given["hexahedra"]), ["edges", "triangles", "quads"], list(KINDS)
        highest = next((k for k in (["tetrahedra", "hexahedra"], ["triangles", "quads"], ["edges"]) if any(given[kind] for kind in k)), [])
        rounded = [("f.vtk", "MeshVTKLoader", None), ("f.vtu", "MeshVTKLoader", None)]
        files = [("a.vtk", "MeshVTKLoader", all_kinds), ("a.vtu", "MeshVTKLoader", all_kinds), ("a.gmsh", "MeshGmshLoader", all_kinds),
                 ("t.stl", "MeshSTLLoader", None)]
        if given["position"]:  # an OBJ without points is refused
            files += [("a.obj", "MeshOBJLoader", ["edges", "triangles"] if solid else surface)]
        if highest:
            files += [("x.msh", "MeshGmshLoader", highest)] + [(part, "MeshVTKLoader", highest) for part in parts]
        if highest and not solid:
            files += [("x.ply", "MeshPLYLoader", surface), ("x.obj", "MeshOBJLoader", surface)]
        if name == "huge_and_tiny":
            if os.path.exists(os.path.join(folder, "b.stl")):
                FAILURES.append("numbers beyond single precision are written to b.stl")
        elif highest:
            files += [("b.stl", "MeshSTLLoader", None)] + ([] if solid else [("x.stl", "MeshSTLLoader", None)])
        files += rounded
        status, said, there = read(folder, [(file, loader) for file, loader, _ in files])
        if status:
            FAILURES.append("%s cannot be read: %s" % (name, said))
            return
        for i, (file, loader, kinds) in enumerate(files):
            if (file, loader, kinds) in rounded:
                check_rounded(name, file, given, there, "/n%d/it" % i)
            elif kinds is None:
                check_stl(name, file, given, there, "/n%d/it" % i)
            else:
                check_lists(name, file, given, there, "/n%d/it" % i, kinds)


for mesh_name, mesh_given in MESHES.items():
    check(mesh_name, mesh_given)
print("\n".join(FAILURES))
sys.exit(1 if FAILURES else 0)
