#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A run whose device is lost, or has no memory: one error, exit status 3, the last good state in a file that goes on.   check_device_loss.py DIVAN"""
import os
import re
import subprocess
import sys
import tempfile

divan = os.path.abspath(sys.argv[1])
SCENE = """<Node name="root" dt="0.25" gravity="0 -8 0"><DefaultAnimationLoop/><EulerExplicitSolver/>
<MechanicalObject name="dofs" template="CudaVec3d" position="1 2 3"/><UniformMass totalMass="2"/></Node>"""


def run(*words, **environment):
    done = subprocess.run([divan, *words], capture_output=True, text=True, env={**os.environ, **environment}, check=False, cwd=folder)
    return done.returncode, done.stdout, done.stderr


def expect(text, pattern, count=1):
    if len(re.findall(pattern, text, re.M)) != count:
        sys.exit(f"expected {count} times\n  {pattern}\nin\n{text}")


with tempfile.TemporaryDirectory() as folder:
    with open(os.path.join(folder, "one.scn"), "w", encoding="utf-8") as file:
        file.write(SCENE)
    saved = os.path.join(folder, "one.scn.last-good.scn")
    for limits, error, time in (
        ({"DIVAN_DEVICE_LOST": "150"}, r"the emulated device is lost to this process: start again, with --no-gpu if it happens again$", True),
        ({"DIVAN_DEVICE_MEMORY": "45000"}, r"the device has no memory for \d+ bytes more beside the \d+ .* --no-gpu", False),
    ):
        status, out, err = run("run", "-n", "50", "one.scn", "--device", "emulated", "--host-copy", "3", "--hash", **limits)
        expect(err, "^error: ")
        expect(err, rf"^error: one.scn:1: Node 'root': {error}")
        expect(err, "^the last good state is in one.scn.last-good.scn$")
        expect(err + out, "nan", 0)
        if status != 3:
            sys.exit(f"exit status {status}, not 3: {err}")
        if time:
            found = re.search(r"the newest copy on the host of what the device kept is of time ([\d.]+) s; --host-copy N", err)
            if not found or float(found[1]) <= 0 or float(found[1]) % 0.75 != 0:
                sys.exit(f"no copy of a third step: {err}")
            with open(saved, encoding="utf-8") as file:
                expect(file.read(), rf'time="{found[1]}"')
        status, out, err = run("run", "-n", "2", saved, "--device", "emulated")
        if status != 0:
            sys.exit(f"what was saved does not go on: {err}")
