#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Run scenes of the reference and compare with what it computed for them.

usage: reference.py GROUP [NAME...] [--divan PROGRAM] [--shared FOLDER] [--verbose]

  trajectories   scenes of sofa/lists/first-light.txt: compare-states
  load           scenes of sofa/lists/first-load.txt: load, 100 steps, save
  probes         probes of probes/first-light.txt: compare-operators and compare-states
  contact        scenes of sofa/lists/first-contact.txt and probes of contact whose response is here: compare-states, and
                 compare-contacts for those that the reference has contacts of
  holds          chainAll for 2,000 steps: tori that hang in each other at the start do at the end
  topology       scenes of sofa/lists/first-topology.txt and all that sofa/topology has connectivity of: compare-topology, and
                 compare-states with the frames or else the trajectory; scenes of classes that no plugin has yet are left out, by name
  restart        all of these: saved at step 10, loaded and run on, the same hash at step 100, or where both explode
  threads        all of these: the same hashes with 1, 2 and 8 threads and small chunks
  allocations    scenes of first-light.txt and our own without contacts: no heap allocation in a step after the first (where contacts
                 come and go, tests/collision looks at the steps between)
  speed          median time of a step against sofa/timings.tsv (prints ratios, never fails)
  speed-contact  the same of scenes of sofa/lists/first-contact.txt; times are first scaled by what liver_without_collision takes
                 on this machine at this moment and 80 us, which it took on the machine of the table

NAME keeps the scenes whose path contains one of the names. The data lie beside the project in ../shared (or $DIVAN_SHARED);
without them there is nothing to compare with, which is said in one line. Closes with "N passed, N failed".
"""
import concurrent.futures
import glob
import gzip
import json
import math
import os
import subprocess
import sys
import tempfile

ROOT = os.environ.get("DIVAN_TEST_SOURCE_ROOT") or os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
RESTART_AT, RESTART_TO = 10, 100
NOT_FINITE = 3  # exit status of a run that explodes


def option(name, default):
    return sys.argv[sys.argv.index(name) + 1] if name in sys.argv else default


SHARED = os.path.abspath(option("--shared", os.environ.get("DIVAN_SHARED", os.path.join(ROOT, "..", "shared"))))
DIVAN = os.path.abspath(option("--divan", os.environ.get("DIVAN_HOST", os.path.join(ROOT, "build", "hosts", "divan", "divan"))))
VERBOSE = "--verbose" in sys.argv
EXAMPLES = os.path.join(SHARED, "sofa", "examples")
PROBES = os.path.join(SHARED, "probes")


# Beside the lists: what uses classes that came later.
MORE_SCENES = ["Component/Topology/Container/Grid/SparseGridTopology.scn",
               "Component/SolidMechanics/Spring/RestShapeSpringsForceField.scn",
               "Tutorials/ForceFields/TutorialForceFieldLiverHexaFEM.scn", "Tutorials/StepByStep/FullObject/3_FullObject.scn",
               "Tutorials/StepByStep/FullObject/4_FullObject.scn"]
MORE_PROBES = ["Mapping/Distance.scn", "Mapping/SquareDistance.scn", "Mapping/Barycentric_SparseGridTopology.scn",
               "FEM/HexahedronFEMForceField_sparse.scn"]


def lines(*path):
    with open(os.path.join(SHARED, *path)) as f:
        return [line.split()[0] for line in f if line.strip() and not line.startswith("#")]


def divan(*arguments, timeout=300):
    environment = dict(os.environ)
    environment["DIVAN_DATA_PATH"] = os.path.join(SHARED, "sofa", "share") + ":" + EXAMPLES
    # In a folder of its own: a run that explodes leaves its last good state where it was started.
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([DIVAN, *arguments], capture_output=True, text=True, timeout=timeout, env=environment, cwd=folder)
    if VERBOSE and done.stderr:
        print(done.stderr, end="")
    return done


def tool(name, *arguments):
    done = subprocess.run([os.path.join(SHARED, "tools", name), *arguments], capture_output=True, text=True)
    return done.returncode == 0, (done.stdout.strip().splitlines() or ["no result"])[-1]


def last_words(done):
    errors = [line for line in done.stderr.splitlines() if line.startswith("error")]
    return (errors or done.stderr.strip().splitlines() or ["no message"])[0][:300]


def steps_of(trajectory):
    with gzip.open(trajectory, "rt") as f:
        return [int(line.split()[1]) for line in f if line.startswith("STEP")]


def compare_states(scene, trajectory, folder, *tolerance):
    steps = steps_of(trajectory)
    dump = os.path.join(folder, "states")
    done = divan("run", scene, "-n", str(steps[-1]), "--quiet", "--dump", dump, "--dump-steps", ",".join(map(str, steps)))
    if done.returncode != 0:
        return False, "exit %d: %s" % (done.returncode, last_words(done))
    return tool("compare-states", trajectory, dump, *tolerance)


def trajectory(name, folder):
    return compare_states(os.path.join(EXAMPLES, name), os.path.join(SHARED, "sofa", "trajectories", name + ".txt.gz"), folder)


def load(name, folder):
    scene, saved = os.path.join(EXAMPLES, name), os.path.join(folder, "saved.scn")
    done = divan("save", scene, saved, "-n", "100", "--quiet")
    if done.returncode == 0:
        done = divan("run", saved, "-n", "1", "--quiet")
    return done.returncode == 0, "loads, runs, saves, loads again" if done.returncode == 0 else last_words(done)


def probe(name, folder):
    scene = os.path.join(PROBES, "scenes", name)
    dump = os.path.join(folder, "operators")
    state = os.path.join(PROBES, "operators", name + ".txt.gz")
    plain = os.path.join(folder, "at")
    result = []
    if os.path.exists(state):
        with gzip.open(state, "rb") as packed, open(plain, "wb") as unpacked:
            unpacked.write(packed.read())
        done = divan("probe", scene, "--at", plain, "--out", dump)
        result.append(tool("compare-operators", state, dump) if done.returncode == 0 else (False, last_words(done)))
    trajectory_of_probe = os.path.join(PROBES, "trajectories", name + ".txt.gz")
    result.append(compare_states(scene, trajectory_of_probe, folder, "--rtol", "1e-5"))
    return all(ok for ok, _ in result), " | ".join(text for _, text in result)


CONTACT_PROBES = ("Constraint/", "Sticking/", "Penalty/", "Groups/", "OBB/", "PerModel/", "SelfCollision/", "Friction/", "Rigid/", "Unbuilt/", "Order/", "Rules/", "Correction/all", "Correction/generic", "Correction/precomputed", "Correction/two")
BOX_SCENES = "Plugins/CollisionOBBCapsule/"
CONSTRAINT_SCENES = ["Component/Constraint/Lagrangian/%sLagrangianConstraint%s.scn" % n
                     for n in (("Bilateral", "_NNCG"), ("Bilateral", "_UGS"), ("Sliding", ""))]
# Known by their reason: steps up to which the trajectory is compared point by point. What is compared after that: see below.
#   RigidMapping: tori in symmetric places, where the last bit decides which of two equally near contacts counts
#   LiverTriangleFEM: conjugate gradients stopped long before they converge; our own run moves by 1e-2 at step 1 when Young's
#     modulus changes by 2e-16
#   plasticity: the same decision of equally near contacts after step 50
#   chainAll: the first step of two tori is what unconverged conjugate gradients leave: the reference differs from itself on another
#     processor by 1.51e-6 there (sofa/reproducibility.tsv), we from it by 1.72e-6
#   FreeMotionAnimationLoop: contacts in symmetric places, in the order in which the last bit sorts the tree; the solver stops
#     before it has converged, so that the order shows from step 10 on
#   Constraint/Sliding: from step 2 on the reference takes what rounding leaves of a distance for a direction, and the point sticks to
#     its axis as far as that lies along it. With its formula our own run moves by its whole motion with the tolerance of the solver
CONTACT_UNTIL = {"Constraint/Sliding.scn": "0",
                 "RigidMapping.scn": "30", "LiverTriangleFEM.scn": "0", "plasticity.scn": "50",
                 "FreeMotionAnimationLoop.scn": "9"}
# Such scenes, as wholes, to 1e-2 of the motion: the centre of each body (its height, at rest in the end) and how far it goes between
# the frames (its momentum), up to this step. Gaps are not in what is kept of the reference; the number of contacts is.
AS_A_WHOLE = {"RigidMapping.scn": 50, "LiverTriangleFEM.scn": 100, "plasticity.scn": 300}
# Such scenes with a start that is changed by some 1e-15, which decides as the reference did: one of these runs is its own to the end,
# by the tolerance of all scenes. What is to be replaced, and by what.
NUDGED = {"FreeMotionAnimationLoop.scn": ('dz="0"', 'dz="%g"')}
# Such scenes that fly apart in the end (after the step of AS_A_WHOLE): there the reference is no farther from us than we are from
# ourselves with a start that is changed by some 1e-15.
SCATTERED = {"RigidMapping.scn": ('dx="5"', 'dx="5" dy="%g"')}
NUDGES = [k * 1e-15 for k in range(1, 9)]
# Steps up to which contacts are compared, where it is not that of the states.
#   Chain: from there on positions differ by 1e-5
#   LCP_with_friction: four corners come down together; which are within the alarm distance first is the last bit's decision
#   LiverTriangleFEM: to the end, though its states are not
CONTACTS_UNTIL = {"TetrahedronFEMForceField_Chain.scn": "70", "LCP_with_friction.scn": "22", "LiverTriangleFEM.scn": "100"}
#   rigid_stick_constraint: a body at rest, whose velocity of 1e-11 is what the solver leaves, to 1e-17
CONTACT_FIRST_STEP = {"chainAll.scn": "2e-5", "rigid_stick_constraint.scn": "2e-6"}


def read_states(file):
    """{step: {path: [points]}} of a trajectory or a dump; of equal paths the first."""
    frames, frame, path = {}, {}, None
    with (gzip.open if file.endswith(".gz") else open)(file, "rt") as f:
        for line in f:
            tag, _, rest = line.partition(" ")
            if tag == "STEP":
                frame = frames[int(rest.split()[0])] = {}
            elif tag == "STATE":
                path, _, size = rest.rpartition(" ")
                size = int(size)
            elif tag == "X" and size > 0 and path not in frame:
                x = [float(word) for word in rest.split()]
                width = len(x) // size
                frame[path] = [x[i:i + min(width, 3)] for i in range(0, len(x), width)]
    return frames


def between(p, q):
    return math.sqrt(sum((a - b) ** 2 for a, b in zip(p, q)))


def centre(points):
    return [sum(p[axis] for p in points) / len(points) for axis in range(len(points[0]))]


def motion(frames, path, step):
    """The longest way of a point of a state from the start, up to a step."""
    start = frames[min(frames)][path]
    return max(between(p, q) for k in frames if k <= step and path in frames[k] for p, q in zip(start, frames[k][path]))


def compare_wholes(reference, ours, until):
    """The largest error of the centre of a state, and of its way between two frames, as a share of the largest motion so far."""
    worst = (0.0, "centre", "-", 0)
    steps = [k for k in sorted(reference) if k <= until]
    for last, step in zip(steps, steps[1:]):
        for path in reference[step]:
            if path not in reference[steps[0]] or path not in ours[step]: # points of contact, which come and go
                continue
            moved = motion(reference, path, step)
            a, b = ([centre(f[k][path]) for k in (last, step)] for f in (reference, ours))
            ways = [[x - y for x, y in zip(f[1], f[0])] for f in (a, b)]
            for what, error in (("centre", between(a[1], b[1])), ("momentum", between(*ways))):
                if moved > 1e-9:
                    worst = max(worst, (error / moved, what, path, step))
    return worst


def dumped(scene, steps, folder, name):
    file = os.path.join(folder, name)
    divan("run", scene, "-n", str(steps[-1]), "--quiet", "--dump", file, "--dump-steps", ",".join(map(str, steps)))
    return file


def nudged(scene, change, by, folder):
    with open(scene) as f:
        text = f.read()
    copy = os.path.join(folder, "nudged.scn")
    with open(copy, "w") as f:
        f.write(text.replace(change[0], change[1] % by))
    return copy


def as_a_whole(name, scene, folder, until):
    results = []
    for kept in ("frames", "trajectories"):
        file = os.path.join(SHARED, "sofa", kept, name + ".txt.gz")
        if os.path.exists(file):
            ours = read_states(dumped(scene, steps_of(file), folder, kept))
            results.append(compare_wholes(read_states(file), ours, until))
    error, what, path, step = max(results)
    return error <= 1e-2, "as a whole: %s %.2g at step %d in %s" % (what, error, step, path)


def decides_as_the_reference(name, scene, folder, change):
    file = os.path.join(SHARED, "sofa", "trajectories", name + ".txt.gz")
    for by in NUDGES:
        ok, text = compare_states(nudged(scene, change, by, folder), file, folder)
        if ok:
            return True, "start changed by %g: %s" % (by, text)
    return False, "no change of the start by some 1e-15 gives the run of the reference"


def farthest(a, b, step):
    return max(between(p, q) for path in a[step] if path in b[step] for p, q in zip(a[step][path], b[step][path]))


def scatters(name, scene, folder, change):
    file = os.path.join(SHARED, "sofa", "trajectories", name + ".txt.gz")
    steps = steps_of(file)
    ours, last = read_states(dumped(scene, steps, folder, "ours")), steps[-1]
    away = farthest(read_states(file), ours, last)
    own = max(farthest(read_states(dumped(nudged(scene, change, by, folder), steps, folder, "own")), ours, last) for by in NUDGES)
    return away <= own, "at step %d %.2g from the reference, %.2g from ourselves" % (last, away, own)


# What scenes that are not compared point by point to the end are compared by.
OTHERWISE = ((AS_A_WHOLE, as_a_whole), (NUDGED, decides_as_the_reference), (SCATTERED, scatters))


# The tool parts lines at blanks: names that hold some cannot be compared by it.
def can_be_read(contacts):
    with gzip.open(contacts, "rt") as f:
        return all(len(line.split()) == 4 for line in f if line.startswith("PAIR"))


def contact(name, folder):
    scene = scene_of(name)
    kept = PROBES if scene.startswith(PROBES) else os.path.join(SHARED, "sofa")
    tolerance = []
    for ending, step in CONTACT_UNTIL.items():
        tolerance += ["--until", step] if name.endswith(ending) else []
    for ending, first in CONTACT_FIRST_STEP.items():
        tolerance += ["--rtol1", first] if name.endswith(ending) else []
    result = [compare_states(scene, os.path.join(kept, "trajectories", name + ".txt.gz"), folder, *tolerance)]
    result += [check(name, scene, folder, known[ending]) for known, check in OTHERWISE for ending in known if name.endswith(ending)]
    contacts = os.path.join(kept, "contacts", name + ".contacts.txt.gz")
    if os.path.exists(contacts) and can_be_read(contacts):
        table = os.path.join(folder, "contacts.csv")
        done = divan("run", scene, "-n", "100" if kept != PROBES else "40", "--quiet", "--contacts", table)
        until = [w for e, s in {**CONTACT_UNTIL, **CONTACTS_UNTIL}.items() if name.endswith(e) for w in ("--until", s)]
        result.append(tool("compare-contacts", contacts, table, *until) if done.returncode == 0 else (False, last_words(done)))
    return all(ok for ok, _ in result), " | ".join(text for _, text in result)


def contact_names():
    names = lines("sofa", "lists", "first-contact.txt")
    names += [BOX_SCENES + n for n in sorted(os.listdir(os.path.join(EXAMPLES, BOX_SCENES))) if n.endswith(".scn")]
    return names + CONSTRAINT_SCENES + [n for f in ("contact.txt", "contact-more.txt") for n in lines("probes", f) if n.startswith(CONTACT_PROBES)]


def reach(points):
    middle = centre(points)
    return max(between(p, middle) for p in points)


def holds(name, folder):
    """Of rings that hang in each other the middles stay nearer than both reach: those that part are farther apart from then on."""
    scene, steps = os.path.join(EXAMPLES, name), [1, 500, 1000, 1500, 2000]
    frames = read_states(dumped(scene, steps, folder, "states"))
    rings = [path for path in frames[1] if path.split("/")[2].startswith("Surf") or path.startswith("/TorusFixed")]
    nearer = lambda frame, a, b: between(centre(frame[a]), centre(frame[b])) < reach(frame[a]) + reach(frame[b])
    linked = [(a, b) for i, a in enumerate(rings) for b in rings[i + 1:] if between(centre(frames[1][a]), centre(frames[1][b])) < 3.0]
    parted = [(step, a, b) for step in steps for a, b in linked if not nearer(frames[step], a, b)]
    if parted:
        return False, "at step %d %s and %s have parted" % parted[0]
    return len(linked) >= 10, "%d pairs of rings hang in each other after %d steps" % (len(linked), steps[-1])


# Known by their reason: steps up to which states are compared.
#   IdentityMapping: conjugate gradients stopped long before they converge; our own run moves by 6e-3 at step 1 when Young's modulus
#     changes by 2e-16
#   SimpleCarving: the tool falls along the axis onto a point in the middle of the lid; which of the triangles around it, equally near,
#     it touches is the last bit's decision, and what it is pushed aside by then decides at step 98: our own run moves by 1e-2 at
#     step 100 when the tool starts 1e-12 beside the axis, more than the 9e-3 between both. The mesh is the reference's in all steps
#   SphereGridTopology: twelve overturned tetrahedra, and slivers; a rounding error grows tenfold with each of the 25 iterations that
#     conjugate gradients are given: our own run moves by 5e-4 at step 1 when the axis changes by 1e-16
#   CylinderGridTopology: a cylinder of springs buckles; our own run is another one at step 100 when the axis changes by 1e-16
#   SubsetTopology_...: conjugate gradients stopped at 1e-5; the reference is 1e-3 and 1e-4 from itself at step 1 (numbers and places
#     are those of step 0)
TOPOLOGY_UNTIL = {"SubsetTopology_localIndicesOption.scn": "0", "SubsetTopology_refiningMesh.scn": "0", "Linear/IdentityMapping.scn": "0", "SimpleCarving.scn": "10", "SphereGridTopology.scn": "0",
                  "CylinderGridTopology.scn": "10"}
# Beside the list: what uses classes that came later.
MORE_TOPOLOGY = ["Component/Topology/Container/Grid/CylinderGridTopology.scn", "Component/Topology/Container/Grid/SphereGridTopology.scn",
                 "Component/Topology/Container/Constant/CubeTopology.scn",
                 "Component/Topology/Container/Grid/SparseGridMultipleTopology.scn",
                 "Component/Topology/Mapping/SubsetTopologicalMapping.scn", "Component/Topology/Mapping/Mesh2PointTopologicalMapping.scn",
                 "Component/Mapping/Linear/SimpleTesselatedTetraTopologicalMapping.scn",
                 "Component/Engine/Select/SubsetTopology_localIndicesOption.scn", "Component/Engine/Select/SubsetTopology_refiningMesh.scn"]


def topology_names():
    folder = os.path.join(SHARED, "sofa", "topology")
    found = {os.path.relpath(f, folder).split(".scn.")[0] + ".scn" for f in glob.glob(os.path.join(folder, "**", "*.gz"), recursive=True)}
    return lines("sofa", "lists", "first-topology.txt") + MORE_TOPOLOGY + sorted(found - set(lines("sofa", "lists", "first-topology.txt")))


# The tool ends a path at the first blank: names in it go.
def without_blanks(dump):
    with open(dump) as f:
        text = [line.rstrip("\n") for line in f]
    with open(dump + ".joined", "w") as f:
        for line in text:
            f.write(("TOPOLOGY " + line[9:].replace(" ", "_") if line.startswith("TOPOLOGY ") else line) + "\n")
    return dump + ".joined"


def reproducibility():
    """How far each scene of the reference is from itself on another processor, after step 1."""
    rows = (line.split("\t") for line in open(os.path.join(SHARED, "sofa", "reproducibility.tsv")) if not line.startswith("#"))
    return {row[0]: float(row[2]) for row in rows}


def topology(name, folder):
    scene, kept = os.path.join(EXAMPLES, name), os.path.join(SHARED, "sofa", "topology", name)
    result = []
    changes, named = kept + ".topology.txt.gz", glob.glob(glob.escape(kept) + ".reference_*")
    if os.path.exists(changes) or named:
        dump = os.path.join(folder, "topology")
        steps = max([30] + (steps_of(changes) if os.path.exists(changes) else []))
        done = divan("run", scene, "-n", str(steps), "--quiet", "--dump-topology", dump)
        if "that no plugin of Divan offers yet" in last_words(done):
            return None, last_words(done)
        if done.returncode != 0:
            return False, last_words(done)
        result += [tool("compare-topology", changes, dump)] if os.path.exists(changes) else []
        result += [tool("compare-topology", kept, without_blanks(dump))] if named else []
    states = [os.path.join(SHARED, "sofa", f, name + ".txt.gz") for f in ("frames", "trajectories")]
    states = [f for f in states if os.path.exists(f)]
    until = [w for e, s in TOPOLOGY_UNTIL.items() if name.endswith(e) for w in ("--until", s)]
    if states:  # no one can be nearer than the reference is to itself
        allowed = max(1e-3, 10.0 * reproducibility().get(name, 0.0))
        result.append(compare_states(scene, states[0], folder, "--rtol", str(allowed), *until))
    return all(ok for ok, _ in result), " | ".join(text for _, text in result)


def scene_of(name):
    probe_scene = os.path.join(PROBES, "scenes", name)
    return probe_scene if os.path.exists(probe_scene) else os.path.join(EXAMPLES, name)


def hash_at(done, step):
    for line in done.stdout.splitlines():
        if line.startswith("%d " % step):
            return line.split()[1]
    return None


def restart(name, folder):
    scene, saved = scene_of(name), os.path.join(folder, "saved.scn")
    straight = divan("run", scene, "-n", str(RESTART_TO), "--hash", "--quiet")
    done = divan("save", scene, saved, "-n", str(RESTART_AT), "--quiet")
    if done.returncode != 0:
        return False, last_words(done)
    done = divan("run", saved, "-n", str(RESTART_TO - RESTART_AT), "--hash", "--quiet")
    end = RESTART_TO
    if straight.returncode == NOT_FINITE == done.returncode:  # a scene that explodes: up to there
        end = next((k for k in range(RESTART_TO, RESTART_AT, -1) if hash_at(straight, k)), RESTART_TO)
    a, b = hash_at(straight, end), hash_at(done, end - RESTART_AT)
    if a == b and a:
        return True, a
    now, then = hash_at(straight, RESTART_AT), hash_at(done, 0)
    first = next((k for k in range(RESTART_TO - RESTART_AT + 1) if hash_at(straight, RESTART_AT + k) != hash_at(done, k)), None)
    return False, "%s %s; states %s when loaded, first other after %s steps; %s" % (
        a, b, "equal" if now == then else "differ", first, last_words(done) if done.stderr else "")


def threads(name, folder):
    runs = [divan("run", scene_of(name), "-n", "20", "--hash", "--quiet", "--threads", count, "--grain-divisor", divisor)
            for count, divisor in (("1", "1000000"), ("2", "1000000"), ("8", "1000000"))]
    same = all(r.stdout == runs[0].stdout for r in runs) and runs[0].returncode == 0 and runs[0].stdout
    return bool(same), "same bits" if same else "hashes differ" if runs[0].returncode == 0 else last_words(runs[0])


def own_scenes_without_contacts():
    scenes = sorted(glob.glob(os.path.join(ROOT, "scenes", "*.scn")))
    return [scene for scene in scenes if "<CollisionPipeline" not in open(scene).read()]


def allocations(name, folder):
    done = divan("bench", name if os.path.isabs(name) else os.path.join(EXAMPLES, name), "-n", "10", "--json")
    if done.returncode != 0:
        return False, last_words(done)
    count = json.loads(done.stdout)["allocations_per_step"]
    return count == 0, "%g allocations a step" % count


def median_us(name, runs):
    """The least of the medians of some runs, and allocations a step; or what went wrong."""
    best = None
    for _ in range(runs):
        done = divan("bench", os.path.join(EXAMPLES, name), "--json")
        if done.returncode != 0:
            raise RuntimeError(last_words(done))
        result = json.loads(done.stdout)
        if best is None or result["median_us"] < best["median_us"]:
            best = result
    return best["median_us"], best["allocations_per_step"]


def speed(name, folder, machine=1.0):
    table = {}
    for line in open(os.path.join(SHARED, "sofa", "timings.tsv")):
        if not line.startswith("#"):
            table[line.split("\t")[0]] = float(line.split("\t")[1])
    try:
        took, allocations = median_us(name, 3)
    except RuntimeError as error:
        return False, str(error)
    ratio = table[name] / (took / machine)
    speed.ratios.append(ratio)
    return True, "%10.2f us, reference %10.2f, ratio %6.2f, %g allocations a step" % (
        took / machine, table[name], ratio, allocations)


speed.ratios = []


def speed_contact(name, folder):
    machine = median_us("Variants/liver_without_collision.scn", 3)[0] / 80.0
    ok, text = speed(name, folder, machine)
    return ok, "%s (machine %.2f)" % (text, machine)


def main():
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        print(__doc__, end="", file=sys.stderr)
        return 2
    if not os.path.isdir(SHARED):
        print("skipped: no reference data in %s" % SHARED)
        print("0 passed, 0 failed, 1 skipped")
        return 77
    group = sys.argv[1]
    light, first_load, probes = lines("sofa", "lists", "first-light.txt"), lines("sofa", "lists", "first-load.txt"), lines("probes", "first-light.txt")
    light, probes = light + MORE_SCENES, probes + MORE_PROBES
    run, names, workers = {
        "trajectories": (trajectory, light, 2),
        "load": (load, first_load, 2),
        "probes": (probe, probes, 2),
        "contact": (contact, contact_names(), 2),
        "holds": (holds, ["Demos/chainAll.scn"], 1),
        "topology": (topology, topology_names(), 2),
        "restart": (restart, light + probes, 2),
        "threads": (threads, light + probes, 2),
        "allocations": (allocations, light + own_scenes_without_contacts(), 2),
        "speed": (speed, light, 1),
        "speed-contact": (speed_contact, lines("sofa", "lists", "first-contact.txt"), 1),
    }[group]
    wanted = [a for i, a in enumerate(sys.argv[2:], 2) if not a.startswith("--") and sys.argv[i - 1] not in ("--divan", "--shared")]
    names = [n for n in names if not wanted or any(w in n for w in wanted)]

    def one(name):
        with tempfile.TemporaryDirectory() as folder:
            try:
                return run(name, folder)
            except subprocess.TimeoutExpired as error:
                return False, "took more than %g s" % error.timeout

    failed = left = 0
    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        for name, (ok, text) in zip(names, pool.map(one, names)):
            failed += ok is False
            left += ok is None
            print("%s %-70s %s" % ("ok    " if ok else "left  " if ok is None else "FAILED", name, text), flush=True)
    if speed.ratios:
        print("geometric mean of the ratios: %.2f, least %.2f" % (
            math.exp(sum(map(math.log, speed.ratios)) / len(speed.ratios)), min(speed.ratios)))
    print("%d passed, %d failed%s" % (len(names) - failed - left, failed, ", %d need classes that are not there yet" % left if left else ""))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
