#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What divan says where there is no card, or where the build has none of its kernels.   check_no_card.py DIVAN built|not-built

Where there is a card that can be used there is nothing to check (77)."""
import os
import re
import subprocess
import sys
import tempfile

divan, built = sys.argv[1], sys.argv[2] == "built"
for variable in ("DIVAN_DEVICE", "CUDA_DEVICE"):
    os.environ.pop(variable, None)
REASONS = (
    [
        r"there is no NVIDIA driver: install \d+ or newer, which serves CUDA \d+\.\d",
        r"driver (\d+ )?serves CUDA [\d.]+, this build needs [\d.]+: update it to \d+(, or build with nvcc 12)?",
        r"the driver finds no card: look at `nvidia-smi` and at CUDA_VISIBLE_DEVICES",
        r"card 0 .*: .*",
    ]
    if built
    else [r"this build has no CUDA: get nvcc by `\./bootstrap cuda` and build with -Dcuda=enabled"]
)
REASON = "(?:" + "|".join(REASONS) + ")"
SCENE = """<Node name="root" dt="0.25"><DefaultAnimationLoop/><EulerExplicitSolver/>
<MechanicalObject template="CudaVec3d" position="1 2 3"/><UniformMass totalMass="2"/></Node>"""


def run(*words, **environment):
    done = subprocess.run([divan, *words], capture_output=True, text=True, env={**os.environ, **environment}, check=False)
    return done.returncode, done.stdout, done.stderr


def expect(text, pattern, what):
    if not re.search(pattern, text, re.M):
        sys.exit(f"{what}: expected\n  {pattern}\nin\n{text}")


status, out, err = run("list")
if re.search("^  cuda +can be used$", out, re.M):
    sys.exit(77)
expect(out, r"^  emulated +can be used$", "list")
expect(out, rf"^  cuda +{REASON}$", "list")
expect(out, r"divan\.cuda +\S+ +\S+ +started", "list")
with tempfile.TemporaryDirectory() as folder:
    scene = os.path.join(folder, "one.scn")
    with open(scene, "w", encoding="utf-8") as file:
        file.write(SCENE)
    END = "; without it: --no-gpu, or --device emulated$"
    for words, environment, asked in (
        (["--device", "cuda:0"], {}, "--device cuda:0"),
        (["--device", "cuda"], {}, "--device cuda"),
        ([], {"CUDA_DEVICE": "1"}, "CUDA_DEVICE asks for cuda:1"),
    ):
        for command in (["run", "-n", "1"], ["check"]):
            status, out, err = run(*command, scene, *words, **environment)
            expect(err, f"^divan: {asked}: {REASON}{END}", " ".join(command + words))
            if status != 1:
                sys.exit(f"{command}: exit status {status}, not 1")
    for words, environment in ((["--no-gpu"], {"CUDA_DEVICE": "0"}), (["--device", "emulated"], {"CUDA_DEVICE": "0"}), ([], {})):
        status, out, err = run("run", "-n", "1", "--quiet", scene, *words, **environment)
        if status != 0:
            sys.exit(f"{words}: exit status {status}: {err}")
