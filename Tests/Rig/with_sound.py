#!/usr/bin/python3
"""Runs a command beside a sound server of its own, whose microphone hears a spoken sentence again and again.

    with_sound.py COMMAND [ARGUMENT...]

The command keeps its own environment, with PULSE_SERVER, ALSA_CONFIG_PATH and BLURT_TEST_DEFAULT_MIC=1 added. Exit
status: the command's.
"""
import os
import subprocess
import sys
import threading

from rig import Rig, RigError


def main():
    try:
        with Rig() as rig:
            rig.sound()
            speech = rig.speech()
            ended = threading.Event()

            def talk():
                while not ended.is_set():
                    rig.play(speech)

            threading.Thread(target=talk, daemon=True).start()
            added = {name: rig.environment[name] for name in ("PULSE_SERVER", "ALSA_CONFIG_PATH")}
            status = subprocess.run(sys.argv[1:], env={**os.environ, **added, "BLURT_TEST_DEFAULT_MIC": "1"}).returncode
            ended.set()
            return status
    except RigError as error:
        print(f"with_sound: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
