#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What divan writes: no file is lost that was there, no output that cannot be written goes unnoticed, and a run that is ended by a signal
leaves whole files.     check_outputs.py DIVAN"""
import os
import re
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import threading

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from share import share_of

DIVAN = os.path.realpath(sys.argv[1])
FAILURES = []

BALL = """<Node name="root" gravity="0 -10 0" dt="0.1">
  <DefaultAnimationLoop/>
  <EulerExplicitSolver/>
  <MechanicalObject name="ball" position="1 2 3"/>
  <UniformMass totalMass="2"/>
</Node>
"""
# Explicit, and far too stiff for its step: not finite after some hundred steps.
STIFF = """<Node dt="1"><DefaultAnimationLoop/><EulerExplicitSolver/><MechanicalObject position="0 0 0 1 0 0"/>
  <UniformMass totalMass="1"/><SpringForceField spring="0 1 1e9 0 0.5"/></Node>
"""
SHEET = """<Node dt="0.01" gravity="0 -1 0"><DefaultAnimationLoop/><EulerExplicitSolver/>
  <MeshTopology name="t" position="0 0 0 1 0 0 0 1 0 1 1 0" quads="0 1 3 2"/><MechanicalObject name="m"/><UniformMass totalMass="1"/></Node>
"""
MESH = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"
WITH_MESH = """<Node><DefaultAnimationLoop/><EulerExplicitSolver/><include href="part.xml"/>
  <MeshOBJLoader name="loader" filename="mesh.obj"/><MechanicalObject src="@loader"/><UniformMass totalMass="1"/></Node>
"""
PART = "<Node name='part'/>\n"
JOINT = """<Node><DefaultAnimationLoop/><EulerExplicitSolver/><MechanicalObject template="Rigid3d" position="0 0 0 0 0 0 1  1 0 0 0 0 0 1"/>
  <UniformMass totalMass="1"/><JointSpringForceField outfile="%s" spring="BEGIN_SPRING 0 1 END_SPRING"/></Node>
"""


SLOW = """title = Slow
method = none
source = none
[values]
steps = 10000000
dt = 0.1
size = dt
[watch]
x = point 0 of /ball: y
[figure fall]
value = x
exact = 0
bound = 1
[scene]
""" + BALL


def check(good, what):
    if not good:
        FAILURES.append(what)
        print(what)


def put(name, text):
    with open(name, "w", encoding="ascii") as out:
        out.write(text)


def get(name):
    with open(name, encoding="ascii") as file:
        return file.read()


def divan(status, *words, says="", **options):
    """Runs it; the status, and a part of what it says on standard error, are expected."""
    done = subprocess.run([DIVAN, *words], stderr=subprocess.PIPE, text=True, timeout=60, check=False,
                          **{"stdout": subprocess.PIPE, **options})
    call = "divan " + " ".join(words)
    check(done.returncode == status, "%s: exit status %d instead of %d: %s" % (call, done.returncode, status, done.stderr))
    check(says in done.stderr, "%s: does not say '%s': %s" % (call, says, done.stderr))
    return done


def refused(file, says, *words, status=1):
    """The file is afterwards what it was before."""
    before, kind = get(file), os.lstat(file)
    divan(status, *words, says=says)
    after = os.lstat(file)
    check(get(file) == before and (kind.st_mode, kind.st_ino) == (after.st_mode, after.st_ino), "%s: changed by %s" % (file, words))


def steps_of(text):
    return [int(number) for number in re.findall(r"^STEP (\d+) ", text, re.M)]


def plugin_file():
    """Of any plugin of the set."""
    return re.search(r"^  divan\.scene .* (/\S+\.so)$", divan(0, "list").stdout, re.M).group(1)


def no_input_is_replaced():
    for name, text in (("ball.scn", BALL), ("with_mesh.scn", WITH_MESH), ("part.xml", PART), ("mesh.obj", MESH),
                       ("at", "STATE /ball 1 free\nX 0 0 0\n")):
        put(name, text)
    os.link("ball.scn", "hard.scn")
    os.symlink("ball.scn", "soft.scn")
    for option in ("--dump", "--dump-topology", "--contacts"):
        for name in ("ball.scn", "hard.scn", "./soft.scn", os.path.abspath("ball.scn")):
            refused("ball.scn", "is a file that the scene is made from", "run", "-n", "1", "ball.scn", option, name)
    for name in ("mesh.obj", "part.xml", "with_mesh.scn"):
        refused(name, "is a file that the scene is made from", "run", "-n", "1", "with_mesh.scn", "--dump", name)
        refused(name, "is a file that the scene is made from", "save", "-n", "1", "with_mesh.scn", name)
    refused("ball.scn", "is a file that the scene is made from", "probe", "ball.scn", "--at", "at", "--out", "hard.scn")
    refused("at", "is the file of --at", "probe", "ball.scn", "--at", "at", "--out", "./at", status=2)
    shutil.copy(plugin_file(), "copy.so")
    before = os.stat("copy.so")
    divan(1, "run", "-n", "1", "ball.scn", "--plugin", "copy.so", "--dump", "copy.so", says="is a plugin")
    check(os.stat("copy.so").st_ino == before.st_ino, "a plugin is replaced")
    put("joint.scn", JOINT % "joint.scn")
    refused("joint.scn", "is a file that the scene is made from", "run", "-n", "1", "joint.scn")
    check(not [name for name in os.listdir() if name.endswith(".part")], "parts are left: %s" % os.listdir())


def a_failing_run_keeps_the_old_file():
    put("ball.scn", BALL)
    put("old", "old\n")
    put("broken.scn", BALL.replace("UniformMass", "UniformMas"))
    put("stiff.scn", STIFF)
    for option in ("--dump", "--dump-topology", "--contacts"):
        refused("old", "no class 'UniformMas'", "run", "-n", "1", "broken.scn", option, "old")
        refused("old", "no such file", "run", "-n", "1", "nowhere.scn", option, "old")
    refused("old", "nowhere", "probe", "ball.scn", "--at", "nowhere", "--out", "old")
    put("few", "STATE /ball 1 free\nX 0 0\n")
    refused("old", "2 numbers for 3", "probe", "ball.scn", "--at", "few", "--out", "old")
    check(not [name for name in os.listdir() if name.endswith(".part")], "parts are left: %s" % os.listdir())
    refused("old", "old: is as it was; what was written is in ", "run", "-n", "1000", "stiff.scn", "--dump", "old", status=3)
    parts = [name for name in os.listdir() if name.endswith(".part")]
    check(len(parts) == 1 and steps_of(get(parts[0])) == [0], "the frame of a run that failed is not beside the old file: %s" % parts)
    refused("old", "implausibly large", "save", "-n", "1000", "stiff.scn", "old", status=3)
    refused("old", "", "save", "broken.scn", "old")
    for name in parts:
        os.unlink(name)
    put("doubtful.scn", BALL.replace('totalMass="2"', 'totalMass="2" totalMas="3"'))
    refused("old", "--strict: 1 warning", "run", "-n", "1", "--strict", "doubtful.scn", "--dump", "old", "--contacts", "none")
    refused("old", "--strict: 1 warning", "save", "--strict", "doubtful.scn", "old")
    check(sorted(os.listdir()) == ["ball.scn", "broken.scn", "doubtful.scn", "few", "old", "stiff.scn", "stiff.scn.last-good.scn"],
          "--strict leaves files: %s" % sorted(os.listdir()))


def files_keep_what_they_are():
    put("ball.scn", BALL)
    os.mkdir("folder")
    put("folder/target", "old\n")
    os.chmod("folder/target", 0o640)
    os.symlink("folder/target", "link")
    os.symlink("../link", "folder/second")
    for words in (("run", "-n", "1", "ball.scn", "--dump"), ("save", "ball.scn")):
        for name in ("link", "folder/second"):
            inode = os.stat("folder/target").st_ino
            divan(0, *words, name)
            check(os.path.islink(name), "%s: the link %s has become a file" % (words, name))
            check(stat.S_IMODE(os.stat("folder/target").st_mode) == 0o640, "%s: another mode" % (words,))
            check("ball" in get("folder/target") and os.stat("folder/target").st_ino != inode, "%s: not replaced" % (words,))
    os.symlink("not-yet", "dangling")
    divan(0, "save", "ball.scn", "dangling")
    check(os.path.islink("dangling") and "UniformMass" in get("not-yet"), "a link to a file that is not there yet")
    os.symlink("loop", "loop")
    divan(1, "run", "-n", "1", "ball.scn", "--dump", "loop", says="Too many levels of symbolic links")
    mask = os.umask(0o027)
    divan(0, "run", "-n", "1", "ball.scn", "--dump", "new")
    os.umask(mask)
    check(stat.S_IMODE(os.stat("new").st_mode) == 0o640, "a new file does not follow the umask")
    put("fixed", "old\n")
    os.chmod("fixed", 0o444)
    refused("fixed", "is write-protected", "run", "-n", "1", "ball.scn", "--dump", "fixed")
    refused("fixed", "is write-protected", "save", "ball.scn", "fixed")
    divan(1, "run", "-n", "1", "ball.scn", "--dump", "folder", says="is a folder")
    divan(1, "save", "ball.scn", "folder/", says="the name of a folder, not of a file")
    if os.geteuid() != 0: # to root, all folders are open
        os.chmod("folder", 0o555)
        refused("folder/target", "no file can be made in its folder", "run", "-n", "1", "ball.scn", "--dump", "folder/target")
        os.chmod("folder", 0o755)
    put("same", "old\n")
    os.link("same", "twin")
    for first, second in (("same", "same"), ("same", "./same"), ("same", "twin"), ("fresh", "./folder/../fresh")):
        divan(1, "run", "-n", "1", "ball.scn", "--dump", first, "--contacts", second, says="two outputs need two files")
    check(get("same") == "old\n" and not os.path.exists("fresh"), "two outputs on one file: it has changed")
    with open("out", "w", encoding="ascii") as out:
        divan(1, "run", "-n", "1", "ball.scn", "--dump", "out", says="is where standard output goes", stdout=out)
    check(not [name for name in os.listdir() if name.endswith(".part")], "parts are left: %s" % os.listdir())


def streams_are_written_through():
    put("ball.scn", BALL)
    os.mkfifo("fifo")
    read = []
    for words in (("run", "-n", "2", "ball.scn", "--dump", "fifo"), ("save", "ball.scn", "fifo")):
        reader = threading.Thread(target=lambda: read.append(get("fifo")))
        reader.start()
        divan(0, *words)
        reader.join(20)
    check(len(read) == 2 and steps_of(read[0]) == [0, 2] and "UniformMass" in read[1], "a FIFO got %s" % read)
    check(stat.S_ISFIFO(os.stat("fifo").st_mode), "the FIFO has become a file")
    for name in ("-", "/dev/stdout", "/dev/fd/1"):
        done = divan(0, "run", "-n", "2", "--quiet", "ball.scn", "--dump", name)
        check(steps_of(done.stdout) == [0, 2], "--dump %s: %s" % (name, done.stdout))
    done = divan(0, "run", "-n", "2", "ball.scn", "--dump", "-", says="2 steps in")
    noisy = divan(0, "run", "-n", "2", "--verbose", "ball.scn", "--dump", "-", says="info: /ball: MechanicalObject")
    check(noisy.stdout == done.stdout, "--verbose changes what is dumped to standard output")
    check("steps in" not in done.stdout, "the summary is among the numbers: %s" % done.stdout)
    with open("out", "w", encoding="ascii") as out:
        out.write("first\n")
        out.flush()
        divan(0, "run", "-n", "2", "--quiet", "ball.scn", "--dump", "/dev/stdout", stdout=out)
    check(get("out").startswith("first\nSTEP 0 "), "what standard output had is gone: %s" % get("out"))
    divan(0, "run", "-n", "2", "ball.scn", "--dump", "/dev/null", "--contacts", "/dev/null", "--dump-topology", "/dev/null")
    check(stat.S_ISCHR(os.stat("/dev/null").st_mode), "/dev/null has become a file")
    for words in (("save", "ball.scn", "/dev/full"), ("run", "-n", "1", "ball.scn", "--dump", "/dev/full"),
                  ("run", "-n", "100000", "ball.scn", "--contacts", "/dev/full", "--dump-topology", "kept")):
        divan(1, *words, says="No space left on device")
        check(stat.S_ISCHR(os.stat("/dev/full").st_mode), "/dev/full has become a file")


def lost_standard_output_is_an_error():
    put("ball.scn", BALL)
    put("at", "STATE /ball 1 free\nX 0 0 0\n")
    calls = (("list",), ("info", "UniformMass"), ("check", "ball.scn"), ("check", "--json", "ball.scn"), ("bench", "-n", "2", "ball.scn"),
             ("run", "-n", "3", "--hash", "ball.scn"), ("run", "-n", "3", "--stats", "ball.scn"), ("run", "-n", "3", "ball.scn"),
             ("run", "-n", "2000000000", "--hash", "ball.scn"), ("probe", "--at", "at", "--out", "-", "ball.scn"),
             ("save", "ball.scn", "-"), ("--help",), ("--version",), ("run", "--help"))
    with open("/dev/full", "w", encoding="ascii") as full:
        for call in calls:
            divan(1, *call, says="No space left on device", stdout=full)
    divan(1, "list", says="Bad file descriptor", preexec_fn=lambda: os.close(1))
    # What is opened first must not take the place of the closed stream.
    divan(1, "run", "-n", "3", "--hash", "ball.scn", "--dump", "dump", says="Bad file descriptor", preexec_fn=lambda: os.close(1))
    if os.path.exists("dump"):
        check(not re.search(r"^\d+ [0-9a-f]{16}$", get("dump"), re.M), "the hashes are in the dump")
    with open("/dev/full", "w", encoding="ascii") as full: # nothing is printed: nothing is lost
        divan(0, "run", "-n", "3", "--quiet", "ball.scn", stdout=full)
    # A reader who goes away ends it without a word, and with all files whole.
    for call in calls[:2] + (calls[8] + ("--dump", "frames"),):
        run = subprocess.Popen([DIVAN, *call], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        run.stdout.readline()
        run.stdout.close()
        said = "".join(line for line in run.stderr if not line.startswith("profiling:")) # a build for coverage, where nobody may write
        check(run.wait(60) in (-signal.SIGPIPE, 128 + signal.SIGPIPE) or call[0] in ("list", "info") and run.returncode == 0,
              "%s: a closed pipe: exit status %d" % (call, run.returncode))
        check(not said, "%s: a closed pipe: says %s" % (call, said))
    frames = steps_of(get("frames"))
    check(len(frames) == 2 and frames[0] == 0 and frames[1] > 1, "a closed pipe: frames %s" % frames)


def ended(number, *words):
    """A run that is ended by a signal once it makes steps: what it prints, and its exit status."""
    # A shell's background job ignores SIGINT, and so would the run.
    run = subprocess.Popen([DIVAN, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                           preexec_fn=lambda: [signal.signal(n, signal.SIG_DFL) for n in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)])
    first = run.stdout.readline()
    run.send_signal(number)
    out, err = run.communicate(timeout=60)
    return first + out, err, run.returncode


def signals_leave_whole_files():
    put("ball.scn", BALL)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        for more in ((), ("--dump-steps", "0,1,2000000000"), ("--real-time",)):
            put("states", "old\n")
            scene = BALL.replace('dt="0.1"', 'dt="0.00001"') if more == ("--real-time",) else BALL
            put("ball.scn", scene)
            out, err, status = ended(number, "run", "-n", "2000000000", "--hash", "ball.scn", "--dump", "states", "--dump-topology", "kept",
                                     "--contacts", "contacts", *more)
            made = re.search(r"^(\d+) steps in", out, re.M)
            check(status == 128 + number, "signal %d: exit status %d: %s" % (number, status, err))
            check(made and steps_of(get("states"))[-1] == int(made.group(1)), "signal %d: the last frame is not that of the last step" % number)
            check(steps_of(get("kept"))[-1] == int(made.group(1)), "signal %d: the last topology is not that of the last step" % number)
            check(get("states").count("\nV ") == len(steps_of(get("states"))), "signal %d: a frame is not whole" % number)
    put("ball.scn", BALL)
    out, err, status = ended(signal.SIGTERM, "run", "-n", "2000000000", "--hash", "ball.scn")
    check("steps in" in out and status == 143, "SIGTERM: no summary: %s" % err)
    # Saving: the state it has come to, which can be gone on from.
    os.mkfifo("log")
    run = subprocess.Popen([DIVAN, "save", "-n", "2000000000", "--verbose", "ball.scn", "saved.scn"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                           text=True, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
    while not run.stderr.readline().startswith("info: /UniformMass"):
        pass
    run.send_signal(signal.SIGINT)
    out, err = run.communicate(timeout=60)
    made = re.search(r"^(\d+) steps in", out, re.M)
    check(run.returncode == 130 and made and "has the state after step %s\n" % made.group(1) in err, "an interrupted save: %s %s" % (out, err))
    check('steps="%s"' % made.group(1) in get("saved.scn") or made.group(1) == "0", "an interrupted save: no such state")
    # nohup
    run = subprocess.Popen([DIVAN, "run", "-n", "100000", "--hash", "ball.scn"], stdout=subprocess.PIPE, text=True,
                           preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
    run.stdout.readline()
    run.send_signal(signal.SIGHUP)
    out, _ = run.communicate(timeout=60)
    check(run.returncode == 0 and "100000 steps in" in out, "an ignored SIGHUP ends the run")
    # A second signal ends at once what waits for ever: for the reader of a FIFO.
    run = subprocess.Popen([DIVAN, "run", "ball.scn", "--dump", "log"], stdout=subprocess.PIPE, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
    while run.poll() is None:
        run.send_signal(signal.SIGINT)
        try:
            run.wait(0.05)
        except subprocess.TimeoutExpired:
            pass
    check(run.returncode == -signal.SIGINT, "a second signal: %d" % run.returncode)
    run.stdout.close()


def killed_leaves_no_part():
    """Commands that cannot bring what they write to an end leave nothing of it."""
    put("joint.scn", JOINT % "forces")
    put("slow.problem", SLOW)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        for kept, words in (("forces", ("bench", "-n", "3000000", "joint.scn")), ("page.html", ("verify", "--html", "page.html", "slow.problem"))):
            put(kept, "old\n")
            run = subprocess.Popen([DIVAN, *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                   preexec_fn=lambda: [signal.signal(n, signal.SIG_DFL) for n in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)])
            while run.poll() is None and not [name for name in os.listdir(".") if name.endswith(".part")]:
                pass
            run.send_signal(number)
            check(run.wait(60) == -number, "%s, signal %d: %d" % (words[0], number, run.returncode))
            check(not [name for name in os.listdir(".") if name.endswith(".part")], "%s, signal %d: half of a file is left" % (words[0], number))
            check(get(kept) == "old\n", "%s, signal %d: the old file is lost" % (words[0], number))


NAMES = ("my ball", " ball ", "100%", "%20", "two\nlines", "tab\there", "ball 1", "free")


def names_survive():
    for name in NAMES:
        written = name.replace("\n", "&#10;").replace("\t", "&#9;")
        put("ball.scn", BALL.replace('name="ball"', 'name="%s"' % written))
        divan(0, "run", "-n", "1", "--quiet", "ball.scn", "--dump", "dump", "--contacts", "contacts")
        lines = get("dump").splitlines()
        check(len(lines) == 8 and [line.split(" ")[0] for line in lines] == ["STEP", "STATE", "X", "V"] * 2, "'%s': %s" % (name, lines))
        path = "/" + re.sub("[%\x01-\x1f]", lambda c: "%%%02X" % ord(c.group()), name)
        check(lines[1].rpartition(" ")[0] == "STATE " + path and lines[1].endswith(" 1"), "'%s': %s" % (name, lines[1]))
        # The dump of a run is a state file, and what is probed is one again.
        divan(0, "probe", "ball.scn", "--at", "dump", "--out", "first")
        divan(0, "probe", "ball.scn", "--at", "first", "--out", "second")
        check(get("first") == get("second") and "\nX 1 2 3\n" in get("first"), "'%s': it is not read back" % name)
        # A saved scene keeps the name.
        divan(0, "save", "-n", "1", "ball.scn", "saved.scn")
        divan(0, "run", "-n", "0", "--quiet", "saved.scn", "--dump", "again")
        check(get("again").splitlines()[1:] == lines[5:], "'%s': it is another one in the saved scene" % name)
        words = {line.split(" ")[0]: line.split(" ") for line in get("first").splitlines()}
        check(len(words["STATE"]) == 4 and words["STATE"][2] == "1" and len(words["F"]) == 6, "'%s': %s" % (name, words))


def state_files_are_read_with_care():
    put("ball.scn", BALL)
    good = "DT 0.1\nSTATE /ball 1 free\nX 0 0 0\nV 0 0 0\nDX 1 2 3\n"
    put("at", good)
    divan(0, "probe", "ball.scn", "--at", "at", "--out", "dump")
    for wrong, says in ((good.replace("X 0 0 0", "X 0 0"), "2 numbers for 3"), (good.replace("V 0 0 0", "V 0 0 0 0"), "4 numbers for 3"),
                        (good.replace("DX 1 2 3", "DX 1 2 3 four"), "at:5: expected a number, not 'four'"),
                        (good.replace("X 0 0 0", "X 0,0,0"), "at:3: expected a number, not ',0,0'"),
                        (good.replace("DX 1 2 3", "DX"), "0 numbers for 3"),
                        (good.replace("STATE /ball 1 free", "STATE /ball"), "at:2: expected the path of a state"),
                        (good.replace("DT 0.1", "DT soon"), "at:1: expected a time step, not 'soon'"),
                        (good.replace("1 free", "2 free"), "the state file has 2 points of /ball, the scene has 1"),
                        (good[:good.index("V 0")] + "V 0 0", "2 numbers for 3")):
        put("at", wrong)
        refused("dump", says, "probe", "ball.scn", "--at", "at", "--out", "dump")
    # The states of saved scenes
    put("sheet.scn", SHEET)
    divan(0, "save", "-n", "3", "sheet.scn", "saved.scn")
    divan(0, "run", "-n", "1", "saved.scn")
    saved = get("saved.scn")
    head, state = saved[:saved.index("<State position")], saved[saved.index("<State position"):]
    vectors = dict(re.findall(r'(\w+)="([^"]*)"', state[:state.index("/>")]))
    for name in ("position", "velocity"):
        given = vectors[name]
        for wrong, says in ((given + " 1", "the last entry has 1 of 3 numbers"), (given.rsplit(" ", 1)[0], "the last entry has 2 of 3 numbers"),
                            (given + " 1 2 3", "the saved state has "), (" ".join(given.split()[:3]), "the saved state has "),
                            (given + " x", "'x' is not a number"), ("", "the saved state has ")):
            put("wrong.scn", head + state.replace('%s="%s"' % (name, given), '%s="%s"' % (name, wrong), 1))
            divan(1, "run", "-n", "1", "wrong.scn", says=says)
    for change in (lambda numbers: " ".join(numbers.split()[:3]), lambda numbers: numbers + " 0 0 0"): # all vectors alike
        put("wrong.scn", head + re.sub(r'"([^"]+)"', lambda found: '"%s"' % change(found.group(1)), state[:state.index("/>")]) + state[state.index("/>"):])
        divan(1, "run", "-n", "1", "wrong.scn", says="topology 't' has 4")


NOBODY = 65534


def run_tests(tests):
    for test in share_of(tests, "tests"):
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            before = len(FAILURES)
            test()
            os.chdir("/")
            if len(FAILURES) > before:
                print("== %s" % test.__name__)


def become_nobody():
    os.setgroups([])
    os.setgid(NOBODY)
    os.setuid(NOBODY)


def main():
    """Root may replace devices. So that a mistake in what is tested costs none, root tests only what needs none, and nobody all of it."""
    tests = [no_input_is_replaced, a_failing_run_keeps_the_old_file, files_keep_what_they_are, names_survive, state_files_are_read_with_care]
    if os.geteuid() == 0:
        run_tests(tests)
        try:
            usable = subprocess.run([DIVAN, "--version"], stdout=subprocess.DEVNULL, preexec_fn=become_nobody, check=False).returncode == 0
        except (OSError, subprocess.SubprocessError):
            usable = False
        if not usable:
            print("skipped: what needs devices, since only root can run %s" % DIVAN)
            sys.exit(bool(FAILURES))
        become_nobody()
    run_tests(tests + [streams_are_written_through, lost_standard_output_is_an_error, signals_leave_whole_files, killed_leaves_no_part])
    sys.exit(bool(FAILURES))


if __name__ == "__main__":
    main()
