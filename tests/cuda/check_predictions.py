#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What `divan check` predicts of a device is what a run counts there: memory, bytes of a step, waits, bytes of a copy for the host.

check_predictions.py DIVAN"""
import os
import re
import subprocess
import sys
import tempfile

divan = os.path.abspath(sys.argv[1])
CG = '<EulerImplicitSolver rayleighStiffness="0.05"/><CGLinearSolver iterations="6" tolerance="0" threshold="0"/>'
PCG = """<EulerImplicitSolver/><PCGLinearSolver iterations="6" tolerance="0" preconditioner="@blocks"/><BlockJacobiPreconditioner name="blocks"/>"""
FACTOR = """<EulerImplicitSolver/><PCGLinearSolver iterations="6" tolerance="0" preconditioner="@factor"/>
<AsyncSparseLDLSolver name="factor" refresh="%d"/>"""
BEAM = """<Node name="root" dt="0.01" gravity="0 -9 0">{more}<DefaultAnimationLoop/><Node name="Body">{solver}
<RegularGridTopology n="6 3 4" min="0 0 0" max="4 1 1"/><MechanicalObject template="{word}" name="dofs"/>
<TetrahedronFEMForceField youngModulus="2000" poissonRatio="0.3" method="large"/><DiagonalMass totalMass="5"/>
<FixedProjectiveConstraint indices="0 6 12 18"/>{below}</Node>{beside}</Node>"""
HANG = """<Node><MechanicalObject template="{word}" position="3.9 0.5 0.5 2.1 0.3 0.2"/><BarycentricMapping/>
<ConstantForceField indices="0" forces="0 2 0"/></Node>"""
TOUCH = """<CollisionPipeline/><BruteForceBroadPhase/><BVHNarrowPhase/><MinProximityIntersection alarmDistance="0.4" contactDistance="0.2"/>
<CollisionResponse response="PenalityContactForceField"/>"""
FLOOR = """<Node><MechanicalObject position="-5 -0.15 -5 15 -0.15 -5 15 -0.15 15 -5 -0.15 15"/><MeshTopology triangles="0 2 1 0 3 2"/>
<TriangleCollisionModel moving="0" simulated="0" contactStiffness="1"/></Node>"""
WRITES = '<VTKExporter filename="never" exportEveryNumberOfSteps="1" edges="0" tetras="0"/>'
SCENES = {
    "all of it there": BEAM.format(more="", solver=CG, word="CudaVec3d", below="", beside=""),
    "floats, points that hang": BEAM.format(more="", solver=CG, word="CudaVec3f", below=HANG.format(word="CudaVec3f"), beside=""),
    "contacts on the host": BEAM.format(more=TOUCH, solver="<EulerExplicitSolver/>", word="CudaVec3d", below='<PointCollisionModel contactStiffness="1"/>', beside=FLOOR),
    "contacts in a solve": BEAM.format(more=TOUCH, solver=CG, word="CudaVec3d", below='<PointCollisionModel contactStiffness="1"/>', beside=FLOOR),
    "a preconditioner": BEAM.format(more="", solver=PCG, word="CudaVec3d", below="", beside=""),
    "a factor that is sent": BEAM.format(more="", solver=FACTOR % 1, word="CudaVec3d", below="", beside=""),
    "a factor that serves": BEAM.format(more="", solver=FACTOR % 50, word="CudaVec3f", below="", beside=""),
    "a file in each step": BEAM.format(more="", solver="<EulerExplicitSolver/>", word="CudaVec3d", below=WRITES, beside=""),
}


def run(*words):
    done = subprocess.run([divan, *words], capture_output=True, text=True, check=False, cwd=folder)
    return done.returncode, done.stdout + done.stderr


# By `bench`, which makes one step and so many more, twice; a run of many seconds looks at the state now and then, to keep it.
def counted(name, steps, *more, command=("bench",)):
    status, out = run(*command, name, "--device", "emulated", "-n", str(steps), "--dt", "0.0001", *more)
    found = re.search(r"^device emulated: \d+ launches, (\d+) waits, (\d+) bytes to it, (\d+) from it, \d+ allocations, (\d+) bytes held$", out, re.M)
    if status or not found:
        sys.exit(f"{name}: {status}: {out}")
    return [int(number) for number in found.groups()]


with tempfile.TemporaryDirectory() as folder:
    for name, text in SCENES.items():
        file = name.replace(" ", "_").replace(",", "") + ".scn"
        with open(os.path.join(folder, file), "w", encoding="utf-8") as to:
            to.write(text)
        files = sorted(os.listdir(folder))
        status, out = run("check", file, "--device", "emulated")
        found = re.search(
            r"note: /: device emulated: (\d+) bytes of memory; a step moves (\d+) bytes to it and (\d+) from it, in (\d+) waits, .* --host-copy takes (\d+) bytes",
            out,
        )
        if not found:
            sys.exit(f"{name}: nothing is predicted: {out}")
        if sorted(os.listdir(folder)) != files:
            sys.exit(f"{name}: a check has written {sorted(os.listdir(folder))}")
        memory, to, home, waits, copy = (int(number) for number in found.groups())
        before, after = counted(file, 3), counted(file, 4)
        step = [(after[i] - before[i]) / 2 for i in range(3)]
        held = counted(file, 4, "--stats", "--quiet", command=("run",))[3]
        if [waits, to, home] != step or memory != held:
            sys.exit(f"{name}: predicted {waits} waits, {to} to it, {home} from it, {memory} bytes held; counted {step}, {held}")
        copied = (counted(file, 4, "--host-copy", "4")[2] - after[2]) / 2
        if copied != copy:
            sys.exit(f"{name}: predicted {copy} bytes for a copy, counted {copied}")
    # What bounds such steps, a copy on the device, is measured when they are timed.
    status, out = run("bench", file, "--device", "emulated", "-n", "1", "--dt", "0.0001")
    found = re.search(r"^copies there read and write ([\d.e+]+) GB/s$", out, re.M)
    if status or not found or float(found.group(1)) <= 0:
        sys.exit(f"{file}: {status}: no copies were timed: {out}")
