#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""divan probe against closed forms: springs, masses, mappings and constraints at a given state.    check_probe.py DIVAN"""
import os
import subprocess
import sys
import tempfile

DIVAN = sys.argv[1]
SCENE = """<Node name="root" gravity="0 -10 0" dt="0.1"><DefaultAnimationLoop/>
<Node name="A">
  <MechanicalObject name="dofs" position="0 0 0  1 0 0" rest_position="0 0 0  1 0 0"/>
  <UniformMass name="mass" vertexMass="3"/>
  <RestShapeSpringsForceField name="rest" stiffness="10"/>
  <SpringForceField name="own" spring="0 1 100 2 1"/>
  <FixedProjectiveConstraint name="fixed" indices="1"/>
  <Node name="copy"><MechanicalObject name="dofs" position="0 0 0  1 0 0"/><IdentityMapping name="same"/></Node>
</Node>
<Node name="B">
  <MechanicalObject name="body" template="Rigid3d" position="0 0 0 0 0 0 1"/>
  <Node name="C"><MechanicalObject name="tip" position="2 0 0"/><RigidMapping name="arm" geometricStiffness="Exact"/></Node>
</Node>
<Node name="D" activated="0"><MechanicalObject name="dofs"/><UniformMass totalMass="1"/></Node>
<SpringForceField name="between" object1="@A/dofs" object2="@B/C/tip" spring="0 0 50 0 1"/></Node>
"""
# Along x only, so that springs are linear: A at 0 and 3 moving at 0 and 4, the body's tip at 7 + 2.
STATE = """DT 0.25
STATE /A/dofs 2 free
X 0 0 0 3 0 0
V 0 0 0 4 0 0
DX 1 0 0 0 2 0
STATE /A/copy/dofs 2 mapped
DX 5 0 0 0 0 0
STATE /B/body 1 free
X 7 0 0 0 0 0 1
V 1 0 0 0 0 3
DX 1 2 3 0 0 0.5
STATE /B/C/tip 1 mapped
DX 0 1 0
MAPPING /A/copy/same IdentityMapping -
FIN /A/copy/dofs 2 1 2 3 4 5 6
MAPPING /B/C/arm RigidMapping -
FIN /B/C/tip 1 1 2 3
PROJECTIVE /A/fixed FixedProjectiveConstraint -
PIN /A/dofs 2 1 2 3 4 5 6
"""
EXPECTED = [
    ("DT", [0.25]),
    ("STATE /A/dofs 2 free", None),
    ("X", [0, 0, 0, 3, 0, 0]), ("V", [0, 0, 0, 4, 0, 0]), ("DX", [1, 0, 0, 0, 2, 0]),
    ("STATE /A/copy/dofs 2 mapped", None),
    ("X", [0, 0, 0, 3, 0, 0]), ("V", [0, 0, 0, 4, 0, 0]), ("DX", [5, 0, 0, 0, 0, 0]),
    ("STATE /B/body 1 free", None),
    ("X", [7, 0, 0, 0, 0, 0, 1]), ("V", [1, 0, 0, 0, 0, 3]), ("DX", [1, 2, 3, 0, 0, 0.5]),
    ("STATE /B/C/tip 1 mapped", None),
    ("X", [9, 0, 0]), ("V", [1, 6, 0]), ("DX", [0, 1, 0]),
    # between: 9 long, rest 1; K = -(k - s/d) u u^T - (s/d) I on the difference of the displacements, s = 400, d = 9, across x
    ("FORCEFIELD /between SpringForceField Vec3d", None),
    ("F /A/dofs 2", [400, 0, 0, 0, 0, 0]), ("F /B/C/tip 1", [-400, 0, 0]),
    ("DF /A/dofs 2", [-50, 400 / 9, 0, 0, 0, 0]), ("DF /B/C/tip 1", [50, -400 / 9, 0]),
    ("FORCEFIELD /A/mass UniformMass Vec3d", None),
    ("F /A/dofs 2", [0, -30, 0, 0, -30, 0]), ("DF /A/dofs 2", [0] * 6),
    ("FORCEFIELD /A/rest RestShapeSpringsForceField Vec3d", None),
    ("F /A/dofs 2", [0, 0, 0, -20, 0, 0]), ("DF /A/dofs 2", [-10, 0, 0, 0, -20, 0]),
    # own: 3 long, rest 1, separating at 4: s = 100 * 2 + 2 * 4 = 208; dx apart is (-1 2 0)
    ("FORCEFIELD /A/own SpringForceField Vec3d", None),
    ("F /A/dofs 2", [208, 0, 0, -208, 0, 0]),
    ("DF /A/dofs 2", [-100, 2 * 208 / 3, 0, 100, -2 * 208 / 3, 0]),
    ("MASS /A/mass UniformMass Vec3d", None),
    ("KINETIC", [0.5 * 3 * 16]), ("MDX /A/dofs 2", [3, 0, 0, 0, 6, 0]),
    ("MAPPING /A/copy/same IdentityMapping Vec3d,Vec3d", None),
    ("FIN /A/copy/dofs 2", [1, 2, 3, 4, 5, 6]), ("JTF /A/dofs 2", [1, 2, 3, 4, 5, 6]),
    ("JDX /A/copy/dofs 2", [1, 0, 0, 0, 2, 0]), ("DJTF /A/dofs 2", [0] * 6),
    # arm: lever (2 0 0); torque (2 0 0) x (1 2 3) = (0 -6 4); w x lever = (0 1 0); turned lever x f = (0 1 0) x (1 2 3) = (3 0 -1)
    ("MAPPING /B/C/arm RigidMapping Rigid3d,Vec3d", None),
    ("FIN /B/C/tip 1", [1, 2, 3]), ("JTF /B/body 1", [1, 2, 3, 0, -6, 4]),
    ("JDX /B/C/tip 1", [1, 3, 3]), ("DJTF /B/body 1", [0, 0, 0, 3, 0, -1]),
    ("PROJECTIVE /A/fixed FixedProjectiveConstraint Vec3d", None),
    ("PIN /A/dofs 2", [1, 2, 3, 4, 5, 6]), ("PROJECTED /A/dofs 2", [1, 2, 3, 0, 0, 0]),
]


def probe(folder, state, status=0):
    """The dump as lines, or what was said."""
    paths = [os.path.join(folder, name) for name in ("scene.scn", "state", "dump")]
    for path, text in zip(paths, (SCENE, state)):
        with open(path, "w", encoding="ascii") as out:
            out.write(text)
    done = subprocess.run([DIVAN, "probe", paths[0], "--at", paths[1], "--out", paths[2]], capture_output=True, text=True, check=False)
    if done.returncode != status:
        sys.exit("exit status %d instead of %d: %s" % (done.returncode, status, done.stderr))
    return done.stderr if status else open(paths[2], encoding="ascii").read().splitlines()


# An engine that follows a state which falls for two steps of 0.5 s by the explicit Euler method.
FALLING = """<Node name="root" dt="0.5" gravity="0 -2 0">
  <DefaultAnimationLoop/>
  <EulerExplicitSolver symplectic="0"/>
  <MechanicalObject name="dofs" position="1 2 3"/>
  <UniformMass totalMass="1"/>
  <SumEngine name="sum" input="1 2 3 4 5 6"/>
  <DifferenceEngine name="moved" input="@dofs.position" substractor="1 2 3"/>
</Node>
"""
OUTPUTS = ["STEP 0 0", "OBJECT /sum SumEngine Vec3d", "DATA /sum.output 3 5 7 9", "OBJECT /moved DifferenceEngine Vec3d",
           "DATA /moved.output 3 0 0 0", "STEP 2 1", "OBJECT /sum SumEngine Vec3d", "DATA /sum.output 3 5 7 9",
           "OBJECT /moved DifferenceEngine Vec3d", "DATA /moved.output 3 0 -0.5 0"]


def check_outputs(folder):
    scene, outputs = (os.path.join(folder, name) for name in ("falling.scn", "outputs"))
    with open(scene, "w", encoding="ascii") as out:
        out.write(FALLING)
    for steps, lines in ((["-n", "2"], len(OUTPUTS)), ([], 5)):
        done = subprocess.run([DIVAN, "probe", scene, "--outputs", outputs, *steps], capture_output=True, text=True, check=False)
        got = open(outputs, encoding="ascii").read().splitlines() if done.returncode == 0 else done.stderr.splitlines()
        if got != OUTPUTS[:lines]:
            sys.exit("outputs: %s" % "\n".join(got))
    for wrong in (["--outputs", outputs, "--at", scene], ["--at", scene, "--out", outputs, "-n", "2"]):
        done = subprocess.run([DIVAN, "probe", scene, *wrong], capture_output=True, text=True, check=False)
        if done.returncode != 2:
            sys.exit("exit status %d of %s" % (done.returncode, wrong))


def main():
    with tempfile.TemporaryDirectory() as folder:
        check_outputs(folder)
        lines = [line for line in probe(folder, STATE) if not line.startswith("#")]
        for i, (head, numbers) in enumerate(EXPECTED):
            if i >= len(lines):
                sys.exit("missing: %s" % head)
            line = lines[i]
            if numbers is None:
                good = line == head
            else:
                given = line[len(head):].split()
                good = line.startswith(head + " ") and len(given) == len(numbers) and \
                    all(abs(float(a) - b) <= 1e-12 * (1 + abs(b)) for a, b in zip(given, numbers))
            if not good:
                sys.exit("line %d: expected %s %s, got\n%s\nof\n%s" % (i + 1, head, numbers, line, "\n".join(lines)))
        if len(lines) != len(EXPECTED):
            sys.exit("too many lines: %s" % lines[len(EXPECTED):])
        for state, part in ((STATE.replace("X 7 0 0 0 0 0 1\n", ""), "the state file has no positions of /B/body"),
                            (STATE.replace("X 0 0 0 3 0 0\n", "X 0 0 0 3 0\n"), "STATE /A/dofs 0 X: 5 numbers for 6 of state /A/dofs"),
                            (STATE.replace("PIN /A/dofs 2 1 2 3", "PIN /A/dofs 2 1 2"), "PIN /A/dofs: 5 numbers for 6")):
            said = probe(folder, state, 1)
            if part not in said:
                sys.exit("expected '%s', got: %s" % (part, said))


if __name__ == "__main__":
    main()
