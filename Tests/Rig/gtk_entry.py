#!/usr/bin/python3
"""A window with one GTK 3 text view, for tests.

    gtk_entry.py OUTFILE [TITLE]

Writes the view's text to OUTFILE at each change, and prints the X window id, one line, each time the window gets the
focus. Ends at SIGTERM. OUTFILE is replaced whole, so a reader never sees half a text.
"""
import os
import signal
import sys

import gi

gi.require_version("Gtk", "3.0")
gi.require_version("GdkX11", "3.0")
from gi.repository import GdkX11, GLib, Gtk  # noqa: E402,F401


def main():
    out = sys.argv[1]
    title = sys.argv[2] if len(sys.argv) > 2 else "blurt text view"
    window = Gtk.Window(title=title)
    window.set_default_size(640, 240)
    view = Gtk.TextView()
    view.set_wrap_mode(Gtk.WrapMode.WORD_CHAR)
    window.add(view)

    def changed(buffer):
        text = buffer.get_text(buffer.get_start_iter(), buffer.get_end_iter(), True)
        with open(out + ".new", "w", encoding="utf-8", newline="") as file:
            file.write(text)
        os.replace(out + ".new", out)

    def focused(widget, _event):
        print(widget.get_window().get_xid(), flush=True)
        return False

    view.get_buffer().connect("changed", changed)
    window.connect("focus-in-event", focused)
    window.connect("destroy", Gtk.main_quit)
    GLib.unix_signal_add(GLib.PRIORITY_DEFAULT, signal.SIGTERM, Gtk.main_quit)
    changed(view.get_buffer())
    window.show_all()
    view.grab_focus()
    Gtk.main()


main()
