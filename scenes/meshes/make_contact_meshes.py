#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Makes the surfaces that scenes with contacts use, beside this script:

  box.obj          a cube of edge 1 around the origin, 12 triangles
  bowl.obj         the inside of a bowl: the lower part of a sphere of radius 0.3 m around the origin, flatter at its bottom
  liver_hull.obj   the border of the tetrahedra of liver.msh, seen from outside counter-clockwise
"""
import collections
import math
import pathlib

HERE = pathlib.Path(__file__).resolve().parent


def write(name, what, points, triangles):
    with open(HERE / name, "w") as f:
        f.write("# SPDX-License-Identifier: LGPL-2.1-or-later\n# %s; made by make_contact_meshes.py\n" % what)
        f.writelines("v %.8g %.8g %.8g\n" % tuple(p) for p in points)
        f.writelines("f %d %d %d\n" % tuple(i + 1 for i in t) for t in triangles)


def box():
    points = [(x, y, z) for y in (-0.5, 0.5) for z in (-0.5, 0.5) for x in (-0.5, 0.5)]
    quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    return points, [t for a, b, c, d in quads for t in ((a, b, c), (a, c, d))]


def bowl(around=32, rings=10, radius=0.3):
    points, triangles = [(0.0, -0.8 * radius, 0.0)], []
    for r in range(1, rings + 1):
        angle = 0.5 * math.pi * r / rings
        for k in range(around):
            turn = 2 * math.pi * (k + 0.5 * (r % 2)) / around
            points.append((radius * math.sin(angle) * math.cos(turn), -0.8 * radius * math.cos(angle),
                           radius * math.sin(angle) * math.sin(turn)))
    ring = lambda r, k: 1 + (r - 1) * around + k % around
    for k in range(around):
        triangles.append((0, ring(1, k + 1), ring(1, k)))
        for r in range(1, rings):
            shift = r % 2  # odd rings are turned by half a step
            a, b, c, d = ring(r, k), ring(r, k + 1), ring(r + 1, k + shift), ring(r + 1, k + shift + 1)
            triangles += [(a, b, c), (c, b, d)] if shift else [(a, b, c), (c, b, d)]
    return points, triangles


def border_of_tetrahedra(name):
    lines = (HERE / name).read_text().splitlines()
    at = lines.index("$Nodes") + 1
    nodes = [tuple(map(float, line.split()[1:4])) for line in lines[at + 1:at + 1 + int(lines[at])]]
    at = lines.index("$Elements") + 1
    faces = collections.Counter()
    oriented = {}
    for line in lines[at + 1:at + 1 + int(lines[at])]:
        a, b, c, d = (int(i) - 1 for i in line.split()[-4:])
        p, q, r, s = (nodes[i] for i in (a, b, c, d))
        u, v, w = ([y - x for x, y in zip(p, o)] for o in (q, r, s))
        volume = (u[0] * (v[1] * w[2] - v[2] * w[1]) - u[1] * (v[0] * w[2] - v[2] * w[0]) +
                  u[2] * (v[0] * w[1] - v[1] * w[0]))
        if volume < 0:
            b, c = c, b
        for face in ((a, c, b), (a, b, d), (b, c, d), (a, d, c)):
            key = tuple(sorted(face))
            faces[key] += 1
            oriented[key] = face
    triangles = [oriented[key] for key in sorted(faces) if faces[key] == 1]
    used = sorted({i for t in triangles for i in t})
    number = {old: new for new, old in enumerate(used)}
    return [nodes[i] for i in used], [tuple(number[i] for i in t) for t in triangles]


write("box.obj", "A cube", *box())
write("bowl.obj", "The inside of a bowl", *bowl())
write("liver_hull.obj", "The border of liver.msh", *border_of_tetrahedra("liver.msh"))
