#!/usr/bin/python3
"""Runs a command beside a sound server of its own, whose microphone hears a spoken sentence again and again.

    with_sound.py [--server pulseaudio|pipewire] COMMAND [ARGUMENT...]

The command keeps its own environment, with these added:

    PULSE_SERVER, ALSA_CONFIG_PATH, BLURT_TEST_DEFAULT_MIC=1
    XDG_RUNTIME_DIR              of the rig, with PipeWire, whose clients find it there
    BLURT_TEST_SOUND_SERVER      the server's name
    BLURT_TEST_SPEECH            a WAV file of that sentence over the noise of a quiet room
    BLURT_TEST_SOUND_CONTROL     a program that does a word and returns when it is done: `restart` kills the server outright
                                 and starts it anew, as at the beginning; `quiet` ends what the rig plays until then
    BLURT_TEST_PIPEWIRE_PCM=1    where the PCM `pipewire` is PipeWire's own plug-in (see pipewire-alsa.sh)

Exit status: the command's; 77 where the server is not installed, with the reason as the last line.
"""
import array
import os
import random
import shutil
import subprocess
import sys
import threading
import wave

from rig import Rig, RigError, die_with_parent, wait

PROGRAMS = {"pulseaudio": ["pulseaudio", "pactl"], "pipewire": ["pipewire", "wireplumber", "pipewire-pulse", "dbus-daemon", "pactl"]}


class Talk:
    """Says the sentence again and again, but while it is quiet."""

    def __init__(self, rig):
        self.rig = rig
        self.path = rig.speech()
        self.may_talk = threading.Event()
        self.may_talk.set()
        self.process = None
        self.lock = threading.Lock()
        threading.Thread(target=self.run, daemon=True).start()

    def run(self):
        pause = threading.Event()
        while True:
            self.may_talk.wait()
            with self.lock:
                if self.may_talk.is_set():
                    self.process = subprocess.Popen(
                        ["paplay", "--device=rig", "--latency-msec=200", self.path], env=self.rig.environment,
                        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=die_with_parent)
            if self.process and self.process.wait() != 0:
                # The server is being restarted, or has no such sink now.
                pause.wait(0.2)

    def hush(self):
        self.may_talk.clear()
        with self.lock:
            if self.process:
                self.process.kill()
                self.process.wait()


class Control:
    """Does the words of the program in BLURT_TEST_SOUND_CONTROL, so that what it starts is a child of the rig."""

    def __init__(self, rig, talk):
        self.rig, self.talk = rig, talk
        self.path = os.path.join(rig.folder, "control")
        self.ask, self.answer = (os.path.join(rig.folder, name) for name in ("control.ask", "control.answer"))
        for pipe in (self.ask, self.answer):
            os.mkfifo(pipe, 0o600)
        with open(self.path, "w") as file:
            file.write(f'#!/bin/sh\necho "$1" >"{self.ask}"\nread -r answer <"{self.answer}"\n'
                       'echo "$answer"\n[ "$answer" = done ]\n')
        os.chmod(self.path, 0o700)
        threading.Thread(target=self.run, daemon=True).start()

    def run(self):
        while True:
            with open(self.ask) as file:
                word = file.read().strip()
            try:
                self.do(word)
                answer = "done"
            except (RigError, KeyError, OSError) as error:
                answer = f"{word}: {error}".replace("\n", " ")
            with open(self.answer, "w") as file:
                file.write(answer + "\n")

    def do(self, word):
        if word == "restart":
            self.rig.restart_sound()
            self.talk.may_talk.set()
        elif word == "quiet":
            self.talk.hush()
            self.rig.process("room").kill()
            wait("nothing is played any more", lambda: not self.rig.output(["pactl", "list", "short", "sink-inputs"]).strip())
        else:
            raise RigError("what is that")


def with_room(rig, speech):
    """The sentence with the noise of a quiet room under it: a microphone never delivers exact zeros."""
    path = os.path.join(rig.folder, "speech-in-a-room.wav")
    with wave.open(speech) as file:
        samples = array.array("h", file.readframes(file.getnframes()))
    noise = random.Random(2)
    with wave.open(path, "wb") as file:
        file.setparams((1, 2, 16000, 0, "NONE", ""))
        file.writeframes(array.array("h", (max(-32768, min(32767, s + noise.randint(-8, 8))) for s in samples)).tobytes())
    return path


def main():
    arguments = sys.argv[1:]
    server = "pulseaudio"
    if arguments[:1] == ["--server"]:
        server, arguments = arguments[1], arguments[2:]
    missing = [program for program in PROGRAMS[server] if not shutil.which(program)]
    if missing:
        print(f"the sound server {server} is not installed: there is no {', '.join(missing)}")
        return 77
    try:
        with Rig() as rig:
            rig.sound(server)
            talk = Talk(rig)
            added = {name: rig.environment[name] for name in ("PULSE_SERVER", "ALSA_CONFIG_PATH")}
            if server == "pipewire":
                added["XDG_RUNTIME_DIR"] = rig.environment["XDG_RUNTIME_DIR"]
                if rig.pipewire_pcm():
                    added["BLURT_TEST_PIPEWIRE_PCM"] = "1"
            added.update(
                BLURT_TEST_DEFAULT_MIC="1", BLURT_TEST_SOUND_SERVER=server, BLURT_TEST_SPEECH=with_room(rig, talk.path),
                BLURT_TEST_SOUND_CONTROL=Control(rig, talk).path)
            try:
                return subprocess.run(arguments, env={**os.environ, **added}).returncode
            finally:
                talk.hush()
    except RigError as error:
        print(f"with_sound: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
