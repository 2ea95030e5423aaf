#!/usr/bin/python3
"""Media players are paused while a recording runs, and exactly those play on (BlurtPauseMedia).

Real here: `playerctl`, a session bus, players that speak MPRIS, a sound server, `blurtd` and `blurtctl` as built.
"""
import os
import shutil
import subprocess
import sys

from rig import HERE, PYTHON, Rig, RigError, progress, wait


class Player:
    def __init__(self, rig, name, state):
        self.process = rig.start(f"player-{name}", [PYTHON, os.path.join(HERE, "mpris_player.py"), name, state])
        self.rig, self.name = rig, name
        wait(f"{name} is on the bus", lambda: rig.alive(f"player-{name}") and self.states())

    def states(self):
        return self.rig.log(f"player-{self.name}").split()


def expect(what, players, states):
    wait(f"{what}: {states}", lambda: [player.states()[-1] for player in players] == states)


def press(rig):
    rig.ctl("press")
    wait("the microphone delivers", lambda: rig.status().get("phase") == "recording")


def main():
    try:
        if not shutil.which("playerctl"):
            raise RigError("playerctl is not installed")
        with Rig() as rig:
            rig.sound()
            bus = rig.start("bus", ["dbus-daemon", "--session", "--nofork", "--nopidfile", "--print-address"],
                            stdout=subprocess.PIPE, text=True)
            rig.environment["DBUS_SESSION_BUS_ADDRESS"] = bus.stdout.readline().strip()
            # playerctl asks the system's bus as well, and gives up where there is none.
            rig.environment["DBUS_SYSTEM_BUS_ADDRESS"] = rig.environment["DBUS_SESSION_BUS_ADDRESS"]
            players = [Player(rig, "music", "Playing"), Player(rig, "film", "Paused"), Player(rig, "radio", "Playing")]
            music, film, radio = players
            # Every dictation is cancelled, so that no engine is asked; the address is nobody's.
            rig.daemon(None, {"ASSEMBLYAI_API_KEY": "rig-key", "BLURT_BASE_URL": "http://127.0.0.1:1"})
            press(rig)
            rig.ctl("cancel")
            expect("without the setting nothing is paused", players, ["Playing", "Paused", "Playing"])
            rig.ctl("settings", "set", "PauseMedia", "on")
            press(rig)
            expect("while a recording runs", players, ["Paused", "Paused", "Paused"])
            rig.ctl("cancel")
            expect("after it", players, ["Playing", "Paused", "Playing"])
            # The user stops one while the recording runs: it stays as it is.
            press(rig)
            expect("while a recording runs", players, ["Paused", "Paused", "Paused"])
            rig.output(["playerctl", "--player=radio", "stop"])
            expect("stopped by the user", players, ["Paused", "Paused", "Stopped"])
            rig.ctl("cancel")
            expect("after it", players, ["Playing", "Paused", "Stopped"])
            # A daemon that is stopped while it records gives back what it has paused.
            press(rig)
            expect("while a recording runs", players, ["Paused", "Paused", "Stopped"])
            if rig.stop(rig.process("blurtd")) != 0:
                raise RigError("blurtd did not end well")
            expect("after the daemon has been stopped", players, ["Playing", "Paused", "Stopped"])
            progress(f"music {music.states()}, film {film.states()}, radio {radio.states()}")
            if len(film.states()) != 1:
                raise RigError(f"the paused film was touched: {film.states()}")
    except RigError as error:
        print(f"media: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
