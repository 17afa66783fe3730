#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Makes tooth.msh beside this script: the crown of a molar with four cusps, 10 mm by 9 mm across and 8 mm high, of tetrahedra. It stands on y = 0."""
import math
import pathlib

HERE = pathlib.Path(__file__).resolve().parent
CELLS = (8, 7, 8)  # along x, y (up) and z
SIZE = (0.005, 0.007, 0.0045)  # half of x, the height without cusps, half of z
CUSP = 0.0012

# The six tetrahedra of a cell around its diagonal from corner 0 to corner 7; bit 0 of a corner: x, bit 1: y, bit 2: z.
TETRAHEDRA = [(0, 1, 3, 7), (0, 3, 2, 7), (0, 2, 6, 7), (0, 6, 4, 7), (0, 4, 5, 7), (0, 5, 1, 7)]


def place(i, j, k):
    u, w, h = 2 * i / CELLS[0] - 1, 2 * k / CELLS[2] - 1, j / CELLS[1]
    # From a square to a square with round corners, which is widest at half its height.
    x, z = u * math.sqrt(1 - 0.4 * w * w), w * math.sqrt(1 - 0.4 * u * u)
    wide = 1 - 0.22 * (2 * h - 0.9) ** 2
    top = h**3 * CUSP * (math.cos(math.pi * (abs(u) - 0.55) / 0.9) * math.cos(math.pi * (abs(w) - 0.55) / 0.9))
    return SIZE[0] * wide * x, SIZE[1] * h + top, SIZE[2] * wide * z


def volume(points):
    a, b, c = ([p - q for p, q in zip(points[n], points[0])] for n in (1, 2, 3))
    return (a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0])) / 6


def main():
    across = [c + 1 for c in CELLS]
    points = [place(i, j, k) for k in range(across[2]) for j in range(across[1]) for i in range(across[0])]
    tetrahedra = []
    for i in range(CELLS[0]):
        for j in range(CELLS[1]):
            for k in range(CELLS[2]):
                corner = [((k + (c >> 2)) * across[1] + j + (c >> 1 & 1)) * across[0] + i + (c & 1) for c in range(8)]
                for t in TETRAHEDRA:
                    t = [corner[c] for c in t]
                    t = t if volume([points[n] for n in t]) > 0 else [t[0], t[2], t[1], t[3]]
                    assert volume([points[n] for n in t]) > 1e-12
                    tetrahedra.append(t)
    with open(HERE / "tooth.msh", "w") as f:
        f.write("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n%d\n" % len(points))
        for n, x in enumerate(points):
            f.write("%d %.6g %.6g %.6g\n" % (n + 1, *x))
        f.write("$EndNodes\n$Elements\n%d\n" % len(tetrahedra))
        for n, t in enumerate(tetrahedra):
            f.write("%d 4 2 0 0 %s\n" % (n + 1, " ".join(str(p + 1) for p in t)))
        f.write("$EndElements\n")


main()
