#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# Values over time, ranges of steps, and where a scene may come from: standard input, a symbolic link.     check_record.py DIVAN
import csv
import io
import math
import os
import subprocess
import sys
import tempfile

DIVAN = os.path.abspath(sys.argv[1])
# Two points fall from rest: x is as it was, y = -9.81 h^2 (1 + ... + n) by symplectic steps; a frame turns.
SCENE = """<Node gravity="0 -10 0" dt="0.5">
  <DefaultAnimationLoop/>
  <Node name="Points">
    <EulerExplicitSolver/>
    <MechanicalObject name="state" position="1 0 0  2 3 4"/>
    <UniformMass vertexMass="1"/>
  </Node>
  <Node name="Body">
    <EulerExplicitSolver/>
    <MechanicalObject name="state" template="Rigid3d" position="0 0 0 0 0 0 1" velocity="0 0 0 0 0 0"/>
    <UniformMass vertexMass="1 1 [1 0 0, 0 1 0, 0 0 1]"/>
  </Node>
</Node>
"""
failures = []


def divan(*arguments, cwd=None, text=None):
    return subprocess.run([DIVAN, *arguments], capture_output=True, text=True, cwd=cwd, input=text, timeout=60, check=False)


def expect(what, found, expected):
    if found != expected:
        failures.append(f"{what}: {found!r} instead of {expected!r}")


def fall(step):
    return -10 * 0.25 * step * (step + 1) / 2


def record(folder, *arguments):
    done = divan("run", "scene.scn", "-n", "4", "--quiet", *arguments, cwd=folder)
    if done.returncode != 0:
        failures.append(f"{arguments}: {done.stderr}")
        return [[]]
    return list(csv.reader(io.StringIO(done.stdout)))


def check_tables(folder):
    table = record(folder, "--record", "tip=/Points/state.position[1]", "--record", "/Points/state.position[1].y")
    expect("names", table[0], ["step", "time", "tip.x", "tip.y", "tip.z", "/Points/state.position[1].y"])
    expect("rows", [row[0] for row in table[1:]], ["0", "1", "2", "3", "4"])
    for row in table[1:]:
        step = int(row[0])
        expect("a row", [float(n) for n in row[1:]], [0.5 * step, 2, 3 + fall(step), 4, 3 + fall(step)])
    table = record(folder, "--record", "sum=sum(/Points/state.position)", "--record", "n=norm(/Points/state.velocity)", "--record",
                   "all=/Points/state.velocity", "--record", "w=/Body/state.position[0].qw", "--record", "v=/Body/state.velocity[0][1]",
                   "--record-every", "2")
    expect("names", table[0], ["step", "time", "sum.x", "sum.y", "sum.z", "n"] + [f"all[{i}].{c}" for i in (0, 1) for c in "xyz"] + ["w", "v"])
    expect("rows", [row[0] for row in table[1:]], ["0", "2", "4"])
    for row in table[1:]:
        step, numbers = int(row[0]), [float(n) for n in row[2:]]
        v = -10 * 0.5 * step
        expect("sums", numbers[:3], [3, 3 + 2 * fall(step), 4])
        expect("a norm", abs(numbers[3] - math.sqrt(2) * abs(v)) < 1e-12, True)
        expect("all", numbers[4:], [0, v, 0, 0, v, 0, 1, v])
    table = record(folder, "--record", "s=sum(/Points/state.position[1])", "--record", "t=sum(/Points/state.position[1].y)",
                   "--record", "n=norm(/Points/state.position[1])")
    for row in table[1:]:
        y = 3 + fall(int(row[0]))
        expect("sums of one point", [float(n) for n in row[2:6]], [2, y, 4, y])
        expect("a norm of one point", abs(float(row[6]) - math.sqrt(20 + y * y)) < 1e-12, True)
    done = divan("run", "scene.scn", "-n", "2", "--record", "a,b=/Points/state.velocity[0].y",
                 "--record-file", "table.csv", cwd=folder)
    expect("a file", done.returncode, 0)
    with open(os.path.join(folder, "table.csv"), encoding="utf-8") as file:
        table = list(csv.reader(file))
    expect("a name with a comma", table[0], ["step", "time", "a,b"])
    expect("a summary beside a file", done.stdout.startswith("2 steps in"), True)
    done = divan("run", "scene.scn", "-n", "2", "--record", "a=/Points/state.velocity[0].y", cwd=folder)
    expect("a summary beside standard output", done.stderr.startswith("2 steps in") and len(done.stdout.splitlines()) == 4, True)


def check_ranges(folder):
    for ranges, steps in (("0:4:2", [0, 2, 4]), ("0:4:3", [0, 3]), ("1:3", [1, 2, 3]), ("0,2:", [0, 2, 3, 4]), ("1:1", [1])):
        done = divan("run", "scene.scn", "-n", "4", "--quiet", "--dump", "-", "--dump-steps", ranges, cwd=folder)
        expect(ranges, [int(line.split()[1]) for line in done.stdout.splitlines() if line.startswith("STEP")], steps)


def check_sources(folder):
    plain = divan("run", "scene.scn", "-n", "3", "--quiet", "--hash", cwd=folder).stdout
    done = divan("run", "-", "-n", "3", "--quiet", "--hash", cwd=folder, text=SCENE)
    expect("standard input", (done.returncode, done.stdout), (0, plain))
    done = divan("check", "-", cwd=folder, text="<Node>\n<Fooo/></Node>")
    expect("an error of standard input", done.stderr.splitlines()[:1] or done.stdout.splitlines()[:1],
           ["error: stdin.scn:2:1: no class 'Fooo'"])
    done = divan("run", "scenes\\scene.scn", cwd=folder)
    expect("a hint", done.stderr.strip().endswith("folders are parted by '/', not by '\\'"), True)
    # What a link names lies beside the scene, or beside the link; the scene's own comes first.
    for name, height in (("a/scenes/mesh.obj", 1), ("b/other.obj", 2)):
        os.makedirs(os.path.dirname(os.path.join(folder, name)), exist_ok=True)
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(f"v 0 0 0\nv {height} 0 0\nv 0 1 0\nf 1 2 3\n")
    with open(os.path.join(folder, "a/scenes/mesh.scn"), "w", encoding="utf-8") as file:
        file.write('<Node><DefaultAnimationLoop/><MeshOBJLoader name="near" filename="mesh.obj"/><MeshOBJLoader name="far" '
                   'filename="other.obj"/></Node>')
    for link, target in (("b/link.scn", "../a/scenes/mesh.scn"), ("b/current", "link.scn")):
        os.symlink(target, os.path.join(folder, link))
        done = divan("run", link, "-n", "0", "--quiet", "--record", "near=/near.position[1].x", "--record", "far=/far.position[1].x",
                     cwd=folder)
        expect(link, done.stdout.splitlines()[-1:], ["0,0,1,2"])


def main():
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "scene.scn"), "w", encoding="utf-8") as file:
            file.write(SCENE)
        check_tables(folder)
        check_ranges(folder)
        check_sources(folder)
    for failure in failures:
        print(failure)
    return 1 if failures else 0


sys.exit(main())
