#!/usr/bin/python3
"""Dictations into real Wayland windows, under sway without a screen.

    wayland.py [--out DIR]

B-68: the real wl-copy leaves a process behind that serves the text; no pipe of ours keeps it, or waits for it.

Real here: sway, wl-clipboard, wtype, a GTK 3 text view, the terminal foot, a clipboard history (`wl-paste --watch`), a
sound server, `blurtd` and `blurtctl` as built. The engine is a program that prints what the rig wrote into a file. Ends
with status 77 and the package's name where a package is not installed.
"""
import argparse
import array
import json
import math
import os
import pwd
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import wave

from rig import HERE, PYTHON, Rig, RigError, progress, wait

TEXT = "Grüße aus Köln, 日本語 und 🩻."
PROGRAMS = {"sway": "sway", "swaymsg": "sway", "wl-copy": "wl-clipboard", "wl-paste": "wl-clipboard", "wtype": "wtype",
            "foot": "foot", "grim": "grim"}


def require(holds, sentence):
    if not holds:
        raise RigError(sentence)


class Desktop:
    """sway without a screen, and what a person has on it."""

    def __init__(self, rig):
        self.rig = rig
        # sway refuses to run as root, and the rig's own folder, or that for temporary files, may be root's alone.
        self.folder = tempfile.mkdtemp(prefix="blurt-sway.", dir="/tmp")
        self.user = []
        if os.getuid() == 0:
            nobody = pwd.getpwnam("nobody")
            os.chown(self.folder, nobody.pw_uid, nobody.pw_gid)
            self.user = ["setpriv", f"--reuid={nobody.pw_uid}", f"--regid={nobody.pw_gid}", "--clear-groups"]
        configuration = os.path.join(self.folder, "config")
        with open(configuration, "w") as file:
            file.write("output HEADLESS-1 resolution 1000x500\nxwayland disable\ndefault_border none\n")
        os.chmod(configuration, 0o644)
        self.windows = 0

    def start(self):
        self.rig.start("sway", [*self.user, "sway", "-c", os.path.join(self.folder, "config")], {
            "XDG_RUNTIME_DIR": self.folder, "HOME": self.folder, "WLR_BACKENDS": "headless", "WLR_LIBINPUT_NO_DEVICES": "1",
            "WLR_RENDERER": "pixman", "LIBGL_ALWAYS_SOFTWARE": "1"})
        named = lambda start, end: [name for name in os.listdir(self.folder) if name.startswith(start) and name.endswith(end)]
        wait("sway is there", lambda: self.rig.alive("sway") and named("wayland-", "") and named("sway-ipc.", ".sock"), 60)
        display = [name for name in named("wayland-", "") if not name.endswith(".lock")][0]
        self.rig.environment.update(
            WAYLAND_DISPLAY=os.path.join(self.folder, display), GDK_BACKEND="wayland", XDG_SESSION_TYPE="wayland",
            SWAYSOCK=os.path.join(self.folder, named("sway-ipc.", ".sock")[0]))
        wait("sway answers", lambda: self.tree() is not None, 60)
        # A desktop has a keyboard: without one a program learns of it with the first key, too late for that key.
        self.rig.start("keyboard", ["wtype", "-s", "100000000"])
        wait("there is a keyboard", lambda: "keyboard" in self.rig.output(["swaymsg", "-r", "-t", "get_inputs"]), 60)

    def tree(self):
        answer = self.rig.output(["swaymsg", "-r", "-t", "get_tree"], check=False)
        return json.loads(answer) if answer.strip() else None

    def focused(self, node=None):
        """The app id and title of the focused window."""
        node = node or self.tree()
        if node["focused"]:
            return (node.get("app_id"), node.get("name"))
        found = [self.focused(child) for child in node["nodes"] + node["floating_nodes"]]
        return next((window for window in found if window), None)

    def focus(self, name):
        self.rig.output(["swaymsg", f'[app_id="{name}"] focus'])
        wait(f"{name} has the focus", lambda: (self.focused() or [None])[0] == name)

    def view(self, *more):
        """A text view; returns its app id and the file with its text."""
        self.windows += 1
        name = f"view{self.windows}"
        path = os.path.join(self.rig.folder, name + ".txt")
        self.rig.start(name, [PYTHON, os.path.join(HERE, "wayland_view.py"), path, name, *more])
        self.settled(name)
        return name, path

    def terminal(self):
        """A terminal whose program writes what comes into a file, as it comes."""
        self.windows += 1
        name = f"foot{self.windows}"
        path = os.path.join(self.rig.folder, name + ".txt")
        # The rules know it by the app id `foot`, so there can be one at a time.
        self.rig.start(name, ["foot", "-W", "60x12", "sh", "-c", f"stty raw -echo; tee {path}"])
        self.settled("foot")
        return name, path

    def settled(self, app):
        """The window has the focus, and its program answers to it: a first frame has been drawn."""
        wait(f"{app} has the focus", lambda: (self.focused() or [None])[0] == app, 60)

    def clipboard(self, *more):
        """(type list, content) of a selection; (None, None) where there is nothing."""
        environment = self.rig.environment
        types = subprocess.run(["wl-paste", *more, "-l"], env=environment, capture_output=True, timeout=60)
        if types.returncode:
            return None, None
        content = subprocess.run(["wl-paste", *more, "-n", "-t", types.stdout.decode().split("\n")[0]], env=environment,
                                 capture_output=True, timeout=60)
        return types.stdout.decode().split(), content.stdout

    def copy(self, content, *more):
        # Its error output goes nowhere: what it leaves behind would hold it open.
        subprocess.run(["wl-copy", *more], input=content, env=self.rig.environment, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, check=True, timeout=60)

    def screenshot(self, path):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        self.rig.output(["grim", path])

    def remove(self):
        shutil.rmtree(self.folder, ignore_errors=True)


class CommandLines(threading.Thread):
    """Looks whether a word ever stands on a command line of this machine."""

    def __init__(self, word):
        super().__init__(daemon=True)
        self.word, self.found, self.seen, self.ended = word.encode(), [], 0, threading.Event()

    def run(self):
        while not self.ended.is_set():
            for number in os.listdir("/proc"):
                if not number.isdigit():
                    continue
                try:
                    with open(f"/proc/{number}/cmdline", "rb") as file:
                        line = file.read()
                except OSError:
                    continue
                self.seen += line.startswith(b"/usr/bin/w")
                if self.word in line:
                    self.found.append(line)
            time.sleep(0.001)


def content(path):
    try:
        with open(path, encoding="utf-8", newline="") as file:
            return file.read()
    except FileNotFoundError:
        return ""


class Speaker:
    """Dictates by command; the engine prints what is written here."""

    def __init__(self, rig):
        self.rig, self.answer = rig, os.path.join(rig.folder, "answer.txt")
        # Half a second of a tone: a recording without any sound would be told as a muted microphone.
        self.tone = os.path.join(rig.folder, "tone.wav")
        with wave.open(self.tone, "wb") as file:
            file.setparams((1, 2, 16000, 0, "NONE", ""))
            file.writeframes(array.array("h", (int(3000 * math.sin(n / 6)) for n in range(8000))).tobytes())
        program = os.path.join(rig.folder, "engine")
        with open(program, "w") as file:
            file.write(f"#!/bin/sh\ncat >/dev/null\ncat '{self.answer}'\n")
        os.chmod(program, 0o700)
        rig.ctl("settings", "set", "EngineCommand", json.dumps([program]))
        rig.ctl("settings", "set", "EngineKind", "command")

    def press(self, text):
        with open(self.answer, "w", encoding="utf-8") as file:
            file.write(text)
        self.rig.ctl("press")
        wait("it records", lambda: self.rig.status().get("phase") == "recording", 60)
        self.rig.play(self.tone)

    def release(self):
        """Ends it; returns the phase that it came to."""
        self.rig.ctl("release", "--wait", check=False)
        wait("it ends", lambda: self.rig.status().get("phase") in ("pasted", "noTarget", "failed", "idle"), 60)
        return self.rig.status()["phase"]

    def dictate(self, text):
        self.press(text)
        return self.release()


def doctor(rig):
    """The line of doctor about the display."""
    answer = rig.ask("doctor")[1]
    lines = [line for line in answer.get("checks", answer.get("doctor", [])) if line["check"] == "display"]
    require(lines, f"doctor has no line about the display: {answer}")
    return lines[0]


def pastes(rig, desktop, speaker, out):
    line = doctor(rig)
    require(line["state"] == "ok" and "wtype" in line["message"], f"doctor says {line}")
    require(rig.status()["display"]["ready"] is True, f"status says {rig.status()['display']}")
    progress(f"doctor: {line['message']}")

    name, text = desktop.view()
    desktop.copy("vorher".encode())
    watch = CommandLines("Köln")
    watch.start()
    phase = speaker.dictate(TEXT)
    wait("C-36 the text view has the text", lambda: content(text) == TEXT, 60)
    require(phase == "pasted", f"the phase is {phase}")
    wait("C-47 the old text is back", lambda: desktop.clipboard()[1] == "vorher".encode(), 60)
    watch.ended.set()
    watch.join()
    require(not watch.found, f"the text stood on a command line: {watch.found[:1]}")
    require(watch.seen, "no helper program was seen, so that nothing is proved about command lines")

    image = bytes([0x89]) + b"PNG\r\n" + bytes(range(256)) * 4000
    desktop.copy(image, "-t", "image/png")
    speaker.dictate("Mit Bild.")
    wait("the text view has the second text", lambda: content(text) == TEXT + " Mit Bild.", 60)
    wait("C-74 the old image is back", lambda: desktop.clipboard() == (["image/png"], image), 60)

    desktop.copy(b"", "--clear")
    speaker.dictate("Ohne alles.")
    wait("C-51 what was empty is empty again", lambda: content(text).endswith("Ohne alles.") and desktop.clipboard()[0] is None, 60)

    # A history that reads each new content at once, as those of every desktop do.
    history = os.path.join(rig.folder, "history")
    rig.start("history", ["wl-paste", "--watch", "sh", "-c", f"cat >>{history}; echo >>{history}"])
    desktop.copy(b"mit Verlauf")
    wait("the history has it", lambda: "mit Verlauf" in content(history), 60)
    before = content(text)
    speaker.dictate("Eins.")
    speaker.dictate("Zwei.")
    wait("C-35 two in a row arrive whole", lambda: content(text) == before + " Eins. Zwei.", 60)
    wait("B-54 B-66 with a history as well the old text is back", lambda: desktop.clipboard()[1] == b"mit Verlauf", 60)
    rig.stop(rig.process("history"))
    return name, text


def windows(rig, desktop, speaker, out, view):
    name, text = view
    _, terminal = desktop.terminal()
    desktop.copy(b"vorher")
    phase = speaker.dictate("ls\nrm -rf nichts\n")
    wait("C-67 B-81 B-86 the terminal has it in one line", lambda: content(terminal).rstrip(" ") == "ls rm -rf nichts", 60)
    require(phase == "pasted", f"the phase is {phase}")
    wait("the old text is back after the terminal", lambda: desktop.clipboard()[1] == b"vorher", 60)
    desktop.screenshot(os.path.join(out, "wayland.png"))

    desktop.focus(name)
    before = content(text)
    # The press has half a second to learn its window; a busy machine may need longer, and then knows none.
    for attempt in (1, 2, 3):
        speaker.press("Zurück ins Fenster.")
        desktop.focus("foot")
        phase = speaker.release()
        if desktop.focused()[0] == name:
            break
        desktop.focus(name)
    # The last text went into another window, so no space comes before this one (C-57).
    wait("C-40 the window of the press has it", lambda: content(text) == before + "Zurück ins Fenster.", 60)
    require(phase == "pasted", f"the phase is {phase}")

    other, _ = desktop.view()
    speaker.press("Das Fenster ist zu.")
    rig.stop(rig.process(other))
    phase = speaker.release()
    require(phase == "noTarget", f"C-39 the window is closed, and the phase is {phase}")
    require(desktop.clipboard()[1] == "Das Fenster ist zu.".encode(), "C-39 the text is not on the clipboard")
    require("ist zu" not in content(text) + content(terminal), "B-92 the text went into another window")

    button, _ = desktop.view("button")
    desktop.copy(b"vorher")
    watcher = rig.watch()
    phase = speaker.dictate("Keiner liest das.")
    notice = lambda: [event for _, event in list(watcher.lines) if event.get("notice") == "neverRead"]
    wait("B-55 nobody has read it, and that is said", notice, 60)
    require(desktop.clipboard()[1] == "Keiner liest das.".encode(), "the text is not on the clipboard")
    require(rig.ctl("last")[1].strip() == "Keiner liest das.", "last does not have it")
    rig.stop(rig.process(button))
    desktop.focus(name)


def without(rig, desktop, speaker, view):
    """A compositor that takes no keys, as far as the daemon can see: there is no wtype, and no /dev/uinput."""
    _, text = view
    line = doctor(rig)
    require(line["state"] == "warning" and "wtype" in line["remedy"], f"doctor says {line}")
    before = content(text)
    watcher = rig.watch()
    phase = speaker.dictate("Von Hand bitte.")
    require(phase == "noTarget", f"without keys the phase is {phase}")
    require(desktop.clipboard()[1] == "Von Hand bitte.".encode(), "B-90 the text is not on the clipboard")
    notice = lambda: [event for _, event in list(watcher.lines) if event.get("notice") == "noPasteKeys"]
    wait("C-71 the notice says what to do", notice, 60)
    require(content(text) == before, "the text went into the window all the same")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", default=os.path.join(tempfile.gettempdir(), "blurt-wayland"))
    out = parser.parse_args().out
    missing = sorted({package for program, package in PROGRAMS.items() if not shutil.which(program)})
    if missing:
        print(f"not installed: {' '.join(missing)}")
        sys.exit(77)
    began = time.monotonic()
    try:
        with Rig(out) as rig:
            desktop = Desktop(rig)
            try:
                rig.sound()
                desktop.start()
                daemon = rig.daemon()
                speaker = Speaker(rig)
                view = pastes(rig, desktop, speaker, out)
                windows(rig, desktop, speaker, out, view)
                rig.stop(daemon)
                children = [n for n in os.listdir("/proc") if n.isdigit() and content(f"/proc/{n}/status").find(
                    f"PPid:\t{daemon.pid}\n") >= 0]
                require(not children, f"the daemon has left children: {children}")
                tools = os.path.join(rig.folder, "tools")
                os.mkdir(tools)
                for program in ("wl-copy", "wl-paste", "cat"):
                    os.symlink(shutil.which(program), os.path.join(tools, program))
                rig.daemon(environment={"PATH": tools})
                without(rig, desktop, speaker, view)
            finally:
                # What wl-copy left behind is nobody's child and ends with the compositor.
                for name, process in rig.processes:
                    if name == "sway":
                        rig.stop(process)
                desktop.remove()
    except (RigError, KeyboardInterrupt) as error:
        print(f"wayland: {error}", file=sys.stderr)
        sys.exit(1)
    progress(f"wayland: all of it, in {time.monotonic() - began:.0f} s")


if __name__ == "__main__":
    main()
