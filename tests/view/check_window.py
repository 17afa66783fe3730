#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A session at the window, by keys and mouse under Xvfb: open, animate, pull, change a stiffness, plot it, reset, save, open again; what was
recorded is replayed to the same bits. Then what goes wrong: no display, errors in the scene, files that cannot be written.

check_window.py DIVAN_VIEW SCENES"""
import os
import shutil
import subprocess
import sys
import tempfile
import time

VIEW, SCENES = os.path.realpath(sys.argv[1]), os.path.realpath(sys.argv[2])
SECONDS = 30  # that anything may take; nothing is measured
FAILURES = []


def check(good, what):
    if not good:
        FAILURES.append(what)
        print(what)


def wait_for(what, condition):
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        found = condition()
        if found:
            return found
        time.sleep(0.1)
    check(False, "never came: " + what)
    return None


def start_display():
    read, write = os.pipe()
    server = subprocess.Popen(["Xvfb", "-displayfd", str(write), "-screen", "0", "1280x800x24", "-nolisten", "tcp"],
                              pass_fds=[write], stderr=subprocess.DEVNULL)
    os.close(write)
    with os.fdopen(read) as file:
        number = file.readline().strip()
    if not number:
        server.wait()
        return None, None
    return server, ":" + number


class Window:
    """A divan-view that runs; what it says goes to a file."""

    def __init__(self, *words):
        self.log = open("said", "w+", encoding="utf-8")
        self.process = subprocess.Popen([VIEW, *words], stderr=self.log, stdout=self.log)
        self.id = wait_for("a window", self.find)

    def find(self):
        if self.process.poll() is not None:
            return None
        found = subprocess.run(["xdotool", "search", "--class", "divan-view"], stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL, text=True, check=False).stdout.split()
        return found[0] if found else None

    def do(self, *words, pause=0.4):
        subprocess.run(["xdotool", *words], check=False, stderr=subprocess.DEVNULL)
        time.sleep(pause)

    def key(self, *names):
        for name in names:
            self.do("key", name, pause=1)

    def type(self, text):
        self.do("type", "--delay", "100", text)

    def said(self):
        self.log.flush()
        with open("said", encoding="utf-8") as file:
            return file.read()

    def end(self):
        try:
            status = self.process.wait(SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            status = self.process.wait()
            check(False, "it does not end")
        self.log.close()
        return status


def recorded(words):
    """Whether the recording, finished or not, has a line with these words."""
    for name in sorted(os.listdir(".")):
        if name.startswith("work.session"):
            with open(name, encoding="utf-8") as file:
                if words in file.read():
                    return True
    return False


def session():
    window = Window("beam.scn", "--record", "work.session")
    if not window.id:
        return
    window.do("windowfocus", window.id, pause=1)
    wait_for("a recording", lambda: recorded("start "))
    window.key("space")
    window.do("mousemove", "900", "330", "keydown", "shift", "mousedown", "1")
    wait_for("a pull", lambda: recorded(" grab "))
    for i in range(1, 6):
        window.do("mousemove", str(900 + 6 * i), str(330 - 8 * i), pause=0.2)
    wait_for("a pull that moves", lambda: recorded(" drag "))
    window.do("mouseup", "1", "keyup", "shift")
    wait_for("the end of the pull", lambda: recorded(" release"))
    window.key("space", "ctrl+f")
    window.type("elasticity")
    window.key("Return")
    window.type("youngModulus")
    window.key("Return")
    window.type("2000000")
    window.key("Return")
    wait_for("a change of the stiffness", lambda: recorded('edit "/Beam/elasticity.youngModulus" "2000000"'))
    window.key("ctrl+g", "ctrl+t", "Return")
    wait_for("the plots as a table", lambda: os.path.exists("beam.csv"))
    window.key("BackSpace")
    wait_for("a reset", lambda: recorded(" reset"))
    window.do("windowsize", window.id, "900", "600")
    window.key("ctrl+s", "Return")
    wait_for("a saved scene", lambda: os.path.exists("beam.saved.scn"))
    window.key("ctrl+o")
    window.type("beam.saved.scn")
    window.key("Return")
    wait_for("the end of the recording", lambda: recorded(" end "))
    window.key("F1", "Escape", "ctrl+q")
    check(window.end() == 0, "exit status after a session")
    if os.path.exists("beam.csv"):
        with open("beam.csv", encoding="utf-8") as file:
            check(file.readline() == 'time,"/Beam/elasticity.youngModulus[0].0"\n', "the table has another head")
    with open("beam.saved.scn", encoding="utf-8") as file:
        check('youngModulus="2000000"' in file.read(), "the saved scene has not the stiffness that was typed")
    done = subprocess.run([VIEW, "--replay", "work.session", "--fast", "--screenshot", "window.png"], stderr=subprocess.PIPE,
                          text=True, timeout=3 * SECONDS, check=False)
    check("states are others" not in done.stderr, "the replay differs: " + done.stderr)
    if "divan-image" not in done.stderr and "writes images" not in done.stderr:
        check(done.returncode == 0, "exit status %d of the replay: %s" % (done.returncode, done.stderr))
        with open("window.png", "rb") as file:
            check(file.read(8) == b"\x89PNG\r\n\x1a\n", "the picture of the window is no PNG")


def mistakes(display):
    with open("bad.scn", "w", encoding="ascii") as file:
        file.write("<Node><DefaultAnimationLoop/><NoSuchThing name='x'/><MechanicalObject name='dofs'/></Node>\n")
    window = Window("bad.scn")
    wait_for("a message about a bad scene", lambda: "NoSuchThing" in window.said())
    window.do("windowfocus", window.id or "0", "key", "ctrl+q")
    check(window.end() == 0, "exit status after a scene with errors")
    os.mkdir("locked", 0o755)
    done = subprocess.run([VIEW, "beam.scn", "--record", "no/such/folder/x.session", "--screenshot", "locked"], stderr=subprocess.PIPE,
                          text=True, timeout=3 * SECONDS, check=False)
    check(done.returncode == 1 and "no/such/folder/x.session" in done.stderr, "a recording that cannot be written: " + done.stderr)
    environment = {name: value for name, value in os.environ.items() if name not in ("DISPLAY", "WAYLAND_DISPLAY")}
    environment["SDL_VIDEODRIVER"] = "x11"
    done = subprocess.run([VIEW, "beam.scn"], stderr=subprocess.PIPE, text=True, timeout=SECONDS, check=False, env=environment)
    check(done.returncode == 1 and "no display" in done.stderr, "without a display: %d %s" % (done.returncode, done.stderr))
    done = subprocess.run([VIEW, "beam.scn", "--size", "big"], stderr=subprocess.PIPE, text=True, timeout=SECONDS, check=False)
    check(done.returncode == 2 and "expected a size" in done.stderr, "a size that is none: " + done.stderr)


def main():
    for program in ("Xvfb", "xdotool"):
        if not shutil.which(program):
            print("skipped: there is no %s; install xvfb and xdotool" % program)
            return 77
    server, display = start_display()
    if not server:
        print("skipped: Xvfb does not start")
        return 77
    folder = tempfile.mkdtemp(prefix="divan-window-")
    try:
        os.chdir(folder)
        os.environ.update(DISPLAY=display, XDG_CONFIG_HOME=folder, SDL_VIDEODRIVER="x11")
        shutil.copy(os.path.join(SCENES, "beam.scn"), folder)
        session()
        mistakes(display)
    finally:
        server.terminate()
        server.wait()
        os.chdir("/")
        shutil.rmtree(folder, ignore_errors=True)
    return 1 if FAILURES else 0


sys.exit(main())
