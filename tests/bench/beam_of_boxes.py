#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A beam of boxes that is held at one end, as hexahedra or cut into tetrahedra: what large scenes cost.

    beam_of_boxes.py NX NY NZ [hexahedra|tetrahedra] > beam.scn

Points along each axis, a tenth of a metre apart; the longest axis is the beam's. docs/performance.md takes 6 6 30, 12 12 60, 24 24 100 and
40 40 120.
"""
import sys

HEXAHEDRA = '    <HexahedronFEMForceField method="large" youngModulus="100000" poissonRatio="0.3"/>\n'
TETRAHEDRA = """    <Node name="tetrahedra">
      <TetrahedronSetTopologyContainer name="mesh"/>
      <TetrahedronSetTopologyModifier/>
      <TetrahedronSetGeometryAlgorithms/>
      <Hexa2TetraTopologicalMapping input="@../grid" output="@mesh"/>
      <TetrahedronFEMForceField method="large" youngModulus="100000" poissonRatio="0.3"/>
    </Node>
"""


def scene(points, elements):
    end = [0.1 * (n - 1) for n in points]
    held = [-0.01] * 3 + [x + 0.01 for x in end]
    held[3 + points.index(max(points))] = 0.01
    return """<?xml version="1.0"?>
<Node name="root" gravity="0 -9.81 0" dt="0.01">
  <DefaultAnimationLoop/>
  <Node name="beam">
    <EulerImplicitSolver rayleighStiffness="0.1" rayleighMass="0.1"/>
    <CGLinearSolver iterations="25" tolerance="1e-9" threshold="1e-9"/>
    <RegularGridTopology name="grid" n="%d %d %d" min="0 0 0" max="%g %g %g"/>
    <MechanicalObject name="dofs" template="Vec3d"/>
    <UniformMass totalMass="20"/>
    <BoxROI name="wall" box="%s"/>
    <FixedProjectiveConstraint indices="@wall.indices"/>
%s  </Node>
</Node>
""" % (
        *points,
        *end,
        " ".join("%g" % x for x in held),
        elements,
    )


def main():
    kinds = {"hexahedra": HEXAHEDRA, "tetrahedra": TETRAHEDRA}
    kind = sys.argv[4] if len(sys.argv) > 4 else "hexahedra"
    if len(sys.argv) < 4 or kind not in kinds or not all(word.isdigit() and int(word) > 1 for word in sys.argv[1:4]):
        sys.exit(__doc__.strip())
    sys.stdout.write(scene([int(word) for word in sys.argv[1:4]], kinds[kind]))


if __name__ == "__main__":
    main()
