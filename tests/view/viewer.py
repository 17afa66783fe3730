# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the scripts of this folder share: waiting for a state, a divan-view that serves its window, WebSockets, and what a recording says."""
import base64
import hashlib
import os
import re
import socket
import struct
import subprocess
import sys
import threading
import time

SECONDS = 60  # that anything may take on a busy machine; nothing is measured
FAILURES = []


def check(good, what):
    if not good:
        FAILURES.append(what)
        print(what, flush=True)
    return good


def wait_for(what, condition, meanwhile=None):
    """The first result of condition() that is true; meanwhile() is called while it is not."""
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        found = condition()
        if found:
            return found
        if meanwhile:
            meanwhile()
        time.sleep(0.02)
    check(False, "never came: " + what)
    return None


def recorded(words, name="work.session"):
    """The lines of a recording, finished or not, that have these words."""
    for file_name in sorted(os.listdir(".")):
        if file_name.startswith(name):
            with open(file_name, encoding="utf-8") as file:
                found = [line.strip() for line in file if words in line]
            if found:
                return found
    return []


class Socket:
    """A WebSocket, of RFC 6455. `head`: what the server answered; `taken`: whether it took the connection."""

    def __init__(self, port, target):
        self.socket = socket.create_connection(("127.0.0.1", port), SECONDS)
        self.bytes = b""
        self.kind, self.parts = 0, []  # of a message that has come in part
        key = base64.b64encode(os.urandom(16)).decode()
        self.socket.sendall(("GET %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                             "Sec-WebSocket-Key: %s\r\nSec-WebSocket-Version: 13\r\n\r\n" % (target, port, key)).encode())
        while b"\r\n\r\n" not in self.bytes and self.receive():
            pass
        head, _, self.bytes = self.bytes.partition(b"\r\n\r\n")
        self.head = head.decode()
        proof = base64.b64encode(hashlib.sha1((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").encode()).digest()).decode()
        self.taken = " 101 " in self.head.split("\r\n")[0] and proof in self.head

    def receive(self):
        try:
            more = self.socket.recv(1 << 16)
        except ConnectionError:
            more = b""
        self.bytes += more
        return bool(more)

    def need(self, count):
        while len(self.bytes) < count:
            if not self.receive():
                raise EOFError

    def take_frame(self):
        """The first byte and the content of the next frame. Nothing of it is taken before all of it has come: a time limit may end the wait."""
        self.need(2)
        size, begin = self.bytes[1] & 127, 2
        if size >= 126:
            begin += 2 if size == 126 else 8
            self.need(begin)
            size = int.from_bytes(self.bytes[2:begin], "big")
        self.need(begin + size)
        first, content, self.bytes = self.bytes[0], self.bytes[begin:begin + size], self.bytes[begin + size:]
        return first, content

    def send(self, content, kind=1):
        mask = os.urandom(4)
        size = len(content)
        length = bytes([0x80 | size]) if size < 126 else b"\xfe" + struct.pack(">H", size) if size < 65536 else \
            b"\xff" + struct.pack(">Q", size)
        self.socket.sendall(bytes([0x80 | kind]) + length + mask +
                            bytes(byte ^ mask[i % 4] for i, byte in enumerate(content)))

    def message(self):
        """Kind (1 text, 2 bytes, 8 end) and content of the next message."""
        while True:
            first, content = self.take_frame()
            if first & 15 == 9:
                self.send(content, 10)
                continue
            self.parts.append(content)
            self.kind = self.kind or first & 15
            if first & 0x80:
                kind, content = self.kind, b"".join(self.parts)
                self.kind, self.parts = 0, []
                return kind, content

    def close(self):
        self.socket.close()


class Proxy:
    """A line to a port of this machine that hands on so many bytes at a time, each time as a packet of its own. One that holds keeps back what
    answers the question for a socket, until it goes on; `waits`: there is such a one."""

    def __init__(self, port, bytes_a_turn, holds=False):
        self.target, self.bytes_a_turn, self.waits = port, bytes_a_turn, False
        self.goes = threading.Event()
        if not holds:
            self.goes.set()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.ends = [self.listener]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        try:
            while True:
                near, _ = self.listener.accept()
                far = socket.create_connection(("127.0.0.1", self.target))
                self.ends += [near, far]
                for end in (near, far):
                    end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                held = threading.Event()
                threading.Thread(target=self.hand_on, args=(near, far, held, True), daemon=True).start()
                threading.Thread(target=self.hand_on, args=(far, near, held, False), daemon=True).start()
        except OSError:
            pass  # it is closed

    def hand_on(self, source, target, held, asks):
        try:
            while content := source.recv(1 << 16):
                if asks and not self.goes.is_set() and b"upgrade: websocket" in content.lower():
                    held.set()
                    self.waits = True
                if not asks and held.is_set():
                    self.goes.wait()
                for at in range(0, len(content), self.bytes_a_turn):
                    target.sendall(content[at:at + self.bytes_a_turn])
            target.shutdown(socket.SHUT_WR)
        except OSError:
            pass  # an end has gone

    def go_on(self):
        self.goes.set()

    def close(self):
        self.go_on()
        for end in self.ends:
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            end.close()


def size_of_jpeg(content):
    """Width and height, by the header of the frame; None: no JPEG."""
    at = 2
    while content[:2] == b"\xff\xd8" and at + 9 < len(content) and content[at] == 0xff:
        if 0xc0 <= content[at + 1] <= 0xc2:
            height, width = struct.unpack(">HH", content[at + 5:at + 9])
            return width, height
        at += 2 + struct.unpack(">H", content[at + 2:at + 4])[0]
    return None


class Served:
    """A divan-view whose window is served. It has no display."""

    def __init__(self, view, *words):
        environment = {name: value for name, value in os.environ.items() if name not in ("DISPLAY", "WAYLAND_DISPLAY")}
        with open("said", "w", encoding="utf-8") as log:
            self.process = subprocess.Popen([view, "--serve", "0", *words], stdout=subprocess.PIPE, stderr=log, text=True,
                                            env=environment)
        line = self.process.stdout.readline()
        found = re.search(r"http://127\.0\.0\.1:(\d+)/\?token=([0-9a-f]{32})\n", line)
        self.url = found and line.split()[-1]
        self.port, self.token = (int(found[1]), found[2]) if found else (0, "")

    def said(self):
        with open("said", encoding="utf-8") as file:
            return file.read()

    def end(self, what):
        try:
            status = self.process.wait(SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            status = self.process.wait()
            check(False, what + ": it does not end")
        self.process.stdout.close()
        check(status == 0, "%s: exit status %d: %s" % (what, status, self.said()))


def replay(view, recording):
    """Without a display; the states must be the same bits at the end, and are others than those of a recording that ends otherwise."""
    environment = {name: value for name, value in os.environ.items() if name not in ("DISPLAY", "WAYLAND_DISPLAY")}
    with open(recording, encoding="utf-8") as file:
        lines = file.read().splitlines()
    words = lines[-1].split()
    words[-1] = "%016x" % (int(words[-1], 16) ^ 1)
    with open("other.session", "w", encoding="utf-8") as file:
        file.write("\n".join(lines[:-1] + [" ".join(words)]) + "\n")
    for name, status in ((recording, 0), ("other.session", 1)):
        done = subprocess.run([view, "--serve", "0", "--replay", name, "--fast", "--screenshot", "window.png"], text=True,
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=3 * SECONDS, env=environment, check=False)
        check(done.returncode == status and ("states are others" in done.stderr) == (status == 1),
              "the replay of %s: exit status %d: %s" % (name, done.returncode, done.stderr))
    with open("window.png", "rb") as file:
        check(file.read(8) == b"\x89PNG\r\n\x1a\n", "the picture of the window is no PNG")


def begin_folder(prefix):
    import tempfile
    folder = tempfile.mkdtemp(prefix=prefix)
    os.chdir(folder)
    os.environ["XDG_CONFIG_HOME"] = folder
    return folder


def end_folder(folder):
    import shutil
    os.chdir("/")
    shutil.rmtree(folder, ignore_errors=True)


def draws_without_display(view):
    """Why not, or None."""
    done = subprocess.run([view, "--serve", "0", "--screenshot", "probe.png"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                          text=True, timeout=3 * SECONDS, check=False)
    for reason in ("built without libwebsockets", "no OpenGL without a window", "divan-image.so is not there"):
        if reason in done.stderr:
            return done.stderr.strip()
    return None


