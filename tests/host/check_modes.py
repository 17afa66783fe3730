#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""divan modes: the table, JSON, the file of shapes and pictures of scenes whose frequencies are known, and what is refused.
check_modes.py DIVAN"""
import json
import math
import os
import subprocess
import sys
import tempfile

DIVAN = os.path.realpath(sys.argv[1])
HEAD = '<Node name="root" gravity="0 0 0"><DefaultAnimationLoop/><EulerExplicitSolver/>\n'
# 9 N/m on 1 kg: 3 rad/s; and a mass that nothing holds.
SCENE = HEAD + """<MechanicalObject name="dofs" template="Vec1d" position="0 1"/><UniformMass vertexMass="1"/>
<RestShapeSpringsForceField points="0" stiffness="9"/></Node>
"""
# Upside down: a spring that is pressed together, across it.
PRESSED = HEAD + """<MechanicalObject name="dofs" position="0 0 0  1 0 0"/><UniformMass vertexMass="1"/>
<FixedProjectiveConstraint indices="0"/><SpringForceField spring="0 1 100 0 2"/></Node>
"""
FAILURES = []


def check(good, what):
    if not good:
        FAILURES.append(what)


def divan(*words):
    return subprocess.run([DIVAN, *words], capture_output=True, text=True, timeout=60, check=False)


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for name, text in ("scene.scn", SCENE), ("pressed.scn", PRESSED):
            with open(name, "w", encoding="utf-8") as file:
                file.write(text)
        table = divan("modes", "scene.scn", "-n", "2")
        if table.returncode == 1 and "divan.lapack" in table.stderr:
            check("liblapacke-dev" in table.stderr, "the package is not named: " + table.stderr)
            return
        rows = [line.split() for line in table.stdout.splitlines()]
        check(table.returncode == 0, f"status {table.returncode}: {table.stderr}")
        check(["1", "0", "0", "-", "free:", "nothing", "holds", "it"] in rows, "no free mode: " + table.stdout)
        check(["2", "0.4774648", "3", "2.094395"] in rows, "not 3 rad/s: " + table.stdout)
        check("1 of them free" in table.stdout, "the free ones are not counted: " + table.stdout)

        words = divan("modes", "scene.scn", "-n", "2", "--json", "--out", "shapes.txt")
        found = json.loads(words.stdout)
        check(found["unknowns"] == 2 and [mode["kind"] for mode in found["modes"]] == ["free", "vibration"], str(found))
        check(abs(found["modes"][1]["frequency"] - 3 / (2 * math.pi)) < 1e-14, str(found))
        with open("shapes.txt", encoding="utf-8") as file:
            lines = file.read().splitlines()
        check(lines[0] == "STEP 1 0" and lines[1] == "STATE /dofs 2" and lines[2] == "X 0 1", str(lines))
        check([abs(float(x)) for x in lines[3].split()[1:]] == [0, 1], str(lines))
        check(lines[4].startswith("STEP 2 0.477464829") and len(lines) == 8, str(lines))

        pressed = divan("modes", "pressed.scn", "-n", "3", "--json")
        kinds = [mode["kind"] for mode in json.loads(pressed.stdout)["modes"]]
        check(kinds == ["unstable", "unstable", "vibration"], str(kinds))
        check("unstable: grows by exp(10 t)" in divan("modes", "pressed.scn", "-n", "3").stdout, "no rate of growth")

        drawn = divan("modes", "pressed.scn", "-n", "3", "--pictures", "drawn", "--size", "64x48")
        if drawn.returncode == 0:
            check(sorted(os.listdir("drawn")) == [f"mode_0000{k}.png" for k in (1, 2, 3)], str(os.listdir("drawn")))
        else:
            check("not loaded" in drawn.stderr or "drawn" in drawn.stderr, drawn.stderr)

        for words, status, what in (
                (("-n", "0"), 2, "expected a whole number from 1 to 10000"),
                (("-n", "3"), 1, "3 modes are asked for, of 2 unknowns that may move"),
                (("-n", "1", "--out", "scene.scn"), 1, "is a file that the scene is made from"),
                (("--steps", "3"), 2, "Unknown option")):
            told = divan("modes", "scene.scn", *words)
            check(told.returncode == status and what in told.stderr, f"{words}: {told.returncode} {told.stderr}")


main()
for failure in FAILURES:
    print(failure)
sys.exit(bool(FAILURES))
