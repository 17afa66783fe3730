#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Each scene of ours in the window, under Xvfb: what moves is seen. Counted are the pixels that differ from those of the same window on the
scene without its nodes that have a mass; where depths cannot be reversed, those that differ from before, of each third scene unless tests are
long.

check_scenes.py DIVAN_VIEW SCENES"""
import os
import shutil
import sys
import xml.etree.ElementTree

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))

import x11
from share import is_long
from viewer import FAILURES, begin_folder, check, end_folder, wait_for
from window import VIEW, SCENES, Window, start_display

PLACE = (370, 80, 900, 480)  # of the picture in the window
WIDE = 0.25  # share of the picture's width or height that what moves covers at least


def without_what_moves(text):
    """Of a scene without a camera, which would be looked at from elsewhere then, nothing stays, nor of one that shows what has no mass."""
    root = xml.etree.ElementTree.fromstring(text)
    if root.find("Camera") is None:
        return '<Node gravity="0 -9.81 0"><DefaultAnimationLoop/></Node>'

    def prune(node):
        for child in list(node.findall("Node")):
            if any(object.tag.endswith("Mass") for object in child):
                node.remove(child)
            else:
                prune(child)
    prune(root)
    if not any(object.tag.endswith("Mass") for object in xml.etree.ElementTree.fromstring(text).iter()):
        for node in root.findall("Node"):
            root.remove(node)
    return xml.etree.ElementTree.tostring(root, encoding="unicode")


def picture_of(name):
    """The pixels of the picture, as numbers, once there is one that stays: what is behind fades from above, or is bright."""
    window = Window(name, "--size", "1280x800")
    seen = [b""] * 5

    def is_there():
        left = x11.colors(PLACE[0], PLACE[1], 1, PLACE[3])
        if len(set(left)) <= 8 and max(left[0]) <= 0x80:
            return False
        seen[:] = seen[1:] + [x11.pixels(*PLACE)]
        return len(set(seen)) == 1
    wait_for("a picture of " + name, is_there)
    window.key("ctrl+q")
    check(window.end() == 0, "exit status after %s: %s" % (name, window.said()))
    return memoryview(seen[0]).cast("I")


def places_that_differ(picture, other):
    """Row by row, for most of them are the same."""
    width, places = PLACE[2], []
    for row in range(0, len(picture), width):
        if picture[row:row + width] != other[row:row + width]:
            places += [row + i for i, (a, b) in enumerate(zip(picture[row:row + width], other[row:row + width])) if a != b]
    return places


EMPTY = {}  # the picture of a scene without what moves, by its text: that of scenes without a camera is the same


def picture_without_what_moves(name, text):
    if text not in EMPTY:
        empty = os.path.splitext(name)[0] + ".empty.scn"
        with open(empty, "w", encoding="utf-8") as file:
            file.write(text)
        EMPTY[text] = picture_of(empty)
    return EMPTY[text]


def look_at(name):
    """The picture, and how many pixels of it are of what moves."""
    with open(name, encoding="utf-8") as file:
        text = file.read()
    width, height = PLACE[2:]
    picture = picture_of(name)
    differs = places_that_differ(picture, picture_without_what_moves(name, without_what_moves(text)))
    columns, rows = {i % width for i in differs}, {i // width for i in differs}
    print("%s: %d pixels of what moves, %.2f of the width, %.2f of the height" % (name, len(differs), len(columns) / width, len(rows) / height))
    check(len(columns) >= WIDE * width or len(rows) >= WIDE * height, "%s: what moves is not seen: %d pixels" % (name, len(differs)))
    return picture, len(differs)


def main():
    for program in ("Xvfb", "xdotool"):
        if not shutil.which(program):
            print("skipped: there is no %s; ./bootstrap test installs it" % program)
            return 77
    server, display = start_display()
    if not server:
        print("skipped: Xvfb does not start")
        return 77
    folder = begin_folder("divan-scenes-")
    try:
        os.environ.update(DISPLAY=display, SDL_VIDEODRIVER="x11")
        shutil.copytree(SCENES, "scenes")
        names = sorted(os.path.join(place, name) for place, _, files in os.walk("scenes") for name in files if name.endswith(".scn"))
        check(len(names) >= 15, "scenes are missing: %s" % names)
        seen = [look_at(name) for name in names]
        os.environ["MESA_EXTENSION_OVERRIDE"] = "-GL_ARB_clip_control"
        for name, (picture, moving) in list(zip(names, seen))[::1 if is_long() else 3]:
            others = len(places_that_differ(picture, picture_of(name)))
            print("%s: %d pixels are others with coarse depths" % (name, others))
            check(others <= 0.06 * moving + 20, "%s: %d pixels of %d are others with coarse depths" % (name, others, moving))
    finally:
        server.terminate()
        server.wait()
        end_folder(folder)
    return 1 if FAILURES else 0


sys.exit(main())
