#!/usr/bin/python3
"""Runs a command beside a sound server of its own, whose microphone hears a spoken sentence again and again.

    with_sound.py [--server pulseaudio|pipewire] COMMAND [ARGUMENT...]

The command keeps its own environment, with PULSE_SERVER, ALSA_CONFIG_PATH, BLURT_TEST_DEFAULT_MIC=1,
BLURT_TEST_SOUND_SERVER (its name), BLURT_TEST_SPEECH (a WAV file of that sentence over the noise of a quiet room) and, where the
server can be restarted, BLURT_TEST_SOUND_RESTART (a script that does it) added. Exit status: the command's.
"""
import array
import os
import random
import subprocess
import sys
import threading
import wave

from rig import Rig, RigError


def restart_script(rig):
    """A script that kills the server, starts it anew and waits until it answers; and the way to end what it started."""
    server = rig.process("pulseaudio")
    pid = os.path.join(rig.folder, "restarted.pid")
    path = os.path.join(rig.folder, "restart.sh")
    arguments = " ".join(f"'{part}'" for part in server.args)
    with open(pid, "w") as file:
        file.write(str(server.pid))
    with open(path, "w") as file:
        file.write(
            f"#!/bin/sh\nkill -9 $(cat {pid})\nrm -f {rig.folder}/pulse.sock\n"
            f"XDG_RUNTIME_DIR={rig.folder}/run HOME={rig.folder}/home {arguments} >{rig.folder}/logs/restarted.log 2>&1 &\n"
            f"echo $! >{pid}\nuntil pactl info >/dev/null 2>&1; do sleep 0.05; done\n")
    os.chmod(path, 0o700)

    def end():
        with open(pid) as file:
            started = int(file.read())
        if started != server.pid:
            os.kill(started, 15)

    return path, end


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
    try:
        with Rig() as rig:
            rig.sound(server)
            speech = rig.speech()
            ended = threading.Event()

            def talk():
                while not ended.is_set():
                    try:
                        rig.play(speech)
                    except RigError:
                        ended.wait(0.2)  # the server is being restarted

            threading.Thread(target=talk, daemon=True).start()
            added = {name: rig.environment[name] for name in ("PULSE_SERVER", "ALSA_CONFIG_PATH")}
            added.update(
                BLURT_TEST_DEFAULT_MIC="1", BLURT_TEST_SOUND_SERVER=server, BLURT_TEST_SPEECH=with_room(rig, speech))
            end_restarted = None
            if server == "pulseaudio":
                added["BLURT_TEST_SOUND_RESTART"], end_restarted = restart_script(rig)
            status = subprocess.run(arguments, env={**os.environ, **added}).returncode
            ended.set()
            if end_restarted:
                end_restarted()
            return status
    except RigError as error:
        print(f"with_sound: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
