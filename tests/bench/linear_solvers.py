#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What a step costs with each linear solver, over the size and the stiffness of a body.

usage: linear_solvers.py [DIVAN] [--steps N] [--most UNKNOWNS]

A cantilever of hexahedra, soft and stiff, and a beam of frames, of growing length: the median time of a step by `divan bench`, as a
multiple of that of SparseLDLSolver in the same scene. Iterative solvers go to a residual of 1e-6 of the right-hand side. Prints tables of
Markdown, and says which solver is the fastest of each row. docs/solvers.md has the results.
"""
import json
import os
import subprocess
import sys
import tempfile

ITERATIONS = 'iterations="2000"'
PCG = '<PCGLinearSolver name="s" ' + ITERATIONS + ' tolerance="1e-12" preconditioner="@p"/>'
SOLVERS = {
    "SparseLDL": '<SparseLDLSolver name="s"/>',
    "CG": '<CGLinearSolver name="s" ' + ITERATIONS + ' tolerance="1e-6" threshold="1e-30"/>',
    "MinRes": '<MinResLinearSolver name="s" ' + ITERATIONS + ' tolerance="1e-8"/>',
    "GMRES + SSOR": '<GMRESLinearSolver name="s" ' + ITERATIONS + ' tolerance="1e-6" preconditioner="@p"/><SSORPreconditioner name="p" tags="o"/>',
    "PCG + Jacobi": PCG + '<JacobiPreconditioner name="p" tags="o"/>',
    "PCG + SSOR": PCG + '<SSORPreconditioner name="p" tags="o"/>',
    "PCG + Warp": PCG + '<RotationMatrixSystem assemblingRate="20"/><WarpPreconditioner name="p" tags="o" linearSolver="@l"/>'
                        '<SparseLDLSolver name="l" tags="o"/>',
    "PCG + PrecomputedWarp": PCG + '<PrecomputedWarpPreconditioner name="p" tags="o" use_file="0"/>',
}
SOLID = """<Node name="root" dt="0.02" gravity="0 -10 0"><DefaultAnimationLoop/>
<EulerImplicitSolver rayleighStiffness="0.1" rayleighMass="0.1" linearSolver="@s"/>%s
<RegularGridTopology n="%d %d %d" min="0 0 0" max="%g %g %g"/><MechanicalObject/><UniformMass totalMass="%g"/>
<BoxROI name="box" box="-1 -1 -0.01  100 100 0.01"/><FixedProjectiveConstraint indices="@box.indices"/>
<HexahedronFEMForceField youngModulus="%g" poissonRatio="0.3" method="large"/></Node>"""
BEAM = """<Node name="root" dt="0.02" gravity="0 -10 0"><DefaultAnimationLoop/>
<EulerImplicitSolver rayleighStiffness="0.1" rayleighMass="0.1" linearSolver="@s"/>%s
<MeshTopology name="mesh" position="%s" lines="%s"/><MechanicalObject template="Rigid3d" position="%s"/>
<UniformMass vertexMass="0.01 1 [0.1 0 0, 0 0.1 0, 0 0 0.1]"/><FixedProjectiveConstraint indices="0"/>
<BeamFEMForceField radius="0.1" youngModulus="2e6" poissonRatio="0.3"/></Node>"""


def solid(side, young):
    n = (side, side, 5 * side)
    size = [k - 1 for k in n]
    return 3 * n[0] * n[1] * n[2], lambda solver: SOLID % ((solver,) + n + tuple(size) + (n[0] * n[1] * n[2], young))


def beam(nodes):
    points = " ".join("%d 0 0" % i for i in range(nodes))
    frames = " ".join("%d 0 0 0 0 0 1" % i for i in range(nodes))
    lines = " ".join("%d %d" % (i, i + 1) for i in range(nodes - 1))
    return 6 * nodes, lambda solver: BEAM % (solver, points, lines, frames)


def microseconds(divan, text, steps):
    with tempfile.TemporaryDirectory() as folder:
        scene = os.path.join(folder, "scene.scn")
        with open(scene, "w") as f:
            f.write(text)
        done = subprocess.run([divan, "bench", scene, "-n", str(steps), "--json"], capture_output=True, text=True, timeout=900, cwd=folder)
        if done.returncode != 0:
            sys.exit(done.stderr)
        return json.loads(done.stdout)["median_us"]


def table(divan, title, bodies, solvers, steps, least):
    print("\n%s\n" % title)
    print("| unknowns | %s | %s |" % ("us with SparseLDL", " | ".join(solvers[1:])))
    print("|---" * (len(solvers) + 1) + "|")
    for unknowns, scene in bodies:
        times = [microseconds(divan, scene(SOLVERS.get(s, s)), steps) if least.get(s, 10 ** 9) >= unknowns else None for s in solvers]
        best = min(t for t in times if t)
        cells = ["-" if t is None else ("**%.2f**" if t == best else "%.2f") % (t / times[0]) for t in times[1:]]
        print("| %d | %.0f%s | %s |" % (unknowns, times[0], " (best)" if times[0] == best else "", " | ".join(cells)), flush=True)


def main():
    arguments, values = sys.argv[1:], {}
    while "--steps" in arguments or "--most" in arguments:
        at = next(i for i, a in enumerate(arguments) if a in ("--steps", "--most"))
        values[arguments[at]] = int(arguments[at + 1])
        del arguments[at:at + 2]
    if any(a.startswith("-") for a in arguments):
        print(__doc__, end="")
        return 2
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    divan = os.path.abspath(arguments[0]) if arguments else os.path.join(root, "build", "hosts", "divan", "divan")
    steps, most = values.get("--steps", 40), values.get("--most", 30000)
    names, dense = list(SOLVERS), {"PCG + PrecomputedWarp": 3000}
    for young, what in ((4e3, "soft (it bends by its length)"), (4e6, "stiff (it hardly bends)")):
        bodies = [b for b in (solid(side, young) for side in (3, 5, 8, 12)) if b[0] <= most]
        table(divan, "A cantilever of hexahedra, %s." % what, bodies, names, steps, dense)
    bodies = [b for b in (beam(nodes) for nodes in (10, 50, 250, 1250)) if b[0] <= most]
    SOLVERS["BTD"] = '<BTDLinearSolver name="s"/>'
    table(divan, "A beam of frames.", bodies, ["SparseLDL", "BTD", "CG"], steps, {"CG": 2000})
    return 0


if __name__ == "__main__":
    sys.exit(main())
