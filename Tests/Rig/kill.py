#!/usr/bin/python3
"""The daemon is killed at random instants of every phase: no word is lost, and the next start is as good as any.

    kill.py [--rounds N] [--only PHASE ...] [--seed N] [--out DIR]

In each round one dictation is driven to the phase, the daemon gets SIGKILL, and is started again. Then must hold: what
the microphone had handed over lies in a kept recording, byte by byte, less one period at most (or its words stand in the
window); `status`, `spool` and every new watcher say so; `retry` sends exactly these bytes and brings their words; no key is
down, and asking for the clipboard is answered. Real here: ALSA with a plug-in that counts what it handed over, an X server
with a window manager and a text view. The service is the strict local server.

Prints a line for each phase; status 1 if something was lost.
"""
import argparse
import contextlib
import ctypes
import glob
import hashlib
import json
import os
import random
import select
import signal
import socket
import struct
import subprocess
import sys
import time

import rig as parts
from rig import Rig, RigError, TextWindow, progress, wait
from scenario import ANSWER, KEY

PERIOD = 640  # bytes of 20 ms
FLOOR = 3_200  # less is no dictation
OLD_CLIPBOARD = "what the user had copied"


def require(condition, sentence):
    if not condition:
        raise RigError(sentence)


class Client:
    """A connection to the daemon: commands, answers by their id, events in their order."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(path)
        self.received, self.number, self.answers, self.events = b"", 0, {}, []

    def close(self):
        self.socket.close()

    def send(self, command, **fields):
        self.number += 1
        line = json.dumps({"id": str(self.number), "cmd": command, **fields})
        self.socket.sendall(line.encode() + b"\n")
        return str(self.number)

    def ask(self, command, **fields):
        number = self.send(command, **fields)
        self.read(lambda: number in self.answers, f"{command} is answered")
        return self.answers.pop(number)

    def event(self, condition, what):
        """The first event from now on that fits; those before it are dropped."""

        def found():
            while self.events:
                event = self.events.pop(0)
                if condition(event):
                    self.match = event
                    return True
            return False

        self.read(found, what)
        return self.match

    def phase(self, *names):
        return self.event(lambda event: event.get("phase") in names, f"the phase is {' or '.join(names)}")

    def read(self, done, what, seconds=15):
        limit = time.monotonic() + seconds * parts.PATIENCE
        while not done():
            ready, _, _ = select.select([self.socket], [], [], max(0, limit - time.monotonic()))
            if not ready:
                raise RigError(f"{what}: not within {seconds * parts.PATIENCE:g} s")
            data = self.socket.recv(65536)
            if not data:
                raise RigError(f"{what}: the daemon hung up")
            *lines, self.received = (self.received + data).split(b"\n")
            for line in map(json.loads, lines):
                if "ack" in line:
                    self.answers[line["ack"]["id"]] = line["ack"]
                else:
                    self.events.append(line)


class Keys:
    """Which keys the X server holds for down."""

    def __init__(self, display):
        self.library = ctypes.CDLL("libX11.so.6")
        self.library.XOpenDisplay.restype = ctypes.c_void_p
        self.display = ctypes.c_void_p(self.library.XOpenDisplay(display.encode()))
        require(self.display, "the display cannot be opened")

    def down(self):
        keys = ctypes.create_string_buffer(32)
        self.library.XQueryKeymap(self.display, keys)
        return [number for number in range(256) if keys.raw[number // 8] >> number % 8 & 1]


class Desk:
    """Everything that outlives the daemon, and the daemon of the moment."""

    def __init__(self, rig):
        self.rig = rig
        self.count_file = os.path.join(rig.folder, "handed-over")
        self.control = os.path.join(rig.folder, "server-faults")
        self.fault("")
        alsa = os.path.join(rig.folder, "alsa")
        rig.output([os.path.join(parts.HERE, "alsa", "build-rig.sh"), alsa])
        rig.environment["ALSA_CONFIG_PATH"] = os.path.join(alsa, "asound.conf")
        self.sound_file = os.path.join(alsa, "noise16.raw")
        with open(self.sound_file, "rb") as file:
            self.sound = file.read()
        rig.screen()
        self.window = TextWindow(rig)
        self.keys = Keys(rig.environment["DISPLAY"])
        self.own = {
            "BLURT_BASE_URL": rig.server(KEY, ANSWER, None, extra=["--control", self.control]),
            "ASSEMBLYAI_API_KEY": KEY, "BLURT_OFFLINE_DIR": os.path.join(rig.folder, "none")}
        self.spool = os.path.join(rig.environment["XDG_RUNTIME_DIR"], "blurt", "spool")
        os.makedirs(os.path.join(rig.environment["XDG_CONFIG_HOME"], "blurt"), mode=0o700)
        self.microphone()
        self.ready = []
        self.start()

    def microphone(self, silence=0):
        """A microphone that is digitally silent for that many milliseconds, as one that wakes up."""
        device = f"rig:FILE={self.sound_file},COUNT={self.count_file},ZEROS={silence}"
        with open(os.path.join(self.rig.environment["XDG_CONFIG_HOME"], "blurt", "settings.json"), "w") as file:
            json.dump({"BlurtMicDeviceUID": device}, file)
        self.silence = bytes(silence * 32)

    def fault(self, words):
        with open(self.control + ".new", "w") as file:
            file.write(words)
        os.replace(self.control + ".new", self.control)

    def start(self):
        """Starts the daemon and notes how long it took until it answered."""
        began = time.monotonic()
        self.daemon = self.rig.start("blurtd", [parts.find_program("blurtd")], self.own)

        def answers():
            self.rig.alive("blurtd")
            with contextlib.suppress(OSError):
                self.client = Client(self.rig.socket_path)
                return True

        limit = time.monotonic() + 20 * parts.PATIENCE
        while not answers():
            require(time.monotonic() < limit, "the socket does not bind again")
            time.sleep(0.001)
        self.client.ask("status")
        self.ready.append(time.monotonic() - began)
        wait("blurtd has its display", lambda: self.status()["display"].get("ready"))
        self.client.ask("watch", results=True)

    def status(self):
        return self.client.ask("status")["status"]

    def kill(self):
        self.killed_at = parts.now()
        self.daemon.send_signal(signal.SIGKILL)
        self.daemon.wait()
        self.client.close()

    def handed_over(self):
        """Bytes that the microphone gave to the daemon, and those it had by its clock when the daemon was killed."""
        with open(self.count_file, "rb") as file:
            frames, started_at = struct.unpack("qq", file.read(16))
        return 2 * frames, (self.killed_at - started_at) * 32 // 1_000_000

    def files(self):
        return sorted(glob.glob(os.path.join(self.spool, "*.pcm")))

    def press(self):
        # The daemon may die before it has opened the microphone.
        with open(self.count_file, "wb") as file:
            file.write(struct.pack("qq", 0, parts.now()))
        answer = self.client.ask("press")
        require(answer["result"] == "started", f"the press is answered with {answer}")

    def record(self, seconds):
        self.press()
        self.client.phase("recording")
        time.sleep(seconds)

    def clipboard(self):
        """What a program gets that asks for the clipboard; '' where nobody owns it."""
        try:
            return self.rig.output(["timeout", "5", "xclip", "-o", "-selection", "clipboard"], check=False)
        except subprocess.TimeoutExpired:
            raise RigError("who asks for the clipboard is not answered") from None


class Round:
    """One kill, and what must hold after it."""

    def __init__(self, desk, chance):
        self.desk, self.chance = desk, chance
        self.handed_over = None
        # As which the recording is found.
        self.state = "interrupted"
        self.words_before = desk.window.text().count(ANSWER)

    def between(self, low, high):
        time.sleep(self.chance.uniform(low, high))

    # To the phase

    def connecting(self):
        self.desk.microphone(silence=500)
        self.desk.press()
        self.between(0, 0.45)

    def recording_early(self):
        self.desk.record(0)
        self.between(0, 0.25)

    def recording_late(self):
        self.desk.record(0.7)
        self.between(0, 0.8)

    def transcribing(self):
        self.desk.fault("hang")
        self.desk.record(0.2)
        self.desk.client.ask("release")
        self.between(0, 0.3)

    def injecting(self):
        """A paste that hangs, since the X server stands still; one whose window is slow to read; one that is quick."""
        subprocess.run(["xclip", "-i", "-selection", "clipboard"], input=OLD_CLIPBOARD, text=True, check=True,
                       env=self.desk.rig.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.desk.record(0.2)
        asleep = self.chance.choice([[self.desk.rig.process("xvfb")], [self.desk.window.process], []])
        try:
            for process in asleep:
                process.send_signal(signal.SIGSTOP)
            self.desk.client.send("release")
            self.desk.client.phase("injecting")
            self.between(0, 0.2 if asleep else 0.012)
            self.desk.kill()
        finally:
            for process in asleep:
                process.send_signal(signal.SIGCONT)
        clipboard = self.desk.clipboard()
        require(clipboard in ("", OLD_CLIPBOARD) or clipboard.strip() == ANSWER, f"the clipboard holds {clipboard!r}")

    def cut_off(self):
        """The service resets the connection somewhere in the upload (B-115); the daemon dies after it has said so."""
        self.desk.fault(f"reset@{self.chance.randrange(640, 12_000)}")
        self.desk.record(0.4)
        self.desk.client.ask("release")
        self.desk.client.phase("failed")
        self.state = "failed"
        self.between(0, 0.02)

    def retrying(self):
        self.desk.record(0.2)
        self.desk.kill()
        self.handed_over = self.desk.handed_over()
        self.desk.start()
        self.desk.fault("hang")
        answer = self.desk.client.ask("retry")
        require(answer["result"] == "started", f"retry is answered with {answer}")
        self.between(0, 0.25)

    # After it

    def check(self):
        """Returns how many bytes were lost, and how many the microphone still had."""
        desk = self.desk
        if desk.daemon.poll() is None:
            desk.kill()
        handed_over, heard = self.handed_over or desk.handed_over()
        desk.fault("")
        desk.microphone()
        silence = getattr(self, "silence", b"")
        desk.start()
        files = desk.files()
        require(len(files) <= 1, f"{len(files)} recordings are kept of one")
        kept = b""
        if files:
            with open(files[0], "rb") as file:
                kept = file.read()
            require(os.stat(files[0]).st_mode & 0o077 == 0, "others may read the recording")
        expected = (silence + desk.sound)[:len(kept)]
        if kept != expected:
            same = next((i for i, (a, b) in enumerate(zip(kept, expected)) if a != b), len(expected))
            raise parts.RigError(f"the recording is not what the microphone handed over: {len(kept)} bytes of {handed_over}, "
                                 f"other than the sound from byte {same} on (silence before it: {len(silence)})")
        lost = handed_over - len(kept)
        if not files and lost > PERIOD:
            wait("the words stand in the window, or the recording is kept", self.arrived, 3)
            lost = 0
        require(lost <= PERIOD, f"{lost} bytes of {handed_over} are lost")
        self.told(files)
        if files:
            self.retried(files[0], kept)
        wait("no key is down", lambda: not desk.keys.down(), 5)
        return max(0, lost), heard - handed_over

    def arrived(self):
        return self.desk.window.text().count(ANSWER) > self.words_before

    def told(self, files):
        desk = self.desk
        spool = desk.status()["spool"]
        interrupted = len(files) if self.state == "interrupted" else 0
        require((spool["recordings"], spool["interrupted"]) == (len(files), interrupted), f"status says {spool}")
        watcher = Client(desk.rig.socket_path)
        watcher.ask("watch")
        watcher.ask("status")
        names = [event.get("notice") or event["event"] for event in watcher.events]
        require(names == ["phase"] + ["interrupted"] * interrupted, f"a new watcher is told {names}")
        watcher.close()

    def retried(self, path, kept):
        client = self.desk.client
        listed = client.ask("spool")["recordings"]
        require([(entry["state"], entry["byteCount"], entry["path"]) for entry in listed]
                == [(self.state, len(kept), path)], f"spool lists {listed}")
        answer = client.ask("retry")
        require(answer["result"] == "started" and answer["recording"] == listed[0]["id"], f"retry is answered with {answer}")
        outcome = client.ask("wait", recording=answer["recording"])["outcome"]
        if len(kept) < FLOOR:
            require("text" not in outcome and outcome.get("message"), f"too short a recording ends as {outcome}")
        else:
            require(outcome.get("text") == ANSWER, f"the retry ends as {outcome}")
            require(client.ask("last").get("text") == ANSWER, "last does not have the text")
            heard = self.desk.rig.server_events("audio")[-1]
            require(heard["sha256"] == hashlib.sha256(kept).hexdigest(), "the server heard something else than what is kept")
        require(client.ask("spool")["recordings"] == [], "the recording is still kept after its words have come")


PHASES = ["connecting", "recording_early", "recording_late", "transcribing", "cut_off", "injecting", "retrying"]


def whole_dictation(desk):
    """At the end everything works as if nothing had happened."""
    before = desk.window.text().count(ANSWER)
    desk.record(0.3)
    desk.client.send("release")
    desk.client.phase("pasted")
    wait("the text stands in the window", lambda: desk.window.text().count(ANSWER) == before + 1)
    wait("no recording is kept, since its words have arrived", lambda: desk.files() == [])
    require(not desk.keys.down(), "a key is down")
    desk.daemon.terminate()
    require(desk.daemon.wait(20) == 0, "blurtd did not end with status 0 on SIGTERM")


def run(options):
    failures = 0
    names = options.only or [name.replace("_", "-") for name in PHASES]
    began = time.monotonic()
    with Rig(options.out) as rig:
        desk = Desk(rig)
        for name in names:
            chance = random.Random(f"{options.seed} {name}")
            desk.ready, lost, waiting, faults = [], [], [], []
            for number in range(options.rounds):
                one = Round(desk, chance)
                try:
                    getattr(one, name.replace("-", "_"))()
                    if name == "connecting":
                        one.silence = desk.silence
                    missing, behind = one.check()
                    lost.append(missing)
                    # Later the microphone is closed.
                    if name in ("connecting", "recording-early", "recording-late"):
                        waiting.append(behind / 32)
                except (RigError, OSError, KeyError, IndexError, subprocess.SubprocessError) as error:
                    faults.append(f"round {number + 1}: {type(error).__name__}: {error}")
                    if desk.daemon.poll() is None:
                        desk.kill()
                    for file in glob.glob(os.path.join(desk.spool, "*")):
                        os.unlink(file)
                    desk.fault("")
                    desk.microphone()
                    desk.start()
            ready = sorted(desk.ready)
            print(f"{name}: {options.rounds} rounds, lost at most {max(lost, default=0)} bytes, ready again in "
                  f"{1e3 * ready[len(ready) // 2]:.0f} ms (at most {1e3 * ready[-1]:.0f} ms)"
                  + (f", microphone at most {max(waiting):.0f} ms ahead" if waiting else "")
                  + (f", {len(faults)} FAILED" if faults else ""), flush=True)
            for fault in faults:
                print(f"  {fault}", flush=True)
            failures += len(faults)
        whole_dictation(desk)
    print(f"{len(names) * options.rounds} kills in {time.monotonic() - began:.0f} s, {failures} failed")
    return 1 if failures else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", nargs="+", choices=[name.replace("_", "-") for name in PHASES])
    parser.add_argument("--out", default=os.path.join(parts.ROOT, "artifacts/kill"))
    options = parser.parse_args()
    options.out = os.path.abspath(options.out)
    try:
        return run(options)
    except RigError as error:
        print(f"kill: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
