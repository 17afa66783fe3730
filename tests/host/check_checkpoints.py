#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Checkpoints of divan run: killed at any time, the last good one is there; restarted, the run is the one that went on.

usage: check_checkpoints.py DIVAN SCENES [KILLS]
"""
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time

DIVAN, SCENES = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
KILLS = int(sys.argv[3]) if len(sys.argv) > 3 else 25
STEPS = 4000


def divan(*arguments):
    return subprocess.run([DIVAN, *arguments], capture_output=True, text=True, timeout=120)


def hashes(scene, *options):
    done = divan("run", scene, "--quiet", "--hash", *options)
    assert done.returncode == 0, done.stderr
    return [line.split()[1] for line in done.stdout.splitlines()]


def restarted(scene, file, *options):
    """The step that it goes on after, and the hashes from there."""
    done = divan("run", scene, "--quiet", "--hash", "--verbose", "--restart", file, *options)
    assert done.returncode == 0, done.stderr
    step = int(re.search(r"goes on after step (\d+)", done.stderr).group(1))
    return step, [line.split()[1] for line in done.stdout.splitlines()]


def kills(folder):
    scene, file = os.path.join(SCENES, "pendulum.scn"), os.path.join(folder, "run.checkpoint")
    straight = hashes(scene, "-n", str(STEPS + 2))
    chance = random.Random(1)
    seen = set()
    for kill in range(KILLS):
        run = subprocess.Popen([DIVAN, "run", scene, "--quiet", "-n", str(STEPS), "--checkpoint", file, "--every", "1"]
                               + (["--restart", file] if os.path.exists(file) and kill % 4 else []),
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + 20
        before = os.stat(file).st_ino if os.path.exists(file) else 0
        while not os.path.exists(file) or os.stat(file).st_ino == before:
            assert time.monotonic() < deadline and run.poll() is None, "no checkpoint is written"
            time.sleep(0.001)
        time.sleep(chance.uniform(0, 0.03))
        run.send_signal(signal.SIGKILL)
        run.wait()
        step, after = restarted(scene, file, "-n", "2", "--threads", str(1 + kill % 3))
        if step + 2 < len(straight):
            assert after == straight[step:step + 3], "kill %d: step %d goes on otherwise" % (kill, step)
        else:
            os.remove(file)
        seen.add(step)
    left = [name for name in os.listdir(folder) if name.endswith(".part")]
    assert len(left) <= 50, "%d parts are left" % len(left)
    return "%d kills, %d different steps, %d parts left" % (KILLS, len(seen), len(left))


def goes_on(folder):
    """In the midst of contacts and of changes of the mesh, on another number of threads."""
    for name, at, steps in (("cylinder.scn", 13, 8), ("carving.scn", 12, 8), ("stack.scn", 20, 10), ("snake.scn", 15, 5)):
        scene, file = os.path.join(SCENES, name), os.path.join(folder, "other.checkpoint")
        straight = hashes(scene, "-n", str(at + steps))
        assert divan("run", scene, "--quiet", "-n", str(at), "--checkpoint", file).returncode == 0
        step, after = restarted(scene, file, "-n", str(steps), "--threads", "3")
        assert step == at and after == straight[at:], "%s goes on otherwise" % name


def ended(folder):
    """A run that is told to end leaves its last step, whether a checkpoint is due or not."""
    scene, file, every = os.path.join(SCENES, "pendulum.scn"), os.path.join(folder, "interrupted.checkpoint"), 1000
    for _ in range(5): # one in `every` ends where a checkpoint is due
        run = subprocess.Popen([DIVAN, "run", scene, "--quiet", "-n", "100000000", "--checkpoint", file, "--every", str(every)])
        while not os.path.exists(file):
            assert run.poll() is None
            time.sleep(0.01)
        run.send_signal(signal.SIGTERM)
        assert run.wait() == 128 + signal.SIGTERM
        if restarted(scene, file, "-n", "1")[0] % every != 0:
            return
        os.remove(file)
    raise AssertionError("only checkpoints that were due are left")


def lost(folder):
    """A checkpoint that cannot be written is said, the run goes on, and fails at its end; the one before stays."""
    scene, file = os.path.join(SCENES, "pendulum.scn"), os.path.join(folder, "full.checkpoint")
    assert divan("run", scene, "--quiet", "-n", "10", "--checkpoint", file).returncode == 0
    before = open(file, "rb").read()
    done = subprocess.run(["bash", "-c", 'ulimit -f 1; trap "" XFSZ; exec "$@"', "bash", DIVAN, "run", scene, "--quiet", "-n", "30",
                           "--restart", file, "--checkpoint", file, "--every", "10"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 1 and done.stderr.count("the checkpoint after step") == 3, done.stderr
    assert "not everything could be written: File too large" in done.stderr, done.stderr
    assert open(file, "rb").read() == before
    if os.geteuid() != 0:
        os.chmod(folder, 0o555)
        done = divan("run", scene, "--quiet", "-n", "1", "--checkpoint", os.path.join(folder, "new.checkpoint"))
        os.chmod(folder, 0o755)
        assert done.returncode == 1 and "Permission denied" in done.stderr, done.stderr
    os.chmod(file, 0o444)
    done = divan("run", scene, "--quiet", "-n", "1", "--checkpoint", file)
    assert done.returncode == 1 and "is write-protected" in done.stderr, done.stderr


def damaged(folder):
    """Every prefix, and a change of every byte, is refused, without a crash."""
    scene, file = os.path.join(SCENES, "pendulum.scn"), os.path.join(folder, "damaged.checkpoint")
    assert divan("run", scene, "--quiet", "-n", "3", "--checkpoint", file).returncode == 0
    good = open(file, "rb").read()
    chance = random.Random(2)
    for bad in [good[:k] for k in (0, 5, 20, 31, 32, len(good) // 2, len(good) - 1)] + [good + b"x"] + [
            good[:k] + bytes([good[k] ^ (1 << chance.randrange(8))]) + good[k + 1:] for k in [0, 8, 12, 16, 24, 33] + chance.sample(range(len(good)), 12)]:
        with open(file, "wb") as out:
            out.write(bad)
        done = divan("run", scene, "--quiet", "-n", "1", "--restart", file)
        assert done.returncode == 1 and done.stderr.startswith("error: ") and file in done.stderr, done.stderr


BALL = """<Node name="root" gravity="0 -9 0" dt="0.01">
  <EulerExplicitSolver name="integration"/>
  <MechanicalObject name="state" position="0 0 0"/>
  <UniformMass name="mass" totalMass="%s"/>
%s</Node>
"""


def transcripts(folder):
    """Word by word what is said of what cannot be read or written."""
    for name, mass, more in (("ball", 1, ""), ("heavy", 2, ""), ("more", 1, '  <MeshTopology name="mesh"/>\n'),
                             ("pairs", 1, '  <BruteForceBroadPhase name="pairs"/>\n')):
        with open(name + ".scn", "w") as out:
            out.write(BALL % (mass, more))
        assert divan("run", name + ".scn", "--quiet", "-n", "3", "--checkpoint", name + ".checkpoint").returncode == 0
    good = open("ball.checkpoint", "rb").read()
    for name, bad in (("version", good[:8] + b"\x07" + good[9:]), ("short", good[:200]), ("head", good[:20]), ("long", good + b"!"),
                      ("byte", good[:300] + bytes([good[300] ^ 1]) + good[301:]), ("order", good[:12] + good[15:11:-1] + good[16:])):
        with open(name + ".checkpoint", "wb") as out:
            out.write(bad)
    with open("plugins.conf", "w") as out:
        out.write("[few]\n" + "".join("%s = 0.1.0\n" % name for name in ("divan.scene", "divan.mechanics", "divan.solvers", "divan.topology", "divan.visual")))
    damaged_tail = "error: %s.checkpoint: the checkpoint "
    cases = [
        (["--restart", "none.checkpoint"], 1, "error: none.checkpoint: there is no such checkpoint\n"),
        (["--restart", "ball.scn"], 1, "error: ball.scn: this is no checkpoint; `divan run --checkpoint` writes one\n"),
        (["--restart", "head.checkpoint"], 1, damaged_tail % "head" + "is cut short: 20 bytes are not even its head\n"),
        (["--restart", "short.checkpoint"], 1, damaged_tail % "short" + "is cut short: it should have %d bytes and has 200\n" % len(good)),
        (["--restart", "long.checkpoint"], 1,
         damaged_tail % "long" + "goes on behind its end: it should have %d bytes and has %d\n" % (len(good), len(good) + 1)),
        (["--restart", "byte.checkpoint"], 1, damaged_tail % "byte" + "is damaged: its bytes are not those that were written\n"),
        (["--restart", "order.checkpoint"], 1,
         damaged_tail % "order" + "was written on a machine with another order of bytes, or its head is damaged\n"),
        (["--restart", "version.checkpoint"], 1,
         damaged_tail % "version" + "has version 7 of the format, this program reads version 1; go on with the program that wrote it, and "
         "save a scene there (`divan save`)\n"),
        (["--restart", "more.checkpoint"], 1,
         "error: more.checkpoint: the checkpoint is of another scene: it has MeshTopology /mesh where 'ball.scn' has nothing more\n"),
        (["--restart", "heavy.checkpoint"], 0,
         "warning: heavy.checkpoint: the scene has changed since the checkpoint was written: 1 component with other attributes (/mass); "
         "the run goes on otherwise than it would have\n"),
        (["--restart", "pairs.checkpoint", "--plugin-set", "few"], 1,
         "error: pairs.checkpoint: the checkpoint needs plugin 'divan.collision' 0.1.0, which is not in use; --plugin-set or --plugin "
         "takes one in, `divan list` shows those that are found\n"),
        (["--restart", ""], 2, "divan run: --restart: its name is empty\n"),
        (["--checkpoint", "-"], 2, "divan: --checkpoint -: a checkpoint replaces the one before, so it needs a file\n"),
        (["--every", "3"], 2, "divan: --every 3: of what? give --checkpoint FILE or --export FILE\n"),
        (["--checkpoint", "ball.scn"], 1, "divan: ball.scn: is a file that the scene is made from; choose another name\n"),
        (["--checkpoint", "/dev/full"], 1,
         "error: /dev/full: the checkpoint after step 1 cannot be written: not everything could be written: No space left on device\n"),
        (["--checkpoint", "nowhere/new.checkpoint"], 1, "divan: nowhere/new.checkpoint: No such file or directory\n"),
    ]
    for options, status, words in cases:
        environment = dict(os.environ, DIVAN_PLUGIN_PATH=folder + ":" + os.environ.get("DIVAN_PLUGIN_PATH", ""))
        done = subprocess.run([DIVAN, "run", "ball.scn", "--quiet", "-n", "1", *options], capture_output=True, text=True, env=environment)
        assert (done.returncode, done.stderr) == (status, words), "%s: exit %d\n%s\nexpected\n%s" % (options, done.returncode, done.stderr, words)


def last_good(folder):
    """What a run that fails saves is the scene after its last good step: contacts, factors and counts of steps too, to the last digit."""
    def states_in(text):
        """Of each object, by its place among all, what a run remembers; what was reset and never written again may stand there too."""
        states, objects = {}, 0
        for tag, attributes in re.findall(r'<(\w+)([^<>]*?)/?>', text):
            objects += tag not in ("State", "Object")
            if tag == "State":
                states.update({(objects, *pair): None for pair in re.findall(r'(\w+)="([^"]*)"', attributes)})
        return states

    body = ('<Node name="root" dt="0.02" gravity="0 -9 0"><%s/>%s<Node name="Body">%s<MechanicalObject name="dofs" position="0 0.3 0  1.1 0.3 0"/>'
            '<UniformMass vertexMass="1"/><SpringForceField spring="0 1 %s 0 1"/>%s</Node></Node>')
    contact = ('<CollisionPipeline/><BruteForceBroadPhase/><BVHNarrowPhase/><CollisionResponse response="FrictionContactConstraint" responseParams="mu=0.4"/>'
               '<LocalMinDistance alarmDistance="0.3" contactDistance="0.05"/><BlockGaussSeidelConstraintSolver tolerance="1e-9" maxIterations="50"/>'
               '<Node name="Floor"><MechanicalObject position="-3 0 -3  4 0 -3  0 0 5"/><MeshTopology triangles="0 2 1"/><TriangleCollisionModel simulated="0"/></Node>')
    # A spring that is stretched beyond all: explicit steps diverge; beside it something rests on a floor by friction.
    rest = ('<Node name="Ball"><EulerImplicitSolver/><AsyncSparseLDLSolver/><MechanicalObject position="0 0.1 0  0.2 0.1 0" velocity="1 0 0  1 0 0"/>'
            '<UniformMass vertexMass="1"/><PointCollisionModel/><LinearSolverConstraintCorrection/></Node></Node>')
    explicit = '<EulerExplicitSolver symplectic="0"/>'
    scenes = {"plain": body % ("DefaultAnimationLoop", "", explicit, "1e5", ""),
              "resting": (body % ("FreeMotionAnimationLoop", contact, explicit, "1e5", '<UncoupledConstraintCorrection defaultCompliance="1"/>'))[:-len("</Node>")] + rest}
    for name, scene in scenes.items():
        with open(name + ".scn", "w") as file:
            file.write(scene)
        done = divan("run", name + ".scn", "-n", "5000", "--quiet")
        assert done.returncode == 3 and "the last good state is in" in done.stderr, done.stderr
        with open(name + ".scn.last-good.scn") as file:
            found = file.read()
        steps = re.search(r'steps="(\d+)"', found).group(1)
        assert divan("save", name + ".scn", "saved.scn", "-n", steps).returncode == 0
        with open("saved.scn") as file:
            saved = states_in(file.read())
        assert len(saved) > 3 and int(steps) > 2
        missing = [state for state in saved if state not in states_in(found)]
        assert not missing, "%s after step %s: %s" % (name, steps, missing[:3])



def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        transcripts(folder)
        print(kills(folder))
        goes_on(folder)
        ended(folder)
        lost(folder)
        damaged(folder)
        last_good(folder)


if __name__ == "__main__":
    main()
