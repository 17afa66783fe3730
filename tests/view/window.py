# SPDX-License-Identifier: LGPL-2.1-or-later
"""A divan-view in a window under Xvfb, with keys and mouse by xdotool, for the scripts of this folder: SCRIPT DIVAN_VIEW SCENES."""
import os
import subprocess
import sys

import x11
from viewer import SECONDS, check, wait_for

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


class Window:
    """A divan-view that runs; what it says goes to a file. Keys and mouse are sent as fast as they can be: the window puts them in order."""

    def __init__(self, *words, shell="", keeps=False):
        kept = os.path.join(os.environ["XDG_CONFIG_HOME"], "divan", "view.conf")
        if not keeps and os.path.exists(kept):  # it begins in the size that it has at first
            with open(kept, encoding="utf-8") as file:
                lines = [line for line in file if not line.startswith(("window=", "left=", "fields=", "bottom="))]
            with open(kept, "w", encoding="utf-8") as file:
                file.writelines(lines)
        with open("said", "w", encoding="utf-8") as log:
            self.process = subprocess.Popen(["bash", "-c", shell + 'exec "$@"', "bash", VIEW, *words], stderr=log, stdout=log)
        self.id = wait_for("a window", self.find)
        if self.id:
            wait_for("the keys in the window", self.take_keys)
            if any(".scn" in word for word in words):
                self.wait_for_scene()

    def wait_for_scene(self, name=".scn"):
        wait_for("the scene in the window", lambda: name + " - divan-view" in self.title())

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

    def title(self):
        return self.ask("getwindowname", self.id)

    def click(self, x, y):
        self.do("mousemove", str(x), str(y), "click", "1")

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
