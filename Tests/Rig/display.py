#!/usr/bin/python3
"""The display comes late, dies and comes back: blurtd waits, says so, connects by itself, and a dictation pastes.

    display.py [--out DIR] [--only NAME ...] [--list]

Each case runs in a rig of its own, with a bus on which a service manager of the user is played. Prints a line for each;
status 1 if one failed.
"""
import json
import os
import re
import secrets
import subprocess
import sys

import rig as parts
from bad_input import dictation, kept, main, one_sentence, require
from rig import Keyboard, RigError, TextWindow, wait, words
from scenario import ANSWER, KEY, part_ready, ready

CASES = []


def case(function):
    CASES.append(function)
    return function


class Manager:
    """The user's service manager on a bus of its own (Tests/Rig/logind.py)."""

    def __init__(self, rig):
        self.process = rig.start("manager", [parts.PYTHON, "-B", os.path.join(parts.HERE, "logind.py")],
                                 stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        if not line:
            raise RigError(f"the bus did not start: {rig.log_tail('manager')}")
        self.address = json.loads(line)["address"]
        self.told({})

    def told(self, environment):
        self.process.stdin.write(json.dumps({"do": "environment", "is": environment}) + "\n")
        self.process.stdin.flush()
        if not self.process.stdout.readline():
            raise RigError("the service manager does not answer")


class Screen:
    """An X server with a cookie, which can be ended and started again, and its window manager."""

    def __init__(self, rig):
        self.rig = rig
        self.cookies = os.path.join(rig.folder, "run", "Xauthority")

    def start(self):
        cookie = secrets.token_bytes(16)
        scheme = b"MIT-MAGIC-COOKIE-1"
        # Xau(3): family (65535: any host), address, number (none: any display), scheme, cookie; all counted.
        parts_of_entry = [b"", b"", scheme, cookie]
        with open(self.cookies, "wb") as file:
            file.write(b"\xff\xff" + b"".join(len(part).to_bytes(2, "big") + part for part in parts_of_entry))
        ours, theirs = os.pipe()
        os.set_inheritable(theirs, True)
        self.server = self.rig.start("xvfb", [
            "Xvfb", "-displayfd", str(theirs), "-screen", "0", "1024x640x24", "-nolisten", "tcp", "-noreset",
            "-auth", self.cookies], pass_fds=[theirs])
        os.close(theirs)
        with os.fdopen(ours) as told:
            self.number = told.readline().strip()
        require(self.number, f"the X server did not start: {self.rig.log_tail('xvfb')}")
        self.environment = {"DISPLAY": ":" + self.number, "XAUTHORITY": self.cookies}
        # For the programs of the session that start from now on; blurtd has started before.
        self.rig.environment.update(self.environment)
        self.rig.start("openbox", ["openbox", "--sm-disable"])
        wait("the window manager is there", lambda: self.rig.alive("openbox") and "window id" in self.rig.output(
            ["xprop", "-root", "_NET_SUPPORTING_WM_CHECK"], check=False), 40)

    def end(self):
        self.server.kill()
        self.server.wait()


def desk(rig):
    """Sound, keyboard, service and a daemon that knows no display."""
    manager = Manager(rig)
    rig.environment["DBUS_SESSION_BUS_ADDRESS"] = manager.address
    rig.sound()
    speech = rig.speech()
    keyboard = Keyboard(rig)
    address = rig.server(KEY, ANSWER, speech)
    rig.daemon(keyboard, {
        "BLURT_BASE_URL": address, "ASSEMBLYAI_API_KEY": KEY,
        "BLURT_OFFLINE_DIR": os.path.join(rig.folder, "none")})
    wait("status tells of no display", lambda: part_ready(rig.status(), "display") is False, 30)
    return manager, keyboard, speech, rig.watch()


def no_display(rig, *mentions):
    status = rig.status()
    one_sentence(status["display"].get("hint"), "display", *mentions)
    checks = rig.ask("doctor")[1].get("checks") or []
    display = next((check for check in checks if check.get("check") == "display"), None)
    require(display and display.get("state") == "failed", f"doctor says of the display: {display}")
    require("import-environment" in (display.get("remedy") or ""), f"doctor's remedy is {display.get('remedy')!r}")


def pastes(rig, keyboard, watch, speech):
    window = TextWindow(rig)
    event = dictation(rig, keyboard, watch, speech)
    require(event["phase"] == "pasted", f"the dictation ended as {event['phase']}: {event.get('message')}")
    wait("the text stands in the window", lambda: words(window.text()) == words(ANSWER), 30)
    rig.stop(window.process)


def display_lines(rig):
    """What the log says of the display, each change once."""
    return re.findall(r"display .*", rig.log("blurtd"))


def connected(rig):
    return ready(rig.status())


@case
def late_session(rig):
    """blurtd runs before the session: it says what is missing, finds display and cookie by itself, and pastes."""
    manager, keyboard, speech, watch = desk(rig)
    process = rig.process("blurtd").pid
    no_display(rig)
    screen = Screen(rig)
    screen.start()
    # The session's script tells the service manager when it comes to it.
    manager.told(screen.environment)
    wait("blurtd has connected by itself", lambda: connected(rig), 90)
    require(rig.process("blurtd").pid == process and rig.alive("blurtd"), "blurtd was started again")
    wait("the service manager is told", lambda: any(line.startswith("STATUS=Ready") for line in rig.told()), 30)
    pastes(rig, keyboard, watch, speech)
    require(len(display_lines(rig)) == 2, f"the log says of the display: {display_lines(rig)}")


@case
def server_restarts(rig):
    """The X server dies while nothing is said, and once in the middle of a dictation; each time the words can be had, and
    after the next start a dictation pastes."""
    manager, keyboard, speech, watch = desk(rig)
    process = rig.process("blurtd").pid
    screen = Screen(rig)
    screen.start()
    manager.told(screen.environment)
    wait("blurtd has connected", lambda: connected(rig), 90)
    pastes(rig, keyboard, watch, speech)
    screen.end()
    wait("blurtd has noticed", lambda: part_ready(rig.status(), "display") is False, 30)
    no_display(rig, ":" + screen.number)
    # Without a display the words are not lost.
    before = kept(rig)
    event = dictation(rig, keyboard, watch, speech)
    require(event["phase"] in ("failed", "noTarget"), f"the dictation ended as {event['phase']}")
    code, last = rig.ask("last")
    require((code == 0 and last.get("text") == ANSWER) or kept(rig) > before, "the words are neither in `last` nor kept")
    # Under another number, as the next session may have.
    screen.start()
    manager.told(screen.environment)
    wait("blurtd has connected again", lambda: connected(rig), 90)
    pastes(rig, keyboard, watch, speech)
    require(rig.process("blurtd").pid == process and rig.alive("blurtd"), "blurtd was started again")


if __name__ == "__main__":
    sys.exit(main(CASES, __doc__, "display"))
