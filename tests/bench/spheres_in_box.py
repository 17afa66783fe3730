#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Prints a scene: spheres dropped into a box, with friction.

usage: spheres_in_box.py COUNT [points | frames | bodies] [SOLVER]

points   one state of COUNT points, a sphere around each
frames   one state of COUNT frames: rigid spheres that roll
bodies   a node, a state and a solver for each rigid sphere
SOLVER   a line of the scene instead of its constraint solver, such as '<NNCGConstraintSolver .../>'

    tests/bench/spheres_in_box.py 1000 > spheres.scn && divan bench spheres.scn -n 300
"""
import random
import sys

RADIUS, SPACING, SIDE, HEIGHT = 0.05, 0.11, 10, 3.0
MASS = '<UniformMass vertexMass="1 1 0.001 0 0 0 0.001 0 0 0 0.001"/>'
SOLVERS = '<EulerImplicitSolver/><CGLinearSolver iterations="10" tolerance="1e-9" threshold="1e-9"/>'
CORRECTION = "<UncoupledConstraintCorrection/>"


def positions(count):
    random.seed(1)
    for i in range(count):
        column, row, layer = i % SIDE, i // SIDE % SIDE, i // (SIDE * SIDE)
        yield ((column - (SIDE - 1) / 2) * SPACING + random.uniform(-0.004, 0.004), 0.08 + layer * SPACING,
               (row - (SIDE - 1) / 2) * SPACING + random.uniform(-0.004, 0.004))


def numbers(values, more=""):
    return " ".join("%.6g %.6g %.6g" % v + more for v in values)


def spheres(kind, places):
    model = '<SphereCollisionModel radius="%g" selfCollision="1"/>' % RADIUS
    if kind == "points":
        return ('<Node name="Spheres">%s<MechanicalObject position="%s"/><UniformMass vertexMass="1"/>'
                '<UncoupledConstraintCorrection defaultCompliance="1"/>%s</Node>' % (SOLVERS, numbers(places), model))
    if kind == "frames":
        return ('<Node name="Spheres">%s<MechanicalObject template="Rigid3d" position="%s"/>%s%s%s</Node>'
                % (SOLVERS, numbers(places, " 0 0 0 1"), MASS, CORRECTION, model))
    return "\n".join('<Node name="Sphere%d">%s<MechanicalObject template="Rigid3d" position="%s"/>%s%s%s</Node>'
                     % (i, SOLVERS, numbers([p], " 0 0 0 1"), MASS, CORRECTION, model) for i, p in enumerate(places))


def box():
    w, h = SIDE * SPACING / 2 + 0.02, HEIGHT
    corners = [(-w, 0, -w), (w, 0, -w), (w, 0, w), (-w, 0, w), (-w, h, -w), (w, h, -w), (w, h, w), (-w, h, w)]
    return ('<Node name="Box"><MechanicalObject position="%s"/>'
            '<MeshTopology triangles="0 2 1 0 3 2 0 1 5 0 5 4 1 2 6 1 6 5 2 3 7 2 7 6 3 0 4 3 4 7"/>'
            '<TriangleCollisionModel simulated="0" moving="0"/></Node>' % numbers(corners))


def main():
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    kind = sys.argv[2] if len(sys.argv) > 2 else "points"
    solver = sys.argv[3] if len(sys.argv) > 3 else '<BlockGaussSeidelConstraintSolver tolerance="1e-5" maxIterations="100"/>'
    print("""<!-- SPDX-License-Identifier: LGPL-2.1-or-later -->
<Node name="root" dt="0.01" gravity="0 -9.81 0">
<FreeMotionAnimationLoop/>%s
<CollisionPipeline/><BruteForceBroadPhase/><BVHNarrowPhase/>
<MinProximityIntersection alarmDistance="0.02" contactDistance="0.002"/>
<CollisionResponse response="FrictionContactConstraint" responseParams="mu=0.3"/>
%s
%s
</Node>""" % (solver, spheres(kind, list(positions(int(sys.argv[1])))), box()))


if __name__ == "__main__":
    main()
