#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The window that divan-view serves, in Chromium without a screen: the page shows it, mouse and keys reach the scene, what is said of a second
browser and of the end is seen; the recording is replayed to the same bits.

check_chromium.py DIVAN_VIEW SCENES"""
import json
import os
import re
import shutil
import subprocess
import sys

from viewer import (FAILURES, SECONDS, Proxy, Served, Socket, begin_folder, check, draws_without_display, end_folder, recorded, replay,
                    wait_for)

VIEW, SCENES = os.path.realpath(sys.argv[1]), os.path.realpath(sys.argv[2])


class Tab:
    """A page of Chromium, by its protocol for developers' tools."""

    def __init__(self, port, url):
        import http.client
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=SECONDS)
        connection.request("PUT", "/json/new?about:blank")
        target = json.loads(connection.getresponse().read())
        connection.close()
        self.socket = Socket(port, re.sub(r"^ws://[^/]*", "", target["webSocketDebuggerUrl"]))
        self.number = 0
        self.do("Emulation.setDeviceMetricsOverride", width=900, height=600, deviceScaleFactor=1, mobile=False)
        self.do("Page.navigate", url=url)

    def do(self, method, **parameters):
        self.number += 1
        self.socket.send(json.dumps({"id": self.number, "method": method, "params": parameters}).encode())
        while True:
            answer = json.loads(self.socket.message()[1])
            if answer.get("id") == self.number:
                check("error" not in answer, "%s: %s" % (method, answer.get("error")))
                return answer.get("result", {})

    def value(self, expression):
        return self.do("Runtime.evaluate", expression=expression, returnByValue=True).get("result", {}).get("value")

    def mouse(self, kind, x, y, buttons=0, mods=0):
        self.do("Input.dispatchMouseEvent", type="mouse" + kind, x=x, y=y, button="left" if kind != "Moved" or buttons else "none",
                buttons=buttons, modifiers=mods, clickCount=1 if kind != "Moved" else 0)

    def click(self, x, y):
        self.mouse("Moved", x, y)
        self.mouse("Pressed", x, y, 1)
        self.mouse("Released", x, y, 0)

    def key(self, key, code, mods=0, text=""):
        self.do("Input.dispatchKeyEvent", type="keyDown", key=key, windowsVirtualKeyCode=code, modifiers=mods, text=text)
        self.do("Input.dispatchKeyEvent", type="keyUp", key=key, windowsVirtualKeyCode=code, modifiers=mods)

    def type(self, text):
        for letter in text:
            self.key(letter, ord(letter.upper()), text=letter)


CONTROL, SHIFT = 2, 8  # as the protocol counts them
# Pixels of the picture: how many have another colour than their right neighbour.
EDGES = """(() => { const at = drawing.getImageData(0, 0, canvas.width, canvas.height).data; let edges = 0;
for (let i = 0; i + 7 < at.length; i += 4) edges += Math.abs(at[i] - at[i + 4]) > 40; return edges; })()"""


def resized_while_it_connects(served, port):
    """The page has another size when its socket opens than when it was asked for, over a line that hands on so many bytes a turn."""
    for bytes_a_turn in (1 << 16, 40):
        line = Proxy(served.port, bytes_a_turn, holds=True)
        tab = Tab(port, served.url.replace(":%d/" % served.port, ":%d/" % line.port))
        wait_for("a socket that waits", lambda: line.waits and tab.value("socket.readyState") == 0)
        tab.value("addEventListener('resize', () => { window.wasResized = true; })")
        tab.do("Emulation.setDeviceMetricsOverride", width=640, height=480, deviceScaleFactor=1, mobile=False)
        wait_for("another size of the page", lambda: tab.value("window.wasResized"))
        check(tab.value("shown") == 0, "frames came before the socket was open")
        line.go_on()
        wait_for("frames of that size, %d bytes a turn" % bytes_a_turn,
                 lambda: tab.value("shown > 0 && veil.hidden && canvas.width === 640 && canvas.height === 480"))
        check((tab.value(EDGES) or 0) > 1000, "the page stays black: %s edges" % tab.value(EDGES))
        line.close()
        wait_for("the news of a line that is lost", lambda: tab.value("!veil.hidden"))
        tab.do("Page.navigate", url="about:blank")


# The same of the panel of fields and the tree, in its pixels of CSS: edges from one pixel of the screen to the next.
EDGES_OF_TEXT = """(() => { const k = devicePixelRatio, across = 340 * k, at = drawing.getImageData(0, 60 * k, across, 500 * k).data;
let edges = 0; for (let i = 0; i + 7 < at.length; i += 4) edges += (i / 4 + 1) % across !== 0 && Math.abs(at[i] - at[i + 4]) > 60;
return edges; })()"""


def letters_are_sharp(tab):
    """With 2 or 3 pixels of the screen for one of the page there are as many more steps from light to dark; letters that are only made larger
    have none between two of their pixels."""
    edges = {}
    for ratio in (1, 2, 3, 1):
        width = 900 if ratio == 1 else 940 + ratio  # a page without a screen hears of another ratio with another size alone
        tab.do("Emulation.setDeviceMetricsOverride", width=width, height=600, deviceScaleFactor=ratio, mobile=False)
        told = "canvas.width === %d && canvas.height === %d && canvas.style.width === '%dpx'" % (width * ratio, 600 * ratio, width)
        wait_for("a frame of %d pixels for one" % ratio, lambda told=told: tab.value(told))
        wait_for("letters", lambda: (tab.value(EDGES_OF_TEXT) or 0) > 500)
        edges[ratio] = tab.value(EDGES_OF_TEXT)
        check(edges[ratio] > 0.8 * ratio * edges[1], "letters are blurred: steps from light to dark by pixel ratio: %s" % edges)


def steps():
    return [int(line.split()[0]) for line in recorded(" key 1 65")]


def session(served, port):
    tab = Tab(port, served.url)
    wait_for("frames in Chromium", lambda: tab.value("shown > 0 && canvas.width === 900 && canvas.height === 600 && veil.hidden"))
    check((tab.value(EDGES) or 0) > 1000, "the page shows nothing: %s edges" % tab.value(EDGES))
    check(tab.value("document.title") == "beam.scn - divan-view", "the title is %s" % tab.value("document.title"))
    letters_are_sharp(tab)
    tab.mouse("Moved", 362, 300)
    wait_for("the cursor of a border", lambda: tab.value("canvas.style.cursor") == "ew-resize")
    tab.click(70, 44)  # the button of a step
    wait_for("a step by a click", lambda: tab.key("a", 65, CONTROL) or steps()[-1:] == [1])
    tab.key("f", 70, CONTROL)
    tab.type("elasticity")
    tab.key("Enter", 13, text="\r")
    tab.type("youngModulus")
    tab.key("Enter", 13, text="\r")
    tab.type("2000000")
    tab.key("Enter", 13, text="\r")
    wait_for("a change of the stiffness", lambda: recorded('edit "/Beam/elasticity.youngModulus" "2000000"'))
    tab.key(" ", 32, text=" ")
    tab.mouse("Moved", 600, 250, mods=SHIFT)
    tab.mouse("Pressed", 600, 250, 1, SHIFT)
    wait_for("a pull", lambda: recorded(" grab "))
    tab.mouse("Moved", 640, 220, 1, SHIFT)
    wait_for("a pull that moves", lambda: recorded(" drag "))
    tab.mouse("Released", 640, 220, 0, SHIFT)
    wait_for("the end of the pull", lambda: recorded(" release"))
    tab.do("Emulation.setDeviceMetricsOverride", width=700, height=500, deviceScaleFactor=1, mobile=False)
    wait_for("a frame of another size", lambda: tab.value("canvas.width === 700 && canvas.height === 500"))
    second = Tab(port, served.url)
    wait_for("the news that it is shown elsewhere", lambda: tab.value("!veil.hidden && !again.hidden && left"))
    wait_for("frames in the second page", lambda: second.value("shown > 0 && veil.hidden"))
    tab.value("again.click()")
    wait_for("the window back in the first page", lambda: tab.value("veil.hidden") and second.value("!veil.hidden"))
    tab.value("canvas.focus()")
    tab.do("Page.bringToFront")
    wait_for("the end", lambda: tab.key("q", 81, CONTROL) or tab.value("says.textContent") == "divan-view has ended.")
    served.end("a session in Chromium")
    check(recorded(" end "), "the recording has no end")
    replay(VIEW, "work.session")


def start_chromium(program, folder):
    """The browser and the port of its protocol."""
    words = [program, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
             "--disable-background-networking", "--disable-component-update", "--remote-debugging-port=0",
             "--remote-allow-origins=*", "--user-data-dir=" + os.path.join(folder, "chromium"), "about:blank"]
    with open("chromium.log", "w", encoding="utf-8") as log:
        process = subprocess.Popen(words, stdout=log, stderr=log)

    def port():
        with open("chromium.log", encoding="utf-8", errors="replace") as file:
            found = re.search(r"DevTools listening on ws://127\.0\.0\.1:(\d+)/", file.read())
        return found and int(found[1])
    return process, wait_for("Chromium", port)


def main():
    program = shutil.which("chromium")
    if not program:
        print("skipped: there is no chromium; ./bootstrap browser installs it")
        return 77
    folder = begin_folder("divan-chromium-")
    chromium = None
    try:
        reason = draws_without_display(VIEW)
        if reason:
            print("skipped: " + reason)
            return 77
        shutil.copy(os.path.join(SCENES, "beam.scn"), folder)
        served = Served(VIEW, "beam.scn", "--record", "work.session")
        chromium, port = start_chromium(program, folder)
        if port:
            resized_while_it_connects(served, port)
            session(served, port)
        else:
            served.process.kill()
    finally:
        if chromium:
            chromium.terminate()
            chromium.wait()
        end_folder(folder)
    return 1 if FAILURES else 0


sys.exit(main())
