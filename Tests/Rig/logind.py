#!/usr/bin/python3
"""A system bus with a logind on it, for tests: a private dbus-daemon and login sessions that a test moves.

    logind.py

The first line printed is a JSON object with `address`, for DBUS_SYSTEM_BUS_ADDRESS. Then commands come on standard input,
one JSON object a line, each answered by one JSON line once it has been carried out:

    {"do": "session", "id": "3", ...}     makes a session or changes one; the members are those of SESSION below
    {"do": "remove", "id": "3"}           ends it
    {"do": "display", "user": 1000, "id": "3"}   the user's main session; an empty id: none
    {"do": "lock", "id": "3"}, {"do": "unlock", "id": "3"}   what `loginctl lock-session` makes logind call out
    {"do": "sleep", "begins": true}       PrepareForSleep
    {"do": "holds"}                       answers `count`: inhibitor locks that are held; `taken`: how many were ever
    {"do": "calls"}                       answers `count`: how many calls logind has answered
    {"do": "mute", "is": true}            logind hears calls and answers none
    {"do": "refuse", "is": true}          logind gives no inhibitor lock
    {"do": "logind", "runs": false}       logind leaves the bus, or comes back with nothing forgotten
    {"do": "environment", "is": {"DISPLAY": ":7"}}   a user's service manager is on the bus as well, and has been told this
    {"do": "bus", "runs": false}          the bus ends, or starts again at the same address, logind with it

It ends, and takes the bus with it, at the end of its input.
"""
import ctypes
import json
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import gi

gi.require_version("Gio", "2.0")
from gi.repository import Gio, GLib  # noqa: E402

NAME = "org.freedesktop.login1"
ROOT = "/org/freedesktop/login1"
MANAGER = "org.freedesktop.systemd1"
MANAGER_PATH = "/org/freedesktop/systemd1"
SESSION = {"user": os.getuid(), "seat": "seat0", "type": "x11", "class": "user", "state": "active", "active": True, "locked": False}
CONFIG = """<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig><type>session</type><listen>unix:path={socket}</listen><auth>EXTERNAL</auth>
<policy context="default"><allow send_destination="*" eavesdrop="true"/><allow receive_sender="*"/><allow own="*"/><allow user="*"/>
</policy></busconfig>"""


def die_with_parent():
    ctypes.CDLL(None).prctl(1, signal.SIGKILL, 0, 0, 0)


class Logind:
    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="blurt-logind.")
        self.socket = os.path.join(self.folder, "bus")
        self.address = "unix:path=" + self.socket
        self.sessions = {}
        self.displays = {}
        self.sleeping = False
        self.mute = False
        self.refuses = False
        self.calls = 0
        self.environment = None  # of the user's service manager; None: there is none
        self.locks = []  # read ends of the pipes whose other ends were given away
        self.taken = 0
        self.daemon = None
        self.connection = None
        self.bus(True)

    # The bus

    def bus(self, runs):
        if not runs:
            self.connection = None
            self.daemon.terminate()
            self.daemon.wait()
            self.daemon = None
            return
        config = os.path.join(self.folder, "bus.conf")
        with open(config, "w") as file:
            file.write(CONFIG.format(socket=self.socket))
        if os.path.exists(self.socket):
            os.unlink(self.socket)
        environment = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
        self.daemon = subprocess.Popen(
            ["dbus-daemon", "--nofork", "--nopidfile", "--nosyslog", "--print-address=1", "--config-file=" + config],
            stdout=subprocess.PIPE, preexec_fn=die_with_parent, env=environment)
        self.daemon.stdout.readline()
        flags = Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION
        self.connection = Gio.DBusConnection.new_for_address_sync(self.address, flags, None, None)
        self.connection.set_exit_on_close(False)
        self.connection.add_filter(self.filter)
        self.logind(True)
        if self.environment is not None:
            self.own(MANAGER, True)

    def logind(self, runs):
        self.own(NAME, runs)

    def own(self, name, runs):
        arguments = GLib.Variant("(su)", (name, 4)) if runs else GLib.Variant("(s)", (name,))
        self.connection.call_sync(
            "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus",
            "RequestName" if runs else "ReleaseName", arguments, None, 0, 5000, None)
        # A logind that ends lets go of nothing: the inhibitor locks are files. A call that comes now is nobody's.

    def emit(self, path, interface, member, arguments):
        if self.connection:
            self.connection.emit_signal(None, path, interface, member, arguments)
            self.connection.flush_sync(None)

    # The objects

    def path(self, kind, name):
        return f"{ROOT}/{kind}/_3{name}" if name else "/"

    def session_properties(self, session):
        found = self.sessions[session]
        return {
            "Id": GLib.Variant("s", session), "User": GLib.Variant("(uo)", (found["user"], self.path("user", str(found["user"])))),
            "Name": GLib.Variant("s", "somebody"), "Timestamp": GLib.Variant("t", 1),
            "Seat": GLib.Variant("(so)", (found["seat"], "/" if not found["seat"] else ROOT + "/seat/" + found["seat"])),
            "Type": GLib.Variant("s", found["type"]), "Class": GLib.Variant("s", found["class"]),
            "Active": GLib.Variant("b", found["active"]), "State": GLib.Variant("s", found["state"]),
            "IdleHint": GLib.Variant("b", False), "LockedHint": GLib.Variant("b", found["locked"]),
        }

    def all_properties(self, path, interface):
        if interface == NAME + ".Manager":
            return {"PreparingForSleep": GLib.Variant("b", self.sleeping), "NCurrentSessions": GLib.Variant("t", len(self.sessions)),
                    "HandlePowerKey": GLib.Variant("s", "poweroff")}
        for session in self.sessions:
            if path == self.path("session", session):
                return self.session_properties(session)
        for user, display in self.displays.items():
            if path == self.path("user", str(user)):
                return {"UID": GLib.Variant("u", user), "Display": GLib.Variant("(so)", (display, self.path("session", display))),
                        "Sessions": GLib.Variant("a(so)", [(s, self.path("session", s)) for s in self.sessions])}
        return None

    def answer(self, path, interface, member, arguments):
        """A body, or a body and a descriptor, or None for what is not there."""
        if path == MANAGER_PATH:
            if member != "Get" or tuple(arguments) != (MANAGER + ".Manager", "Environment") or self.environment is None:
                return None
            entries = [f"{name}={value}" for name, value in self.environment.items()]
            return GLib.Variant("(v)", (GLib.Variant("as", entries),))
        if interface == "org.freedesktop.DBus.Properties" and member == "GetAll":
            found = self.all_properties(path, arguments[0])
            return found is not None and GLib.Variant("(a{sv})", (found,)) or None
        if member == "ListSessions":
            return GLib.Variant("(a(susso))", ([
                (s, f["user"], "somebody", f["seat"], self.path("session", s)) for s, f in self.sessions.items()],))
        if member == "GetUser" and arguments[0] in self.displays:
            return GLib.Variant("(o)", (self.path("user", str(arguments[0])),))
        if member == "Inhibit" and not self.sleeping and not self.refuses and arguments[0] == "sleep" and arguments[3] == "delay":
            ours, theirs = os.pipe()
            self.locks.append(ours)
            self.taken += 1
            descriptors = Gio.UnixFDList.new()
            index = descriptors.append(theirs)
            os.close(theirs)
            return GLib.Variant("(h)", (index,)), descriptors
        return None

    def filter(self, connection, message, incoming):
        # On a thread of Gio's own. What is no call to logind goes its way.
        if not incoming or message.get_message_type() != Gio.DBusMessageType.METHOD_CALL or not (message.get_path() or "").startswith((ROOT, MANAGER_PATH)):
            return message
        if self.mute:
            return None
        body = message.get_body()
        found = self.answer(message.get_path(), message.get_interface(), message.get_member(), body.unpack() if body else ())
        if found is None:
            reply = message.new_method_error_literal("org.freedesktop.DBus.Error.UnknownObject", "There is no such thing.")
        else:
            reply = message.new_method_reply()
            if isinstance(found, tuple):
                reply.set_unix_fd_list(found[1])
                found = found[0]
            reply.set_body(found)
        self.calls += 1
        connection.send_message(reply, Gio.DBusSendMessageFlags.NONE)
        return None

    # The commands

    def held(self):
        gone = [fd for fd in self.locks if select.select([fd], [], [], 0)[0]]
        for fd in gone:
            os.close(fd)
        self.locks = [fd for fd in self.locks if fd not in gone]
        return len(self.locks)

    def do(self, command):
        what, session = command["do"], command.get("id", "")
        if what == "session":
            known = session in self.sessions
            changes = {name: value for name, value in command.items() if name in SESSION}
            self.sessions[session] = {**self.sessions.get(session, SESSION), **changes}
            self.displays.setdefault(self.sessions[session]["user"], "")
            path = self.path("session", session)
            if known:
                self.emit(path, "org.freedesktop.DBus.Properties", "PropertiesChanged", GLib.Variant(
                    "(sa{sv}as)", (NAME + ".Session", self.session_properties(session), [])))
            else:
                self.emit(ROOT, NAME + ".Manager", "SessionNew", GLib.Variant("(so)", (session, path)))
        elif what == "remove":
            del self.sessions[session]
            self.emit(ROOT, NAME + ".Manager", "SessionRemoved", GLib.Variant("(so)", (session, self.path("session", session))))
        elif what == "display":
            self.displays[command["user"]] = session
            self.emit(self.path("user", str(command["user"])), "org.freedesktop.DBus.Properties", "PropertiesChanged",
                      GLib.Variant("(sa{sv}as)", (NAME + ".User", {}, ["Display"])))
        elif what in ("lock", "unlock"):
            self.emit(self.path("session", session), NAME + ".Session", what.capitalize(), None)
        elif what == "sleep":
            self.sleeping = command["begins"]
            self.emit(ROOT, NAME + ".Manager", "PrepareForSleep", GLib.Variant("(b)", (self.sleeping,)))
        elif what == "holds":
            return {"count": self.held(), "taken": self.taken}
        elif what == "calls":
            return {"count": self.calls}
        elif what == "mute":
            self.mute = command["is"]
        elif what == "refuse":
            self.refuses = command["is"]
        elif what == "environment":
            if self.environment is None:
                self.own(MANAGER, True)
            self.environment = command["is"]
        elif what == "logind":
            self.logind(command["runs"])
        elif what == "bus":
            self.bus(command["runs"])
        else:
            raise ValueError("no such command: " + what)
        return {}

    def end(self):
        if self.daemon:
            self.daemon.terminate()
            self.daemon.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


def main():
    die_with_parent()
    logind = Logind()
    print(json.dumps({"address": logind.address}), flush=True)
    try:
        for line in sys.stdin:
            command = json.loads(line)
            print(json.dumps({"done": command["do"], "at": time.clock_gettime_ns(time.CLOCK_MONOTONIC), **logind.do(command)}), flush=True)
    finally:
        logind.end()


if __name__ == "__main__":
    main()
