#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""check_first_scene.py DIVAN ROOT: docs/first-scene.md is true. Each part of a scene on it stands so in scenes/first, which are checked
without a problem; its commands print what it says, where ... may be anything; classes and fields of its recipes are there."""
import os
import re
import shutil
import subprocess
import sys
import tempfile

DIVAN, ROOT = os.path.realpath(sys.argv[1]), os.path.realpath(sys.argv[2])
SCENES = os.path.join(ROOT, "scenes", "first")
FAILURES = []


def check(good, what):
    if not good:
        FAILURES.append(what)
        print(what)


def read(*path):
    with open(os.path.join(*path), encoding="utf-8") as file:
        return file.read()


def blocks(page):
    """(language, name, text) of each listing."""
    return [(language, name, text) for language, name, text in re.findall(r"^```(\w+)(?: (\S+))?\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)]


def run(command, folder):
    environment = dict(os.environ, PATH=os.path.dirname(DIVAN) + ":" + os.environ["PATH"])
    done = subprocess.run(["bash", "-c", command], cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          check=False, timeout=120)
    return done.returncode, done.stdout


def console(text, folder):
    for command, expected in re.findall(r"^\$ (.*)\n((?:[^$].*\n)*)", text, re.MULTILINE):
        status, said = run(command, folder)
        check(status == 0, "%s: exit status %d: %s" % (command, status, said))
        lines = said.splitlines()
        for line in expected.splitlines():
            pattern = re.escape(line).replace(r"\.\.\.", ".*")
            check(any(re.fullmatch(pattern, there) for there in lines), "%s: it does not say '%s' but: %s" % (command, line, said))


def recipe(text):
    for cls, attributes in re.findall(r"<(\w+)([^>]*?)/?>", text):
        status, info = run("divan info " + cls, ROOT)
        check(status == 0, "there is no %s" % cls)
        for field in re.findall(r"(\w+)=", attributes):
            check(field in ("name", "src") or re.search(r"^  %s\b" % field, info, re.MULTILINE), "%s has no %s" % (cls, field))


def main():
    page = read(ROOT, "docs", "first-scene.md")
    shown = {name for _, name, _ in blocks(page) if name}
    check(shown == set(os.listdir(SCENES)), "scenes of the page are %s" % sorted(shown))
    for name in sorted(shown):
        _, said = run("divan check " + name, SCENES)
        check("no problem found" in said, "%s: %s" % (name, said))
    with tempfile.TemporaryDirectory() as folder:
        for name in shown:
            shutil.copy(os.path.join(SCENES, name), folder)
        for language, name, text in blocks(page):
            if name:
                check(text in read(SCENES, name), "scenes/first/%s is not as the page shows it: %s" % (name, text))
            elif language == "console":
                console(text, folder)
            elif language == "xml":
                recipe(text)
    print("%d passed, %d failed" % (not FAILURES, len(FAILURES)))
    return 1 if FAILURES else 0


sys.exit(main())
