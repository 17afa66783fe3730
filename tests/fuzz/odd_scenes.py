#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Scenes with mistakes in them: values that make no sense, components that are missing, twice there or in another order.

usage: odd_scenes.py DIVAN COUNT [--seed N] [--keep FOLDER] [SCENE...]

Takes scenes (those of tests/fields and scenes/ when none is named), makes one to four mistakes in each, and runs three steps.
A run may end well (0), with an error (1) or with a state that is not finite (3); a signal, another status, a report of a
sanitizer or a minute without an end is a failure, whose scene is left in FOLDER. Scene N of a seed is always the same.
"""
import argparse
import glob
import os
import random
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from share import share_of

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
ATTRIBUTE = re.compile(r"\s([A-Za-z_0-9]+)=([\"'])([^\"']*)\2")
COMPONENT = re.compile(r"<[A-Z][A-Za-z0-9]*\b[^<>]*/>")
VALUES = [
    "", "0", "-0", "-1", "1", "1 2", "2 2 2", "0 0 0", "0 1 2 3 4 5", "0.5 abc", "1e308", "-1e308", "1e-320", "nan", "inf",
    "99999999", "16777217 2 2", "4294967295", "-2147483648", "true", "@", "@/", "@..", "@a.b", "Vec1d", "Vec2d", "Vec3d", "Vec6d",
    "Rigid3d", "GraphScattered", "CompressedRowSparseMatrixd", "CompressedRowSparseMatrixMat3x3d",
]


def change_value(rng, text, _):
    attributes = list(ATTRIBUTE.finditer(text))
    if not attributes:
        return text
    at = rng.choice(attributes)
    words = at.group(3).split()
    kind = rng.random()
    if words and kind < 0.3:
        words[rng.randrange(len(words))] = rng.choice(VALUES)
        value = " ".join(words)
    elif words and kind < 0.45:
        value = " ".join(words[: rng.randrange(len(words))])
    else:
        value = rng.choice(VALUES)
    return text[: at.start(3)] + value + text[at.end(3) :]


def remove(rng, text, _):
    components = list(COMPONENT.finditer(text))
    if not components:
        return text
    gone = rng.choice(components)
    return text[: gone.start()] + text[gone.end() :]


def exchange(rng, text, _):
    components = list(COMPONENT.finditer(text))
    if len(components) < 2:
        return text
    a, b = sorted(rng.sample(components, 2), key=lambda found: found.start())
    return text[: a.start()] + b.group() + text[a.end() : b.start()] + a.group() + text[b.end() :]


def add(rng, text, other):
    places, components = list(COMPONENT.finditer(text)), COMPONENT.findall(rng.choice([text, other]))
    if not places or not components:
        return text
    behind = rng.choice(places)
    return text[: behind.end()] + rng.choice(components) + text[behind.end() :]


MISTAKES = [change_value, change_value, change_value, remove, exchange, add, add]


def odd_scene(rng, texts):
    text, other = rng.choice(texts), rng.choice(texts)
    for _ in range(rng.randint(1, 4)):
        text = rng.choice(MISTAKES)(rng, text, other)
    return text


def fault(divan, scene, folder, keep_going):
    environment = dict(os.environ, UBSAN_OPTIONS="print_stacktrace=1:halt_on_error=1")
    command = [divan, "run", scene, "-n", "3", "--quiet"] + (["--keep-going"] if keep_going else [])
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=60, cwd=folder, env=environment)
    except subprocess.TimeoutExpired:
        return "no end after a minute"
    if done.returncode not in (0, 1, 3) or "Sanitizer" in done.stderr or "runtime error" in done.stderr:
        return "exit status %d\n%s" % (done.returncode, done.stderr[-3000:])
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("divan")
    parser.add_argument("count", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", metavar="FOLDER")
    parser.add_argument("scenes", nargs="*")
    options = parser.parse_args()
    scenes = options.scenes or sorted(
        glob.glob(os.path.join(ROOT, "tests", "fields", "*.scn")) + glob.glob(os.path.join(ROOT, "scenes", "*.scn")))
    texts = [open(scene, errors="replace").read() for scene in scenes]
    # Files that scenes name are found wherever an odd scene lies.
    folders = list(dict.fromkeys(os.path.dirname(os.path.abspath(scene)) for scene in scenes))
    os.environ["DIVAN_DATA_PATH"] = ":".join(folders + [os.environ.get("DIVAN_DATA_PATH", "")])
    divan = os.path.abspath(options.divan)
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        numbers = share_of(range(options.count), "scenes")
        for number in numbers:
            rng = random.Random("%d.%d" % (options.seed, number))
            text = odd_scene(rng, texts)
            scene = os.path.join(folder, "odd.scn")
            with open(scene, "w") as f:
                f.write(text)
            why = fault(divan, scene, folder, rng.random() < 0.5)
            if not why:
                continue
            failed += 1
            print("FAILED: scene %d of seed %d: %s" % (number, options.seed, why), flush=True)
            if options.keep:
                os.makedirs(options.keep, exist_ok=True)
                with open(os.path.join(options.keep, "odd-%d-%d.scn" % (options.seed, number)), "w") as f:
                    f.write(text)
    print("%d passed, %d failed" % (len(numbers) - failed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
