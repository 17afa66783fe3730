#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What a hand does at the window, by keys and mouse under Xvfb, and what the window calls it. It waits for what comes of the keys, never for a
time.

check_hand.py DIVAN_VIEW SCENES"""
import os
import shutil
import sys

from viewer import FAILURES, begin_folder, check, end_folder
from window import VIEW, SCENES, start_display

WORDS = ("Play/Pause", "Step", "Reset", "Reload", "Real time", "Record video", "Record session", "Restore view", "Save view", "Next background",
         "Run the simulation to see timings.")


def words():
    """Things have the names that people look for."""
    with open(VIEW, "rb") as file:
        program = file.read()
    for word in WORDS:
        check(b"\0" + word.encode() + b"\0" in program, "the window has no words '%s'" % word)


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
    folder = begin_folder("divan-hand-")
    try:
        os.environ.update(DISPLAY=display, SDL_VIDEODRIVER="x11")
        for name in ("beam.scn",):
            shutil.copy(os.path.join(SCENES, name), folder)
    finally:
        server.terminate()
        server.wait()
        end_folder(folder)
    return 1 if FAILURES else 0


sys.exit(main())
