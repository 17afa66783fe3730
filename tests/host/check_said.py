#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Transcripts of divan: what each command says of small scenes, and the files that it writes, line by line.   check_said.py DIVAN GOLDEN

GOLDEN, tests/host/golden/said.txt, has them as they are meant; scenes have numbers that are exact in any arithmetic. Where they differ, the
file as it is now is written to the working folder: to be looked at, and kept if it is what is meant. Times, versions and folders are left
out, numbers of files have nine digits, and what depends on the build's options is not asked.
"""
import difflib
import glob
import os
import re
import stat
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from share import share_of

os.environ.update(LC_ALL="C.UTF-8", LANGUAGE="C")
for variable in ("DIVAN_DATA_PATH", "DIVAN_PLUGIN_PATH"):
    os.environ.pop(variable, None)
divan, golden = map(os.path.realpath, sys.argv[1:3])

FILES = {
    "ball.scn": """<Node name="root" gravity="0 -8 0" dt="0.25">
  <DefaultAnimationLoop/>
  <EulerExplicitSolver/>
  <MechanicalObject name="ball" position="1 2 3"/>
  <UniformMass totalMass="2"/>
</Node>
""",
    # Nearly all time goes into the iterations of the larger of two bodies
    "heavy.scn": """<Node name="root" gravity="0 -8 0" dt="0.25">
  <DefaultAnimationLoop/>
  <Node name="Block">
    <EulerImplicitSolver/>
    <CGLinearSolver name="iterations" iterations="2000" tolerance="1e-300" threshold="1e-300"/>
    <RegularGridTopology n="5 5 5" min="0 0 0" max="1 1 1"/>
    <MechanicalObject/>
    <UniformMass totalMass="2"/>
    <HexahedronFEMForceField youngModulus="1000" poissonRatio="0.3"/>
    <FixedProjectiveConstraint indices="0 1 2 3 4"/>
  </Node>
  <Node name="Ball">
    <EulerImplicitSolver/>
    <CGLinearSolver iterations="1" tolerance="1e-9" threshold="1e-9"/>
    <MechanicalObject/>
    <UniformMass totalMass="2"/>
  </Node>
</Node>
""",
    # A name with blanks, a state that is mapped, one without points, a node that is switched off, meshes of all kinds
    "house.scn": """<Node name="root" gravity="0 -8 0" dt="0.5">
  <DefaultAnimationLoop/>
  <Node name="First floor">
    <EulerExplicitSolver/>
    <MechanicalObject name="50 % dofs" position="0 0 0  2 0 0" velocity="1 0 0  0 0.5 0"/>
    <UniformMass vertexMass="2"/>
    <MeshTopology name="lines" edges="0 1"/>
    <SpringForceField name="spring" spring="0 1 4 0 2"/>
    <Node name="copy">
      <MechanicalObject name="dofs" position="0 0 0  2 0 0"/>
      <IdentityMapping/>
    </Node>
  </Node>
  <Node name="Cellar">
    <MeshTopology name="solids" position="0 0 0  1 0 0  0 1 0  1 1 0  0 0 1  1 0 1  0 1 1  1 1 1" hexahedra="0 1 3 2 4 5 7 6"
                  tetrahedra="0 1 2 4  1 2 3 7" drawEdges="0"/>
    <Node name="Floor">
      <MeshTopology name="faces" position="0 0 0  1 0 0  0 1 0  1 1 0" triangles="0 1 2" quads="0 1 3 2"/>
    </Node>
  </Node>
  <Node name="Nobody"><MechanicalObject name="empty" position=""/></Node>
  <Node name="Attic" activated="0">
    <MechanicalObject name="dofs" position="7 7 7"/>
    <MeshTopology name="off" edges="0 1" position="0 0 0 1 1 1"/>
  </Node>
</Node>
""",
    # A particle that a penalty holds above a floor
    "touch.scn": """<Node name="root" gravity="0 0 0" dt="0.25">
  <DefaultAnimationLoop/>
  <CollisionPipeline/>
  <BruteForceBroadPhase/>
  <BVHNarrowPhase/>
  <MinProximityIntersection alarmDistance="0.5" contactDistance="0.25"/>
  <CollisionResponse response="PenalityContactForceField"/>
  <Node name="Ball, &quot;one&quot;">
    <EulerExplicitSolver/>
    <MechanicalObject position="0 3 0  0 4 0  0.25 0.125 0.25" velocity="0 0 0  0 0 0  0 -0.0625 0"/>
    <UniformMass vertexMass="1"/>
    <PointCollisionModel name="point"/>
  </Node>
  <Node name="Floor">
    <MeshTopology triangles="3 5 4  0 2 1"/>
    <MechanicalObject position="-1 0 -1  3 0 -1  -1 0 3  -1 -7 -1  3 -7 -1  -1 -7 3"/>
    <TriangleCollisionModel name="floor" simulated="0" moving="0"/>
  </Node>
</Node>
""",
    "mistakes.scn": """<Node name="root" dt="0.25">
  <DefaultAnimationLoop/>
  <EulerExplicitSolvr/>
  <MechanicalObject name="ball" position="1 2 3" positions="1"/>
  <UniformMass totalMas="2" name="a&quot;b\\c"/>
  <SpringForceField spring="0 9 1 1 1"/>
</Node>
""",
    "warns.scn": """<Node name="root" dt="0.25">
  <DefaultAnimationLoop/>
  <EulerExplicitSolver/>
  <MechanicalObject name="ball" position="1 2 3"/>
  <UniformMass totalMass="2" totalMas="3"/>
  <VisualStyle displayFlags="showVisul"/>
</Node>
""",
    "seen.scn": """<Node name="root" dt="0.25">
  <DefaultAnimationLoop/>
  <VisualStyle displayFlags="showBehaviorModels"/>
  <EulerExplicitSolver/>
  <MechanicalObject name="ball" position="1 2 3" showObject="1"/>
  <UniformMass totalMass="2"/>
</Node>
""",
    "stiff.scn": """<Node dt="1"><DefaultAnimationLoop/><EulerExplicitSolver/><MechanicalObject name="m" position="0 0 0 1 0 0"/>
  <UniformMass totalMass="1"/><SpringForceField name="s" spring="0 1 1e9 0 0.5"/></Node>
""",
    "at": """# a comment
DT 0.125
STATE /First%20floor/50%20%25%20dofs 2 free
X 0 0 0  4 0 0
V 0 0 0  0 2 0
DX 1 0 0  0 0.5 0
STATE /First%20floor/copy/dofs 2 mapped
DX 0 0 1  0 0 0
STATE /Nobody/empty 0 free
MAPPING /First%20floor/copy/IdentityMapping1 IdentityMapping Vec3d,Vec3d
FIN /First%20floor/copy/dofs 2 1 2 3 4 5 6
""",
    "blank": "\n",
}
# States that are none, each with what is wrong in it.
STATES = {
    "word": "STATE /ball 1 free\nX 0 0 zero\n", "few": "STATE /ball 1 free\nX 0 0\n", "none": "STATE /ball 1 free\nV 0 0 0\n",
    "points": "STATE /ball 2 free\nX 0 0 0 1 1 1\n", "other": "STATE /bell 1 free\nX 0 0 0\nSTATE /b%20c 1 free\nX 0 0 0\n",
    "many": "".join("STATE /s%d 1 free\nX 0 0 0\n" % i for i in range(7)), "dt": "DT often\nSTATE /ball 1 free\nX 0 0 0\n",
    "dts": "DT 1 2\nSTATE /ball 1 free\nX 0 0 0\n", "nameless": "STATE 1\n", "countless": "STATE /ball many free\n",
    "mapping": "MAPPING /a\n", "given": "STATE /ball 1 free\nX 0 0 0\nPROJECTIVE /a B C\nPIN\n", "unowned": "X 0 0 0\n",
}
CALLS = [
    "", "--version", "rum", "nonsense", "run", "run --help", "bench -h", "check --help", "save --help", "list x", "info", "info A B",
    "new-plugin", "run ball.scn house.scn", "save ball.scn", "save ball.scn a b", "verify --help", "render --help", "probe --help",
    "new-plugin --help", "list --help", "info --help",
    # numbers and names of options
    "run ball.scn -n", "run ball.scn -n x", "run ball.scn -n -1", "run ball.scn -n 2147483648", "run -n2 ball.scn", "run -n=2 ball.scn",
    "run --steps=2 ball.scn", "run --steps 2 ball.scn", "run -n 2 ball.scn -n 3", "run -n2 --steps 2 ball.scn", "run -n 0 ball.scn",
    "run --threads 1025 ball.scn", "run --threads -1 ball.scn", "run --threads 1024x ball.scn", "run --grain-divisor 0 ball.scn",
    "run --dt 0 ball.scn", "run --dt -1 ball.scn", "run --dt inf ball.scn", "run --dt 1x ball.scn", "run --dt nan ball.scn",
    "run -n 1 --dt 0.5 ball.scn", "verify --jobs 0", "verify --jobs 1025", "render ball.scn --frames 0", "render ball.scn --frames 1000001",
    "render ball.scn --every 0", "render ball.scn --size 10", "render ball.scn --size 0x10", "render ball.scn --size 10x0",
    "render ball.scn --size 10x10x10", "render ball.scn --size 16385x1 --out p", "render ball.scn --size 1x16385 --out p",
    "render ball.scn",
    "run ball.scn --dumb x", "run ball.scn --html x", "run ball.scn --json", "run ball.scn --zebra", "run ball.scn -z",
    "run ball.scn --dump= -n 1", "run ball.scn --contacts=", "run ball.scn --dump-topology=", "run ball.scn --plugin-set=",
    "run ball.scn --plugin=", "probe ball.scn --at=", "probe ball.scn --at at --out=", "verify --scenes=", "render ball.scn --camera= --out p",
    "render ball.scn --mp4=", "new-plugin --folder= abc", "run --hash --hash -n 1 --quiet ball.scn", "run -n 1 -- ball.scn",
    "run -- -n", "run -n 1 --quiet -- ball.scn -n",
    # steps and what is said of them
    "run -n 2 ball.scn", "run -n 2 --quiet ball.scn", "run -n 2 --verbose ball.scn", "run -n 20 --verbose ball.scn",
    "run -n 19 --verbose ball.scn", "run -n 11 --verbose ball.scn", "run -n 0 --verbose house.scn",
    "run -n 4 --dump states ball.scn", "run -n 4 --dump states --dump-steps 0,2,3 ball.scn", "run -n 4 --dump states --dump-steps 1 ball.scn",
    "run -n 1 --dump states --dump-topology meshes house.scn", "run -n 2 --dump-topology meshes --dump-steps 2 house.scn",
    "run -n 2 --dump - ball.scn", "run -n 2 --dump - --quiet ball.scn", "run -n 1 --contacts /dev/stdout touch.scn",
    "run -n 2 --contacts contacts touch.scn", "run -n 2 --stats touch.scn", "run -n 1 --stats --quiet ball.scn",
    "run -n 1 --stats --dump - ball.scn", "run -n 1 --hash --contacts - ball.scn", "save --hash ball.scn -",
    "run -n 4 --dump-steps 1 ball.scn", "run -n 4 --dump a --dump-steps 1,1 ball.scn", "run -n 4 --dump a --dump-steps 2,1 ball.scn",
    "run -n 4 --dump a --dump-steps 1,, ball.scn", "run -n 4 --dump a --dump-steps= ball.scn", "run -n 4 --dump a --dump-steps x ball.scn",
    "run -n 4 --dump a --dump-steps 3,5 ball.scn", "run -n 4 --dump a --dump-steps 4 ball.scn", "run -n 4 --dump a --dump-steps -1 ball.scn",
    "run -n 300 stiff.scn --dump states --dump-steps 0", "save -n 1 ball.scn out.scn", "save ball.scn -", "save -n 1 --quiet ball.scn out.scn",
    "save ball.scn nowhere/out.scn", "save ball.scn ball.scn", "run nowhere.scn", "run blank", "run mistakes.scn", "run -n 1 warns.scn",
    "run -n 1 --keep-going mistakes.scn", "run --strict -n 1 warns.scn", "run --strict -n 1 ball.scn", "run -n 1 --dump ball.scn ball.scn",
    "run -n 1 ball.scn --dump nowhere/states --contacts c", "run -n 1 ball.scn --contacts ball.scn",
    # what is wrong, and what is there
    "check ball.scn", "check mistakes.scn", "check --json mistakes.scn", "check warns.scn", "check --json warns.scn", "check seen.scn",
    "check --json ball.scn", "check touch.scn", "check --json touch.scn", "check nowhere.scn",
    "info UniformMass", "info Node", "info CGLinearSolver", "info OglModell", "info xyzzy", "info IdentityMapping", "info StiffSpringForceField",
    "list --plugin-set nowhere",
    "new-plugin soft-robots", "new-plugin Soft", "new-plugin constant", "new-plugin x --license MIT!", "new-plugin soft2 --folder nowhere",
    "new-plugin soft-2b --license MIT", "new-plugin soft-2b --kind linear-solver", "new-plugin x --kind mass", "new-plugin --kind= x",
    "bench -n 0 ball.scn", "bench -n 3 ball.scn", "bench -n 3 --json ball.scn", "bench nowhere.scn",
    "bench -n 300 stiff.scn",
    "bench -n 3 --target-hz 1e6 heavy.scn", "bench -n 3 --target-hz 1e-3 heavy.scn", "bench -n 3 --target-hz 1e6 --json heavy.scn",
    "bench -n 3 --target-hz 0 ball.scn", "bench --target-hz often ball.scn",
    # single components
    "probe house.scn --at at --out probed", "probe house.scn --at at --out -", "probe house.scn --at at",
    "probe house.scn --out probed", "probe house.scn --at nowhere --out probed", "probe nowhere.scn --at at --out probed",
    "probe house.scn --at blank --out probed", "probe house.scn --at at --out at", "probe ball.scn --at at --out probed",
] + ["probe ball.scn --at %s.state --out probed" % name for name in STATES]


# The same with standard error at a terminal, where progress is shown.
AT_TERMINAL = ["run -n 0 ball.scn", "run -n 1 ball.scn", "run -n 2 ball.scn", "run -n 2 --quiet ball.scn", "run -n 2 --verbose ball.scn"]


def masked(text, work):
    text = text.replace(work, "WORK").replace(os.path.dirname(divan), "PROGRAM")
    text = re.sub(r"\d+\.\d+\.\d+", "VERSION", text)
    text = re.sub(r" in \S+ s: \S+ steps/s, (simulated time \S+ s), real-time factor \S+", r" in T s: N steps/s, \1, real-time factor N", text)
    text = re.sub(r"\S+ steps/s", "N steps/s", text)
    text = re.sub(r"(median|percentile|mean|factor) [-\d.e+]+(?= us|,)", r"\1 T", text)
    text = re.sub(r" +[\d.]+ us a step, (?=\S+ calls)", " T us a step, ", text)
    text = re.sub(r"takes [-\d.e+]+ (times|%)", r"takes T \1", text)
    text = re.sub(r"[-\d.e+]+ %( at the 99th percentile| of a step)", r"T %\1", text)
    text = re.sub(r"(?m)^next: .*\n(  cheaper: .*\n)*", "", text)
    text = re.sub(r'("(?:median_us|p99_us|mean_us)"): [\d.]+', r"\1: T", text)
    if '"phases"' in text:
        begin = text.index('"phases"')
        text = text[:begin] + re.sub(r": [\d.]+", ": T", text[begin:])
    text = re.sub(r"\S*\.part\b", "PART", text)
    text = re.sub(r"/\S+/(divan-\w+\.so|plugins\.conf)", r"\1", text)
    text = re.sub(r"  divan\.(cxsparse|hdf5|image|mumps|opengl) .*\n.*\n.*\n", "", text)
    text = re.sub(r"\n  cuda   .*", "\n  cuda                 AS THE BUILD AND THE MACHINE HAVE IT", text)
    # plugins and classes of libraries that may not be there, and lists that grow
    text = "".join(line for line in text.splitlines(True) if not re.search(r"^info: plugin (?!divan\.(mechanics|scene) )", line))
    return text


def rounded(word):
    if not re.fullmatch(r"-?\d+\.?\d*(?:e[-+]?\d+)?", word):
        return word
    return "%.9g" % (0.0 if abs(float(word)) < 1e-12 else float(word))


def contents(name):
    with open(name, encoding="utf-8", errors="replace") as file:
        text = file.read()
    return re.sub(r"[^\s,\"'<>=/]+", lambda word: rounded(word.group()), text)


def run(call, work, at_terminal):
    """Exit status, standard output, standard error."""
    if not at_terminal:
        done = subprocess.run([divan] + call.split(), cwd=work, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True, errors="replace", check=False, timeout=120)
        return done.returncode, done.stdout, done.stderr
    master, slave = os.openpty()
    done = subprocess.run([divan] + call.split(), cwd=work, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=slave, text=True,
                          check=False, timeout=120)
    os.write(slave, b"\n")
    os.close(slave)
    said = b""
    try:
        while part := os.read(master, 65536):
            said += part
    except OSError:  # all has been read
        pass
    os.close(master)
    return done.returncode, done.stdout, said.decode().replace("\r\n", "\n").replace("\r", "\\r")[:-1]


def transcript_of(call, at_terminal=False):
    with tempfile.TemporaryDirectory(prefix="divan-said-") as work:
        for name, text in list(FILES.items()) + [(name + ".state", text) for name, text in STATES.items() if name in call]:
            with open(os.path.join(work, name), "w", encoding="utf-8") as out:
                out.write(text)
        before = {name: os.stat(os.path.join(work, name)).st_mtime_ns for name in os.listdir(work)}
        status, out, err = run(call, work, at_terminal)
        lines = ["$ divan " + call + "  (at a terminal)" * at_terminal] + (["exit status %d" % status] if status else [])
        if " --dump - " in call or call.startswith("save") or "/dev/stdout" in call or " --out -" in call:
            out = re.sub(r"[^\s,\"'<>=/]+", lambda word: rounded(word.group()), out)
        if call.startswith("info "):
            out = out.split("\nFields of every object:")[0] + out[out.find("\nFields of every object:"):] * (call == "info Node")
        lines += ["  " + line for line in masked(out, work).splitlines()]
        lines += ["  ! " + line for line in masked(err, work).splitlines()]
        for folder, _, names in sorted(os.walk(work)):
            for name in sorted(names):
                path = os.path.join(folder, name)
                short = os.path.relpath(path, work)
                if before.get(short) == os.stat(path).st_mtime_ns:
                    continue
                if not stat.S_ISREG(os.stat(path).st_mode):
                    continue
                lines.append("  file " + re.sub(r".*\.part$", "PART", short))
                if call.startswith("new-plugin"):
                    lines[-1] += ": %d lines" % contents(path).count("\n")
                else:
                    lines += ["    " + line for line in masked(contents(path), work).splitlines()]
        return "\n".join(lines) + "\n"


def classes_are_listed_by_family(listed):
    """Each tenth class of the list: what `info` says of it, in families in order of the alphabet."""
    plugins, _, rest = listed.partition("\n\n")
    if not plugins.startswith("Plugins:\n") or not re.search(r"^  divan\.mechanics      \d\S* +LGPL-2\.1-or-later +started +/\S+\.so$", plugins, re.M):
        return "divan list: its plugins are\n" + plugins
    families = re.findall(r"^(\S.*):\n((?:  .*\n)+)", "\n" + rest, re.M)
    number, names = 0, []
    for family, classes in families:
        for k, (name, help_) in enumerate(re.findall(r"^  (\S+) +(.*)$", classes, re.M)):
            number += 1
            if k and number % 10:
                continue
            said = subprocess.run([divan, "info", name], stdout=subprocess.PIPE, text=True, check=True).stdout
            own = re.search(r"^family: (.*)$", said, re.M)
            own = own.group(1) if own else "others"
            if not said.startswith("%s: %s\n" % (name, help_)) or own[0].upper() + own[1:] != family:
                return "divan list: %s of %s: %s, but divan info: %s" % (name, family, help_, said[:300])
            names += [own] if k == 0 else []
    if names != sorted(names) or len(names) < 10:
        return "divan list: families are %s" % names
    return None


NAMES = ("collision", "mechanics", "scene", "solvers", "topology", "visual")
built = os.path.join(os.path.dirname(divan), "..", "..", "plugins", "*", "divan-%s.so")
if not all(glob.glob(built % name) for name in NAMES):
    sys.exit(77)  # a build without some of the plugins
listed = subprocess.run([divan, "list"], stdout=subprocess.PIPE, text=True, check=False).stdout
for name in NAMES:
    if not re.search(r"^  divan\.%s .* started " % name, listed, re.M):
        sys.exit("divan list: divan.%s has not started: %s" % (name, listed))
with open(golden, encoding="utf-8") as file:
    kept = file.read()
calls = [(call, False) for call in CALLS] + [(call, True) for call in AT_TERMINAL]
parts = re.split(r"(?m)^(?=\$ divan )", kept)[1:]  # what stands there of each
if len(parts) == len(calls):
    today = share_of(range(len(calls)), "transcripts")
    kept, calls = "".join(parts[i] for i in today), [calls[i] for i in today]
now = "".join(transcript_of(*call) for call in calls)
wrong = classes_are_listed_by_family(listed)
if now != kept:
    print("".join(list(difflib.unified_diff(kept.splitlines(True), now.splitlines(True), "golden/said.txt", "now"))[:100]))
    with open("said.txt", "w", encoding="utf-8") as file:
        file.write(now)
if wrong:
    print(wrong)
sys.exit(now != kept or wrong is not None)
