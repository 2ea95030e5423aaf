#!/usr/bin/python3
"""A session bus with an accessibility bus on it (the same one) and one program, for tests.

    accessible.py

The first line printed is a JSON object with `address` and `pid`, which is that of the program. Then commands come on
standard input, one JSON object a line, each answered by one JSON line:

    {"do": "tree", "windows": [OBJECT ...]}  what the program shows. An OBJECT has any of: role (number), states (names), name,
                                             text, caret, selection ([start, end]), placeholder, description, label,
                                             interfaces, toolkit, children; `units` is "utf16" for a program that counts as Qt does,
                                             `search` true for a window that finds the focused object by itself
    {"do": "mute", "member": "GetText"}      that call is never answered; "" for all of the program's; null for none
    {"do": "refuse", "member": "GetRole"}    that call is refused; null for none
    {"do": "registry", "runs": false}        the registry leaves the bus, or comes back
    {"do": "calls"}                          answers `members`: what was asked so far, in order, and forgets it

Ends at the end of its input.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile

import gi

gi.require_version("Gio", "2.0")
from gi.repository import Gio, GLib  # noqa: E402

from logind import CONFIG, die_with_parent  # noqa: E402

ROOT = "/org/a11y/atspi/accessible/root"
NULL = "/org/a11y/atspi/null"
STATES = {"active": 1, "editable": 7, "focused": 12, "showing": 25, "visible": 30, "managesDescendants": 31,
          "readOnly": 43}


class Program:
    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="blurt-accessible.")
        self.address = "unix:path=" + os.path.join(self.folder, "bus")
        config = os.path.join(self.folder, "bus.conf")
        with open(config, "w") as file:
            file.write(CONFIG.format(socket=os.path.join(self.folder, "bus")))
        environment = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
        self.daemon = subprocess.Popen(
            ["dbus-daemon", "--nofork", "--nopidfile", "--nosyslog", "--print-address=1", "--config-file=" + config],
            stdout=subprocess.PIPE, preexec_fn=die_with_parent, env=environment)
        self.daemon.stdout.readline()
        self.objects, self.windows, self.members = {}, [], []
        self.mute = self.refused = None
        flags = Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION
        self.desktop, self.program = [
            Gio.DBusConnection.new_for_address_sync(self.address, flags, None, None) for _ in range(2)]
        for connection in (self.desktop, self.program):
            connection.set_exit_on_close(False)
            connection.add_filter(self.filter)
        self.name("org.a11y.Bus", True)
        self.name("org.a11y.atspi.Registry", True)

    def name(self, name, runs):
        self.desktop.call_sync(
            "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "RequestName" if runs else "ReleaseName",
            GLib.Variant("(su)", (name, 4)) if runs else GLib.Variant("(s)", (name,)), None, 0, 5000, None)

    # The objects

    def add(self, description):
        path = f"/org/a11y/atspi/accessible/{len(self.objects) + 1}"
        self.objects[path] = description
        description["paths"] = [self.add(child) for child in description.get("children", [])]
        return path

    def references(self, paths):
        return GLib.Variant("(a(so))", ([(self.program.get_unique_name(), path) for path in paths],))

    def focused(self, path):
        found = [path] if "focused" in self.objects[path].get("states", []) else []
        return found + [p for child in self.objects[path]["paths"] for p in self.focused(child)]

    def piece(self, found, start, end):
        text = found.get("text", "")
        if found.get("units") == "utf16":
            return text.encode("utf-16-le")[2 * start:2 * end].decode("utf-16-le", "replace")
        return text[start:end]

    def length(self, found):
        text = found.get("text", "")
        return len(text.encode("utf-16-le")) // 2 if found.get("units") == "utf16" else len(text)

    def property(self, found, name):
        if name == "Name":
            return GLib.Variant("s", found.get("name", ""))
        if name == "Description":
            return GLib.Variant("s", found.get("description", ""))
        if "text" not in found:
            return None
        if name == "CaretOffset":
            return GLib.Variant("i", found.get("caret", 0))
        return GLib.Variant("i", self.length(found)) if name == "CharacterCount" else None

    def answer(self, path, interface, member, arguments):
        if member == "GetAddress":
            return GLib.Variant("(s)", (self.address,))
        if interface == "org.freedesktop.DBus.Properties" and arguments[1] == "IsEnabled":
            return GLib.Variant("(v)", (GLib.Variant("b", True),))
        if path == ROOT:
            return self.references(self.windows) if member == "GetChildren" else None
        found = self.objects.get(path)
        if found is None:
            return None
        if interface == "org.freedesktop.DBus.Properties":
            value = self.property(found, arguments[1])
            # A variant of 0 counts as false.
            return None if value is None else GLib.Variant("(v)", (value,))
        if member == "GetChildren":
            return self.references(found["paths"])
        if member == "GetState":
            bits = sum(1 << STATES[name] for name in found.get("states", []))
            return GLib.Variant("(au)", ([bits & 0xFFFFFFFF, bits >> 32],))
        if member == "GetRole":
            return GLib.Variant("(u)", (found.get("role", 39),))
        if member == "GetInterfaces":
            return GLib.Variant("(as)", (["org.a11y.atspi.Accessible", *found.get("interfaces", [])],))
        if member == "GetAttributes":
            return GLib.Variant("(a{ss})", ({"toolkit": found.get("toolkit", "rig"), **(
                {"placeholder-text": found["placeholder"]} if "placeholder" in found else {})},))
        if member == "GetLocalizedRoleName":
            return GLib.Variant("(s)", (found.get("label", "text"),))
        if member == "GetMatches" and found.get("search"):
            return self.references(self.focused(path))
        if "text" not in found:
            return None
        if member == "GetText":
            return GLib.Variant("(s)", (self.piece(found, *arguments),))
        if member == "GetNSelections":
            return GLib.Variant("(i)", (1 if "selection" in found else 0,))
        if member == "GetSelection":
            return GLib.Variant("(ii)", tuple(found["selection"]))
        return None

    def filter(self, connection, message, incoming):
        # On a thread of Gio's own.
        path = message.get_path() or ""
        if not incoming or message.get_message_type() != Gio.DBusMessageType.METHOD_CALL or not path.startswith("/org/a11y/"):
            return message
        body = message.get_body()
        arguments = body.unpack() if body else ()
        member = message.get_member()
        if member == "Get":
            member = arguments[1]
        self.members.append(member)
        isProgram = connection is self.program
        if self.mute is not None and (member == self.mute if self.mute else isProgram):
            return None
        found = None
        if member != self.refused:
            if not isProgram and path == ROOT and member == "GetChildren":
                found = GLib.Variant("(a(so))", ([(self.program.get_unique_name(), ROOT)],))
            else:
                found = self.answer(path, message.get_interface(), message.get_member(), arguments)
        if found is None:
            reply = message.new_method_error_literal("org.freedesktop.DBus.Error.UnknownMethod", "There is no such thing.")
        else:
            reply = message.new_method_reply()
            reply.set_body(found)
        connection.send_message(reply, Gio.DBusSendMessageFlags.NONE)
        return None

    def do(self, command):
        what = command["do"]
        if what == "tree":
            self.objects = {}
            self.windows = [self.add(window) for window in command["windows"]]
        elif what == "mute":
            self.mute = command["member"]
        elif what == "refuse":
            self.refused = command["member"]
        elif what == "registry":
            self.name("org.a11y.atspi.Registry", command["runs"])
        elif what == "calls":
            members, self.members = self.members, []
            return {"members": members}
        else:
            raise ValueError("no such command: " + what)
        return {}


def main():
    die_with_parent()
    program = Program()
    print(json.dumps({"address": program.address, "pid": os.getpid()}), flush=True)
    try:
        for line in sys.stdin:
            print(json.dumps({"done": True, **program.do(json.loads(line))}), flush=True)
    finally:
        program.daemon.terminate()
        program.daemon.wait()
        shutil.rmtree(program.folder, ignore_errors=True)


if __name__ == "__main__":
    main()
