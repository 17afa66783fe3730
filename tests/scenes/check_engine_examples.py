#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""check_engine_examples.py DIVAN ROOT: the examples of engines in docs/scene-files.md give what stands beside them, and each class of
engines has one."""
import os
import re
import subprocess
import sys
import tempfile

DIVAN, ROOT = os.path.realpath(sys.argv[1]), os.path.realpath(sys.argv[2])
EXAMPLE = re.compile(r"^<(\w+) (.*?)/> <!-- (\w+): (.*) -->$", re.MULTILINE)
# In sections of their own: MeshGroup needs a file.
ELSEWHERE = {"MeshGroup"}


def page():
    with open(os.path.join(ROOT, "docs", "scene-files.md"), encoding="utf-8") as file:
        text = file.read()
    section = re.search(r"^## Engines\n(.*?)^## ", text, re.MULTILINE | re.DOTALL).group(1)
    before = re.search(r"^    (<MechanicalObject.*)$", section, re.MULTILINE).group(1)
    return before, EXAMPLE.findall(section)


def outputs(before, examples):
    with tempfile.TemporaryDirectory() as folder:
        scene, values = os.path.join(folder, "examples.scn"), os.path.join(folder, "outputs.txt")
        with open(scene, "w", encoding="utf-8") as file:
            file.write('<Node name="root"><DefaultAnimationLoop/>\n')
            for i, (cls, attributes, _, _) in enumerate(examples):
                file.write('<Node name="n%d">%s<%s name="it" %s/></Node>\n' % (i, before, cls, attributes))
            file.write("</Node>\n")
        done = subprocess.run([DIVAN, "probe", scene, "--outputs", values], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              check=False, timeout=60)
        if done.returncode or done.stdout.strip():
            sys.exit("the examples say: " + done.stdout)
        with open(values, encoding="utf-8") as file:
            lines = [line.split() for line in file if line.startswith("DATA ")]
        return {line[1]: (line[2], line[3:]) for line in lines}


def is_same(count, there, expected):
    words = expected.split()
    if words[-1:] == ["numbers"]:
        return words[0] == count
    if len(words) != len(there):
        return False
    return all(a == b or (a not in "[]" and abs(float(a) - float(b)) <= 1e-5 * abs(float(b)) + 1e-9) for a, b in zip(words, there))


def engines():
    said = subprocess.run([DIVAN, "list"], stdout=subprocess.PIPE, text=True, check=True, timeout=60).stdout
    group = re.search(r"^Engines:\n((?:  \S.*\n)+)", said, re.MULTILINE).group(1)
    return {line.split()[0] for line in group.splitlines()}


def main():
    before, examples = page()
    there = outputs(before, examples)
    failures = []
    for i, (cls, _, field, expected) in enumerate(examples):
        count, values = there.get("/n%d/it.%s" % (i, field), ("0", []))
        if not is_same(count, values, expected):
            failures.append("%s.%s: %s, not %s" % (cls, field, " ".join(values) or "nothing", expected))
    missing = engines() - {example[0] for example in examples} - ELSEWHERE
    failures += ["docs/scene-files.md has no example of " + name for name in sorted(missing)]
    print("\n".join(failures))
    sys.exit(1 if failures else 0)


main()
