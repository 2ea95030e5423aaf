#!/usr/bin/python3
"""A window with an empty text view, which has the focus: what a person dictates into.

    text_window.py FILE [--toolkit gtk|tk|auto] [--title TITLE] [--class CLASS]

At each change of the text a JSON line is added to FILE: `text` (all of it) and `at`, CLOCK_MONOTONIC in nanoseconds.
The first line has `ready`, and is written when the view has the focus. Ends at the end of its standard input, so that it
never outlives whoever started it.
"""
import argparse
import json
import os
import sys
import time


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("file")
    parser.add_argument("--toolkit", choices=["auto", "gtk", "tk"], default="auto")
    parser.add_argument("--title", default="Blurt demo")
    parser.add_argument("--class", dest="name", default="blurt-demo")
    options = parser.parse_args()
    output = open(options.file, "a", buffering=1, encoding="utf-8")
    state = {"ready": False}

    def say(**fields):
        fields["at"] = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
        output.write(json.dumps(fields, ensure_ascii=False) + "\n")

    def focused():
        if not state["ready"]:
            state["ready"] = True
            say(ready=True, toolkit=toolkit)

    toolkit = options.toolkit
    if toolkit in ("auto", "gtk"):
        try:
            import gi

            gi.require_version("Gtk", "3.0")
            gi.require_version("Gdk", "3.0")
            toolkit = "gtk"
        except (ImportError, ValueError):
            if options.toolkit == "gtk":
                raise
            toolkit = "tk"
    (gtk if toolkit == "gtk" else tk)(options, say, focused)


def gtk(options, say, focused):
    os.environ.setdefault("NO_AT_BRIDGE", "1")
    from gi.repository import GLib, Gdk, Gtk

    GLib.set_prgname(options.name)
    Gdk.set_program_class(options.name)
    window = Gtk.Window(title=options.title)
    window.set_default_size(720, 240)
    view = Gtk.TextView(wrap_mode=Gtk.WrapMode.WORD_CHAR, left_margin=16, right_margin=16, top_margin=16)
    style = Gtk.CssProvider()
    style.load_from_data(b"textview { font: 20px 'DejaVu Sans'; }")
    view.get_style_context().add_provider(style, Gtk.STYLE_PROVIDER_PRIORITY_APPLICATION)
    window.add(view)
    buffer = view.get_buffer()
    buffer.connect("changed", lambda b: say(text=b.get_text(b.get_start_iter(), b.get_end_iter(), True)))
    view.connect("focus-in-event", lambda *_: focused() and False)
    window.connect("destroy", Gtk.main_quit)
    GLib.io_add_watch(sys.stdin.fileno(), GLib.PRIORITY_DEFAULT, GLib.IOCondition.IN | GLib.IOCondition.HUP,
                      lambda *_: bool(os.read(0, 4096)) or Gtk.main_quit())
    window.show_all()
    view.grab_focus()
    Gtk.main()


def tk(options, say, focused):
    import tkinter

    root = tkinter.Tk(className=options.name)
    root.title(options.title)
    root.geometry("720x240")
    text = tkinter.Text(root, font=("DejaVu Sans", 16), wrap="word")
    text.pack(expand=True, fill="both")

    def changed(_):
        say(text=text.get("1.0", "end-1c"))
        text.edit_modified(False)

    text.bind("<<Modified>>", lambda event: text.edit_modified() and changed(event))
    text.bind("<FocusIn>", lambda _: focused())
    root.createfilehandler(0, tkinter.READABLE, lambda *_: os.read(0, 4096) or root.destroy())
    root.after(100, text.focus_force)
    root.mainloop()


if __name__ == "__main__":
    main()
