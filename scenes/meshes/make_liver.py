#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Makes liver.msh (tetrahedra) and liver_surface.obj (about 20,000 triangles) from one smooth shape.

    python3 -m venv gmsh-env && gmsh-env/bin/pip install gmsh numpy
    gmsh-env/bin/python scenes/meshes/make_liver.py        writes beside this script

The shape is a map of the unit sphere, in metres: a large right lobe that thins out to the left, a domed upper side (y up),
and an underside hollowed where the neighbouring organs lie. Both meshes sample that map, so the fine surface lies within
half a millimetre of the coarse one and every vertex has a tetrahedron near it to be mapped to.

The sphere is a geodesic grid of frequency f: each of the icosahedron's 20 faces is split into f^2, which gives 10 f^2 + 2
vertices. gmsh fills the coarse surface with tetrahedra; nodes are numbered by reverse Cuthill-McKee, so that neighbours lie
near each other in memory.
"""
import itertools
import pathlib

import gmsh
import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
COARSE, FINE = 11, 32
LENGTH = 0.095  # half the organ's width in metres


def geodesic_sphere(frequency):
    """Vertices (n x 3, unit length) and triangles (m x 3, seen from outside counter-clockwise)."""
    golden = (1 + 5 ** 0.5) / 2
    corners = np.array([(0, a, b * golden) for a, b in itertools.product((-1, 1), repeat=2)], float)
    corners = np.concatenate([np.roll(corners, shift, axis=1) for shift in range(3)])
    faces = [face for face in itertools.combinations(range(12), 3)
             if all(abs(np.linalg.norm(corners[a] - corners[b]) - 2) < 1e-9 for a, b in itertools.combinations(face, 2))]
    index, points, triangles = {}, [], []

    def vertex(face, weights):
        key = tuple(sorted((corner, weight) for corner, weight in zip(face, weights) if weight))
        if key not in index:
            point = sum(weight * corners[corner] for corner, weight in key)
            index[key] = len(points)
            points.append(point / np.linalg.norm(point))
        return index[key]

    for face in faces:
        a, b, c = corners[list(face)]
        if np.dot(np.cross(b - a, c - a), a) < 0:
            face = (face[0], face[2], face[1])
        grid = {(i, j): vertex(face, (frequency - i - j, i, j))
                for i in range(frequency + 1) for j in range(frequency + 1 - i)}
        for i in range(frequency):
            for j in range(frequency - i):
                triangles.append((grid[i, j], grid[i + 1, j], grid[i, j + 1]))
                if i + j < frequency - 1:
                    triangles.append((grid[i + 1, j], grid[i + 1, j + 1], grid[i, j + 1]))
    return np.array(points), np.array(triangles)


def organ(sphere):
    """The smooth shape: where each point of the unit sphere lies."""
    x, y, z = sphere.T
    taper = 0.62 - 0.30 * x - 0.10 * x ** 2                      # thick on the right (x < 0), thin on the left
    depth = 0.78 - 0.22 * x + 0.06 * np.cos(3 * x)
    up = y * taper * np.where(y > 0, 1.0, 0.75)
    hollow = 0.24 * np.exp(-((x - 0.15) / 0.55) ** 2 - ((z - 0.25) / 0.5) ** 2) * np.clip(-y, 0, None) ** 2
    notch = 0.10 * np.exp(-((x - 0.30) / 0.16) ** 2) * np.clip(z, 0, None) ** 2   # the fissure in front
    shape = np.stack([1.05 * x, up + hollow + 0.12 * (1 - x ** 2) - 0.10 * x, z * depth - notch], axis=1)
    return LENGTH * shape


def tetrahedra(points, triangles):
    """The nodes and tetrahedra that fill a closed surface."""
    gmsh.initialize()
    gmsh.option.setNumber("General.Terminal", 0)
    gmsh.option.setNumber("General.NumThreads", 1)
    surface = gmsh.model.addDiscreteEntity(2)
    gmsh.model.mesh.addNodes(2, surface, np.arange(1, len(points) + 1), points.ravel())
    gmsh.model.mesh.addElementsByType(surface, 2, [], (triangles + 1).ravel())
    gmsh.model.geo.addVolume([gmsh.model.geo.addSurfaceLoop([surface])])
    gmsh.model.geo.synchronize()
    gmsh.option.setNumber("Mesh.Optimize", 1)
    gmsh.option.setNumber("Mesh.OptimizeNetgen", 1)
    gmsh.model.mesh.generate(3)
    old, new = gmsh.model.mesh.computeRenumbering("RCMK")
    gmsh.model.mesh.renumberNodes(old, new)
    tags, coordinates, _ = gmsh.model.mesh.getNodes()
    nodes = np.empty((len(tags), 3))
    nodes[tags.astype(int) - 1] = coordinates.reshape(-1, 3)
    _, element_nodes = gmsh.model.mesh.getElementsByType(4)
    gmsh.finalize()
    return nodes, element_nodes.astype(int).reshape(-1, 4) - 1


def signed_volumes(nodes, elements):
    a, b, c, d = (nodes[elements[:, corner]] for corner in range(4))
    return np.einsum("ij,ij->i", np.cross(b - a, c - a), d - a) / 6


def write_msh(path, nodes, elements):
    """MSH 2.2, ASCII: element type 4 is the tetrahedron, tags are physical and elementary entity."""
    with open(path, "w", encoding="ascii") as out:
        out.write("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n%d\n" % len(nodes))
        for number, (x, y, z) in enumerate(nodes, 1):
            out.write("%d %.8g %.8g %.8g\n" % (number, x, y, z))
        out.write("$EndNodes\n$Elements\n%d\n" % len(elements))
        for number, corners in enumerate(elements + 1, 1):
            out.write("%d 4 2 1 1 %d %d %d %d\n" % (number, *corners))
        out.write("$EndElements\n")


def write_obj(path, points, triangles):
    with open(path, "w", encoding="ascii") as out:
        out.write("# The surface of liver.msh, made by make_liver.py\n")
        for point in points:
            out.write("v %.7g %.7g %.7g\n" % tuple(point))
        for triangle in triangles + 1:
            out.write("f %d %d %d\n" % tuple(triangle))


def main():
    sphere, triangles = geodesic_sphere(COARSE)
    nodes, elements = tetrahedra(organ(sphere), triangles)
    volumes = signed_volumes(nodes, elements)
    elements[volumes < 0] = elements[volumes < 0][:, [0, 2, 1, 3]]
    elements = elements[np.argsort(elements.min(axis=1), kind="stable")]
    volumes = signed_volumes(nodes, elements)
    assert volumes.min() > 0
    write_msh(HERE / "liver.msh", nodes, elements)

    sphere, triangles = geodesic_sphere(FINE)
    write_obj(HERE / "liver_surface.obj", organ(sphere), triangles)
    print("liver.msh: %d nodes, %d tetrahedra, %.4g litres, volumes %.2g to %.2g ml" %
          (len(nodes), len(elements), 1e3 * volumes.sum(), 1e6 * volumes.min(), 1e6 * volumes.max()))
    print("liver_surface.obj: %d vertices, %d triangles; box %s to %s" %
          (len(sphere), len(triangles), organ(sphere).min(axis=0).round(3), organ(sphere).max(axis=0).round(3)))


if __name__ == "__main__":
    main()
