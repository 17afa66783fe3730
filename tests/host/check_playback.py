#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Recordings of states and topologies: when blocks come, what is in them, that they are played back, and that comparing finds what differs.
     check_playback.py DIVAN"""
import gzip
import os
import shutil
import subprocess
import sys
import tempfile

DIVAN = os.path.realpath(sys.argv[1])
FAILURES = []
FALL = """<Node dt="0.1" gravity="0 -10 0"><DefaultAnimationLoop/><Node name="Body"><EulerExplicitSolver/>
  <MechanicalObject name="dofs" position="0 0 0  1 0.123456789 2" velocity="0.3 0 0  0 0 0"/><UniformMass vertexMass="1"/>%s</Node></Node>"""
REPLAY = """<Node dt="0.1"><DefaultAnimationLoop/><Node name="Body"><MechanicalObject name="dofs" position="5 5 5"/>%s
  <Node name="Below"><MechanicalObject name="mapped"/><IdentityMapping/></Node></Node></Node>"""
MESH = """<Node dt="0.1"><DefaultAnimationLoop/><MechanicalObject position="0 0 0 1 0 0 0 1 0 0 0 1 1 1 1"/>
  <MeshTopology name="mesh" position="0 0 0 1 0 0 0 1 0 0 0 1 1 1 1" edges="0 1" triangles="%s"/>%s</Node>"""


def check(good, what):
    if not good:
        FAILURES.append(what)
        print(what)


def run(text, steps=6, status=0, says="", more=()):
    with open("scene.scn", "w", encoding="ascii") as out:
        out.write(text)
    done = subprocess.run([DIVAN, "run", "scene.scn", "-n", str(steps), "--quiet", *more], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, timeout=60, check=False)
    check(done.returncode == status and says in done.stdout, "exit status %d: %s %s" % (done.returncode, done.stdout, text))
    return done.stdout


def blocks(name):
    with (gzip.open if name.endswith(".gz") else open)(name, "rt", encoding="ascii") as file:
        return [(float(part.split("\n", 1)[0]), part.split("\n", 1)[1]) for part in file.read().split("T= ")[1:]]


def times(name):
    return [time for time, _ in blocks(name)]


def instants():
    run(FALL % '<WriteState filename="a.state"/><WriteState filename="b.state" period="0.2"/><WriteState filename="c.state" time="0.1 0.4"/>'
        '<WriteState filename="d.state" time="0.1" period="0.2"/><WriteState filename="e.state.gz" period="0.05" writeV="1"/>'
        '<WriteState filename="f.state" stopAt="1e9" keperiod="0.15"/>')
    check(times("a.state") == [0, 0.1, 0.2, 0.3, 0.4, 0.5], "every step: %s" % times("a.state"))
    check(times("b.state") == [0, 0.2, 0.4], "a period: %s" % times("b.state"))
    check(times("c.state") == [0.1, 0.4], "times: %s" % times("c.state"))
    check(times("d.state") == [0.1, 0.3, 0.5], "both: %s" % times("d.state"))
    check(times("e.state.gz") == [0, 0.1, 0.2, 0.3, 0.4, 0.5], "a period below the step: %s" % times("e.state.gz"))
    check(times("f.state") == [0, 0.1, 0.2, 0.3], "until the energy stands still: %s" % times("f.state"))
    check("  V= 0.3 -1 0 0 -1 0\n" in blocks("e.state.gz")[1][1], "velocities: %s" % blocks("e.state.gz")[1][1])
    check("  X= 0 0 0 1 0.123457 2\n" in blocks("a.state")[0][1], "six digits: %s" % blocks("a.state")[0][1])


def state(name):
    with open(name, encoding="ascii") as file:
        return {line.split(" ", 1)[0] + str(n): [float(w) for w in line.split()[1:]] for n, line in enumerate(
            line for line in file if line.startswith(("X ", "V ")))}


def plays_back():
    """A state that has as many points as the recording comes to where it was, bit for bit, and what hangs on it follows."""
    run(FALL % '<WriteState filename="a.state.gz" digits="17" writeV="1"/>', more=("--dump", "first", "--dump-steps", "5"))
    run(REPLAY % '<ReadState filename="a.state.gz"/>', more=("--dump", "again", "--dump-steps", "6"))
    first, again = state("first"), state("again")
    check(len(again) == 4 and list(first.values())[0] == list(again.values())[0], "played back: %s, it was %s" % (again, first))
    check(list(again.values())[0] == list(again.values())[2], "what is mapped stays behind: %s" % again)
    run(REPLAY % '<ReadState filename="a.state.gz" shift="0.2" scalePos="2" rotation="0 0 90" translation="1 0 0"/>', 1,
        more=("--dump", "moved", "--dump-steps", "1"))
    x = list(state("moved").values())[0]
    y = -10 * 0.1 * 0.1 * 3 + 0.123456789 # after two steps
    check(all(abs(a - b) < 1e-12 for a, b in zip(x[3:], [1 - 2 * y, 2, 4])), "scaled, turned, moved: %s" % x)
    run(REPLAY % '<ReadState filename="a.state.gz" loop="1"/>', 8, more=("--dump", "looped", "--dump-steps", "6,8"))
    looped = list(state("looped").values())
    check(looped[4][0] == 0.3 * 0.1 * 2, "after the end it begins again: %s" % looped)


def compares():
    run(FALL % '<WriteState filename="a.state"/>')
    def errors(more, position="0 0 0  1 0.123456789 2"):
        out = run(FALL.replace("0 0 0  1 0.123456789 2", position) % ('<CompareState filename="a.state" printLog="1" %s/>' % more))
        return float(out.rsplit("totalError_X = ", 1)[1].split(",")[0])
    check(errors('keepState="1"') == 0, "the same run differs by %g" % errors('keepState="1"'))
    moved = errors('keepState="1"', "0 0.6 0  1 0.123456789 2")
    check(abs(moved - 6 * 0.6 / 6) < 1e-6, "one number of six, 0.6 away, in six blocks: %g" % moved)
    check(errors("", "0 0.6 0  1 0.123456789 2") < 1e-5, "as in old scenes the state begins as the recording does")


def verifies():
    """States are compared with recordings by name and number, whichever of the names there is, and the run is the same."""
    os.mkdir("kept")
    line = "verification: /Body: positions differ by %s, velocities by %s on average, over 6 blocks"
    for name in ("scene.scn_0_dofs_mstate.txt.gz", "scene_0_dofs_mstate.txt", "default0_dofs_mstate.txt.gz"):
        run(FALL % ('<WriteState filename="kept/%s" writeV="1"/>' % name))
        run(FALL % "", says=line % (0, 0), more=("--verification", "kept", "--dump", "with"))
        run(FALL % "", more=("--dump", "without"))
        check(state("with") == state("without"), "a verification changes the run")
        run((FALL % "").replace("0 0 0  1 0.1", "0 0.6 0  1 0.1"), says=line % (0.1, 0), more=("--verification", "kept"))
        run((FALL % "").replace('"0.3 0 0', '"0.3 3 0'), says="velocities by 0.5 on average", more=("--verification", "kept"))
        os.remove("kept/" + name)
    run(FALL % "", status=1, says="there is nothing to compare scene.scn with", more=("--verification", "kept"))
    run(FALL % "", status=2, says="its name is empty", more=("--verification", ""))
    two = FALL.replace("%s</Node>", '%s<Node name="Below"><MechanicalObject name="mapped"/><IdentityMapping/>%s</Node></Node>')
    run(two % ("", '<WriteState filename="kept/scene_1_mapped_mstate.txt"/>'))
    out = run(two % ("", ""), says="nothing is recorded of /Body/dofs, number 0 (scene.scn_0_dofs_mstate.txt.gz)", more=("--verification", "kept"))
    check("verification: /Body/Below: positions differ by 0, " in out, "a mapped state: " + out)
    run((two % ("", '<CompareState filename="kept/scene_1_mapped_mstate.txt" keepState="1"/>')), status=1, says="nothing to compare",
        more=("--verification", "kept"))


def topologies():
    run(MESH % ("0 1 2 1 2 3", '<WriteTopology filename="a.topology.gz"/><WriteTopology filename="b.topology" period="0.2"/>'))
    check(len(blocks("a.topology.gz")) == 6 and times("b.topology") == [0.2, 0.4], "times: %s" % times("b.topology"))
    check("  Triangles= 2\n0 1 2 1 2 3\n" in blocks("a.topology.gz")[0][1], "lists: %s" % blocks("a.topology.gz")[0][1])
    run(MESH % ("2 3 4", '<ReadTopology filename="a.topology.gz"/><WriteTopology filename="c.topology"/>'))
    check("Triangles= 2\n0 1 2 1 2 3\n" in blocks("c.topology")[1][1], "read back: %s" % blocks("c.topology")[1][1])
    out = run(MESH % ("0 1 2 1 2 4", '<CompareTopology filename="a.topology.gz" printLog="1"/>'))
    check("so far: 6\n" in out, "one entry in each of six blocks: %s" % out)


def bad_files():
    for name, text, says in (("none", None, "no file 'none'"), ("empty", "", "no line of it begins with T="), ("notime", "T= x\n", "line 1: no time"),
                             ("short", "T= 0\n  X= 1 2\n", "has 2 numbers"), ("words", "T= 0\n  X= a b c\n", "has 0 numbers")):
        if text is not None:
            with open(name, "w", encoding="ascii") as out:
                out.write(text)
        run(REPLAY % ('<ReadState filename="%s"/>' % name), 1, 1, says)
    for name, text, says in (("few", "T= 0\n  Edges= 2\n0 1 1\n", "is not whole"), ("huge", "T= 0\n  Edges= 4000000000\n0 1\n", "is not whole"),
                             ("beyond", "T= 0\n  Edges= 1\n0 7\n", "name point 7")):
        with open(name, "w", encoding="ascii") as out:
            out.write(text)
        run(MESH % ("0 1 2", '<ReadTopology filename="%s"/>' % name), 1, 1, says)
    with open("cut.gz", "wb") as out:
        out.write(gzip.compress(b"T= 0\n  X= " + b"1 2 3 " * 10000)[:60])
    run(REPLAY % '<ReadState filename="cut.gz"/>', 1, 1, "")
    run(FALL % '<WriteState filename="../a.state"/>', 2, 1, "is not below")
    os.symlink("/dev/full", "full")
    run(FALL % '<WriteState filename="full"/>', 2, 1, "", more=("--write-anywhere",))
    run(FALL % '<WriteState filename="a.state" time="0.2 0.1"/>', 1, 1, "increase")


def main():
    for test in [instants, plays_back, compares, verifies, topologies, bad_files]:
        work = tempfile.mkdtemp()
        os.chdir(work)
        before = len(FAILURES)
        test()
        os.chdir("/")
        shutil.rmtree(work)
        if len(FAILURES) > before:
            print("-- in " + test.__name__)
    return len(FAILURES) > 0


sys.exit(main())
