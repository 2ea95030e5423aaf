#!/usr/bin/python3
"""A window with one GTK 3 text view, for tests.

    gtk_entry.py OUTFILE [TITLE [password]]

With `password` it is a password entry instead. Writes the view's text to OUTFILE at each change, and prints the X window id, one line, each time the window gets the
focus. Ends at SIGTERM. OUTFILE is replaced whole, so a reader never sees half a text.
"""
import os
import signal
import sys

import gi

gi.require_version("Gtk", "3.0")
gi.require_version("Gdk", "3.0")
gi.require_version("GdkX11", "3.0")
from gi.repository import GdkX11, GLib, Gtk  # noqa: E402,F401


def main():
    out = sys.argv[1]
    title = sys.argv[2] if len(sys.argv) > 2 else "blurt text view"
    window = Gtk.Window(title=title)
    window.set_default_size(640, 240)
    if sys.argv[3:] == ["password"]:
        view = source = Gtk.Entry(visibility=False, input_purpose=Gtk.InputPurpose.PASSWORD)
        get_text = view.get_text
    else:
        view = Gtk.TextView()
        view.set_wrap_mode(Gtk.WrapMode.WORD_CHAR)
        source = view.get_buffer()

        def get_text():
            return source.get_text(source.get_start_iter(), source.get_end_iter(), True)
    window.add(view)

    def changed(_source):
        text = get_text()
        with open(out + ".new", "w", encoding="utf-8", newline="") as file:
            file.write(text)
        os.replace(out + ".new", out)

    def focused(widget, _event):
        print(widget.get_window().get_xid(), flush=True)
        return False

    source.connect("changed", changed)
    window.connect("focus-in-event", focused)
    window.connect("destroy", Gtk.main_quit)
    GLib.unix_signal_add(GLib.PRIORITY_DEFAULT, signal.SIGTERM, Gtk.main_quit)
    changed(source)
    window.show_all()
    view.grab_focus()
    Gtk.main()


main()
