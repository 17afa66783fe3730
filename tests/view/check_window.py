#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A session at the window, by keys and mouse under Xvfb: open, animate, pull, hide, change a stiffness, plot it, reset, save, open again; what
was recorded is replayed to the same bits. Files are dropped on it and opened again from its menu, Escape closes what is in front, a message in
the log leads to its component; elements are removed, a body is cut, a point is pulled by a constraint and fixed. Then what goes wrong: errors in
the scene, files that have gone, a full disk, files that cannot be written, no OpenGL, no display. It waits for what comes of the keys, never for
a time.

check_window.py DIVAN_VIEW SCENES"""
import os
import re
import shutil
import struct
import subprocess
import sys
import urllib.parse

import x11
from viewer import FAILURES, SECONDS, begin_folder, check, draws_without_display, end_folder, recorded, replay, wait_for
from window import VIEW, SCENES, Window, start_display

# Colours of the window: blue, green, red.
PANEL, MENU, TITLE = (0x2c, 0x26, 0x22), (0x36, 0x2f, 0x2a), (0x22, 0x1d, 0x1a)
SELECTED, HOLD = (0x82, 0x5d, 0x2f), (0x4d, 0xd3, 0xff)


def steps(words, name="work.session"):
    return [int(line.split()[0]) for line in recorded(words, name)]


def pull(window):
    window.do("mousemove", "900", "330", "keydown", "shift", "mousedown", "1")
    wait_for("a pull", lambda: recorded(" grab "))
    for i in range(1, 6):
        window.do("mousemove", str(900 + 6 * i), str(330 - 8 * i))
    wait_for("a pull that moves", lambda: recorded(" drag "))
    wait_for("an arrow to the mouse", lambda: x11.colors(895, 300, 28, 30).count(HOLD) > 20)
    window.do("mouseup", "1", "keyup", "shift")
    wait_for("the end of the pull", lambda: recorded(" release"))


def click_tabs(window):
    """The mouse comes and clicks at once: that is for the tab below it, not for what was below it before. In the middle of the window, where
    nothing is lit, the tab in front has another colour than the others."""
    tabs = (393, 442, 500)
    for front in (2, 1, 0):
        window.do("mousemove", str(tabs[front]), "594", "click", "1", "mousemove", "800", "300")

        def is_in_front():
            colors = [x11.pixel(x, 586) for x in tabs]
            return colors.count(colors[front]) == 1 and len(set(colors)) == 2
        wait_for("tab %d in front" % front, is_in_front)


def change_and_plot(window):
    window.key("ctrl+f")
    window.type("elasticity")
    window.key("Return")
    window.type("youngModulus")
    window.key("Return")
    window.type("2000000")
    window.key("Return")
    wait_for("a change of the stiffness", lambda: recorded('edit "/Beam/elasticity.youngModulus" "2000000"'))
    window.key("ctrl+g", "ctrl+t", "Return")
    wait_for("the plots as a table", lambda: os.path.exists("beam.csv"))
    with open("beam.csv", encoding="utf-8") as file:
        lines = file.read().splitlines()
    check(lines[0] == 'time,"/Beam/elasticity.youngModulus[0].0"', "the table has another head: " + lines[0])
    check(lines[-1].endswith(",2000000"), "the plot has not the stiffness that was typed: " + lines[-1])


def hide_and_show(window):
    """Out of sight it goes on, and it comes back."""
    window.key("ctrl+a")
    before = wait_for("a key for the scene", lambda: steps(" key 1 65"))[-1]
    window.do("windowunmap", window.id)
    window.do("windowmap", window.id)
    wait_for("the keys in the window again", window.take_keys)
    wait_for("steps while it was out of sight", lambda: window.key("ctrl+a") or steps(" key 1 65")[-1] > before)
    window.do("windowsize", window.id, "900", "600")
    wait_for("another size", lambda: window.size() == ["900", "600"])


def session():
    window = Window("beam.scn", "--record", "work.session")
    if not window.id:
        return
    wait_for("a recording", lambda: recorded("start "))
    click_tabs(window)
    window.key("space")
    pull(window)
    hide_and_show(window)
    window.key("space")
    change_and_plot(window)
    window.key("BackSpace")
    wait_for("a reset", lambda: recorded(" reset"))
    window.key("ctrl+s", "Return")
    wait_for("a saved scene", lambda: os.path.exists("beam.saved.scn"))
    window.key("ctrl+o")
    window.type("beam.saved.scn")
    window.key("Return")
    wait_for("the end of the recording", lambda: recorded(" end "))
    window.key("F1", "Escape", "ctrl+q")
    check(window.end() == 0, "exit status after a session: " + window.said())
    with open("beam.saved.scn", encoding="utf-8") as file:
        check('youngModulus="2000000"' in file.read(), "the saved scene has not the stiffness that was typed")
    if not draws_without_display(VIEW):
        replay(VIEW, "work.session")


def open_file_menu(window):
    window.click(25, 12)
    wait_for("the menu", lambda: x11.pixel(300, 250) == MENU)


def escape(window):
    """Closes what is in front: the menu, of two windows the one that was opened last."""
    open_file_menu(window)
    window.key("Escape")
    wait_for("no menu", lambda: x11.pixel(300, 250) != MENU)
    keys, files = (500, 100), (940, 180)
    window.key("F1", "ctrl+o")
    wait_for("two windows", lambda: x11.pixel(*keys) == TITLE and x11.pixel(*files) == TITLE)
    window.click(715, 42)
    wait_for("the tools", lambda: x11.pixel(790, 150) == MENU)
    window.key("Escape")
    wait_for("no tools", lambda: x11.pixel(790, 150) != MENU)
    check(x11.pixel(*keys) == TITLE and x11.pixel(*files) == TITLE, "Escape closes more than the list of tools")
    window.key("Escape")
    wait_for("one window", lambda: x11.pixel(*files) != TITLE)
    check(x11.pixel(*keys) == TITLE, "Escape closes more than the window in front")
    window.key("Escape")
    wait_for("no window", lambda: x11.pixel(*keys) != TITLE)


def drop(window, name):
    with x11.Drop(int(window.id), 700, 300, ["file://" + urllib.parse.quote(os.path.realpath(name))]) as dropped:
        check(wait_for("an answer to what was dropped", dropped.go_on) == "taken", name + " is not taken")


def drop_files(window):
    """A scene, then the recording of the session before: what is done again is recorded again."""
    shutil.copy("beam.scn", "a b.scn")
    drop(window, "a b.scn")
    wait_for("the scene that was dropped", lambda: window.title() == "a b.scn - divan-view")
    drop(window, "work.session")
    wait_for("the scene of the recording", lambda: window.title() == "beam.scn - divan-view")
    done = recorded(" ")
    window.key("ctrl+e", "Return")
    wait_for("all that was recorded", lambda: recorded(" ", "beam.session")[:-1] == done[:-1] or
             recorded(" ", "beam.session") == done[:-1])
    window.key("ctrl+e")
    wait_for("another recording of it", lambda: recorded(" end ", "beam.session"))
    check(recorded(" ", "beam.session") == done, "what was replayed is not what was recorded: %s" % recorded(" end ", "beam.session"))


def recent_files():
    with open(os.path.join(os.environ["XDG_CONFIG_HOME"], "divan", "view.conf"), encoding="utf-8") as file:
        found = [line.strip() for line in file if line.startswith("recent=")]
    return [os.path.basename(name) for name in found[0][len("recent="):].split(";") if name]


def open_recent(window, place):
    open_file_menu(window)
    window.do("mousemove", "60", "58")
    wait_for("the files that were open", lambda: x11.pixel(336, 78) == MENU)
    window.do("mousemove", "400", "58", "mousemove", "400", str(58 + 20 * place))
    window.do("click", "1")


def open_again():
    """By the menu of a window that was started anew; a file that has gone leaves the scene and the list as they are, but for itself."""
    window = Window("beam.scn")
    check(recent_files()[:2] == ["beam.scn", "a b.scn"], "recent: %s" % recent_files())
    open_recent(window, 1)
    wait_for("the scene of the menu", lambda: window.title() == "a b.scn - divan-view")
    open_recent(window, 1)
    wait_for("the scene before", lambda: window.title() == "beam.scn - divan-view")
    os.remove("a b.scn")
    open_recent(window, 1)
    wait_for("news of a file that has gone", lambda: "a b.scn: there is no such file; the scene that is open stays" in window.said())
    check(window.title() == "beam.scn - divan-view" and "a b.scn" not in recent_files(),
          "after a file that has gone: %s, recent: %s" % (window.title(), recent_files()))
    window.key("ctrl+q")
    check(window.end() == 0, "exit status after files of the menu: " + window.said())


def opened_again():
    window = Window("beam.scn")
    escape(window)
    drop_files(window)
    window.key("ctrl+q")
    check(window.end() == 0, "exit status after files that were dropped: " + window.said())
    open_again()


def click_message():
    """The component that a message is about is selected in the tree."""
    with open("odd.scn", "w", encoding="ascii") as file:
        file.write("<Node><DefaultAnimationLoop/><Node name='Ball'><EulerExplicitSolver/><MechanicalObject name='dofs' position='0 0 0'/>"
                   "<UniformMass name='mass' totalMas='2'/></Node></Node>\n")
    window = Window("odd.scn")
    wait_for("a message", lambda: "totalMas" in window.said())
    for width, height in (("480", "320"), ("1280", "800")):  # panels that had no room have it again
        window.do("windowsize", window.id, width, height)
        wait_for("another size", lambda: window.size() == [width, height])
        wait_for("its picture", lambda: x11.pixel(int(width) - 4, int(height) - 4) == PANEL)
    wait_for("the row of the root", lambda: x11.pixel(330, 111) == SELECTED)
    window.click(600, 650)
    wait_for("the row of the mass", lambda: x11.pixel(330, 267) == SELECTED)
    window.key("ctrl+q")
    check(window.end() == 0, "exit status after a click on a message: " + window.said())


def points_of(name):
    """Of the mesh of the block in a saved scene, which says them when they are others than those of its 6 x 6 x 5 grid."""
    with open(name, encoding="utf-8") as file:
        found = re.search(r'name="volume">\s*<State nbPoints="(\d+)"', file.read())
    return int(found[1]) if found else 6 * 6 * 5


def carve():
    """An element goes, and is not drawn any more, though no step is made; a way of the mouse through the block cuts it."""
    window = Window("carving.scn", "--record", "carve.session")
    wait_for("a recording", lambda: recorded("start ", "carve.session"))
    wait_for("the block", lambda: len(set(x11.colors(810, 320, 20, 20))) > 1)
    before = x11.pixel(820, 330)
    window.do("mousemove", "820", "330", "keydown", "shift", "click", "3", "keyup", "shift")
    wait_for("an element that goes", lambda: recorded(" grab 3 ", "carve.session"))
    wait_for("a hole where it was", lambda: x11.pixel(820, 330) != before)
    window.key("ctrl+s", "Return")
    wait_for("a saved block", lambda: os.path.exists("carving.saved.scn"))
    before = points_of("carving.saved.scn")
    os.remove("carving.saved.scn")
    window.do("mousemove", "640", "360", "keydown", "shift", "mousedown", "2")
    wait_for("a cut that begins", lambda: recorded(" grab 4 ", "carve.session"))
    for i in range(1, 12):
        window.do("mousemove", str(640 + 40 * i), str(360 - 5 * i))
        wait_for("a place of the cut", lambda: len(recorded(" drag ", "carve.session")) >= i)
    window.do("mouseup", "2", "keyup", "shift")
    wait_for("the end of the cut", lambda: len(recorded(" release", "carve.session")) == 2)
    window.key("n")
    window.key("ctrl+s", "Return")
    wait_for("the block that is cut", lambda: os.path.exists("carving.saved.scn"))
    check(points_of("carving.saved.scn") > before, "the cut makes no points: %d, %d" % (before, points_of("carving.saved.scn")))
    window.key("ctrl+q")
    check(window.end() == 0, "exit status after a cut: " + window.said())
    if not draws_without_display(VIEW):
        replay(VIEW, "carve.session")


STRING = """<Node name="root" gravity="0 -10 0" dt="0.01"><FreeMotionAnimationLoop/>
<BlockGaussSeidelConstraintSolver maxIterations="1000" tolerance="1e-12"/><VisualStyle displayFlags="showBehaviorModels"/>
<Camera position="1 0 3" lookAt="1 0 0"/>
<Node name="String"><EulerImplicitSolver/><SparseLDLSolver template="CompressedRowSparseMatrixMat3x3d"/>
<MechanicalObject name="dofs" position="0 0 0  1 0 0  2 0 0" showObject="1" drawMode="1" showObjectScale="0.1"/><UniformMass totalMass="3"/>
<SpringForceField spring="0 1 500 1 1  1 2 500 1 1"/><FixedProjectiveConstraint indices="0"/><LinearSolverConstraintCorrection/></Node></Node>
"""


def is_white(x, y):
    return min(x11.pixel(x, y)) > 170


def hold():
    """Three balls in a row, of which the first is fixed and the last is at (1024, 318): what a constraint holds is where the mouse is; what is
    fixed stays while the ball in the middle falls."""
    with open("string.scn", "w", encoding="ascii") as file:
        file.write(STRING)
    window = Window("string.scn", "--record", "string.session")
    wait_for("a recording", lambda: recorded("start ", "string.session"))
    wait_for("the balls", lambda: is_white(822, 318) and is_white(1024, 318))
    for mode, y in ((1, 89), (2, 109)):
        window.click(715, 42)
        wait_for("the tools", lambda: x11.pixel(790, 150) == MENU)
        window.click(700, y)
        window.do("mousemove", "1024", "318", "keydown", "shift", "mousedown", "1")
        wait_for("a ball that is held", lambda: recorded(" grab %d " % mode, "string.session"))
        if mode == 1:
            window.key("space")
            for i in range(1, 9):
                window.do("mousemove", "1024", str(318 - 10 * i))
                wait_for("a ball that is pulled", lambda: len(recorded(" drag ", "string.session")) >= i)
            wait_for("the ball where the mouse is", lambda: x11.pixel(1024, 238) == HOLD and not is_white(1024, 318))
            window.key("space")
        window.do("mouseup", "1", "keyup", "shift")
        wait_for("the end of it", lambda: len(recorded(" release", "string.session")) == mode)
        if mode == 1:
            window.key("BackSpace")
            wait_for("the balls in a row", lambda: is_white(822, 318) and is_white(1024, 318))
    window.key("space")
    wait_for("the ball in the middle below", lambda: not is_white(822, 318))
    wait_for("some steps", lambda: window.key("ctrl+a") or (recorded(" key 1 65", "string.session") and
             steps(" key 1 65", "string.session")[-1] > steps(" reset", "string.session")[-1] + 50))
    check(is_white(1024, 318), "the ball that is fixed has moved")
    window.key("ctrl+q")
    check(window.end() == 0, "exit status after a constraint: " + window.said())
    if not draws_without_display(VIEW):
        replay(VIEW, "string.session")


def size_of_png(name):
    with open(name, "rb") as file:
        head = file.read(24)
    return struct.unpack(">II", head[16:24]) if len(head) == 24 else None


def read_again(window):
    """By Ctrl+R: what is said of the scene then comes once more."""
    with open("sized.scn", encoding="utf-8") as file:
        text = file.read()
    with open("sized.scn", "w", encoding="utf-8") as file:
        file.write(text.replace("<Node name=\"Beam\"", '<Unknown/><Node name="Beam"', 1))
    window.key("ctrl+r")
    wait_for("a scene that is read again", lambda: "Unknown" in window.said())
    window.key("s")
    wait_for("a picture of it", lambda: os.path.exists("sized.scn-0001.png") and size_of_png("sized.scn-0001.png"))
    os.remove("sized.scn-0001.png")
    with open("sized.scn", "w", encoding="utf-8") as file:
        file.write(text)


def size_of_the_scene():
    """The picture has the size that the scene's ViewerSetting says, unless the command line says that of the window."""
    with open("beam.scn", encoding="utf-8") as file:
        text = file.read()
    with open("sized.scn", "w", encoding="utf-8") as file:
        file.write(text.replace("<Node name=\"Beam\"", '<ViewerSetting resolution="611 377"/><Node name="Beam"', 1))
    for number, words in enumerate(([], ["--size", "1000x700"])):
        window = Window("sized.scn", *words)
        picture = "sized.scn-%04d.png" % number
        if not words:
            def has_size():
                for name in os.listdir("."):
                    if name.startswith("sized.scn-"):
                        os.remove(name)
                window.key("s")
                wait_for("a picture", lambda: os.path.exists("sized.scn-0000.png") and size_of_png("sized.scn-0000.png"))
                return size_of_png("sized.scn-0000.png") == (611, 377)
            wait_for("a picture of 611 x 377", has_size)
            window.do("windowsize", window.id, "900", "600")
            wait_for("another size", lambda: window.size() == ["900", "600"])
            read_again(window)
            check(window.size() == ["900", "600"], "a scene that is read again changes the size: %s" % window.size())
        else:
            window.key("s")
            wait_for("another picture", lambda: os.path.exists(picture) and size_of_png(picture))
            check(window.size() == ["1000", "700"], "--size 1000x700: %s" % window.size())
        window.key("ctrl+q")
        check(window.end() == 0, "exit status after a scene with a size: " + window.said())


GUARDED = """<Node name="root" dt="0.01"><DefaultAnimationLoop/><VisualStyle displayFlags="showVisual"/><include href="part.xml"/>
<Node name="look"><MeshOBJLoader name="mesh" filename="box.obj"/><OglModel src="@mesh"/></Node></Node>
"""
PART = "<Node name='part'><EulerExplicitSolver/><MechanicalObject name='dofs' position='0 0 0'/><UniformMass totalMass='1'/></Node>\n"


def write(name, text):
    with open(name, "w", encoding="ascii") as file:
        file.write(text)


def read(name):
    with open(name, encoding="utf-8", errors="replace") as file:
        return file.read()


def files_stay():
    """Nothing that is there is replaced without a question, and what the scene is made from never, by whatever name; endings are added, and
    names suggested that nothing has."""
    write("guarded.scn", GUARDED)
    write("part.xml", PART)
    shutil.copy(os.path.join(SCENES, "meshes", "box.obj"), "box.obj")
    box = read("box.obj")
    os.link("guarded.scn", "hard.mp4")
    os.symlink("guarded.scn", "soft.mp4")
    os.link("part.xml", "hard.session")
    os.symlink("box.obj", "soft.session")
    os.link("box.obj", "hard.csv")
    for name in ("old.session", "old.saved.scn", "guarded.saved.scn"):
        write(name, "old\n")
    window = Window("guarded.scn", "--size", "1280x800")
    question = (840, 334)

    def name(keys, text):
        window.key(keys)
        window.type(text)
        window.key("Return")

    def refused(keys, text, why="is a file that the open scene is made from"):
        before = window.said().count(why)
        name(keys, text)
        wait_for("a refusal of " + text, lambda: window.said().count(why) > before)
        window.key("Escape")

    def asked():
        wait_for("a question", lambda: x11.pixel(*question) == TITLE)

    def all_is_there():
        check(read("guarded.scn") == GUARDED and read("part.xml") == PART and read("box.obj") == box, "a file of the scene is another")

    for text in ("hard.mp4", "soft.mp4", os.path.realpath("hard.mp4")):
        refused("ctrl+m", text)
    for text in ("hard.session", "soft.session"):
        refused("ctrl+e", text)
    refused("ctrl+t", "hard.csv")
    refused("ctrl+s", "part.xml")
    all_is_there()
    # A film gets its ending: the scene keeps its name.
    name("ctrl+m", "guarded.scn")
    if shutil.which("ffmpeg"):
        wait_for("a film", lambda: [file for file in os.listdir(".") if file.startswith("guarded.scn.mp4")])
        window.key("ctrl+m")
        wait_for("a film that is whole", lambda: os.path.exists("guarded.scn.mp4"))
    else:
        wait_for("the reason why there is no film", lambda: "ffmpeg cannot be started" in window.said())
    all_is_there()
    # What is there stays when it is kept, by Escape or Enter, and is replaced when that is wanted.
    for key in ("Escape", "Return"):
        name("ctrl+e", "old")
        asked()
        window.key(key)
        wait_for("no question", lambda: x11.pixel(*question) != TITLE)
        window.key("Escape")
        check(read("old.session") == "old\n", "%s replaces a file" % key)
    name("ctrl+e", "old")
    asked()
    window.key("r")
    wait_for("a recording in place of what was there", lambda: len(recorded("start ", "old.session")))
    # Ctrl+E ends it once the window knows of it: the status bar then says so in red.
    wait_for("the word of it", lambda: any(red > 150 and green < 110 for _, green, red in x11.colors(640, 776, 640, 24)))
    window.key("ctrl+e")
    wait_for("its end", lambda: "divan-session" in read("old.session"))
    # The scene itself, by its own saved state alone.
    name("ctrl+s", "guarded.scn")
    asked()
    window.key("Escape")
    wait_for("no question", lambda: x11.pixel(*question) != TITLE)
    window.key("Escape")
    all_is_there()
    # Suggested is what nothing has.
    for suggested in ("guarded.saved-2.scn", "guarded.saved-3.scn"):
        window.key("ctrl+s", "Return")
        wait_for(suggested, lambda: os.path.exists(suggested))
    check(read("guarded.saved.scn") == "old\n", "a suggested name is that of a file")
    # The view beside the scene.
    write("guarded.scn.view", "old\n")
    window.key("w")
    asked()
    window.key("Escape")
    wait_for("no question", lambda: x11.pixel(*question) != TITLE)
    check(read("guarded.scn.view") == "old\n", "a view is replaced without a question")
    window.key("w")
    asked()
    window.key("r")
    wait_for("the view", lambda: "<Camera" in read("guarded.scn.view"))
    all_is_there()
    window.key("ctrl+q")
    check(window.end() == 0, "exit status after files that stay: " + window.said())
    write("notes.txt", "old\n")
    refused_at_start = (("guarded.scn", "the open scene is made from"), ("soft.mp4", "the open scene is made from"),
                        ("notes.txt", "no picture by the end of its name"))
    for file, why in refused_at_start:
        done = subprocess.run([VIEW, "guarded.scn", "--screenshot", file], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                              timeout=3 * SECONDS, check=False)
        check(done.returncode == 1 and why in done.stderr, "--screenshot %s: %d: %s" % (file, done.returncode, done.stderr))
    check(read("notes.txt") == "old\n", "a picture replaces what is none")
    all_is_there()


def close(name, way):
    """What was recorded is whole."""
    window = Window("beam.scn", "--start", "--record", name)
    wait_for("a recording", lambda: recorded("start ", name))
    way(window)
    check(window.end() == 0 and recorded(" end ", name), "%s: %s" % (name, window.said()))


def refused(status, words, *arguments, **environment):
    done = subprocess.run([VIEW, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, timeout=3 * SECONDS,
                          check=False, env={name: value for name, value in {**os.environ, **environment}.items() if value is not None})
    check(done.returncode == status and words in done.stderr,
          "%s: exit status %d: %s" % (" ".join(arguments), done.returncode, done.stderr))


def display_goes():
    """The server of the display ends: that is said, and what was recorded is whole."""
    before = os.environ["DISPLAY"]
    server, os.environ["DISPLAY"] = start_display()
    window = Window("beam.scn", "--start", "--record", "gone.session")
    wait_for("a recording", lambda: recorded("start ", "gone.session"))
    server.kill()
    server.wait()
    status = window.end()
    os.environ["DISPLAY"] = before
    check(status == 1 and "divan-view: the display is gone" in window.said() and "XIO" not in window.said(),
          "a display that goes: %d: %s" % (status, window.said()))
    check(recorded(" end ", "gone.session"), "the recording has no end after the display has gone")


def full_disk():
    """A file may have no more than 2048 bytes: that is said once, the simulation goes on, and what was written is still there."""
    window = Window("beam.scn", "--record", "full.session", shell="trap '' XFSZ; ulimit -f 2; ")

    def is_full():
        return "further changes are not recorded" in window.said()

    while not is_full():  # each key is a picture: no more of them wait than are sent at once
        before = len(recorded(" key ", "full.session"))
        window.key(*["ctrl+a"] * 20)
        if not wait_for("keys that are recorded, or a full disk", lambda: is_full() or len(recorded(" key ", "full.session")) >= before + 20):
            break
    window.key("ctrl+s", "Return")
    window.key("ctrl+q")
    check(window.end() == 0, "exit status after a full disk: " + window.said())
    check(window.said().count("further changes are not recorded") == 1, "it is said more than once: " + window.said())
    check(not os.path.exists("full.session"), "a recording that is not whole has the name of one that is")
    check(len(recorded(" key ", "full.session")) > 50, "what was recorded before is lost: " + " ".join(os.listdir(".")))


def mistakes():
    with open("bad.scn", "w", encoding="ascii") as file:
        file.write("<Node><DefaultAnimationLoop/><NoSuchThing name='x'/><MechanicalObject name='dofs'/></Node>\n")
    window = Window("bad.scn")
    wait_for("a message about a bad scene", lambda: "NoSuchThing" in window.said())
    window.key("ctrl+q")
    check(window.end() == 0, "exit status after a scene with errors")
    os.mkdir("locked", 0o755)
    refused(1, "no/such/folder/x.session", "beam.scn", "--record", "no/such/folder/x.session", "--screenshot", "locked")
    refused(1, "no display", "beam.scn", DISPLAY=None, WAYLAND_DISPLAY=None)
    server, display = start_display("-extension", "GLX")
    refused(1, "it takes a display with OpenGL", "beam.scn", DISPLAY=display)
    server.terminate()
    server.wait()
    refused(2, "expected a size", "beam.scn", "--size", "big")


def main():
    for program in ("Xvfb", "xdotool"):
        if not shutil.which(program):
            print("skipped: there is no %s; ./bootstrap test installs it" % program)
            return 77
    server, display = start_display()
    if not server:
        print("skipped: Xvfb does not start")
        return 77
    folder = begin_folder("divan-window-")
    try:
        os.environ.update(DISPLAY=display, SDL_VIDEODRIVER="x11")
        for name in ("beam.scn", "carving.scn"):
            shutil.copy(os.path.join(SCENES, name), folder)
        session()
        opened_again()
        click_message()
        carve()
        hold()
        size_of_the_scene()
        files_stay()
        close("closed.session", lambda window: x11.ask_to_close(int(window.id)))
        close("ended.session", lambda window: window.process.terminate())
        display_goes()
        full_disk()
        mistakes()
    finally:
        server.terminate()
        server.wait()
        end_folder(folder)
    return 1 if FAILURES else 0


sys.exit(main())
