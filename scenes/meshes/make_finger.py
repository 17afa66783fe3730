#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Makes finger.msh beside this script: a finger of silicone, 0.1 m long and 0.018 m by 0.016 m across, of hexahedra, with a closed chamber
along it nearer to its back, whose wall are the triangles of the file, seen from the solid counter-clockwise."""
import collections
import pathlib

HERE = pathlib.Path(__file__).resolve().parent
CELLS = (25, 6, 6)
SIZE = (0.1, 0.018, 0.016)
CHAMBER = ((1, 24), (3, 5), (1, 5))  # cells of the chamber along each axis, from and to

# Corners of a cell, and its faces seen from outside counter-clockwise.
CORNERS = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)]
FACES = [(0, 3, 2, 1), (4, 5, 6, 7), (0, 1, 5, 4), (2, 3, 7, 6), (0, 4, 7, 3), (1, 2, 6, 5)]


def is_chamber(cell):
    return all(low <= c < high for c, (low, high) in zip(cell, CHAMBER))


def main():
    numbers, hexahedra, border = collections.OrderedDict(), [], {}
    for i in range(CELLS[0]):
        for j in range(CELLS[1]):
            for k in range(CELLS[2]):
                if is_chamber((i, j, k)):
                    continue
                places = [(i + a, j + b, k + c) for a, b, c in CORNERS]
                hexahedra.append([numbers.setdefault(p, len(numbers)) for p in places])
                for face in FACES:
                    quad = [places[c] for c in face]
                    key = frozenset(quad)
                    border.pop(key) if key in border else border.update({key: quad})
    wall = [q[::-1] for q in border.values() if all(0 < p[a] < CELLS[a] for p in q for a in range(3))]
    triangles = [t for a, b, c, d in wall for t in ((a, b, c), (a, c, d))]
    with open(HERE / "finger.msh", "w") as f:
        f.write("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n%d\n" % len(numbers))
        for place, n in numbers.items():
            x = [SIZE[a] * place[a] / CELLS[a] - (0.5 * SIZE[a] if a else 0.0) for a in range(3)]
            f.write("%d %.8g %.8g %.8g\n" % (n + 1, *x))
        f.write("$EndNodes\n$Elements\n%d\n" % (len(hexahedra) + len(triangles)))
        for n, (kind, points) in enumerate([(5, h) for h in hexahedra] + [(2, [numbers[p] for p in t]) for t in triangles]):
            f.write("%d %d 2 0 0 %s\n" % (n + 1, kind, " ".join(str(p + 1) for p in points)))
        f.write("$EndElements\n")


main()
