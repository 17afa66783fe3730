#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Scenes made to hurt, read by the program itself with little memory and little time.

usage: check_hostile.py DIVAN

Each ends with exit status 1 and a message that says what is wrong, within the processor time and address space given here.
10 MB of anything take at most half a second where they cost in proportion to their length, and hours where they cost its square:
the system ends a run after ten seconds of its own processor time, so that neither a slow machine nor a busy one comes near.
tests/scene/test_reader.c tries many more texts inside one process.
"""
import os
import resource
import signal
import subprocess
import sys
import tempfile

MIB = 1 << 20
PROCESSOR_SECONDS = 10
divan = sys.argv[1]
failures = []
passed = 0


def run(name, path, message, memory=512 * MIB, status=1):
    """Memory is address space, libraries and stacks included."""
    global passed

    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
        resource.setrlimit(resource.RLIMIT_CPU, (PROCESSOR_SECONDS, PROCESSOR_SECONDS))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    done = subprocess.run([divan, "check", path], capture_output=True, preexec_fn=limit)
    text = (done.stdout + done.stderr).decode(errors="replace")
    if done.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
        failures.append("%s: more than %d s of processor time" % (name, PROCESSOR_SECONDS))
    elif done.returncode != status:
        failures.append("%s: exit status %d: %s" % (name, done.returncode, text[:300]))
    elif message not in text:
        failures.append("%s: '%s' is not in: %s" % (name, message, text[:300]))
    elif len(text) > MIB:
        failures.append("%s: %d bytes of messages" % (name, len(text)))
    else:
        passed += 1


def filled(file, unit, size, before="", behind=""):
    block = unit.encode() * (MIB // len(unit) + 1)
    with open(file, "wb") as f:
        f.write(before.encode())
        while f.tell() < size:
            f.write(block)
        f.write(behind.encode())
    return file


with tempfile.TemporaryDirectory() as folder:
    scene = os.path.join(folder, "scene.scn")

    def write(text, file=scene):
        with open(file, "w") as f:
            f.write(text)
        return file

    laughs = "".join('<!ENTITY l%d "%s">' % (i + 1, "&l%d;" % i * 10) for i in range(9))
    run("entities that grow", write('<!DOCTYPE Node [<!ENTITY l0 "ha">%s]><Node name="&l9;"/>' % laughs), "a DOCTYPE is refused")
    run("an external entity", write('<!DOCTYPE Node [<!ENTITY e SYSTEM "file:///etc/passwd">]><Node name="&e;"/>'),
        "a DOCTYPE is refused")
    run("10,000 nodes within each other", write("<Node>" * 10000 + "</Node>" * 10000), "nested more than 256 deep")
    run("10 MB of nodes within each other", filled(scene, "<Node>", 10 * MIB), "nested more than 256 deep")
    run("10 MB of objects", filled(scene, "<A/>\n", 10 * MIB, "<Node>", "</Node>"), "holds more than 10000 elements")
    run("10 MB of an attribute again and again", filled(scene, "a='' ", 10 * MIB, "<Node ", "/>"), "more than 256 attributes")
    run("10 MB of quotes", filled(scene, "'\"", 10 * MIB, "<Node ", "/>"), "more than 256 attributes")
    run("10 MB of '<'", filled(scene, "<", 10 * MIB), "broken XML")
    run("10 MB of zeros", filled(scene, "\0", 10 * MIB), "broken XML")
    run("10 MB of blanks", filled(scene, " \n", 10 * MIB), "broken XML")
    run("a class with a name of 10 MB", filled(scene, "A", 10 * MIB, "<Node><", "/></Node>"), "no class 'AAA")
    run("10 MB of a path", filled(scene, "../", 10 * MIB, "<Node><RequiredPlugin name='a' tags='@", "b'/></Node>"), "scene.scn",
        status=1)

    run("10 MB of words", filled(scene, "a ", 10 * MIB, "<Node><MechanicalObject tags='", "'/></Node>"), "no problem found", status=0)

    write("<Node name='a'><include href='two.xml'/></Node>")
    write("<Node name='b'><include href='scene.scn'/></Node>", os.path.join(folder, "two.xml"))
    run("files that include each other", scene, "includes itself, through other files")
    write("<Node name='a'>%s</Node>" % ("<include href='many.xml'/>" * 2000))
    write("<Node name='b'/>", os.path.join(folder, "many.xml"))
    run("2,000 includes", scene, "includes more than 1000 files")
    run("a folder", folder, "is a folder", status=1)
    os.mkdir(os.path.join(folder, "folder.scn"))
    run("a folder with a scene's name", os.path.join(folder, "folder.scn"), "is a folder")
    pipe = os.path.join(folder, "pipe.scn")
    os.mkfifo(pipe)
    run("a pipe that nobody writes to", pipe, "no such file")

    with open(scene, "wb") as f:  # the rest is a hole: no gigabyte is written
        f.write(b"<Node " + b"a='' " * 100000)
        f.truncate(1 << 30)
    run("1 GB of attributes", scene, "larger than 256 MiB")
    with open(scene, "wb") as f:
        f.write(b"<Node ")
        for first in range(0, 8000000, 100000):
            f.write(b"".join(b"a%d='' " % i for i in range(first, first + 100000)))
        f.write(b"/>")
    run("100 MB of attributes", scene, "more than 256 attributes", memory=1024 * MIB)

for failure in failures:
    print("FAILED: " + failure)
print("%d passed, %d failed" % (passed, len(failures)))
sys.exit(1 if failures else 0)
