#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A session at the window, by keys and mouse under Xvfb: open, animate, pull, hide, change a stiffness, plot it, reset, save, open again; what
was recorded is replayed to the same bits. Then what goes wrong: errors in the scene, a full disk, files that cannot be written, no OpenGL, no
display. It waits for what comes of the keys, never for a time.

check_window.py DIVAN_VIEW SCENES"""
import ctypes
import os
import shutil
import struct
import subprocess
import sys

from viewer import FAILURES, SECONDS, begin_folder, check, draws_without_display, end_folder, recorded, replay, wait_for

VIEW, SCENES = os.path.realpath(sys.argv[1]), os.path.realpath(sys.argv[2])


def start_display(*words):
    read, write = os.pipe()
    server = subprocess.Popen(["Xvfb", "-displayfd", str(write), "-screen", "0", "1280x800x24", "-nolisten", "tcp", "-noreset", *words],
                              pass_fds=[write], stderr=subprocess.DEVNULL)
    os.close(write)
    with os.fdopen(read) as file:
        number = file.readline().strip()
    if not number:
        server.wait()
        return None, None
    return server, ":" + number


def ask_to_close(window):
    """As a window manager does: WM_DELETE_WINDOW."""
    class Message(ctypes.Structure):
        _fields_ = [("type", ctypes.c_int), ("serial", ctypes.c_ulong), ("send_event", ctypes.c_int), ("display", ctypes.c_void_p),
                    ("window", ctypes.c_ulong), ("kind", ctypes.c_ulong), ("format", ctypes.c_int), ("data", ctypes.c_long * 5),
                    ("rest", ctypes.c_char * 192)]  # an XEvent has room for any
    x11 = ctypes.CDLL("libX11.so.6")
    x11.XOpenDisplay.restype = ctypes.c_void_p
    x11.XInternAtom.restype = ctypes.c_ulong
    x11.XInternAtom.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int]
    x11.XSendEvent.argtypes = [ctypes.c_void_p, ctypes.c_ulong, ctypes.c_int, ctypes.c_long, ctypes.c_void_p]
    x11.XCloseDisplay.argtypes = [ctypes.c_void_p]
    display = x11.XOpenDisplay(None)
    message = Message(type=33, window=int(window.id), kind=x11.XInternAtom(display, b"WM_PROTOCOLS", 0), format=32)
    message.data[0] = x11.XInternAtom(display, b"WM_DELETE_WINDOW", 0)
    x11.XSendEvent(display, message.window, 0, 0, ctypes.byref(message))
    x11.XCloseDisplay(display)


class Window:
    """A divan-view that runs; what it says goes to a file. Keys and mouse are sent as fast as they can be: the window puts them in order."""

    def __init__(self, *words, shell=""):
        with open("said", "w", encoding="utf-8") as log:
            self.process = subprocess.Popen(["bash", "-c", shell + 'exec "$@"', "bash", VIEW, *words], stderr=log, stdout=log)
        self.id = wait_for("a window", self.find)
        if self.id:
            wait_for("the keys in the window", self.take_keys)
            wait_for("the scene in the window", lambda: ".scn - divan-view" in self.ask("getwindowname", self.id))

    def find(self):
        if not check(self.process.poll() is None, "it ended: " + self.said()):
            return "0"
        found = self.ask("search", "--onlyvisible", "--class", "divan-view").split()
        return found[0] if found else None

    def take_keys(self):
        self.do("windowfocus", self.id)
        return self.ask("getwindowfocus") == self.id

    def ask(self, *words):
        return subprocess.run(["xdotool", *words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                              check=False).stdout.strip()

    def do(self, *words):
        subprocess.run(["xdotool", *words], check=False, stderr=subprocess.DEVNULL)

    def key(self, *names):
        self.do("key", *names)

    def type(self, text):
        self.do("type", "--delay", "1", text)

    def size(self):
        found = self.ask("getwindowgeometry", "--shell", self.id)
        return [line.split("=")[1] for line in found.splitlines() if line.startswith(("WIDTH", "HEIGHT"))]

    def said(self):
        with open("said", encoding="utf-8") as file:
            return file.read()

    def end(self):
        try:
            return self.process.wait(SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            check(False, "it does not end")
            return self.process.wait()


def steps(words):
    return [int(line.split()[0]) for line in recorded(words)]


def pull(window):
    window.do("mousemove", "900", "330", "keydown", "shift", "mousedown", "1")
    wait_for("a pull", lambda: recorded(" grab "))
    for i in range(1, 6):
        window.do("mousemove", str(900 + 6 * i), str(330 - 8 * i))
    wait_for("a pull that moves", lambda: recorded(" drag "))
    window.do("mouseup", "1", "keyup", "shift")
    wait_for("the end of the pull", lambda: recorded(" release"))


def pixel(x, y):
    """The colour of a pixel of the display: blue, green, red."""
    class Image(ctypes.Structure):
        _fields_ = [("width", ctypes.c_int), ("height", ctypes.c_int), ("xoffset", ctypes.c_int), ("format", ctypes.c_int),
                    ("data", ctypes.POINTER(ctypes.c_ubyte))]  # and more
    x11 = ctypes.CDLL("libX11.so.6")
    x11.XOpenDisplay.restype = ctypes.c_void_p
    x11.XDefaultRootWindow.restype = ctypes.c_ulong
    x11.XDefaultRootWindow.argtypes = x11.XCloseDisplay.argtypes = [ctypes.c_void_p]
    x11.XGetImage.restype = ctypes.POINTER(Image)
    x11.XGetImage.argtypes = [ctypes.c_void_p, ctypes.c_ulong, ctypes.c_int, ctypes.c_int, ctypes.c_uint, ctypes.c_uint, ctypes.c_ulong,
                              ctypes.c_int]
    display = x11.XOpenDisplay(None)
    image = x11.XGetImage(display, x11.XDefaultRootWindow(display), x, y, 1, 1, 0xffffffff, 2)
    found = tuple(image.contents.data[:3])
    x11.XCloseDisplay(display)
    return found


def click_tabs(window):
    """The mouse comes and clicks at once: that is for the tab below it, not for what was below it before. In the middle of the window, where
    nothing is lit, the tab in front has another colour than the others."""
    tabs = (393, 442, 500)
    for front in (2, 1, 0):
        window.do("mousemove", str(tabs[front]), "594", "click", "1", "mousemove", "800", "300")

        def is_in_front():
            colors = [pixel(x, 586) for x in tabs]
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
    wait_for("a full disk", lambda: window.key(*["ctrl+a"] * 20) or "what is done from now on is not recorded" in window.said())
    window.key("ctrl+s", "Return")
    window.key("ctrl+q")
    check(window.end() == 0, "exit status after a full disk: " + window.said())
    check(window.said().count("what is done from now on is not recorded") == 1, "it is said more than once: " + window.said())
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
        shutil.copy(os.path.join(SCENES, "beam.scn"), folder)
        session()
        size_of_the_scene()
        close("closed.session", ask_to_close)
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
