#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Meshes of problems: what `divan verify --scenes` writes for each kind of gap, against the same blocks made here.   check_meshes.py DIVAN

Positions, orders and picked points are computed anew; elements must fill the block, each with a positive size and the sense of its kind, and
begin with each of their corners in turn; shares of faces are integrals of shape functions, by a rule of higher order.
"""
import itertools
import math
import os
import re
import subprocess
import sys
import tempfile

divan = os.path.realpath(sys.argv[1])
failures = []


def fail(*words):
    failures.append(" ".join(map(str, words)))


PROBLEM = """# SPDX-License-Identifier: 0BSD
title  = Meshes
method = none
source = none

[values]
steps = 1
one = 1

{meshes}
[figure one]
value = one
exact = 1
bound = 1e-12

[scene]
<Node name="root">
  <DefaultAnimationLoop/>
  <MechanicalObject position="0 0 0"/>
{gaps}</Node>
"""


class Mesh:
    """A block, with its formulas as Python and the problem's language read them alike."""

    def __init__(self, name, points, x, y, z=None, order=None, corner=None):
        self.name, self.points, self.formulas, self.order, self.corner = name, points, (x, y, z), order, corner
        self.places = []
        for w, v, u in itertools.product(*map(range, reversed(points))):
            at = {letter: k / (n - 1) if n > 1 else 0.0 for letter, k, n in zip("uvw", (u, v, w), points)}
            at["i"] = len(self.places)
            at.update({letter: float(self.value(f, at)) if f else 0.0 for letter, f in zip("xyz", self.formulas)})
            at["index"] = (u, v, w)
            self.places.append(at)
        by = sorted(self.places, key=lambda at: (self.value(order, at) if order else 0, at["i"]))
        for number, at in enumerate(by):
            at["number"] = number
        self.by_number = by

    @staticmethod
    def value(formula, at):
        names = {k: v for k, v in at.items() if k not in ("index", "number")}
        text = re.sub(r"(?<![<>!=])=(?!=)", "==", formula)
        return eval(text, {"__builtins__": {}, "sin": math.sin, "cos": math.cos, "mod": math.fmod}, names)

    def text(self):
        lines = [f"[mesh {self.name}]", "points = %d, %d, %d" % self.points]
        lines += [f"{letter} = {f}" for letter, f in zip("xyz", self.formulas) if f]
        lines += [f"order = {self.order}"] if self.order else []
        lines += [f"corner = {self.corner}"] if self.corner else []
        return "\n".join(lines) + "\n"

    def at(self, number):
        return [self.by_number[number][c] for c in "xyz"]

    def place(self, u, v, w):
        return self.places[u + self.points[0] * (v + self.points[1] * w)]


def fill(meshes, gaps):
    """What stands in the place of each gap, as lists of numbers; None after an error, and what was said."""
    lines = ["  <!-- gap %d: %s -->\n" % (k, gap) for k, gap in enumerate(gaps)]
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "own.problem")
        with open(file, "w") as out:
            out.write(PROBLEM.format(meshes="\n".join(m if isinstance(m, str) else m.text() for m in meshes),
                                     gaps="".join(lines)))
        run = subprocess.run([divan, "verify", "own.problem", "--scenes", "scenes"], cwd=folder, stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, text=True, check=False)
        if run.returncode:
            return None, run.stdout
        with open(os.path.join(folder, "scenes", "own-1.scn")) as scene:
            found = re.findall(r"<!-- gap (\d+): (.*?) -->", scene.read(), re.S)
    return [[float(word) for word in text.split()] for _, text in found], run.stdout


# ---- figures of elements ----

def minus(a, b):
    return [x - y for x, y in zip(a, b)]


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def norm(a):
    return math.sqrt(dot(a, a))


def tetrahedron(p):
    return dot(cross(minus(p[1], p[0]), minus(p[2], p[0])), minus(p[3], p[0])) / 6


def triangle(p):
    return [c / 2 for c in cross(minus(p[1], p[0]), minus(p[2], p[0]))]


def hexahedron(p):
    """Six tetrahedra around the diagonal from corner 0 to corner 6, in the order of corners of the field: a quad, and the one above it."""
    return sum(tetrahedron([p[0], p[a], p[b], p[6]]) for a, b in ((1, 2), (2, 3), (3, 7), (7, 4), (4, 5), (5, 1)))


def size_of(kind, p, up):
    """Of an element: length, area along `up`, or volume; positive in the sense of its kind."""
    if kind == "edges":
        return norm(minus(p[1], p[0]))
    if kind == "triangles":
        return dot(triangle(p), up)
    if kind == "quads":
        return dot(triangle([p[0], p[1], p[2]]), up) + dot(triangle([p[0], p[2], p[3]]), up)
    return tetrahedron(p) if kind == "tetrahedra" else hexahedron(p)


KINDS = {"edges": (2, 1, 1), "triangles": (3, 2, 3), "quads": (4, 1, 4), "tetrahedra": (4, 6, 12), "hexahedra": (8, 1, 4)}


def expect_elements(mesh, kind, numbers, whole, up=(0, 0, 1)):
    corners, of_cell, _ = KINDS[kind]
    elements = [tuple(map(int, numbers[k:k + corners])) for k in range(0, len(numbers), corners)]
    cells = math.prod(n - 1 for n in mesh.points if n > 1)
    if len(elements) != cells * of_cell or len(set(map(frozenset, elements))) != len(elements):
        return fail(mesh.name, kind, len(elements), "elements, or twice the same:", elements)
    total = 0
    ranges = [range(max(n - 1, 1)) for n in mesh.points]
    for cell, (w, v, u) in enumerate(itertools.product(*reversed(ranges))):
        own = elements[of_cell * cell:of_cell * (cell + 1)]
        first, last = mesh.place(u, v, w), mesh.place(*(k + (n > 1) for k, n in zip((u, v, w), mesh.points)))
        all_ = {mesh.place(*index)["number"] for index in
                itertools.product(*({a, b} for a, b in zip(first["index"], last["index"])))}
        if set(itertools.chain(*own)) != all_:
            fail(mesh.name, kind, "of cell", cell, "are", own, "instead of", all_)
        for element in own:
            size = size_of(kind, [mesh.at(number) for number in element], up)
            total += size
            if not size > 1e-9:
                fail(mesh.name, kind, element, "has a size of", size)
            if of_cell > 1 and not {first["number"], last["number"]} <= set(element):
                fail(mesh.name, kind, element, "is not along the diagonal of cell", cell)
            if kind == "quads" and {element[0], element[2]} not in ({first["number"], last["number"]},
                                                                   all_ - {first["number"], last["number"]}):
                fail(mesh.name, kind, element, "does not go around its cell")
            if kind == "hexahedra":
                steps = [[abs(a - b) for a, b in zip(mesh.by_number[element[a]]["index"], mesh.by_number[element[b]]["index"])]
                         for a, b in ((0, 1), (1, 2), (2, 3), (3, 0), (4, 5), (5, 6), (6, 7), (7, 4), (0, 4), (1, 5), (2, 6), (3, 7))]
                if any(sum(step) != 1 for step in steps):
                    fail(mesh.name, kind, element, "has edges that are none of its cell")
    if abs(total - whole) > 1e-9 * whole:
        fail(mesh.name, kind, "are", total, "in all instead of", whole)


def check_elements():
    skew = ("2 * u + 0.3 * v", "1.5 * v + 0.2 * w", "w + 0.1 * u")  # volume: the determinant
    volume = 2 * 1.5 * 1 + 0.3 * 0.2 * 0.1
    blocks = [(Mesh("solid", (4, 3, 2), *skew), ("hexahedra", "tetrahedra"), volume, None),
              (Mesh("mixed", (3, 2, 3), *skew, order="mod(7 * i, 11)"), ("hexahedra", "tetrahedra"), volume, None),
              (Mesh("uv", (4, 3, 1), "3 * u", "2 * v + 0.5 * u"), ("quads", "triangles"), 6, (0, 0, 1)),
              (Mesh("uw", (3, 1, 2), "3 * u", "0.5 * u", "2 * w"), ("quads", "triangles"), 2 * norm([3, 0.5]),
               [c / norm([3, 0.5]) for c in cross([3, 0.5, 0], [0, 0, 1])]),
              (Mesh("vw", (1, 2, 4), "0.5 * v", "3 * v", "2 * w", order="-i"), ("quads", "triangles"), 2 * norm([3, 0.5]),
               [c / norm([3, 0.5]) for c in cross([0.5, 3, 0], [0, 0, 1])]),
              (Mesh("u", (5, 1, 1), "3 * u", "4 * u"), ("edges",), 5, None),
              (Mesh("v", (1, 4, 1), "3 * v", "4 * v"), ("edges",), 5, None),
              (Mesh("w", (1, 1, 2), "3 * w", "4 * w", "12 * w"), ("edges",), 13, None)]
    asked = [(mesh, kind, whole, up) for mesh, kinds, whole, up in blocks for kind in kinds]
    lists, said = fill([block[0] for block in blocks], ["{%s.%s}" % (m.name, k) for m, k, _, _ in asked] +
                       ["{%s.position}" % block[0].name for block in blocks])
    if lists is None:
        return fail("elements:", said)
    for (mesh, kind, whole, up), numbers in zip(asked, lists):
        expect_elements(mesh, kind, numbers, whole, up)
    for (mesh, *_), numbers in zip(blocks, lists[len(asked):]):
        expect_near(mesh.name + ".position", numbers, list(itertools.chain(*(mesh.at(k) for k in range(len(mesh.places))))))


def check_turns():
    """Element i begins with another of its corners, in the same sense; after as many as there are, with the first again."""
    shapes = {"edges": (3, 1, 1), "triangles": (3, 2, 1), "quads": (3, 2, 1), "tetrahedra": (2, 2, 3), "hexahedra": (3, 2, 2)}
    for kind, (corners, of_cell, turns) in KINDS.items():
        points = shapes[kind]
        meshes = [Mesh("t%d" % k, points, "2 * u", "v", "w", corner=str(k)) for k in range(turns + 2)]
        meshes += [Mesh("below", points, "2 * u", "v", "w", corner="-1"), Mesh("part", points, "2 * u", "v", "w", corner="1.75"),
                   Mesh("each", points, "2 * u", "v", "w", corner="i")]
        lists, said = fill(meshes, ["{%s.%s}" % (m.name, kind) for m in meshes])
        if lists is None:
            return fail("turns:", said)
        first = lists[0]
        for mesh, numbers in zip(meshes, lists):
            expect_elements(mesh, kind, numbers, 2)
            if [set(numbers[k:k + corners]) for k in range(0, len(numbers), corners)] != \
                    [set(first[k:k + corners]) for k in range(0, len(first), corners)]:
                fail(kind, "with corner =", mesh.corner, "are others:", numbers)
        if len(set(map(tuple, lists[:turns]))) != turns:
            fail(kind, "do not turn in", turns, "ways")
        if lists[turns] != first or lists[turns + 1] != lists[1 % turns]:
            fail(kind, "do not begin again after", turns, "ways")
        if lists[turns + 2] != lists[1 % turns] or lists[turns + 3] != lists[1 % turns]:
            fail(kind, "with corner = -1 or 1.75 are not those of corner = 1")
        for k in range(len(first) // corners):
            if lists[turns + 4][corners * k:corners * (k + 1)] != lists[k % turns][corners * k:corners * (k + 1)]:
                fail(kind, "with corner = i: element", k, "has not turned by its number")
    # quads and hexahedra, whose corners have an order, begin with the next one
    mesh = Mesh("next", (2, 2, 1), "u", "v", corner="1")
    lists, _ = fill([mesh, Mesh("none", (2, 2, 1), "u", "v")], ["{next.quads}", "{none.quads}", "{next.triangles}", "{none.triangles}"])
    if lists[0] != lists[1][1:] + lists[1][:1]:
        fail("a quad begins with", lists[0], "instead of the second corner of", lists[1])
    if lists[2][:3] != lists[3][1:3] + lists[3][:1]:
        fail("a triangle begins with", lists[2], "instead of the second corner of", lists[3])


# ---- points that are picked ----

def expect_near(what, found, wanted):
    if len(found) != len(wanted) or any(abs(a - b) > 1e-12 * max(1, abs(b)) for a, b in zip(found, wanted)):
        fail(what, "is", found, "instead of", wanted)


GAUSS = [((1 + s * x) / 2, w / 2) for x, w in ((math.sqrt(3 / 7 - 2 / 7 * math.sqrt(6 / 5)), (18 + math.sqrt(30)) / 36),
                                              (math.sqrt(3 / 7 + 2 / 7 * math.sqrt(6 / 5)), (18 - math.sqrt(30)) / 36))
         for s in (-1, 1)]


def shares(mesh, axis, last):
    """{place: (area, ax, ay, az)} of a face, outward."""
    found = {at["i"]: [0.0] * 4 for at in mesh.places}
    s, t = (axis + 1) % 3, (axis + 2) % 3
    layer = mesh.points[axis] - 1 if last else 0
    outward = [sum(p[c] for p in mesh.places if p["index"][axis] == layer) for c in "xyz"]
    count = sum(p["index"][axis] == layer for p in mesh.places)
    middle = [sum(p[c] for p in mesh.places) / len(mesh.places) for c in "xyz"]
    outward = minus([c / count for c in outward], middle)

    def place(i, j):
        index = [0, 0, 0]
        index[axis], index[s], index[t] = layer, i, j
        return mesh.place(*index)
    if mesh.points[s] > 1 and mesh.points[t] > 1:
        for j, i in itertools.product(range(mesh.points[t] - 1), range(mesh.points[s] - 1)):
            four = [place(i, j), place(i + 1, j), place(i, j + 1), place(i + 1, j + 1)]
            p = [[at[c] for c in "xyz"] for at in four]
            for (a, wa), (b, wb) in itertools.product(GAUSS, GAUSS):
                shape = [(1 - a) * (1 - b), a * (1 - b), (1 - a) * b, a * b]
                along_a = [(1 - b) * (p[1][c] - p[0][c]) + b * (p[3][c] - p[2][c]) for c in range(3)]
                along_b = [(1 - a) * (p[2][c] - p[0][c]) + a * (p[3][c] - p[1][c]) for c in range(3)]
                normal = cross(along_a, along_b)
                for at, value in zip(four, shape):
                    for c in range(3):
                        found[at["i"]][1 + c] += wa * wb * value * normal[c]
        for share in found.values():
            share[0] = norm(share[1:])
    else:
        along = s if mesh.points[s] > 1 else t
        for k in range(mesh.points[along] - 1):
            ends = [place(*((k + e, 0) if along == s else (0, k + e))) for e in (0, 1)]
            step = [ends[1][c] - ends[0][c] for c in "xyz"]
            for end in ends:
                found[end["i"]][0] += norm(step) / 2
                found[end["i"]][1] += step[1] / 2
                found[end["i"]][2] -= step[0] / 2
    total = [sum(share[1 + c] for share in found.values()) for c in range(3)]
    if any(outward) and dot(total, outward) < 0:
        found = {i: [share[0]] + [-c for c in share[1:]] for i, share in found.items()}
    return found


def picked(mesh, condition=None, axis=None, last=None):
    layer = None if axis is None else (mesh.points[axis] - 1 if last else 0)
    return [at for at in mesh.by_number
            if (axis is None or at["index"][axis] == layer) and (not condition or Mesh.value(condition, at))]


def check_picked():
    bulge = ("2 * u + 0.3 * v * w + 0.2 * sin(3 * v)", "1.5 * v + 0.2 * w * u + 0.1 * cos(2 * u)", "w + 0.15 * u * v + 0.2 * v * v")
    meshes = [Mesh("solid", (4, 3, 2), *bulge), Mesh("mixed", (3, 4, 3), *bulge, order="mod(7 * i, 36)"),
              Mesh("flat", (4, 3, 1), "2 * u + 0.2 * v * v", "1.5 * v + 0.3 * u * u"),
              Mesh("tall", (3, 1, 4), "2 * w + 0.2 * u", "0.3 * w + 1.5 * u + 0.2 * u * u"),
              Mesh("deep", (1, 3, 4), "2 * v + 0.2 * w * w", "0.4 * v + 1.5 * w")]
    gaps, wanted = [], []

    def ask(mesh, gap, points, numbers=None):
        gaps.append("{%s%s}" % (mesh.name, gap))
        wanted.append([float(number) for at in points for number in (numbers(at) if numbers else [at["number"]])])
    for mesh in meshes:
        ask(mesh, " where x > 0.4 and y < 1.2", picked(mesh, "x > 0.4 and y < 1.2"))
        ask(mesh, ": x, y + 1, 2 * z, u, v, w, i", picked(mesh), lambda at: [at["x"], at["y"] + 1, 2 * at["z"], at["u"], at["v"], at["w"], at["i"]])
        some = picked(mesh, "u + v + w > 0.8")
        ask(mesh, " where u + v + w > 0.8: count, i", some, lambda at, n=len(some): [n, at["i"]])
        ask(mesh, ": count", picked(mesh), lambda at, n=len(mesh.places): [n])
        for axis, last in itertools.product(range(3), (False, True)):
            if mesh.points[axis] == 1:
                continue
            face, share = " on %s%d" % ("uvw"[axis], last), shares(mesh, axis, last)
            ask(mesh, face + " where i > 1", picked(mesh, "i > 1", axis, last))
            ask(mesh, face + ": area, ax, ay, az, count", picked(mesh, None, axis, last),
                lambda at, share=share, n=len(picked(mesh, None, axis, last)): share[at["i"]] + [n])
    # of a surface, the face across which it is thin is the whole of it, on the side where it begins
    whole = shares(meshes[2], 2, False)
    ask(meshes[2], " on w0: area, az", picked(meshes[2]), lambda at: [abs(whole[at["i"]][3]), -abs(whole[at["i"]][3])])
    ask(meshes[2], " on w1", [])
    lists, said = fill(meshes, gaps)
    if lists is None:
        return fail("picked:", said)
    for gap, found, expected in zip(gaps, lists, wanted):
        expect_near(gap, found, expected)
    spaced, _ = fill(meshes, ["{ solid\n   on u1\n   where i > 1 :\n x }", "{solid on u1 where i > 1: x}"])
    if spaced[0] != spaced[1]:
        fail("blanks in a gap change what it is:", spaced)


# ---- what is wrong ----

def check_errors():
    good = Mesh("m", (3, 2, 2), "u", "v", "w")
    line = PROBLEM.format(meshes=good.text(), gaps="@").split("@")[0].count("\n") + 1  # of the first gap
    first = PROBLEM.split("{meshes}")[0].count("\n") + 1  # of [mesh m]
    gaps = {"{m.cells}": "a mesh has no 'cells': position, hexahedra, tetrahedra, quads, triangles or edges",
            "{m.quads}": "mesh m has no quads: they need more than one point along 2 of its axes",
            "{m.edges}": "mesh m has no edges: they need more than one point along 1 of its axes",
            "{m on x0: 1}": "'on x0': a face is u0, u1, v0, v1, w0 or w1", "{m on u2: 1}": "'on u2': a face is u0",
            "{m on u: 1}": "'on u': a face is", "{m on : 1}": "expected 'where' or ':' at 'on'", "{m on u0 x > 1}": "expected 'where' or ':' at 'x > 1'",
            "{m on u01: 1}": "expected 'where' or ':' at '1'",
            "{m where q > 1}": "'q'", "{m: area2}": "area2", "{m: x,}": "expected", "{m where }": "'m' has no value here",
            "{mm.position}": "mm", "{m.position": "a '{' without its '}'"}
    for gap, says in gaps.items():
        lists, said = fill([good], [gap])
        if lists is not None or f"own.problem:{line}:" not in said or says not in said:
            fail(gap, "is refused with", said, "instead of", says)
    ends = "\nx = u\ny = v\n"
    meshes = {"points = 3, 2": "points: expected three numbers", "points = 3, 2, 2, 2": "points: expected three numbers",
              "points = 0, 2, 2": "points: expected three numbers", "points = 3, 2, 0": "points: expected three numbers",
              "points = 101, 100, 100": "points: expected three numbers", "points = 3, nonsense, 1": "nonsense"}
    for points, says in meshes.items():
        lists, said = fill(["[mesh m]\n" + points + ends], ["{m.position}"])
        if lists is not None or f"own.problem:{first + 1}:" not in said or says not in said:
            fail(points, "is refused with", said, "instead of", says)
    for number, name in enumerate(("x", "y", "z", "order", "corner")):
        text = "[mesh m]\npoints = 2, 2, 1\n" + "".join("%s = %s\n" % (k, "bad" if k == name else "i") for k in ("x", "y", "z", "order", "corner"))
        lists, said = fill([text], ["{m.quads}"])
        if lists is not None or f"own.problem:{first + 2 + number}: {name}: " not in said or "'bad'" not in said:
            fail(name, "= bad is refused with", said)
    most, _ = fill(["[mesh m]\npoints = 100, 100, 100" + ends], ["{m where i = 999999}"])
    if most != [[999999.0]]:
        fail("a million points are not taken")


check_elements()
check_turns()
check_picked()
check_errors()
print("\n".join(failures[:30]))
sys.exit(bool(failures))
