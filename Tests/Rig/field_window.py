#!/usr/bin/python3
"""A window with one text field that has the focus and a text in it, for tests of what accessibility tells.

    field_window.py FILE gtk|qt view|entry|password|readonly TITLE TEXT CARET [SELECTION_END]

`readonly` is a view that cannot be written to, with an entry beside it that a SIGUSR1 gives the focus (GTK). CARET counts the characters of Python, which are Unicode scalars. At each change of the text a JSON line with `text` is added
to FILE; the first line has `ready`, and is written when the field has the focus. Ends at the end of its standard input.
"""
import json
import os
import signal
import sys


def main():
    path, toolkit, kind, title, text, caret, *rest = sys.argv[1:]
    output = open(path, "a", buffering=1, encoding="utf-8")

    def say(**fields):
        output.write(json.dumps(fields, ensure_ascii=False) + "\n")

    (gtk if toolkit == "gtk" else qt)(kind, title, text, int(caret), int(rest[0]) if rest else None, say)


def gtk(kind, title, text, caret, end, say):
    import gi

    gi.require_version("Gtk", "3.0")
    from gi.repository import GLib, Gtk

    window = Gtk.Window(title=title, default_width=500, default_height=120)
    box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
    box.add(Gtk.Button(label="A button"))
    window.add(box)
    if kind in ("view", "readonly"):
        field = Gtk.TextView(editable=kind == "view")
        buffer = field.get_buffer()
        buffer.set_text(text)
        place = buffer.get_iter_at_offset
        buffer.select_range(place(caret), place(caret if end is None else end))
        get_text = lambda: buffer.get_text(buffer.get_start_iter(), buffer.get_end_iter(), True)  # noqa: E731
        buffer.connect("changed", lambda _: say(text=get_text()))
    else:
        field = Gtk.Entry(text=text, placeholder_text="Write here", visibility=kind != "password")
        field.connect("changed", lambda _: say(text=field.get_text()))
    box.pack_end(field, True, True, 0)
    window.connect("destroy", Gtk.main_quit)
    GLib.io_add_watch(sys.stdin, GLib.IO_HUP | GLib.IO_IN, lambda *_: Gtk.main_quit())
    if kind == "readonly":
        beside = Gtk.Entry()
        beside.connect("changed", lambda _: say(beside=beside.get_text()))
        box.pack_end(beside, False, False, 0)
        beside.connect("focus-in-event", lambda *_: say(moved=True))
        GLib.unix_signal_add(GLib.PRIORITY_DEFAULT, signal.SIGUSR1, lambda: beside.grab_focus() or True)
    window.show_all()
    field.grab_focus()
    if kind not in ("view", "readonly"):
        field.select_region(caret, caret if end is None else end)

    def look():
        if not (window.is_active() and field.has_focus()):
            return True
        say(ready=True)
        return False

    GLib.timeout_add(20, look)
    Gtk.main()


def qt(kind, title, text, caret, end, say):
    os.environ.setdefault("QT_LINUX_ACCESSIBILITY_ALWAYS_ON", "1")
    from PyQt5 import QtCore, QtWidgets

    program = QtWidgets.QApplication(sys.argv[:1])
    window = QtWidgets.QWidget(windowTitle=title)
    layout = QtWidgets.QVBoxLayout(window)
    layout.addWidget(QtWidgets.QPushButton("A button"))
    # Qt counts UTF-16 units.
    units = len(text[:caret].encode("utf-16-le")) // 2
    if kind in ("view", "readonly"):
        field = QtWidgets.QPlainTextEdit(text, readOnly=kind == "readonly")
        cursor = field.textCursor()
        cursor.setPosition(units)
        field.setTextCursor(cursor)
        field.textChanged.connect(lambda: say(text=field.toPlainText()))
    else:
        field = QtWidgets.QLineEdit(text, placeholderText="Write here")
        if kind == "password":
            field.setEchoMode(QtWidgets.QLineEdit.Password)
        field.setCursorPosition(units)
        field.textChanged.connect(lambda changed: say(text=changed))
    layout.addWidget(field)
    window.resize(500, 160)
    window.show()
    field.setFocus()
    if kind not in ("view", "readonly"):
        field.setCursorPosition(units)
    timer = QtCore.QTimer()

    def look():
        if window.isActiveWindow() and field.hasFocus():
            timer.stop()
            say(ready=True)

    timer.timeout.connect(look)
    timer.start(20)
    notifier = QtCore.QSocketNotifier(0, QtCore.QSocketNotifier.Read)
    notifier.activated.connect(lambda *_: program.quit())
    program.exec_()


main()
