#!/usr/bin/python3
"""A Wayland window with one GTK 3 text view, or with a button that never asks for the clipboard.

    wayland_view.py OUTFILE APPID [button]

Writes the view's text to OUTFILE at each change. OUTFILE is replaced whole, so a reader never sees half a text.
"""
import os
import signal
import sys

import gi

gi.require_version("Gtk", "3.0")
from gi.repository import GLib, Gtk  # noqa: E402


def main():
    out, name = sys.argv[1:3]
    GLib.set_prgname(name)
    window = Gtk.Window(title=name)
    if sys.argv[3:] == ["button"]:
        window.add(Gtk.Button(label="nothing to paste into"))
    else:
        view = Gtk.TextView(wrap_mode=Gtk.WrapMode.WORD_CHAR, left_margin=12, top_margin=12)
        style = Gtk.CssProvider()
        style.load_from_data(b"textview { font: 18px 'DejaVu Sans'; }")
        view.get_style_context().add_provider(style, Gtk.STYLE_PROVIDER_PRIORITY_APPLICATION)
        window.add(view)

        def changed(buffer):
            text = buffer.get_text(buffer.get_start_iter(), buffer.get_end_iter(), True)
            with open(out + ".new", "w", encoding="utf-8", newline="") as file:
                file.write(text)
            os.replace(out + ".new", out)

        view.get_buffer().connect("changed", changed)
        changed(view.get_buffer())
        view.grab_focus()
    window.connect("destroy", Gtk.main_quit)
    GLib.unix_signal_add(GLib.PRIORITY_DEFAULT, signal.SIGTERM, Gtk.main_quit)
    window.show_all()
    Gtk.main()


main()
