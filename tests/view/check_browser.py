#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The window that divan-view serves, by a small browser of our own: who may enter, frames of the size asked for, mouse and keys, one that goes
and comes back, a second one, one that takes no frames, one that talks nonsense; then what goes wrong at the start.

check_browser.py DIVAN_VIEW SCENES LOST_CONTEXT, a library to be loaded first"""
import http.client
import os
import shutil
import signal
import socket
import subprocess
import sys
import time

from viewer import (FAILURES, SECONDS, Proxy, Served, Socket, begin_folder, check, draws_without_display, end_folder, recorded, replay,
                    size_of_jpeg, wait_for)

VIEW, SCENES, LOST_CONTEXT = (os.path.realpath(name) for name in sys.argv[1:4])
STEP_BUTTON = "70 44"  # in the bar of tools


class Browser(Socket):
    """What the page does: says its size, shows frames, sends what the user does."""

    def __init__(self, served, width=900, height=600, port=None):
        super().__init__(port or served.port, "/?token=" + served.token)
        self.frame, self.frames, self.texts, self.closed = None, 0, [], False
        self.say("size %d %d" % (width, height))

    def say(self, words):
        try:
            self.send(words.encode())
        except ConnectionError:
            pass  # what came before the end is still to be read

    def look(self, shows=True):
        """Takes one message."""
        try:
            kind, content = self.message()
        except EOFError:
            self.closed = True
            return
        if kind == 2:
            self.frame = size_of_jpeg(content)
            self.frames += 1
            if shows:
                self.say("got")
        elif kind == 1:
            self.texts.append(content.decode())
        else:
            self.closed = True

    def wait(self, what, condition):
        """Shows frames until the condition is met, which may wait for others itself."""
        def look():
            self.socket.settimeout(0.05)
            try:
                self.look()
            except TimeoutError:
                pass
        found = wait_for(what, lambda: condition() or (self.closed and "closed"), look)
        self.socket.settimeout(SECONDS)
        return check(found and found != "closed" or condition(), "before it was closed: " + what)

    def press(self, name, mods=0):
        self.say("key 1 0 %d %s" % (mods, name))
        self.say("key 0 0 %d %s" % (mods, name))

    def type(self, text):
        for letter in text:
            self.press(letter)
            self.say("text " + letter)

    def click(self, place, button=1):
        self.say("move %s 0" % place)
        self.say("down %d %s 0" % (button, place))
        self.say("up %d %s 0" % (button, place))


def who_may_enter(served):
    def get(target):
        connection = http.client.HTTPConnection("127.0.0.1", served.port, timeout=SECONDS)
        connection.request("GET", target)
        answer = connection.getresponse()
        content = answer.read()
        connection.close()
        return answer, content
    for target in ("/", "/?token=", "/?token=" + "0" * 32, "/?token=" + served.token[:-1], "/?token=" + served.token + "0"):
        answer, content = get(target)
        check(answer.status == 403 and b"<canvas" not in content, "GET %s: %d" % (target, answer.status))
        check(not Socket(served.port, target).taken, "a socket without the token is taken: " + target)
    answer, content = get("/?token=" + served.token)
    check(answer.status == 200 and b"<canvas" in content, "the page: %d" % answer.status)
    check("default-src 'none'" in (answer.getheader("content-security-policy") or ""), "the page may load things from elsewhere")
    answer, content = get("/other?token=" + served.token)
    check(answer.status == 404, "another page: %d" % answer.status)


def steps_of(words):
    return [int(line.split()[0]) for line in recorded(words)]


def now_at_step(browser):
    """The number of steps made, by a key for the scene, which is recorded with it."""
    before = len(steps_of(" key 1 65"))
    browser.press("a", 2)
    browser.wait("a key in the recording", lambda: len(steps_of(" key 1 65")) > before)
    return steps_of(" key 1 65")[-1]


def frames_and_buttons(browser):
    browser.wait("a frame", lambda: browser.frame)
    check(browser.frame == (900, 600), "a frame of %s instead of 900 x 600" % (browser.frame,))
    browser.wait("the title", lambda: "title beam.scn - divan-view" in browser.texts)
    browser.say("size 641 483")
    browser.wait("a frame of another size", lambda: browser.frame == (641, 483))
    browser.say("size 900 600")
    browser.wait("a frame of the first size", lambda: browser.frame == (900, 600))
    browser.wait("a recording", lambda: recorded("start "))
    for _ in range(3):
        browser.click(STEP_BUTTON)
    browser.wait("three steps", lambda: now_at_step(browser) >= 3)
    check(now_at_step(browser) == 3, "three clicks on the button of a step made %d" % now_at_step(browser))
    browser.say("move 362 300 0")  # between tree and picture: what the narrow window pushed to the left is back
    browser.wait("the cursor of a border", lambda: "cursor ew-resize" in browser.texts)


def change_a_stiffness(browser):
    browser.press("f", 2)
    browser.type("elasticity")
    time.sleep(1)  # a control key that comes in the same frame takes letters with it

    def copies():
        browser.press("a", 2)
        browser.press("c", 2)
        return "copy elasticity" in browser.texts
    browser.wait("what was copied", copies)
    browser.press("Return")
    browser.type("youngModulus")
    browser.press("Return")
    browser.say("text 2000000")
    browser.press("Return")
    browser.wait("a change of the stiffness", lambda: recorded('edit "/Beam/elasticity.youngModulus" "2000000"'))


def go_and_come_back(served, browser):
    """With a button and a key held, while it runs: what was held is let go, and the simulation goes on."""
    browser.press("Space")
    browser.say("move 600 250 1")
    browser.say("down 1 600 250 1")
    browser.wait("a pull", lambda: recorded(" grab "))
    browser.say("move 620 230 1")
    browser.wait("a pull that moves", lambda: recorded(" drag "))
    browser.close()
    wait_for("the end of the pull of a browser that is gone", lambda: recorded(" release"))
    left = (steps_of(" release") or [0])[-1]
    browser = Browser(served, 800, 600)
    browser.wait("a frame after coming back", lambda: browser.frame == (800, 600))
    browser.wait("the title after coming back", lambda: "title beam.scn - divan-view" in browser.texts)
    browser.wait("steps while nobody looked", lambda: now_at_step(browser) > left)
    return browser


def take_over(served, first):
    second = Browser(served, 700, 500)
    first.wait("the news that another browser has the window", lambda: "moved" in first.texts)
    first.wait("the end of the first one", lambda: first.closed)
    second.wait("a frame in the second one", lambda: second.frame == (700, 500))
    first.close()
    return second


def take_no_frames(browser):
    """It runs on, and no more than two frames are on their way."""
    begin = now_at_step(browser)
    seen = browser.frames
    browser.socket.settimeout(0.05)

    def look():
        try:
            browser.look(shows=False)
        except TimeoutError:
            pass

    def is_far():
        browser.press("a", 2)
        return steps_of(" key 1 65")[-1] > begin + 200
    wait_for("steps while no frame is taken", is_far, look)
    check(1 <= browser.frames - seen <= 2, "%d frames came while none was shown" % (browser.frames - seen))
    browser.say("got")
    browser.say("got")
    before = browser.frames
    browser.wait("frames again", lambda: browser.frames > before + 2)


def slow_lines(served):
    """What comes in pieces is put together, whatever their size: the page, frames, and what hands say, as fast as they do. A message counts
    once, however many pieces it has."""
    for bytes_a_turn, moves in ((1, 400), (7, 2000), (1000, 2000)):
        line = Proxy(served.port, bytes_a_turn)
        page = http.client.HTTPConnection("127.0.0.1", line.port, timeout=SECONDS)
        page.request("GET", "/?token=" + served.token)
        answer = page.getresponse()
        check(answer.status == 200 and answer.read().endswith(b"</html>\n"), "the page, %d bytes a turn" % bytes_a_turn)
        page.close()
        browser = Browser(served, 240, 240, line.port)
        browser.wait("a frame, %d bytes a turn" % bytes_a_turn, lambda: browser.frame == (240, 240))
        for i in range(moves):  # 400 messages of one byte a piece are 10,000 pieces
            browser.say("move %d.25 %d.125 0" % (100 + i % 100, 100 + i % 90))
        browser.say("size 260 250")
        browser.wait("a frame of another size, %d bytes a turn" % bytes_a_turn, lambda: browser.frame == (260, 250))
        browser.close()
        line.close()


def talk_nonsense(served):
    for content in (b"nonsense", b"down 9 1 1 0", b"move nan nan 0", b"size 1", b"text \xff", b"move 1 1 0\0", b"x" * 5000):
        browser = Browser(served)
        browser.send(content)
        browser.wait("the end of a browser that says %r" % content[:20], lambda: browser.closed)
        browser.close()
    for content in (b"size 1000000 1000000", b"key 1 0 0 NoSuchKey", b"up 1 5 5 0", b"wheel 0 1 0", b"key 0 0 0 q", "text äöü€".encode()):
        browser = Browser(served)
        browser.send(content)
        browser.say("size 320 240")
        browser.wait("a frame after %r" % content, lambda: browser.frame == (320, 240))
        browser.close()


def session():
    served = Served(VIEW, "beam.scn", "--record", "work.session")
    if not check(served.port, "no address: " + served.said()):
        return
    who_may_enter(served)
    browser = Browser(served)
    check(browser.taken, "the socket is refused: " + browser.head)
    frames_and_buttons(browser)
    change_a_stiffness(browser)
    browser = go_and_come_back(served, browser)
    browser = take_over(served, browser)
    take_no_frames(browser)
    browser.close()
    slow_lines(served)
    talk_nonsense(served)
    browser = Browser(served)
    browser.wait("a frame", lambda: browser.frame)
    browser.press("q", 2)
    browser.wait("the news of the end", lambda: "ended" in browser.texts)
    browser.close()
    served.end("a session")
    check(recorded(" end "), "the recording has no end")
    replay(VIEW, "work.session")


def settings_of_the_mouse():
    """The scene says what the buttons do."""
    with open("beam.scn", encoding="utf-8") as file:
        text = file.read()
    with open("bound.scn", "w", encoding="utf-8") as file:
        file.write(text.replace("<Node name=\"Beam\"", """
<AttachBodyButtonSetting button="Middle" stiffness="123"/><FixPickedParticleButtonSetting button="Left" stiffness="77"/>
<AddFrameButtonSetting button="Right"/><ViewerSetting fullscreen="true" cameraMode="Orthographic"/><Node name="Beam\"""", 1))
    served = Served(VIEW, "bound.scn", "--record", "bound.session")
    browser = Browser(served)
    browser.wait("a frame", lambda: browser.frame)
    browser.wait("the whole screen", lambda: "fullscreen 1" in browser.texts)
    # Fixing is mode 2, pulling mode 0, removing mode 3.
    for button, mode, stiffness in ((1, "2", "77"), (2, "0", "123"), (3, "3", None)):
        seen = len(recorded(" grab ", "bound.session"))
        browser.say("move 600 250 1")
        browser.say("down %d 600 250 1" % button)
        browser.wait("a press of button %d" % button, lambda: len(recorded(" grab ", "bound.session")) > seen)
        browser.say("up %d 600 250 1" % button)
        words = recorded(" grab ", "bound.session")[-1].split()
        check(words[2] == mode and (stiffness is None or words[-1] == stiffness), "button %d: %s" % (button, words))
    check("the right button adds frames" in served.said(), "what is not done is not said: " + served.said())
    browser.press("q", 2)
    browser.wait("the news of the end", lambda: "ended" in browser.texts)
    browser.close()
    served.end("a scene with settings of the mouse")
    views_of_a_camera(text)


def views_of_a_camera(text):
    """Buttons add the view to a recorded camera, and start it."""
    with open("tour.scn", "w", encoding="utf-8") as file:
        file.write(text.replace("<Node name=\"Beam\"", """
<RecordedCamera name="tour" position="3 1 9" lookAt="3 1 0" endTime="2"/><AddRecordedCameraButtonSetting button="Left"/>
<StartNavigationButtonSetting button="Right"/><Node name="Beam\"""", 1))
    served = Served(VIEW, "tour.scn", "--record", "tour.session")
    browser = Browser(served)
    browser.wait("a frame", lambda: browser.frame)
    browser.wait("the title", lambda: "title tour.scn - divan-view" in browser.texts)

    def click(button, word):
        seen = len(recorded(word, "tour.session"))
        browser.say("move 600 250 1")
        browser.say("down %d 600 250 1" % button)
        browser.wait("a press of button %d" % button, lambda: len(recorded(word, "tour.session")) > seen)
        browser.say("up %d 600 250 1" % button)
        return recorded(word, "tour.session")[-1].split()
    words = click(1, " viewpoint ")
    check([float(word) for word in words[2:5]] == [3.0, 1.0, 9.0], "the view that was added: %s" % words)
    words = click(1, " viewpoint ")
    check([float(word) for word in words[2:5]] == [3.0, 1.0, 9.0], "the view that was added second: %s" % words)
    click(3, " navigate")
    browser.press("Space")
    before = browser.frames
    browser.wait("frames of the way", lambda: browser.frames > before + 5)
    browser.press("q", 2)
    browser.wait("the news of the end", lambda: "ended" in browser.texts)
    browser.close()
    served.end("a scene with a recorded camera")


def film():
    """Ctrl+M, a name, and that it replaces what has it: a film, where ffmpeg is; the old file where it is not."""
    with open("beam.mp4", "w", encoding="ascii") as file:
        file.write("old")
    served = Served(VIEW, "beam.scn")
    browser = Browser(served)
    browser.wait("a frame", lambda: browser.frame)
    browser.wait("the title", lambda: "title beam.scn - divan-view" in browser.texts)
    browser.press("m", 2)
    browser.type("beam.mp4")
    browser.press("Return")
    browser.press("r")
    browser.press("Space")
    if shutil.which("ffmpeg"):
        browser.wait("a film on its way", lambda: len([name for name in os.listdir(".") if name.startswith("beam.mp4")]) > 1)
        begin = browser.frames
        browser.wait("frames of the film", lambda: browser.frames > begin + 5)
        browser.press("m", 2)

        def film_begins():
            with open("beam.mp4", "rb") as file:
                return file.read(8)[4:] == b"ftyp"
        browser.wait("a film", film_begins)
    else:
        browser.wait("the reason why there is no film", lambda: "ffmpeg cannot be started" in served.said())
        with open("beam.mp4", encoding="ascii") as file:
            check(file.read() == "old", "the old film has gone")
    browser.press("q", 2)
    browser.wait("the news of the end", lambda: "ended" in browser.texts)
    browser.close()
    served.end("a film")


def lose_the_context():
    """The graphics card is reset: that is said, and what was recorded is whole."""
    done = subprocess.run([VIEW, "beam.scn", "--serve", "0", "--start", "--record", "lost.session", "--steps", "100000",
                           "--screenshot", "never.png"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, timeout=3 * SECONDS,
                          env={**os.environ, "LD_PRELOAD": LOST_CONTEXT}, check=False)
    check(done.returncode == 1 and "the graphics card was reset" in done.stderr,
          "a lost context: exit status %d: %s" % (done.returncode, done.stderr))
    check(recorded(" end ", "lost.session"), "the recording has no end after a lost context")


def interrupt():
    served = Served(VIEW, "beam.scn", "--start", "--fast", "--record", "second.session")
    wait_for("a recording", lambda: recorded("start ", "second.session"))
    served.process.send_signal(signal.SIGINT)
    served.end("an interrupt")
    check(recorded(" end ", "second.session"), "the recording has no end after an interrupt")


def refused(status, words, *arguments, **environment):
    done = subprocess.run([VIEW, "beam.scn", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=SECONDS,
                          check=False, env={**os.environ, **environment})
    check(done.returncode == status and words in done.stderr,
          "%s: exit status %d: %s" % (" ".join(arguments), done.returncode, done.stderr))


def mistakes():
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        refused(1, "another program has it", "--serve", str(other.getsockname()[1]))
    refused(1, "is no address", "--serve", "0", "--address", "nowhere")
    refused(1, "no network of this machine", "--serve", "0", "--address", "192.0.2.1")
    refused(1, "no OpenGL without a window", "--serve", "0", __EGL_VENDOR_LIBRARY_FILENAMES="/nonexistent.json")
    for port in ("many", "65536", "-1", "80x"):
        refused(2, "expected a port", "--serve=" + port)
    refused(2, "--address says where --serve listens", "--address", "127.0.0.1")


def main():
    folder = begin_folder("divan-browser-")
    try:
        reason = draws_without_display(VIEW)
        if reason:
            print("skipped: " + reason)
            return 77
        shutil.copy(os.path.join(SCENES, "beam.scn"), folder)
        session()
        settings_of_the_mouse()
        film()
        lose_the_context()
        interrupt()
        mistakes()
    finally:
        end_folder(folder)
    return 1 if FAILURES else 0


sys.exit(main())
