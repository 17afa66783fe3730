#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Scenes whose states, and all that takes after them, are given the words of a GPU move as they do without: bit for bit.

usage: check_device_words.py DIVAN SCENES
"""
import os
import re
import subprocess
import sys
import tempfile

DIVAN, SCENES = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
NAMES = ("beam.scn", "cloth.scn", "pendulum.scn", "stack.scn", "cylinder.scn")
TYPES = "Vec1|Vec2|Vec3|Vec6|Rigid2|Rigid3"


def hashes(scene, folder):
    done = subprocess.run([DIVAN, "run", scene, "-n", "3", "--quiet", "--hash"], capture_output=True, text=True, timeout=120, cwd=folder,
                          env=dict(os.environ, DIVAN_DATA_PATH=SCENES), check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout, done.stderr


def with_words(text, bits):
    """Every template of a DOF type, and every state without one, in words of a device."""
    text = re.sub(r"<MechanicalObject(?![^>]*template)", '<MechanicalObject template="Vec3d"', text)
    templates = re.compile(r'template="((?:(?:%s)[df]?,?)+|Rigid)"' % TYPES)
    return templates.sub(lambda found: 'template="%s"' % ",".join(
        "Cuda" + re.sub("[df]$", "", word.replace("Rigid", "Rigid3") if word == "Rigid" else word) + bits
        for word in found.group(1).split(",")), text)


compared = 0
for name in NAMES:
    path = os.path.join(SCENES, name)
    if not os.path.exists(path):
        continue
    with open(path, encoding="utf-8") as file:
        scene = file.read()
    plain, _ = hashes(path, SCENES)
    for bits in "fd":
        with tempfile.TemporaryDirectory() as folder:
            words = with_words(scene, bits)
            assert words.count("Cuda") > 0, name
            with open(os.path.join(folder, name), "w", encoding="utf-8") as out:
                out.write(words)
            moved, said = hashes(os.path.join(folder, name), folder)
            assert moved == plain, "%s with Cuda words moves otherwise" % name
            assert said.count("no device keeps it") == 1, said
            compared += 1
assert compared >= 8, compared
print("%d scenes" % compared)
