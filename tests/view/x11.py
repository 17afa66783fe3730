# SPDX-License-Identifier: LGPL-2.1-or-later
"""What xdotool has no words for, by libX11: colours of pixels, the wish of a window manager to close a window, files that are dropped on one."""
import ctypes

CLIENT_MESSAGE, SELECTION_REQUEST, SELECTION_NOTIFY = 33, 30, 31
EVENT = [("type", ctypes.c_int), ("serial", ctypes.c_ulong), ("send_event", ctypes.c_int), ("display", ctypes.c_void_p)]


class Message(ctypes.Structure):
    _fields_ = EVENT + [("window", ctypes.c_ulong), ("kind", ctypes.c_ulong), ("format", ctypes.c_int), ("data", ctypes.c_long * 5)]


class Request(ctypes.Structure):
    _fields_ = EVENT + [("owner", ctypes.c_ulong), ("requestor", ctypes.c_ulong), ("selection", ctypes.c_ulong),
                        ("target", ctypes.c_ulong), ("property", ctypes.c_ulong), ("time", ctypes.c_ulong)]


class Answer(ctypes.Structure):
    _fields_ = EVENT + [("requestor", ctypes.c_ulong), ("selection", ctypes.c_ulong), ("target", ctypes.c_ulong),
                        ("property", ctypes.c_ulong), ("time", ctypes.c_ulong)]


class Event(ctypes.Union):
    _fields_ = [("type", ctypes.c_int), ("message", Message), ("request", Request), ("answer", Answer), ("room", ctypes.c_char * 192)]


class Image(ctypes.Structure):
    _fields_ = [("width", ctypes.c_int), ("height", ctypes.c_int), ("xoffset", ctypes.c_int), ("format", ctypes.c_int),
                ("data", ctypes.POINTER(ctypes.c_ubyte))]  # and more


def functions():
    """Those of libX11 that are called: what they give, and what they take."""
    display, word, number, text = ctypes.c_void_p, ctypes.c_ulong, ctypes.c_int, ctypes.c_char_p
    event = ctypes.POINTER(Event)
    x11 = ctypes.CDLL("libX11.so.6")
    for name, result, arguments in (
            ("XOpenDisplay", display, [text]),
            ("XCloseDisplay", number, [display]),
            ("XDefaultRootWindow", word, [display]),
            ("XGetImage", ctypes.POINTER(Image), [display, word, number, number, number, number, word, number]),
            ("XDestroyImage", number, [ctypes.POINTER(Image)]),
            ("XInternAtom", word, [display, text, number]),
            ("XSendEvent", number, [display, word, number, ctypes.c_long, event]),
            ("XFlush", number, [display]),
            ("XPending", number, [display]),
            ("XNextEvent", number, [display, event]),
            ("XCreateSimpleWindow", word, [display, word, number, number, number, number, number, word, word]),
            ("XSetSelectionOwner", number, [display, word, word, word]),
            ("XChangeProperty", number, [display, word, word, word, number, number, text, number])):
        getattr(x11, name).restype = result
        getattr(x11, name).argtypes = arguments
    return x11


class Client:
    """A program at the display of DISPLAY."""

    def __init__(self):
        self.x11 = functions()
        self.display = self.x11.XOpenDisplay(None)

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.x11.XCloseDisplay(self.display)

    def atom(self, name):
        return self.x11.XInternAtom(self.display, name.encode(), 0)

    def send(self, window, kind, *data):
        event = Event(message=Message(type=CLIENT_MESSAGE, window=window, kind=self.atom(kind), format=32))
        event.message.data[:len(data)] = data
        self.x11.XSendEvent(self.display, window, 0, 0, ctypes.byref(event))
        self.x11.XFlush(self.display)

    def pixels(self, x, y, width, height):
        image = self.x11.XGetImage(self.display, self.x11.XDefaultRootWindow(self.display), x, y, width, height, 0xffffffff, 2)
        found = ctypes.string_at(image.contents.data, 4 * width * height)
        self.x11.XDestroyImage(image)
        return found


def pixels(x, y, width, height):
    """Of the display: four bytes each, blue, green, red and one more."""
    with Client() as client:
        return client.pixels(x, y, width, height)


def colors(x, y, width, height):
    """Likewise, as blue, green, red."""
    found = pixels(x, y, width, height)
    return [tuple(found[at:at + 3]) for at in range(0, len(found), 4)]


def pixel(x, y):
    return colors(x, y, 1, 1)[0]


def ask_to_close(window):
    """As a window manager does."""
    with Client() as client:
        client.send(window, "WM_PROTOCOLS", client.atom("WM_DELETE_WINDOW"))


class Drop(Client):
    """Files (as addresses, file:///...) that are dragged from a window of ours onto another and let go there: the protocol XDND, version 5.
    go_on() is to be called until it says what became of them."""

    def __init__(self, window, x, y, addresses):
        super().__init__()
        root = self.x11.XDefaultRootWindow(self.display)
        self.window = window
        self.addresses = "".join(address + "\r\n" for address in addresses).encode()
        self.mine = self.x11.XCreateSimpleWindow(self.display, root, 0, 0, 1, 1, 0, 0, 0)
        self.x11.XSetSelectionOwner(self.display, self.atom("XdndSelection"), self.mine, 0)
        self.send(window, "XdndEnter", self.mine, 5 << 24, self.atom("text/uri-list"))
        self.send(window, "XdndPosition", self.mine, 0, x << 16 | y, 0, self.atom("XdndActionCopy"))

    def answer(self, request):
        """With the addresses, which the other side has asked for."""
        self.x11.XChangeProperty(self.display, request.requestor, request.property, request.target, 8, 0, self.addresses,
                                 len(self.addresses))
        event = Event(answer=Answer(type=SELECTION_NOTIFY, requestor=request.requestor, selection=request.selection,
                                    target=request.target, property=request.property, time=request.time))
        self.x11.XSendEvent(self.display, request.requestor, 0, 0, ctypes.byref(event))
        self.x11.XFlush(self.display)

    def go_on(self):
        event = Event()
        while self.x11.XPending(self.display):
            self.x11.XNextEvent(self.display, ctypes.byref(event))
            if event.type == SELECTION_REQUEST:
                self.answer(event.request)
            elif event.type == CLIENT_MESSAGE and event.message.kind == self.atom("XdndStatus"):
                if not event.message.data[1] & 1:
                    return "refused"
                self.send(self.window, "XdndDrop", self.mine, 0, 0)
            elif event.type == CLIENT_MESSAGE and event.message.kind == self.atom("XdndFinished"):
                return "taken" if event.message.data[1] & 1 else "refused"
        return None
