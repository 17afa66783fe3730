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


# Attributes of WriteState, and the steps of 0.1 s, of 0 to 12, at which there is a block.
EVERY = list(range(13))
WHEN = [("", EVERY), ('period="0.1"', EVERY), ('period="0.15"', [0, 2, 3, 5, 6, 8, 9, 11, 12]), ('period="0.04"', EVERY), ('period="5"', [0]),
        ('period="0.3" time="0"', [0, 3, 6, 9, 12]), ('time="0"', [0]), ('time="0.05 0.11 0.45"', [1, 2, 5]), ('time="0.209"', [2]),
        ('time="0.211"', [3]), ('time="7"', []), ('time="0.25" period="0.25"', [3, 5, 8, 10]), ('time="0.1 0.3" period="0.4"', [1, 3, 7, 11]),
        ('time="0 0.01 0.02" period="0.35"', [0, 1, 2, 4, 8, 11]), # instants of the past come one in a step
        ('time="0 0.01 0.02 0.03 0.04 0.05" period="0.2"', [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 11]),
        ('period="0.2" stopAt="1e-9"', [0, 2, 4, 6, 8, 10, 12]), ('stopAt="1e9"', [0]), ('stopAt="1e9" keperiod="0.35"', [0, 1, 2, 3, 4, 5, 6, 7])]


def instants_by_table():
    """What is written of which step, for each field alone and for pairs."""
    run(FALL % "".join('<WriteState filename="%d.state" %s/>' % (k, fields) for k, (fields, _) in enumerate(WHEN)), 13)
    for k, (fields, steps) in enumerate(WHEN):
        name = "%d.state" % k
        there = [round(10 * time) for time in times(name)] if os.path.exists(name) else []
        check(there == steps, "%s: steps %s, not %s" % (fields, there, steps))
    run(FALL % "".join('<WriteState filename="%d.state" period="9" writeX="%d" writeX0="%d" writeV="%d" writeF="%d" DOFsX="0" DOFsV="1"/>' %
                       (k, k & 1, k >> 1 & 1, k >> 2 & 1, k >> 3) for k in range(16)), 1)
    for k in range(16):
        words = [line.split("=")[0].strip() for line in blocks("%d.state" % k)[0][1].splitlines()]
        check(words == [word for bit, word in enumerate(("X", "X0", "V", "F")) if k >> bit & 1], "lines %d: %s" % (k, words))


# Attributes of ReadState, and where the one point is after steps 0, 1, 2...: the recording has x = 0, 1, 2, 3 at t = 0, 0.1, 0.2, 0.3.
READ = [("", "0 1 2 3 3 3"), ('shift="0.15"', "1 2 3 3 3 3"), ('shift="-0.15"', "9 9 0 1 2 3"), ('loop="1"', "0 1 2 0 1 2"), ('interval="7"', "0 1 2 3 3 3"),
        ('scalePos="-2"', "0 -2 -4 -6 -6 -6"), ('translation="0.5 7 7"', "0.5 1.5 2.5 3.5 3.5 3.5"), ('rotation="0 180 0"', "0 -1 -2 -3 -3 -3"),
        ('scalePos="2" rotation="0 0 180" translation="10 0 0"', "10 8 6 4 4 4")]


def reads_by_table():
    with open("given.state", "w", encoding="ascii") as out:
        out.write("".join("T= %g\n  X= %d 0 0\n" % (k / 10, k) for k in range(4)))
    for fields, expected in READ:
        run('<Node dt="0.1"><DefaultAnimationLoop/><Node name="Body"><MechanicalObject name="dofs" position="9 0 0"/><ReadState filename="given.state" %s/>'
            '</Node></Node>' % fields, 6, more=("--dump", "read", "--dump-steps", "1:6"))
        there = [value[0] for key, value in state("read").items() if key.startswith("X")]
        # At the begin of step k + 1 the time is k dt: what --dump has of that step.
        check(len(there) == 6 and all(abs(x - float(word)) < 1e-9 for x, word in zip(there, expected.split())), "%s: %s, not %s" % (fields, there, expected))


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
    for test in [instants, instants_by_table, reads_by_table, plays_back, compares, verifies, topologies, bad_files]:
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
