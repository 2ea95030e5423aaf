#!/usr/bin/python3
"""A keyboard for tests, in a process of its own.

    keyboard.py [--backend auto|uinput|umockdev] [--name NAME]

`uinput` makes a real input device, seen by every program of the machine. `umockdev` makes one that only programs
started with the environment printed here can see. `auto` takes uinput where it may be written, the resulting device may
be read and no desktop session could be disturbed by the keys; else umockdev.

The first line printed is a JSON object: `backend`, `node` and `environment` (what a reader must be started with). Then
commands come on standard input, one a line, each answered by one JSON line with `done` and `at`, the value of
CLOCK_MONOTONIC in nanoseconds just before the event was written:

    down KEY     press; KEY is an evdev code or one of the names in KEYS
    up KEY       release
    tap KEY      press and release
    unplug       the device goes away
    plug         it comes back (under a new number with umockdev)
    more COUNT   so many keyboards besides, which stay at rest

It ends, and takes the keyboard with it, at the end of its input.
"""
import argparse
import fcntl
import json
import os
import shutil
import struct
import sys
import threading
import time

KEYS = {"RIGHTCTRL": 97, "LEFTCTRL": 29, "ESC": 1, "A": 30, "SPACE": 57, "RIGHTALT": 100, "LEFTSHIFT": 42}
# Those of every keyboard, and some that stand for nothing.
CODES = [*range(1, 128), *range(700, 720)]
EV_SYN, EV_KEY, EV_MSC, EV_LED, EV_REP = 0, 1, 4, 17, 20
PRELOAD = "libumockdev-preload.so.0"


def event(kind, code, value):
    now = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
    return struct.pack("qqHHi", now // 1_000_000_000, now // 1000 % 1_000_000, kind, code, value)


class UinputKeyboard:
    """A device of the kernel's own."""

    SET_EVBIT, SET_KEYBIT, CREATE, DESTROY = 0x40045564, 0x40045565, 0x5501, 0x5502

    def __init__(self, name):
        self.name = name
        self.file = None
        self.plug()

    environment = {}

    def plug(self):
        before = set(os.listdir("/sys/class/input"))
        self.file = os.open("/dev/uinput", os.O_WRONLY | os.O_CLOEXEC)
        fcntl.ioctl(self.file, self.SET_EVBIT, EV_KEY)
        for code in CODES:
            fcntl.ioctl(self.file, self.SET_KEYBIT, code)
        os.write(self.file, struct.pack("80sHHHHi", self.name.encode(), 3, 0x1209, 1, 1, 0) + bytes(4 * 64 * 4))
        fcntl.ioctl(self.file, self.CREATE)
        self.node = self.wait_for_node(before)

    def wait_for_node(self, before):
        limit = time.monotonic() + 20
        while time.monotonic() < limit:
            for entry in sorted(set(os.listdir("/sys/class/input")) - before):
                if not entry.startswith("event"):
                    continue
                try:
                    with open(f"/sys/class/input/{entry}/device/name") as file:
                        found = file.read().strip() == self.name
                    if found and os.access(f"/dev/input/{entry}", os.R_OK):
                        return f"/dev/input/{entry}"
                except OSError:
                    pass
            time.sleep(0.02)
        sys.exit("keyboard: the kernel made no readable device for /dev/uinput")

    def send(self, code, value):
        at = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
        os.write(self.file, event(EV_KEY, code, value) + event(EV_SYN, 0, 0))
        return at

    def more(self, count):
        self.others = [UinputKeyboard(f"{self.name} {number + 2}") for number in range(count)]

    def unplug(self):
        fcntl.ioctl(self.file, self.DESTROY)
        os.close(self.file)


class UmockdevKeyboard:
    """A device in a test bed of libumockdev, which answers the reader's opens, reads and ioctls."""

    def __init__(self, name):
        import gi

        gi.require_version("UMockdev", "1.0")
        from gi.repository import GLib, UMockdev

        self.name = name
        self.testbed = UMockdev.Testbed.new()
        self.handlers = []  # each must outlive every reader of its device
        self.number = 20
        keyboard = self

        class Handler(UMockdev.IoctlBase):
            def __init__(self):
                super().__init__()
                self.gone = False
                self.down = set()

            def do_handle_ioctl(self, client):
                return keyboard.answer(self, client)

            def do_handle_read(self, client):
                if self.gone:
                    client.complete(-1, 19)  # ENODEV
                    return True
                result, error = client.execute()
                client.complete(result, error)
                return True

        self.Handler = Handler
        # Requests are answered from the default main context, so a thread must run it.
        threading.Thread(target=GLib.MainLoop().run, daemon=True).start()
        # With its last device /dev/input itself would go; this one keeps it. It is no keyboard.
        self.add(10, "dummy", [])
        self.plug()
        self.environment = {"LD_PRELOAD": PRELOAD, "UMOCKDEV_DIR": self.testbed.get_root_dir()}

    def add(self, number, name, keys):
        handler = self.Handler()
        handler.name, handler.number, handler.keys = name, number, keys
        self.handlers.append(handler)
        node = f"/dev/input/event{number}"
        # First the handler, then the node: a reader opens the node at once.
        self.testbed.attach_ioctl(node, handler)
        self.testbed.add_from_string(
            f"P: /devices/rig{number}/input/input{number}/event{number}\nN: input/event{number}\n"
            f"E: DEVNAME={node}\nE: SUBSYSTEM=input\nE: MAJOR=13\nE: MINOR={64 + number}\n"
            f"A: dev=13:{64 + number}\n\n"
        )
        return node, handler

    def plug(self):
        self.number += 1
        self.plugged = self.number
        self.node, self.handler = self.add(self.number, self.name, CODES)
        self.file = self.testbed.get_dev_fd(self.node)

    def send(self, code, value):
        if value:
            self.handler.down.add(code)
        else:
            self.handler.down.discard(code)
        events = event(EV_KEY, code, value) + event(EV_SYN, 0, 0)
        at = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
        while events:
            events = events[os.write(self.file, events):]
        return at

    def more(self, count):
        for _ in range(count):
            self.number += 1
            self.add(self.number, self.name, CODES)

    def unplug(self):
        self.handler.gone = True
        root = self.testbed.get_root_dir()
        terminal = os.readlink(root + self.node)
        os.unlink(root + "/dev/.ptymap/" + terminal.replace("/", "_"))
        nothing = os.open("/dev/null", os.O_RDWR)
        os.dup2(nothing, self.file)  # the reader sees a hang-up
        os.close(nothing)
        self.testbed.remove_device(f"/sys/devices/rig{self.plugged}/input/input{self.plugged}/event{self.plugged}")

    def answer(self, handler, client):
        request = client.get_request() & 0xFFFFFFFF
        number, size = request & 0xFF, request >> 16 & 0x3FFF

        def bits(codes):
            field = bytearray(max(size, 96))
            for code in codes:
                field[code // 8] |= 1 << code % 8
            return bytes(field[:size])

        result = 0
        if number == 0x01:
            data = struct.pack("i", 0x010001)
        elif number == 0x02:
            data = struct.pack("HHHH", 3, 0x1209, handler.number, 1)
        elif number == 0x03:
            data = struct.pack("ii", 250, 33)
        elif number == 0x06:
            data = handler.name.encode()[: size - 1] + b"\0"
            result = len(data)
        elif number in (0x07, 0x08):
            client.complete(-1, 2)  # ENOENT: no physical path, no serial number
            return True
        elif number == 0x18:
            data = bits(handler.down)
            result = size
        elif number in (0x09, 0x19, 0x1B):
            data = bits([])
            result = size
        elif number == 0x20:
            data = bits([EV_SYN, EV_KEY, EV_MSC, EV_LED, EV_REP] if handler.keys else [EV_SYN])
        elif number == 0x21:
            data = bits(handler.keys)
        elif 0x22 <= number < 0x40:
            data = bits([])
        elif number in (0x90, 0xA0):  # grab, clock
            client.complete(0, 0)
            return True
        else:
            client.complete(-1, 22)  # EINVAL
            return True
        argument = client.get_arg().resolve(0, size)
        argument.update(0, data)
        client.complete(result, 0)
        return True


def wanted_backend():
    desktop = os.environ.get("BLURT_RIG_DESKTOP", "") == "1"
    if os.access("/dev/uinput", os.W_OK) and os.geteuid() == 0 and not desktop:
        return "uinput"
    return "umockdev"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--backend", choices=["auto", "uinput", "umockdev"], default="auto")
    parser.add_argument("--name", default="Blurt test keyboard")
    options = parser.parse_args()
    backend = wanted_backend() if options.backend == "auto" else options.backend
    if backend == "umockdev" and PRELOAD not in os.environ.get("LD_PRELOAD", ""):
        os.environ["LD_PRELOAD"] = PRELOAD
        os.execv(sys.executable, [sys.executable, *sys.argv[:1], "--backend", backend, "--name", options.name])
    keyboard = (UinputKeyboard if backend == "uinput" else UmockdevKeyboard)(options.name)

    def say(**fields):
        print(json.dumps(fields), flush=True)

    say(backend=backend, node=keyboard.node, environment=keyboard.environment)
    held = set()
    for line in sys.stdin:
        command, _, key = line.strip().partition(" ")
        at = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
        if command in ("down", "up", "tap"):
            code = KEYS.get(key.upper()) or int(key)
            if command in ("down", "tap"):
                at = keyboard.send(code, 1)
                held.add(code)
            if command in ("up", "tap"):
                at = keyboard.send(code, 0)
                held.discard(code)
        elif command == "unplug":
            keyboard.unplug()
            held.clear()
        elif command == "plug":
            keyboard.plug()
        elif command == "more":
            keyboard.more(int(key))
        else:
            sys.exit(f"keyboard: no such command: {command}")
        say(done=line.strip(), at=at, node=keyboard.node)
    for code in held:
        keyboard.send(code, 0)
    if backend == "umockdev":
        shutil.rmtree(keyboard.testbed.get_root_dir(), ignore_errors=True)


if __name__ == "__main__":
    main()
