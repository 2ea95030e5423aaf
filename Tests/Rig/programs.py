#!/usr/bin/python3
"""Dictations into real programs: the right text stands in them, under each keyboard layout, and the clipboard is as it was.

    programs.py [--light] [--only PROGRAM ...] [--layouts NAME ...] [--managers NAME ...] [--alsa-rig DIR] [--out DIR]
                [--design FILE] [--list] [--packages]

What was said is known: a program of ours is the engine. For each window manager, program and layout a dictation is pasted
into the program's text; then the program says by itself what it holds, and that must be every text so far, to the letter.
What the user had copied (text, HTML, a picture, and what was selected) must be back, byte by byte, no key may be down, and
the keyboard's group and locks must be as they were. Under the first layout ten kilobytes are dictated as well, and terminals
get command lines that must not run. A clipboard manager runs beside: its history must not get the text.

--light is what check.sh runs. Prints a line for each dictation and a table; with --design the table is written into that
Markdown file. Status 1 if something was not as it must be.
"""
import argparse
import ctypes
import glob
import json
import os
import re
import subprocess
import sys
import time

import rig as parts
from kill import Client, Keys
from real_programs import ALL, Terminal, version
from rig import Rig, RigError, progress, wait

# name -> (arguments of setxkbmap, the group that is active)
LAYOUTS = {
    "us": (["us"], 0), "de": (["de"], 0), "fr": (["fr"], 0), "ru": (["ru"], 0),
    "dvorak": (["us", "-variant", "dvorak"], 0), "bepo": (["fr", "-variant", "bepo"], 0),
    "neo": (["de", "-variant", "neo"], 0), "gr": (["gr"], 0), "th": (["th"], 0), "us,ru": (["us,ru"], 1),
}
MANAGERS = {"openbox": "openbox", "icewm": "icewm"}
# Under the second window manager: one layout with a V and one without.
FEW = ("us", "ru")
# Accents whole and in two parts, an emoji beyond the first plane, other scripts, what a shell would take apart.
SPOKEN = "Spaß, ø, piñata, 漢字, 🩻, e\u0301, Ελλάδα, Привет; `$(x)` \"q\" 'q' \\ %s"
LINES = "\nand a second line\n\n\tand a fourth.\n"
CLIPBOARDS = (("text", 300), ("html", 3000), ("png", 200_000))
LONG = 10_000
# With the sequence that ends a bracketed paste.
COMMANDS = "touch RAN-1\ntouch RAN-2 x\x1b[201~\r\ntouch RAN-3\n"
BEGIN, END = "<!-- programs.py: begin -->", "<!-- programs.py: end -->"


class Fault(RigError):
    """Something that the user would see; a short word for the table and a sentence."""

    def __init__(self, word, sentence):
        super().__init__(sentence)
        self.word = word


def flattened(text):
    """As the daemon makes a text safe for a terminal (B-86)."""
    text = re.sub("[\x00-\x08\x0e-\x1f\x7f]", "", text)
    return re.sub(r"[ \t]*[\n\r\v\f][ \t\n\r\v\f]*", " ", text).replace("\t", " ")


class Recorder(Client):
    """Keeps every event of the dictation."""

    def __init__(self, path):
        super().__init__(path)
        self.seen = []

    def event(self, condition, what):
        def noted(event):
            self.seen.append(event)
            return condition(event)

        return super().event(noted, what)


class Stage:
    """A screen with a window manager, the user's clipboard, and the daemon with a scripted engine."""

    def __init__(self, rig, manager, options):
        self.rig, self.options = rig, options
        place = lambda name: os.path.join(rig.folder, name)
        alsa = options.alsa_rig
        rig.output([os.path.join(parts.HERE, "alsa", "build-rig.sh"), alsa])
        rig.environment["ALSA_CONFIG_PATH"] = os.path.join(alsa, "asound.conf")
        rig.screen(manager)
        self.bus()
        self.keys = Keys(rig.environment["DISPLAY"])
        self.owner = rig.start("clipboard", [parts.PYTHON, os.path.join(parts.HERE, "clipboard_owner.py")],
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.answer = place("answer")
        with open(place("engine"), "w") as file:
            file.write(f"#!/bin/sh\ncat >/dev/null\nexec cat '{self.answer}'\n")
        os.chmod(place("engine"), 0o755)
        os.makedirs(os.path.join(place("config"), "blurt"), mode=0o700)
        with open(os.path.join(place("config"), "blurt", "settings.json"), "w") as file:
            json.dump({"BlurtMicDeviceUID": f"rig:FILE={alsa}/noise16.raw", "BlurtEngineKind": "command",
                       "BlurtEngineCommand": [place("engine")], **options.settings}, file)
        rig.daemon(environment={"BLURT_OFFLINE_DIR": place("none"), "DBUS_SESSION_BUS_ADDRESS": "disabled:"})
        wait("blurtd has its display", lambda: (rig.status().get("display") or {}).get("ready"), 30)
        self.client = Recorder(rig.socket_path)
        self.client.ask("watch", results=True)
        self.last_text = None
        # Dictations, and what the user has copied, so far.
        self.number = self.copies = 0

    def bus(self):
        """A session bus that starts nothing by itself: some programs want one."""
        run = self.rig.environment["XDG_RUNTIME_DIR"]
        file = os.path.join(self.rig.folder, "bus.conf")
        with open(file, "w") as stream:
            stream.write('<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN" '
                         '"http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd"><busconfig><type>session</type>'
                         f"<listen>unix:path={run}/bus</listen><policy context='default'><allow send_destination='*' "
                         "eavesdrop='true'/><allow eavesdrop='true'/><allow own='*'/></policy></busconfig>")
        self.rig.start("dbus", ["dbus-daemon", f"--config-file={file}", "--nofork", "--nopidfile"])
        wait("the bus is there", lambda: self.rig.alive("dbus") and os.path.exists(f"{run}/bus"), 30)
        self.rig.environment["DBUS_SESSION_BUS_ADDRESS"] = f"unix:path={run}/bus"

    def clipboard(self, *words):
        self.rig.alive("clipboard")
        self.copies += words[0] == "own"
        self.owner.stdin.write(" ".join(map(str, words)) + "\n")
        self.owner.stdin.flush()
        line = self.owner.stdout.readline()
        if not line:
            raise RigError(f"the clipboard's owner died: {self.rig.log_tail('clipboard')}")
        return json.loads(line)

    def layout(self, name):
        arguments, group = LAYOUTS[name]
        self.rig.output(["setxkbmap", "-layout", *arguments])
        self.group(group)

    def group(self, wanted=None):
        """The active group, which is locked first if one is given, and the locked modifiers."""
        library, display = self.keys.library, self.keys.display
        if wanted is not None:
            library.XkbLockGroup(display, 0x100, wanted)
        state = (ctypes.c_ubyte * 32)()
        library.XkbGetState(display, 0x100, state)
        # XkbStateRec: group, locked_group, base_group, latched_group, mods, base_mods, latched_mods, locked_mods
        return state[0], bytes(state[8:12])

    # One dictation

    def say(self, text):
        """One dictation, until its text was pasted."""
        with open(self.answer, "w", encoding="utf-8", newline="") as file:
            file.write(text)
        self.number += 1
        self.client.seen.clear()
        answer = self.client.ask("press")
        if answer["result"] != "started":
            raise RigError(f"the press is answered with {answer}")
        self.client.phase("recording")
        # More than the least recording that counts (100 ms): the microphone's time is the real one.
        time.sleep(0.2)
        self.client.ask("release")
        ended = self.client.phase("pasted", "noTarget", "failed", "cancelled")
        if ended["phase"] != "pasted":
            raise Fault(ended["phase"], f"the dictation ended as {ended}")

    def case(self, program, held, text, layout, saved=True):
        """A dictation into a program that holds `held`; returns what it holds then."""
        for attempt in range(3):
            kind, size = CLIPBOARDS[self.copies % len(CLIPBOARDS)]
            copied = self.clipboard("own", kind, size)
            before = self.group()
            held = self.paste(program, held, text, layout)
            down, after = self.keys.down(), self.group()
            if down:
                raise Fault("key down", f"keys {down} are down after the paste")
            if after != before:
                raise Fault("group", f"group and locks were {before} and are {after}")
            now = self.clipboard("read")
            # A machine that is too loaded to hand its clipboard over in time keeps the text, and the daemon says so.
            if self.unrestored() and attempt < 2:
                progress(f"  {program.name}: again, since {self.unrestored()}")
                continue
            for name in ("CLIPBOARD", "PRIMARY"):
                if now[name] != copied[name]:
                    raise Fault("clipboard", f"{name} had {copied[name]} and has {now[name]}")
            return held

    def paste(self, program, held, text, layout):
        """A dictation into a program that holds `held`: the text stands there, and the clipboard has its owner again."""
        self.say(text)
        held = held + [flattened(text.strip()) if program.is_terminal else text.strip()]
        self.arrived(program, held, layout)
        self.settled()
        return held

    def settled(self):
        """Waits until the old clipboard is back, or the daemon says that it cannot be. Its owner is the daemon then."""
        try:
            wait("it comes back", lambda: self.clipboard("changes")["CLIPBOARD"] >= 2 or self.unrestored(), 30)
        except RigError:
            raise Fault("not restored", "what was copied did not come back") from None

    def unrestored(self):
        """What the daemon has said about an old clipboard that cannot come back."""
        self.client.ask("status")
        self.client.seen += self.client.events
        self.client.events.clear()
        said = [event.get("notice", "") for event in self.client.seen if event.get("event") == "notice"]
        return next((notice for notice in said if "estored" in notice), None)

    def arrived(self, program, held, layout):
        """Waits until the program holds exactly these texts."""
        seen = None

        def right():
            nonlocal seen
            self.rig.alive(program.tag)
            if program.saves:
                program.save()
            seen = program.text()
            self.last_text = seen
            return re.fullmatch(pattern, seen)

        # Between two dictations stands a space where the daemon takes them for one window's.
        pattern = "".join(" ?" + re.escape(text) for text in held)
        if program.saves:
            # The program has read the chord and the text, so that another layout changes nothing for it.
            self.settled()
            self.layout("us")
        try:
            wait("the text", right, 20)
        except RigError:
            whole = " ".join(held)
            if not (seen or "").endswith(held[-1][-20:]) and len(seen or "") <= len(" ".join(held[:-1])):
                raise Fault("no text", f"the text did not arrive; it holds {seen[-300:]!r}") from None
            at = next((n for n, (a, b) in enumerate(zip(seen, whole)) if a != b), min(len(seen), len(whole)))
            raise Fault("text", f"it holds {len(seen)} characters, from {at}: {seen[at:at + 80]!r}, "
                                f"not {whole[at:at + 80]!r}") from None
        finally:
            if program.saves:
                self.layout(layout)

    # All of one program

    def program(self, kind, layouts, manager):
        """Every layout, one after the other, in one window. Returns layout -> word, what was put between the texts, faults."""
        outcomes = {}
        self.layout("us")
        try:
            program = kind(self.rig, self.number)
            program.start()
        except RigError as error:
            self.picture(f"{manager}-{kind.__name__}-start")
            progress(f"  {kind.name}: {error}")
            return dict.fromkeys(layouts, "no start"), "–", [f"{kind.name} under {manager}: {error}"]
        problems = []
        held = []
        try:
            for layout in layouts:
                cases = [SPOKEN + ("" if kind.is_line else LINES)]
                if layout == layouts[0]:
                    words = f"{SPOKEN} " * (LONG // len(SPOKEN.encode()))
                    cases.append(words if kind.is_line else words.replace("Привет;", "Привет;\n"))
                try:
                    self.layout(layout)
                    for text in cases:
                        # A number in front, so that no text is taken for another.
                        held = self.case(program, held, f"{self.number} {layout}: {text}", layout)
                    outcomes[layout] = "✓"
                except RigError as error:
                    outcomes[layout] = getattr(error, "word", "fault")
                    problems.append(f"{kind.name}, {layout}, {manager}: {error}")
                    self.picture(f"{manager}-{kind.__name__}-{layout}")
                    # What it holds now is where the next one begins.
                    try:
                        held = [text] if (text := program.text()) else []
                    except (RigError, OSError):
                        pass
                progress(f"  {kind.name}, {layout}: {outcomes[layout]}")
                if layout == layouts[0]:
                    self.picture(f"{manager}-{kind.__name__}")
        finally:
            program.stop()
        return outcomes, self.between(held), problems

    def between(self, held):
        """Whether a space was put between two dictations into the window (C-56): it is known by its process and title."""
        joints = re.fullmatch(" ?" + "( ?)".join(map(re.escape, held)), self.last_text or "")
        found = set(joints.groups()) if joints else set()
        return {(" ",): "yes", ("",): "no", ("", " "): "at times"}.get(tuple(sorted(found)), "–")

    def shell(self, kind):
        """Command lines into a shell without bracketed paste: none runs until the user presses Enter (B-86)."""
        program = kind(self.rig, f"{self.number}-shell")
        arguments = program.shell()
        program.arguments = lambda: arguments
        program.environment = {**program.environment, "PS1": "$ ", "INPUTRC": os.path.join(program.folder, "inputrc")}
        with open(os.path.join(program.folder, "inputrc"), "w") as file:
            file.write("set enable-bracketed-paste off\n")
        program.ready = program.window
        folder = os.path.join(program.folder, "work")
        os.mkdir(folder)
        self.layout("us")
        program.start()
        try:
            # The shell is there when it does what is typed.
            def typed(line, file):
                self.rig.output(["xdotool", "type", "--delay", "5", line + "\n"])
                wait(f"the shell runs {line}", lambda: os.path.exists(os.path.join(folder, file)), 30)

            typed(f"cd {folder}; touch READY", "READY")
            self.clipboard("own", "text", 100)
            self.say(COMMANDS)
            self.settled()
            ran = [name for name in os.listdir(folder) if name.startswith("RAN")]
            if ran:
                raise Fault("ran", f"the shell ran what was dictated: {ran}")
            self.picture(f"shell-{kind.__name__}")
            # That it was there shows Enter: one line with all three.
            self.rig.output(["xdotool", "key", "Return"])
            wait("the line is there", lambda: {"RAN-1", "RAN-2", "RAN-3"} <= set(os.listdir(folder)), 30)
        except RigError:
            self.picture(f"fault-shell-{kind.__name__}")
            raise
        finally:
            program.stop()

    def picture(self, name):
        self.rig.screenshot(os.path.join(self.options.out, name + ".png"))


# CopyQ knows the hint by itself from 8.0 on; an older one by this command, which its users have for password managers.
COPYQ_RULE = """[Command]
Automatic=true
Command="copyq: ignore()"
Input=x-kde-passwordManagerHint
Name=Ignore what is marked as secret
Remove=true
"""


def copyq(stage):
    """CopyQ beside: its history gets what the user copies, and nothing of a dictation nor of what comes back after it."""
    rig = stage.rig
    folder = os.path.join(rig.environment["XDG_CONFIG_HOME"], "copyq")
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "copyq-commands.ini"), "w") as file:
        file.write(COPYQ_RULE)
    rig.start("copyq", ["copyq"])
    ask = lambda *words: rig.output(["copyq", *words], check=False).strip()
    history = lambda: json.loads(ask("eval", "var a=[]; for (var i=0; i<size(); ++i) a.push(str(read(i))); JSON.stringify(a)") or "[]")
    wait("CopyQ answers", lambda: rig.alive("copyq") and ask("eval", "size()").isdigit(), 60)
    program = next(kind for kind in ALL if kind.name == "GTK 3 text view")(rig, "copyq")
    program.start()
    held = []

    def copied(number):
        stage.clipboard("own", "text", 100)
        wait("CopyQ has what the user copied", lambda: len(history()) == number, 30)

    try:
        stage.layout("us")
        for number in range(1, 4):
            copied(number)
            held = stage.paste(program, held, f"said beside CopyQ {number}", "us")
        # It takes one after the other: once it has this one, it has seen all before.
        copied(4)
        seen = history()
        if any("said beside" in text for text in seen):
            raise Fault("in history", f"CopyQ's history has the dictation: {seen}")
        if [text.partition(":")[0] for text in seen] != [f"copied {stage.copies - back}" for back in range(4)]:
            raise Fault("history", f"CopyQ's history has not what the user copied, each once: {[text[:20] for text in seen]}")
        stage.picture("copyq")
    except RigError:
        stage.picture("fault-copyq")
        raise
    finally:
        program.stop()
        ask("exit")
    return version("copyq")


def table(results, versions, spaces, companions):
    """The outcome as Markdown."""
    first = next((manager for manager, _ in results), None)
    layouts = list(dict.fromkeys(layout for (manager, _), row in results.items() if manager == first for layout in row))
    others = [manager for manager in dict.fromkeys(manager for manager, _ in results) if manager != first]
    head = ["program", "version", *layouts, *(f"{name}: {', '.join(FEW)}" for name in others), "space between"]
    lines = [f"| {' | '.join(head)} |", "| --- " * len(head) + "|"]
    for name in dict.fromkeys(name for _, name in results):
        cells = [results.get((first, name), {}).get(layout, "–") for layout in layouts]
        cells += [", ".join(results.get((manager, name), {}).get(layout, "–") for layout in FEW) for manager in others]
        lines.append(f"| {' | '.join([name, versions[name], *cells, spaces[name]])} |")
    return "\n".join(lines + ["", *companions, ""])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--light", action="store_true")
    parser.add_argument("--only", nargs="+", metavar="PROGRAM", help="class names, as --list prints them")
    parser.add_argument("--layouts", nargs="+", choices=list(LAYOUTS), metavar="NAME")
    parser.add_argument("--managers", nargs="+", choices=list(MANAGERS), metavar="NAME")
    parser.add_argument("--alsa-rig", default=os.path.join(parts.ROOT, "artifacts/programs/alsa-rig"))
    parser.add_argument("--out", default=os.path.join(parts.ROOT, "artifacts/programs"))
    parser.add_argument("--design", metavar="FILE")
    parser.add_argument("--set", dest="settings", type=json.loads, default={}, metavar="JSON", help="settings of the daemon")
    parser.add_argument("--list", action="store_true", help="the programs by their class names")
    parser.add_argument("--packages", action="store_true", help="the Debian packages of all of them")
    options = parser.parse_args()
    options.out, options.alsa_rig = os.path.abspath(options.out), os.path.abspath(options.alsa_rig)
    kinds = [kind for kind in ALL if not options.light or kind.in_check]
    if options.list:
        for kind in kinds:
            print(f"{kind.__name__:14} {kind.name}")
        print(f"{'CopyQ':14} CopyQ, beside")
        return 0
    if options.packages:
        print(" ".join(sorted({"copyq"} | {package for kind in kinds for package in kind.packages})))
        return 0
    if options.only:
        kinds = [kind for kind in ALL if kind.__name__ in options.only]
    layouts = options.layouts or (["us", "ru"] if options.light else list(LAYOUTS))
    managers = options.managers or (["openbox"] if options.light else list(MANAGERS))
    for picture in glob.glob(os.path.join(options.out, "*.png")):
        os.remove(picture)
    results, spaces, problems, companions = {}, {}, [], []
    for manager in managers:
        with Rig(options.out) as rig:
            progress(f"{manager}:")
            stage = Stage(rig, manager, options)
            for kind in kinds:
                few = [name for name in layouts if manager == managers[0] or name in FEW]
                outcomes, between, faults = stage.program(kind, few, manager)
                results[manager, kind.name] = outcomes
                spaces.setdefault(kind.name, between)
                problems += faults
            if manager != managers[0]:
                continue
            shells = [kind for kind in kinds if issubclass(kind, Terminal)]
            safe = []
            for kind in shells:
                try:
                    stage.shell(kind)
                    safe.append(kind.name)
                except RigError as error:
                    problems.append(f"{kind.name}, shell: {error}")
            if shells:
                companions.append("Command lines dictated into a shell without bracketed paste ran in none of: "
                                  + ", ".join(safe) + ".")
            if "CopyQ" in options.only if options.only else not options.light:
                try:
                    companions.append(f"Beside CopyQ {copyq(stage)}, told to ignore what is marked as secret: every text arrives, and its history gets what the "
                                      "user copies once, and neither the dictation nor what comes back after it.")
                except RigError as error:
                    problems.append(f"CopyQ: {error}")
    companions.append("Window managers: " + ", ".join(f"{name} {version(name)}" for name in managers) + ".")
    text = table(results, {kind.name: version(kind.packages[0]) for kind in kinds}, spaces, companions)
    print(text)
    for problem in problems:
        print(f"programs: {problem}", file=sys.stderr)
    if options.design:
        write(options.design, text)
    count = sum(len(row) for row in results.values())
    good = sum(word == "✓" for row in results.values() for word in row.values())
    print(f"{len(kinds)} programs, {good} of {count} right")
    return 1 if problems or good != count else 0


def write(path, text):
    """Puts the table between its two marks."""
    with open(path, encoding="utf-8") as file:
        page = file.read()
    if page.count(BEGIN) != 1 or page.count(END) != 1:
        raise SystemExit(f"{path} has no place for the table: {BEGIN} … {END}")
    head, rest = page.split(BEGIN)
    tail = rest.split(END)[1]
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"{head}{BEGIN}\n{text}{END}{tail}")


if __name__ == "__main__":
    sys.exit(main())
