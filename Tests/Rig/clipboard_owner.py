#!/usr/bin/python3
"""A program that has copied something, and that looks at the clipboard: one line in, one JSON line out.

    clipboard_owner.py

    own KIND BYTES     copies: `text`, `html` (with its text) or `png` (with no text), of about that many bytes; PRIMARY gets
                       a text. Answers with what was copied, in the form of `read`, once the server has it.
    changes            how often CLIPBOARD and PRIMARY have had another owner since.
    read               what both hold now, by asking their owner: for each the targets, and a digest of each one's bytes.

It looks only when it is asked, so it is no reader that a paste could mistake for its target. Ends at the end of its input.
"""
import hashlib
import json
import random
import sys

import gi

gi.require_version("Gtk", "3.0")
gi.require_version("Gdk", "3.0")
gi.require_version("GdkX11", "3.0")
from gi.repository import Gdk, GdkX11, GLib, Gtk  # noqa: E402

# The PNG signature: what follows is not looked at by anyone here.
PNG = b"\x89PNG\r\n\x1a\n"
TEXT_TARGETS = ("UTF8_STRING", "text/plain;charset=utf-8")
# What a program offers without anyone having copied it, and the mark of a text that histories shall not keep.
META = {"TARGETS", "TIMESTAMP", "MULTIPLE", "SAVE_TARGETS", "x-kde-passwordManagerHint"}
NAMES = ("CLIPBOARD", "PRIMARY")


def atom(name):
    return Gdk.Atom.intern(name, False)


def digest(data):
    return hashlib.sha256(data).hexdigest()[:16]


class Owner:
    def __init__(self):
        self.window = Gtk.Invisible()
        self.window.connect("selection-get", self.serve)
        self.held = {name: {} for name in NAMES}
        self.changes = dict.fromkeys(NAMES, 0)
        self.clipboards = {name: Gtk.Clipboard.get(atom(name)) for name in NAMES}
        for name, clipboard in self.clipboards.items():
            clipboard.connect("owner-change", self.changed, name)
        self.number = 0

    def changed(self, _clipboard, _event, name):
        self.changes[name] += 1

    def serve(self, _widget, selection, _info, _time):
        data = self.held[str(selection.get_selection())].get(str(selection.get_target()))
        if data is not None:
            selection.set(selection.get_target(), 8, data)

    def own(self, kind, size):
        self.number += 1
        noise = random.Random(self.number)
        text = f"copied {self.number}: äß🙂 ".encode()
        text += bytes(noise.choices(b"abcdefghij klmnop\n", k=max(0, int(size) - len(text))))
        if kind == "png":
            held = {"image/png": PNG + noise.randbytes(int(size))}
        else:
            held = dict.fromkeys(TEXT_TARGETS, text)
            if kind == "html":
                held["text/html"] = b"<b>" + text + b"</b>"
        self.held = {"CLIPBOARD": held, "PRIMARY": dict.fromkeys(TEXT_TARGETS, f"selected {self.number}".encode())}
        before = dict(self.changes)
        time = GdkX11.x11_get_server_time(self.window.get_window())
        for name in NAMES:
            Gtk.selection_clear_targets(self.window, atom(name))
            for target in self.held[name]:
                Gtk.selection_add_target(self.window, atom(name), atom(target), 0)
            if not Gtk.selection_owner_set(self.window, atom(name), time):
                raise SystemExit(f"{name} could not be taken")
        # The server tells of each change; what is counted begins after these two.
        while any(self.changes[name] == before[name] for name in NAMES):
            Gtk.main_iteration()
        self.changes = dict.fromkeys(NAMES, 0)
        return {name: {target: digest(data) for target, data in targets.items()} for name, targets in self.held.items()}

    def read(self):
        found = {}
        for name, clipboard in self.clipboards.items():
            has, targets = clipboard.wait_for_targets()
            found[name] = {}
            for target in targets if has else []:
                if str(target) not in META:
                    contents = clipboard.wait_for_contents(target)
                    found[name][str(target)] = digest(contents.get_data()) if contents else None
        return found

    def answer(self, words):
        if words[0] == "own":
            return self.own(*words[1:])
        return self.changes if words[0] == "changes" else self.read()


def main():
    owner = Owner()
    owner.window.realize()

    def line(_source, condition):
        words = sys.stdin.readline().split()
        if not words:
            Gtk.main_quit()
            return False
        print(json.dumps(owner.answer(words)), flush=True)
        return True

    GLib.io_add_watch(sys.stdin.fileno(), GLib.PRIORITY_DEFAULT, GLib.IOCondition.IN | GLib.IOCondition.HUP, line)
    Gtk.main()


main()
