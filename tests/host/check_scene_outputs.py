#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What a scene writes: below the working directory alone, unless --write-anywhere; what cannot be written ends a run with status 1; the last good
state replaces nothing but its own kind.     check_scene_outputs.py DIVAN"""
import ctypes
import os
import shutil
import subprocess
import sys
import tempfile
import threading

DIVAN = os.path.realpath(sys.argv[1])
FAILURES = []
HERE = OUTSIDE = ""

EXPORT = """<Node dt="0.1"><DefaultAnimationLoop/><EulerExplicitSolver/><MechanicalObject position="0 0 0"/><UniformMass totalMass="1"/>
  <Node><OglModel position="0 0 0 1 0 0 0 1 0" triangles="0 1 2"/><VisualModelOBJExporter filename="%s" %s/></Node></Node>
"""
JOINT = """<Node dt="0.1"><DefaultAnimationLoop/><EulerExplicitSolver/><MechanicalObject template="Rigid3d" position="0 0 0 0 0 0 1  1 0 0 0 0 0 1"/>
  <UniformMass vertexMass="0.5 1 [1 0 0, 0 1 0, 0 0 1]"/><JointSpringForceField outfile="%s" spring="BEGIN_SPRING 0 1 END_SPRING"/></Node>
"""
COMPLIANCE = """<Node dt="0.1"><FreeMotionAnimationLoop/><BlockGaussSeidelConstraintSolver/><Node name="Body"><EulerImplicitSolver/>
  <SparseLDLSolver/><MechanicalObject position="0 0 0"/><UniformMass totalMass="1"/>
  <PrecomputedConstraintCorrection fileDir="%s" recompute="1"/></Node></Node>
"""
STIFF = """<Node dt="1"><DefaultAnimationLoop/><EulerExplicitSolver/><MechanicalObject position="0 0 0 1 0 0"/>
  <UniformMass totalMass="1"/><SpringForceField spring="0 1 1e9 0 0.5"/></Node>
"""


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


def divan(status, *words, says=()):
    done = subprocess.run([DIVAN, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=60, check=False)
    call = "divan " + " ".join(words)
    check(done.returncode == status, "%s: exit status %d instead of %d: %s" % (call, done.returncode, status, done.stderr))
    for part in says:
        check(part in done.stderr, "%s: '%s' is not in: %s" % (call, part, done.stderr))
    return done.stdout


def files_of(folder):
    return sorted(os.path.relpath(os.path.join(at, name), folder) for at, _, names in os.walk(folder) for name in names)


def every_class_writes_here_and_nowhere_else():
    """Each class, by names that stay below the working directory and by names that leave it."""
    os.makedirs("inner/deep")
    os.symlink("inner", "to_inner")
    os.symlink(OUTSIDE, "to_outside")
    os.symlink(OUTSIDE, "inner/back_out")
    inside = ["inner", "inner/deep", "to_inner/deep", "inner/../inner", os.path.join(HERE, "inner"), "to_outside/../here/inner"]
    outside = ["..", "to_outside", "inner/back_out", OUTSIDE, "inner/../..", "/dev", "/proc/self/cwd/.."]
    classes = {
        "export": (lambda folder: EXPORT % (folder + "/file", 'exportAtBegin="1"'), "file.obj"),
        "joint": (lambda folder: JOINT % (folder + "/file"), "file"),
        "compliance": (lambda folder: COMPLIANCE % folder, "Body-3-0.1.comp"),
    }
    for name, (scene, result) in classes.items():
        for folder in inside:
            put("scene.scn", scene(folder))
            divan(0, "run", "scene.scn", "-n", "2")
            path = os.path.join(folder, result)
            check(os.path.isfile(path) and os.path.getsize(path) > 0, "%s: %s was not written" % (name, path))
            os.remove(path)
        for folder in outside:
            before = files_of(os.path.dirname(HERE))
            put("scene.scn", scene(folder))
            out = divan(1, "run", "scene.scn", "-n", "2", says=(result.rsplit(".", 1)[0], "is not below '%s'" % HERE, "--write-anywhere"))
            check("2 steps" in out, "%s: the run did not go on: %s" % (name, out))
            check(files_of(os.path.dirname(HERE)) == before, "%s: %s: files have come: %s" % (name, folder, files_of(OUTSIDE)))
        put("scene.scn", scene(OUTSIDE))
        divan(0, "run", "scene.scn", "-n", "2", "--write-anywhere")
        path = os.path.join(OUTSIDE, result)
        check(os.path.isfile(path), "%s: --write-anywhere wrote nothing" % name)
        for left in files_of(OUTSIDE):
            os.remove(os.path.join(OUTSIDE, left))
        divan(1, "run", "scene.scn", "-n", "2", "--strict", says=("is not below",))


def files_that_are_links_are_followed():
    put(os.path.join(OUTSIDE, "precious"), "precious")
    os.symlink(os.path.join(OUTSIDE, "precious"), "link")
    put("scene.scn", JOINT % "link")
    divan(1, "run", "scene.scn", "-n", "2", says=("'link' cannot be written: '%s/precious' is not below" % OUTSIDE,))
    check(get(os.path.join(OUTSIDE, "precious")) == "precious", "a file elsewhere was replaced through a link")
    os.symlink("inner_file", "inner_link")
    put("scene.scn", JOINT % "inner_link")
    divan(0, "run", "scene.scn", "-n", "2")
    check(os.path.islink("inner_link") and os.path.getsize("inner_file") > 0, "a link to a file here was not followed")
    for name in ("-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"):
        put("scene.scn", JOINT % name)
        divan(1, "run", "scene.scn", "-n", "2", says=("is not below",))


def folders_are_made_here_only():
    os.symlink(OUTSIDE, "away")
    for name in ("away/new/file", "../new/file", OUTSIDE + "/new/file"):
        put("scene.scn", EXPORT % (name, 'exportAtBegin="1"'))
        divan(1, "run", "scene.scn", "-n", "1", says=("is not below", "--write-anywhere"))
        check(not os.path.exists(OUTSIDE + "/new") and not os.path.exists("../new"), "a folder was made elsewhere: " + name)
    put("scene.scn", EXPORT % ("new/../other/file", 'exportAtBegin="1"'))
    divan(0, "run", "scene.scn", "-n", "1")
    check(os.path.isfile("other/file.obj"), "other/file.obj was not written")


def whoever_steps_a_scene_tells_of_lost_files():
    os.mkdir("taken.obj")
    for when in ('exportAtBegin="1"', 'exportAtEnd="1"', 'exportEveryNumberOfSteps="3"'):
        put("scene.scn", EXPORT % ("../elsewhere", when))
        said = ("cannot be written", "could not be written, as is said above")
        out = divan(1, "run", "scene.scn", "-n", "8", "--dump", "states.txt", says=said)
        check("8 steps" in out, "the run did not go on: " + out)
        check(os.path.isfile("states.txt") or "Every" not in when, "the dump is lost too")
        divan(1, "bench", "scene.scn", "-n", "8", says=said)
        divan(1, "save", "scene.scn", "saved.scn", "-n", "8", says=said)
        check(os.path.isfile("saved.scn"), "nothing was saved")
    put("scene.scn", EXPORT % ("taken", 'exportAtBegin="1"'))
    divan(1, "run", "scene.scn", "-n", "1", says=("'taken.obj' cannot be written: is a folder",))
    put("scene.scn", EXPORT % ("fine", 'exportAtEnd="1"'))
    divan(0, "run", "scene.scn", "-n", "1")
    divan(0, "check", "scene.scn")


def nothing_is_written_through_a_folder_that_is_exchanged():
    """While a run writes, its folder becomes a link to somewhere else and a folder again, over and over."""
    put("scene.scn", EXPORT % ("swapped/file", 'exportEveryNumberOfSteps="1"'))
    os.mkdir("swapped")
    os.symlink(OUTSIDE, "link")
    here, exchange = -100, 2  # AT_FDCWD, RENAME_EXCHANGE
    swap = ctypes.CDLL(None, use_errno=True).renameat2
    over = threading.Event()

    def exchange_all_the_time():
        while not over.is_set() and swap(here, b"swapped", here, b"link", exchange) == 0:
            pass

    for anywhere in ([], ["--write-anywhere"]):
        over.clear()
        thread = threading.Thread(target=exchange_all_the_time)
        thread.start()
        subprocess.run([DIVAN, "run", "scene.scn", "-n", "300", "--quiet"] + anywhere, stderr=subprocess.DEVNULL, timeout=100, check=False)
        over.set()
        thread.join()
        if not anywhere:
            check(not os.listdir(OUTSIDE), "written elsewhere: %s" % os.listdir(OUTSIDE)[:5])
    check(os.listdir(OUTSIDE) or ctypes.get_errno(), "the folder was never exchanged at the right moment")


def numbers_of_surfaces_come_back_as_floats():
    """Nine significant digits, however large or small."""
    numbers = [1.23456789e-7, 1234567.89, 0.1, -98765.4321e-3, 3.14159265e10, 2.5e-20, 1 / 3, 0.0, -1e-3]
    scene = EXPORT % ("digits", 'exportAtBegin="1"')
    put("scene.scn", scene.replace("0 0 0 1 0 0 0 1 0", " ".join("%.17g" % number for number in numbers)))
    divan(0, "run", "scene.scn", "-n", "1")
    found = [float(word) for line in get("digits.obj").splitlines() if line.startswith("v ") for word in line.split()[1:]]
    check(len(found) == 9 and all(abs(a - b) <= 5e-9 * abs(b) for a, b in zip(found, numbers)), "digits are lost: %s" % found)


def the_last_good_state_replaces_its_own_kind_only():
    put("stiff.scn", STIFF)
    mine = "stiff.scn.last-good.scn"
    put(mine, "<Node name='mine'/>\n")
    divan(3, "run", "stiff.scn", "-n", "5000", says=("the last good state is in stiff.scn.last-good-2.scn",))
    check(get(mine) == "<Node name='mine'/>\n", "a file of somebody else was replaced")
    first = get("stiff.scn.last-good-2.scn")
    divan(3, "run", "stiff.scn", "-n", "5000", says=("the last good state is in stiff.scn.last-good-2.scn",))
    check(get("stiff.scn.last-good-2.scn") == first, "the same run left another state")
    divan(0, "run", "stiff.scn.last-good-2.scn", "-n", "0")
    put("stiff.scn.last-good-2.scn", first.replace('dt="1"', 'dt="0.5"', 1))  # somebody goes on from it
    divan(3, "run", "stiff.scn", "-n", "5000", says=("the last good state is in stiff.scn.last-good-3.scn",))
    check('dt="0.5"' in get("stiff.scn.last-good-2.scn"), "what somebody had changed was replaced")
    os.symlink("stiff.scn.last-good-3.scn", "stiff.scn.last-good-4.scn")
    os.remove(mine)
    os.symlink("nowhere", mine)
    divan(3, "bench", "stiff.scn", "-n", "5000", says=("the last good state is in stiff.scn.last-good-3.scn",))
    check(not os.path.exists("nowhere"), "written through a link")


def main():
    global HERE, OUTSIDE
    for test in [every_class_writes_here_and_nowhere_else, files_that_are_links_are_followed, folders_are_made_here_only,
                 whoever_steps_a_scene_tells_of_lost_files, nothing_is_written_through_a_folder_that_is_exchanged,
                 numbers_of_surfaces_come_back_as_floats, the_last_good_state_replaces_its_own_kind_only]:
        work = os.path.realpath(tempfile.mkdtemp())
        HERE, OUTSIDE = os.path.join(work, "here"), os.path.join(work, "outside")
        os.mkdir(HERE)
        os.mkdir(OUTSIDE)
        os.chdir(HERE)
        before = len(FAILURES)
        test()
        print("%s: %s" % (test.__name__, "ok" if len(FAILURES) == before else "FAILED"))
        os.chdir("/")
        shutil.rmtree(work)
    return 1 if FAILURES else 0


sys.exit(main())
