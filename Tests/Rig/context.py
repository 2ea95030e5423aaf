#!/usr/bin/python3
"""The text before the caret, from real programs through the real accessibility bus to the request of a dictation.

    context.py [--out DIR] [--only NAME ...] [--list]

Real here: at-spi2-core, GTK 3 and Qt 5 programs under a window manager, libsystemd, `blurtd` and `blurtctl` as built. The
strict server plays the service. Each case runs in a rig of its own. Prints a line for each; status 1 if one failed.
"""
import glob
import json
import os
import signal
import socket
import subprocess
import sys

import rig as parts
from bad_input import Skip, main, require
from rig import HERE, PYTHON, RigError, wait
from scenario import part_ready

CASES = []
KEY = "key-of-the-context-rig-1234"
ANSWER = "And this is new."
PRIOR = "Grüße 😀 an 日本 e\u0301 👩\u200d👩\u200d👧 zusammen."
AFTER = " WHAT-COMES-AFTER"
SECRET = "hunter2-of-this-rig"


def case(function):
    CASES.append(function)
    return function


def launcher():
    return next((path for path in ("/usr/libexec/at-spi-bus-launcher", "/usr/lib/at-spi2-core/at-spi-bus-launcher")
                 if os.access(path, os.X_OK)), None)


def start(rig, *, accessibility=True, environment=None):
    """A session bus with the accessibility bus on it, sound, a screen, the server and the daemon."""
    if accessibility:
        if not launcher():
            raise Skip("at-spi2-core is not installed")
        address = "unix:path=" + os.path.join(rig.folder, "session-bus")
        rig.environment["DBUS_SESSION_BUS_ADDRESS"] = address
        rig.start("session-bus", ["dbus-daemon", "--session", "--nofork", "--nopidfile", "--address=" + address])
        wait("the session bus is there", lambda: rig.alive("session-bus") and os.path.exists(address.split("=")[1]), 60)
        rig.environment["NO_AT_BRIDGE"] = "0"
    rig.sound()
    rig.screen()
    if accessibility:
        rig.start("accessibility", [launcher(), "--launch-immediately"])
        wait("the accessibility bus has a name", lambda: rig.alive("accessibility") and "true" in rig.output(
            ["gdbus", "call", "--session", "--dest", "org.freedesktop.DBus", "--object-path", "/org/freedesktop/DBus",
             "--method", "org.freedesktop.DBus.NameHasOwner", "org.a11y.Bus"], check=False), 60)
    base = rig.server(KEY, ANSWER, None)
    rig.daemon(environment={
        "BLURT_BASE_URL": base, "ASSEMBLYAI_API_KEY": KEY, "BLURT_LOG": "debug",
        "BLURT_OFFLINE_DIR": os.path.join(rig.folder, "none"), **(environment or {})})
    wait("blurtd is ready", lambda: rig.alive("blurtd") and part_ready(rig.status(), "display"), 60)
    return rig.watch()


class Field:
    count = 0

    def __init__(self, rig, toolkit, kind, text=PRIOR + AFTER, caret=len(PRIOR), end=None):
        Field.count += 1
        self.rig, self.name, self.title = rig, f"field-{Field.count}", f"Window {Field.count} of the context rig"
        if toolkit == "qt" and subprocess.run([PYTHON, "-c", "import PyQt5.QtWidgets"], capture_output=True).returncode:
            raise Skip("python3-pyqt5 is not installed")
        self.file = os.path.join(rig.folder, self.name + ".jsonl")
        open(self.file, "w").close()
        self.process = rig.start(
            self.name, [PYTHON, os.path.join(HERE, "field_window.py"), self.file, toolkit, kind, self.title, text, str(caret),
                        *([] if end is None else [str(end)])], stdin=subprocess.PIPE)
        wait(f"the {toolkit} {kind} has the focus", lambda: rig.alive(self.name) and self.lines(), 60)
        wait("the window manager says so", lambda: self.title in rig.output(
            ["xdotool", "getactivewindow", "getwindowname"], check=False), 60)

    def lines(self):
        with open(self.file, encoding="utf-8") as file:
            return [json.loads(line) for line in file if line.endswith("\n")]

    def text(self):
        return self.lines()[-1].get("text")

    def close(self):
        self.rig.stop(self.process)


def on_the_bus(rig, field):
    """A program joins the accessibility bus in its own time, some of them after their window is up."""
    address = rig.output(["gdbus", "call", "--session", "--dest", "org.a11y.Bus", "--object-path", "/org/a11y/bus", "--method",
                          "org.a11y.Bus.GetAddress"]).split("'")[1]

    def joined():
        said = rig.output(["gdbus", "call", "--address", address, "--dest", "org.a11y.atspi.Registry", "--object-path",
                           "/org/a11y/atspi/accessible/root", "--method", "org.a11y.atspi.Accessible.GetChildren"], check=False)
        names = set(part for part in said.split("'") if part.startswith(":"))
        return any(f"uint32 {field.process.pid}," in rig.output(
            ["gdbus", "call", "--address", address, "--dest", "org.freedesktop.DBus", "--object-path", "/org/freedesktop/DBus",
             "--method", "org.freedesktop.DBus.GetConnectionUnixProcessID", name], check=False) for name in names)

    wait(f"{field.name} is on the accessibility bus", joined, 60)


def press(rig, watch, press=None):
    """Presses, and returns the config of the request once it has come."""
    began, before = parts.now(), len(rig.server_events("config"))
    if press:
        press()
    else:
        code, answer = rig.ask("press")
        require(code == 0, f"press: {code} {answer}")
    wait("blurtd records", lambda: watch.when("recording", began), 60)
    wait("the request is there", lambda: rig.alive("blurtd") and len(rig.server_events("config")) > before, 60)
    return rig.server_events("config")[-1]["config"]


def release(rig):
    code, answer = rig.ask("release", "--wait")
    outcome = answer.get("outcome", answer)
    return outcome.get("phase"), outcome


def dictate(rig, watch):
    config = press(rig, watch)
    phase, outcome = release(rig)
    require(phase == "pasted", f"the dictation ended as {phase}: {outcome}")
    return config


def recent(rig):
    return rig.ask("recent")[1].get("recent", [])


def no_word_in_the_logs(rig):
    """Nothing that was read from the screen stands in the journal or beside it."""
    for name in glob.glob(os.path.join(rig.folder, "logs", "*")) + glob.glob(os.path.join(rig.folder, "state", "**", "*"), recursive=True):
        if os.path.basename(name).startswith("server") or not os.path.isfile(name):
            continue
        with open(name, errors="replace") as file:
            text = file.read()
        for word in ("Grüße", "zusammen", "WHAT-COMES-AFTER", SECRET):
            require(word not in text, f"{os.path.basename(name)} has the word {word}")


def reads(rig, toolkit, kind):
    watch = start(rig)
    field = Field(rig, toolkit, kind)
    on_the_bus(rig, field)
    config = dictate(rig, watch)
    require(config.get("stt_prompt") == PRIOR, f"the prompt is {config.get('stt_prompt')!r}")
    # A space where one is needed, and everything in its place.
    wait("the words are where the caret was", lambda: field.text() == PRIOR + " " + ANSWER + AFTER, 60)
    no_word_in_the_logs(rig)
    return watch, field


@case
def gtk_view(rig):
    """C-82, C-89, C-93: the text before the caret of a GTK text view, and not what comes after it."""
    watch, field = reads(rig, "gtk", "view")
    field.close()
    # An empty field is known to be empty: no space, though the last words were pasted a moment ago (C-91).
    field = Field(rig, "gtk", "view", "", 0)
    on_the_bus(rig, field)
    config = dictate(rig, watch)
    require(config.get("stt_prompt") == ANSWER, f"history alone is expected: {config.get('stt_prompt')!r}")
    wait("no space is put before the words", lambda: field.text() == ANSWER, 60)
    field.close()
    # Only the tail of a long text, and what is selected is not before the caret.
    text = "start " + "word " * 2000 + "selected"
    field = Field(rig, "gtk", "view", text, len(text) - 8, len(text))
    on_the_bus(rig, field)
    prior = dictate(rig, watch).get("stt_prompt").split("\n")[-1]
    require(prior == ("word " * 64).strip(), f"the prompt ends with {prior!r}")


@case
def gtk_entry(rig):
    """The same of a GTK entry."""
    reads(rig, "gtk", "entry")


@case
def qt_view(rig):
    """C-89: Qt, which counts UTF-16 units and cannot search for the focus by itself."""
    reads(rig, "qt", "view")


@case
def qt_entry(rig):
    reads(rig, "qt", "entry")


def password(rig, toolkit):
    watch = start(rig)
    field = Field(rig, toolkit, "password", SECRET, len(SECRET))
    on_the_bus(rig, field)
    config = dictate(rig, watch)
    require("stt_prompt" not in config, f"a prompt was sent: {config.get('stt_prompt')!r}")
    wait("the words are in the field", lambda: field.text() == SECRET + ANSWER, 60)
    require(recent(rig) == [], f"the words are remembered: {recent(rig)}")
    no_word_in_the_logs(rig)
    field.close()
    field = Field(rig, toolkit, "entry")
    on_the_bus(rig, field)
    config = dictate(rig, watch)
    require(config.get("stt_prompt") == PRIOR, f"the prompt is {config.get('stt_prompt')!r}")
    require(len(recent(rig)) == 1, f"{recent(rig)}")


@case
def gtk_password(rig):
    """C-88, S-78: of a password nothing is read or sent, and the words spoken into it are not remembered."""
    password(rig, "gtk")


@case
def qt_password(rig):
    password(rig, "qt")


@case
def program_that_hangs(rig):
    """C-92, S-58: a stopped program costs its context and nothing else; what is said to it is not remembered."""
    watch = start(rig)
    field = Field(rig, "gtk", "view")
    on_the_bus(rig, field)
    os.kill(field.process.pid, signal.SIGSTOP)
    try:
        config = press(rig, watch)
        require("stt_prompt" not in config, f"a stopped program told {config.get('stt_prompt')!r}")
        wait("the reading was given up", lambda: "the focused field could not be read" in rig.log("blurtd"), 60)
    finally:
        os.kill(field.process.pid, signal.SIGCONT)
    phase, outcome = release(rig)
    require(phase == "pasted", f"the dictation ended as {phase}: {outcome}")
    wait("the words came", lambda: ANSWER in (field.text() or ""), 60)
    require(recent(rig) == [], "what was said to a field that nobody could read is remembered")
    require(dictate(rig, watch).get("stt_prompt", "").endswith(ANSWER), "the next dictation did not read the field")


def read_only(rig, toolkit):
    """A text that can only be looked at: the words go to the clipboard, and stay there. The same toolkit's view that can be
    written to is pasted into."""
    watch = start(rig)
    field = Field(rig, toolkit, "readonly")
    on_the_bus(rig, field)
    config = press(rig, watch)
    require("stt_prompt" not in config, f"a text that is only looked at was sent: {config.get('stt_prompt')!r}")
    phase, outcome = release(rig)
    require(phase == "noTarget", f"the dictation ended as {phase}: {outcome}")
    said = rig.output(["timeout", "10", "xclip", "-o", "-selection", "clipboard"])
    require(said == ANSWER, f"the clipboard has {said!r}")
    require(all("text" not in line for line in field.lines()), "the text was changed")
    return watch, field


def writable(rig, watch, toolkit):
    """The same kind of view, when it takes a text, gets the words."""
    field = Field(rig, toolkit, "view")
    on_the_bus(rig, field)
    dictate(rig, watch)
    wait("the words came", lambda: ANSWER in (field.text() or ""), 60)


@case
def gtk_read_only(rig):
    """C-42, C-61: nothing is pasted into a text view that is read-only, unless the user goes to a field that is not."""
    watch, field = read_only(rig, "gtk")
    press(rig, watch)
    os.kill(field.process.pid, signal.SIGUSR1)
    wait("the field beside it has the focus", lambda: any(line.get("moved") for line in field.lines()), 60)
    phase, outcome = release(rig)
    require(phase == "pasted", f"the dictation ended as {phase}: {outcome}")
    wait("the words are in the field beside it", lambda: field.lines()[-1].get("beside") == ANSWER, 60)
    field.close()
    writable(rig, watch, "gtk")


@case
def qt_read_only(rig):
    watch, field = read_only(rig, "qt")
    field.close()
    writable(rig, watch, "qt")


@case
def no_bus(rig):
    """C-95: without an accessibility bus dictation works the same, doctor says so, and nobody started one."""
    watch = start(rig, accessibility=False)
    field = Field(rig, "gtk", "view")
    config = dictate(rig, watch)
    require("stt_prompt" not in config, f"the prompt is {config.get('stt_prompt')!r}")
    require(len(recent(rig)) == 1, "the words are not remembered")
    check = next(check for check in rig.ask("doctor")[1]["checks"] if check["check"] == "context")
    require(check["state"] == "warning" and "accessibility bus" in check["message"], f"{check}")
    wait("the words came", lambda: ANSWER in (field.text() or ""), 60)


@case
def session_bus_alone(rig):
    """A session bus that could start the accessibility bus is not asked to."""
    address = "unix:path=" + os.path.join(rig.folder, "session-bus")
    rig.start("session-bus", ["dbus-daemon", "--session", "--nofork", "--nopidfile", "--address=" + address])
    wait("the session bus is there", lambda: rig.alive("session-bus") and os.path.exists(address.split("=")[1]), 60)
    rig.environment["DBUS_SESSION_BUS_ADDRESS"] = address
    watch = start(rig, accessibility=False)
    Field(rig, "gtk", "view")
    require("stt_prompt" not in dictate(rig, watch), "there was a prompt")
    rig.ask("doctor")
    owned = rig.output(["gdbus", "call", "--session", "--dest", "org.freedesktop.DBus", "--object-path", "/org/freedesktop/DBus",
                        "--method", "org.freedesktop.DBus.NameHasOwner", "org.a11y.Bus"])
    require("false" in owned, "the accessibility bus was started")


@case
def turned_off(rig):
    """BlurtFieldContext: off, nothing is read; a client that gives its field itself is heard all the same (C-96)."""
    watch = start(rig)
    field = Field(rig, "gtk", "view")
    on_the_bus(rig, field)
    rig.ctl("settings", "set", "FieldContext", "off")
    require("stt_prompt" not in dictate(rig, watch), "the field was read")
    check = next(check for check in rig.ask("doctor")[1]["checks"] if check["check"] == "context")
    require(check["state"] == "ok" and "is off" in check["message"], f"{check}")
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(rig.socket_path)

        def say():
            client.sendall(json.dumps({"id": "1", "cmd": "press", "context": {"before": "Given by hand"}}).encode() + b"\n")

        config = press(rig, watch, say)
        require(config.get("stt_prompt", "").endswith("Given by hand"), f"the prompt is {config.get('stt_prompt')!r}")
        release(rig)
    rig.ctl("settings", "set", "FieldContext", "on")
    check = next(check for check in rig.ask("doctor")[1]["checks"] if check["check"] == "context")
    require(check["state"] == "ok" and "1 program" in check["message"], f"{check}")


@case
def nothing_is_left(rig):
    """Idle: no connection to the accessibility bus, no thread of the reading, and nobody's events are asked for."""
    watch = start(rig)
    field = Field(rig, "gtk", "view")
    on_the_bus(rig, field)
    address = rig.output(["gdbus", "call", "--session", "--dest", "org.a11y.Bus", "--object-path", "/org/a11y/bus", "--method",
                          "org.a11y.Bus.GetAddress"]).split("'")[1]
    monitor = rig.start("monitor", ["dbus-monitor", "--address", address])
    wait("the monitor listens", lambda: rig.alive("monitor") and "NameAcquired" in rig.log("monitor") or "NameLost" in rig.log("monitor"), 60)
    daemon = rig.process("blurtd").pid
    for _ in range(3):
        dictate(rig, watch)

    def threads():
        return [open(path).read().strip() for path in glob.glob(f"/proc/{daemon}/task/*/comm")]

    wait("the thread of the reading has ended", lambda: "blurt-context" not in threads(), 60)
    rig.stop(monitor)
    said = rig.log("monitor")
    require("member=GetText" in said, "the monitor has seen no reading")
    require("AddMatch" not in said and "RegisterEvent" not in said, "events are asked for")
    names = rig.output(["gdbus", "call", "--address", address, "--dest", "org.freedesktop.DBus", "--object-path",
                        "/org/freedesktop/DBus", "--method", "org.freedesktop.DBus.ListNames"])
    processes = [rig.output(["gdbus", "call", "--address", address, "--dest", "org.freedesktop.DBus", "--object-path",
                             "/org/freedesktop/DBus", "--method", "org.freedesktop.DBus.GetConnectionUnixProcessID", name], check=False)
                 for name in set(names.split("'")) if name.startswith(":")]
    require(not any(f"uint32 {daemon}," in process for process in processes), "blurtd is still on the accessibility bus")


if __name__ == "__main__":
    sys.exit(main(CASES, __doc__, "context"))
