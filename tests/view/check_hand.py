#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What a hand does at the window, by keys and mouse under Xvfb, and what the window calls it. It waits for what comes of
the keys; for a time only where two clicks are not to be three.

check_hand.py DIVAN_VIEW SCENES [PLAYED_PAD]"""
import os
import shutil
import subprocess
import sys
import time

import x11
from viewer import FAILURES, begin_folder, check, end_folder, recorded, wait_for
from window import VIEW, SCENES, Window, start_display

# Colours of the window: blue, green, red.
MENU, SELECTED = (0x36, 0x2f, 0x2a), (0x82, 0x5d, 0x2f)
FIRST_CURVE, SECOND_CURVE = (0xe0, 0xa3, 0x4f), (0x4b, 0x93, 0xe8)
OUTLINE = (0x1a, 0x94, 0xff)
HOLD, PANEL, CHILD = (0x4d, 0xd3, 0xff), (0x2c, 0x26, 0x22), (0x24, 0x1f, 0x1c)

WORDS = ("Play/Pause", "Step", "Reset", "Reload", "Real time", "Record video", "Record session", "Restore view", "Save view", "Next background",
         "Run the simulation to see timings.")


def words():
    """Things have the names that people look for."""
    with open(VIEW, "rb") as file:
        program = file.read()
    for word in WORDS:
        check(b"\0" + word.encode() + b"\0" in program, "the window has no words '%s'" % word)


def view_now(window):
    """What the view is: as it is kept for the scene."""
    if os.path.exists("beam.scn.view"):
        os.remove("beam.scn.view")
    window.key("w")
    wait_for("the view in a file", lambda: os.path.exists("beam.scn.view") and os.path.getsize("beam.scn.view"))
    with open("beam.scn.view", encoding="utf-8") as file:
        return file.read()


def end(window, what):
    window.key("ctrl+q")
    check(window.end() == 0, "exit status after %s: %s" % (what, window.said()))


def menu_stays():
    """Flags are set one after the other."""
    window = Window("beam.scn")
    window.click(202, 12)
    wait_for("the menu", lambda: x11.pixel(450, 60) == MENU)
    for y in (34, 56):
        before = x11.colors(330, y - 8, 60, 18)
        window.click(250, y)
        wait_for("another flag", lambda: x11.colors(330, y - 8, 60, 18) != before)
    check(x11.pixel(450, 100) == MENU, "the menu closes when a flag is set")
    window.key("Escape")
    wait_for("no menu", lambda: x11.pixel(450, 100) != MENU)
    end(window, "flags")


def tree_and_tools():
    """In a small window a click in the tree leaves its rows where they are, a double click frames, and tools fold."""
    window = Window("beam.scn", "--size", "780x600")
    window.do("windowmove", window.id, "0", "0")
    wait_for("the row of the root", lambda: x11.pixel(330, 111) == SELECTED)
    window.click(150, 189)
    wait_for("another row", lambda: x11.pixel(330, 189) == SELECTED and x11.pixel(330, 111) != SELECTED)
    first = view_now(window)
    window.do("mousemove", "600", "250", "click", "4", "click", "4", "click", "4")
    wait_for("a view from nearer", lambda: view_now(window) != first)
    nearer = None
    while nearer != view_now(window):  # all of the wheel has come
        nearer = view_now(window)
    wait_for("a view that frames the beam", lambda: view_now(window) != nearer, lambda: time.sleep(1) or window.do(
        "mousemove", "150", "215", "click", "--repeat", "2", "--delay", "40", "1"))
    check(x11.pixel(330, 215) == SELECTED, "the row of the beam has moved")
    window.click(549, 43)
    wait_for("the tools that have no room", lambda: x11.colors(700, 75, 20, 20).count(MENU) > 300)
    window.key("Escape")
    end(window, "a small window")


def first_field():
    """What is said of every component is not in the way: the first field is one of its own."""
    window = Window("beam.scn", "--record", "work.session")
    wait_for("a recording", lambda: recorded("start "))
    window.key("ctrl+f")
    window.type("conjugateGradient")
    window.key("Return", "Return")
    window.type("17")
    window.key("Return")
    found = wait_for("a change of the first field", lambda: recorded(" edit "))
    check(found and ".name" not in found[0] and ".printLog" not in found[0], "the first field: %s" % found)
    end(window, "a field")


def click_body():
    """A click on a body selects its node and draws a line around it; a drag turns the view, however quick it is, and selects nothing."""
    window = Window("beam.scn")
    wait_for("the row of the root", lambda: x11.pixel(330, 111) == SELECTED)
    check(OUTLINE not in x11.colors(400, 80, 850, 480), "there is a line around the whole scene")
    before = view_now(window)
    window.do("mousemove", "800", "250", "mousedown", "1", "mousemove", "830", "260", "mouseup", "1")
    check(view_now(window) != before, "a drag does not turn the view")
    check(x11.pixel(330, 111) == SELECTED, "a drag selects a body")
    os.remove("beam.scn.view")
    window.do("mousemove", "800", "300", "click", "1")
    wait_for("the row of the beam", lambda: x11.pixel(330, 215) == SELECTED)
    wait_for("a line around the beam", lambda: x11.colors(400, 80, 850, 480).count(OUTLINE) > 500)
    end(window, "a click on a body")


def marks_have_names():
    """What is drawn by lines and points is named below the mouse, and selected by a click: a string of springs."""
    window = Window("pendulum.scn")
    window.do("windowmove", window.id, "0", "0")
    wait_for("the row of the root", lambda: x11.pixel(330, 111) == SELECTED)
    for x, y in ((617, 220), (973, 285)):  # three pixels below a spring between two balls; an arm of a frame
        wait_for("a name beside the mouse", lambda: sum(max(c) < 50 for c in x11.colors(x + 16, y + 18, 20, 3)) > 30,
                 lambda: window.do("mousemove", str(x), str(y)))
        window.do("click", "1")
        wait_for("a line around it", lambda: OUTLINE in x11.colors(x - 40, y - 40, 80, 80))
    end(window, "a click on a spring")


def sizes_stay():
    """Of the window and of its panels, from run to run."""
    window = Window("beam.scn")
    window.do("windowmove", window.id, "0", "0", "windowsize", window.id, "1000", "700")
    wait_for("another size", lambda: window.size() == ["1000", "700"])
    wait_for("the edge of the tree", lambda: x11.pixel(400, 300) not in (PANEL, CHILD))
    window.do("mousemove", "362", "300", "mousedown", "1", "mousemove", "380", "300")
    wait_for("a wider tree", lambda: x11.pixel(400, 300) in (PANEL, CHILD), lambda: window.do("mousemove", "440", "300"))
    window.do("mouseup", "1")
    end(window, "another size")
    window = Window("beam.scn", keeps=True)
    check(window.size() == ["1000", "700"], "the window has not kept its size: %s" % window.size())
    window.do("windowmove", window.id, "0", "0")
    wait_for("the tree as wide as it was", lambda: x11.pixel(400, 300) in (PANEL, CHILD))
    end(window, "a size that was kept")


def blade_is_seen():
    """While a body is cut the way of the mouse is drawn; afterwards it is not."""
    window = Window("carving.scn")
    window.do("mousemove", "700", "300", "keydown", "shift", "mousedown", "2")
    for x in (760, 840, 900):
        window.do("mousemove", str(x), "300")
        wait_for("a line to the mouse", lambda: HOLD in x11.colors(x - 20, 296, 4, 8))
    check(HOLD in x11.colors(720, 296, 4, 8), "the line does not begin where the cut does")
    window.do("mouseup", "2", "keyup", "shift")
    wait_for("no line", lambda: HOLD not in x11.colors(720, 296, 4, 8))
    end(window, "a cut")


def first_page():
    """Without a scene there are those that come with Divan, each with its picture; a click opens one."""
    window = Window()
    window.do("windowmove", window.id, "0", "0")
    wait_for("a picture of the red beam", lambda: any(c[2] > 150 and max(c[:2]) < 60 for c in x11.colors(480, 190, 60, 40)))
    window.click(480, 200)
    window.wait_for_scene("beam.scn")
    end(window, "the first page")


def is_there(color, *box):
    """Lines have soft edges."""
    return any(max(abs(a - b) for a, b in zip(color, found)) < 40 for found in x11.colors(*box))


def plot(window, field, value):
    window.key("ctrl+f")
    window.type("elasticity")
    window.key("Return")
    window.type(field)
    window.key("Return")
    window.type(value)
    window.key("Return")
    wait_for("another " + field, lambda: recorded('edit "/Beam/elasticity.%s"' % field, "plots.session"))
    window.key("ctrl+g")


def plots_together():
    """Two quantities in one diagram, and apart again."""
    with open(os.path.join(os.environ["XDG_CONFIG_HOME"], "divan", "view.conf"), "a", encoding="utf-8") as file:
        file.write("bottom=482\n")  # of the group that is the file's only one
    window = Window("beam.scn", "--record", "plots.session", keeps=True)
    window.do("windowmove", window.id, "0", "0")
    plot(window, "youngModulus", "2000000")
    plot(window, "poissonRatio", "0.4")
    window.click(442, 302)
    window.key("space")
    wait_for("two diagrams", lambda: is_there(FIRST_CURVE, 700, 610, 2, 60))
    window.key("space")
    wait_for("one diagram", lambda: is_there(SECOND_CURVE, 700, 380, 2, 170), lambda: window.click(720, 541))
    end(window, "plots")


# A hand that the mouse moves, on a spring to a tool that stands still.
DEVICE = """<Node name="root" gravity="0 0 0" dt="0.01"><DefaultAnimationLoop/>
  <SimulatedHapticDevice name="arm" motion="mouse" resolution="0" friction="0"/>
  <Node name="tool"><EulerImplicitSolver/><SparseLDLSolver template="CompressedRowSparseMatrixMat3x3d"/>
    <MechanicalObject name="state" template="Rigid3d"/><UniformMass totalMass="0.1"/><FixedProjectiveConstraint indices="0"/>
    <VirtualCoupling stiffness="100" damping="0" rampTime="0"/></Node></Node>
"""
FORCE, STOPPED, GOOD = (0xa8, 0xd6, 0x55), (0x20, 0x23, 0x5b), (0x7a, 0xc0, 0x6f)


def mouse_is_a_device():
    """The mouse moves a device, whose force is an arrow and a row of a table; one key stops all forces."""
    with open("device.scn", "w", encoding="utf-8") as file:
        file.write(DEVICE)
    window = Window("device.scn", "--record", "device.session")
    wait_for("a recording", lambda: recorded("start ", "device.session"))
    window.key("d", "space")
    places = iter(range(500, 900, 2))
    wait_for("that the mouse moves the device", lambda: recorded("mouse moved none ", "device.session"),
             lambda: window.do("mousemove", str(next(places)), "300"))
    for x in range(900, 1100, 50):
        window.do("mousemove", str(x), "300")
    window.do("mousedown", "1", "mousemove", "1160", "300", "mouseup", "1")
    for words in ("mouse pressed left 0 0", "mouse moved left ", "mouse released left 0 0"):
        wait_for(words, lambda: recorded(words, "device.session"))
    wait_for("an arrow", lambda: x11.colors(400, 80, 850, 480).count(FORCE) > 100)
    window.click(565, 594)
    wait_for("a table of devices", lambda: is_there(GOOD, 540, 640, 60, 14))
    window.key("F8")
    wait_for("a stop", lambda: recorded(" forces 0", "device.session"))
    wait_for("words of it", lambda: is_there(STOPPED, 376, 530, 200, 30))
    wait_for("no arrow", lambda: x11.colors(400, 80, 850, 400).count(FORCE) < 10)
    window.key("F8")
    wait_for("the end of it", lambda: recorded(" forces 1", "device.session"))
    wait_for("an arrow again", lambda: x11.colors(400, 80, 850, 480).count(FORCE) > 100)
    before = len(recorded("mouse moved", "device.session"))
    window.key("d")
    window.do("mousemove", "700", "250", "mousedown", "1", "mousemove", "720", "300", "mouseup", "1")
    window.key("space")
    check(len(recorded("mouse moved", "device.session")) == before, "the mouse still goes to the scene")
    end(window, "a device")
    done = subprocess.run([VIEW, "--replay", "device.session", "--fast", "--screenshot", "window.png"], stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, text=True, timeout=100, check=False)
    check(done.returncode == 0, "the replay: %s" % done.stderr)


# A body that arrows move, and a pad on a spring to a tool that stands still.
PAD = """<Node name="root" gravity="0 0 0" dt="0.01"><DefaultAnimationLoop/>
  <GameController name="pad" speed="0.02"/>
  <MechanicalObject name="body" template="Rigid3d"/><MechanicalStateController listening="1" keyWay="10"/>
  <Node name="tool"><EulerImplicitSolver/><SparseLDLSolver template="CompressedRowSparseMatrixMat3x3d"/>
    <MechanicalObject name="state" template="Rigid3d"/><UniformMass totalMass="0.1"/><FixedProjectiveConstraint indices="0"/>
    <VirtualCoupling stiffness="100" damping="0" rampTime="0"/></Node></Node>
"""


def rumbles():
    """By what share the motors of the pad run now, of 65535."""
    try:
        with open("rumble", encoding="utf-8") as file:
            return int((file.read().split() or ["0"])[0])
    except FileNotFoundError:
        return 0


def keys_and_pad(preloaded):
    """Keys of the keyboard go to the scene with what is held beside them; a pad moves a tool, whose force its motors show, until it is unplugged."""
    with open("pad.scn", "w", encoding="utf-8") as file:
        file.write(PAD)
    window = Window("pad.scn", "--record", "pad.session", shell="LD_PRELOAD='%s' " % preloaded)
    wait_for("a recording", lambda: recorded("start ", "pad.session"))
    window.key("d", "space")
    for name, line in (("Left", "key 1 18"), ("Up", "key 1 19"), ("Right", "key 1 20"), ("Down", "key 1 21"), ("shift+Up", "key 1 19 1"),
                       ("ctrl+Down", "key 1 21 2"), ("alt+Left", "key 1 18 4"), ("4", "key 1 52"), ("k", "key 1 75")):
        window.key(name)
        found = wait_for("%s as '%s'" % (name, line), lambda: [l for l in recorded(line, "pad.session") if l.endswith(" " + line)])
        number = line.split()[2]
        wait_for("the end of %s" % name, lambda: recorded(" key 0 " + number, "pad.session"))
        check(found, "%s: %s" % (name, recorded(" key ", "pad.session")))
    wait_for("motors at full", lambda: rumbles() == 65535)  # 3 N at 30 mm
    wait_for("an arrow", lambda: x11.colors(400, 80, 850, 480).count(FORCE) > 100)
    window.click(565, 594)
    wait_for("a table of devices", lambda: is_there(GOOD, 540, 640, 60, 14))
    window.key("F8")
    wait_for("motors at rest", lambda: rumbles() == 0)
    window.key("F8")
    wait_for("motors again", lambda: rumbles() == 65535)
    with open("unplug", "w", encoding="utf-8"):
        pass
    wait_for("words of the loss", lambda: "the device is lost: it has been unplugged" in window.said())
    wait_for("no arrow", lambda: x11.colors(400, 80, 850, 400).count(FORCE) < 10)
    end(window, "a pad")


def main():
    words()
    for program in ("Xvfb", "xdotool"):
        if not shutil.which(program):
            print("skipped: there is no %s; ./bootstrap test installs it" % program)
            return 77
    server, display = start_display()
    if not server:
        print("skipped: Xvfb does not start")
        return 77
    played_pad = os.path.realpath(sys.argv[3]) if len(sys.argv) > 3 else None
    folder = begin_folder("divan-hand-")
    try:
        os.environ.update(DISPLAY=display, SDL_VIDEODRIVER="x11")
        for name in ("beam.scn", "carving.scn", "pendulum.scn"):
            shutil.copy(os.path.join(SCENES, name), folder)
        mouse_is_a_device()
        first_page()
        plots_together()
        menu_stays()
        tree_and_tools()
        first_field()
        click_body()
        marks_have_names()
        sizes_stay()
        blade_is_seen()
        if played_pad:
            keys_and_pad(played_pad)
    finally:
        server.terminate()
        server.wait()
        end_folder(folder)
    return 1 if FAILURES else 0


sys.exit(main())
