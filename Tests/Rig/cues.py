#!/usr/bin/python3
"""The cues as they are heard, and as the microphone hears them.

    cues.py [--only levels|dictation|loudspeaker|faults|devices|doctor] [--json]

levels       every sound of every pack, recorded from the sound server's output: its length, peak and strongest frequency
             must be those that `blurtctl sounds` tells
dictation    a start cue when sound flows, a stop cue at the release, neither for a shortcut that is taken back at once
loudspeaker  the microphone hears the cues at full strength: the offline engine must write the same words as without
             them, or nearly, none more, and none where nothing was said (B-110)
devices      the server's sources are listed, one is recorded from by its name, one that is gone leaves the press to the
             default (C-07), and a recording that is moved to another source goes on and says so (B-100)
doctor       of a chosen source that the server does not have `doctor` says which and what to do; with PulseAudio and PipeWire
faults       an output that is muted, missing or hangs: dictation goes on, and no slower

Real here: a sound server, ALSA's `default`, `blurtd`, `blurtctl` and the offline engine as built.
"""
import argparse
import array
import cmath
import difflib
import json
import math
import os
import shutil
import subprocess
import sys
import threading
import time

import rig as parts
from rig import Rig, RigError, progress, wait

RATE = 48000
FRAME = RATE // 200  # 5 ms
# What counts as sound, in dB under full scale: the room's noise is at -84, and goes to another sink.
FLOOR = -60


def decibels(value):
    return 20 * math.log10(max(value, 1e-9) / 32767)


def strongest(samples):
    """The strongest frequency from 100 to 4,000 Hz, to 2 Hz."""
    best, power = 0, 0.0
    for frequency in range(100, 4000, 2):
        step = cmath.exp(-2j * math.pi * frequency / RATE)
        turn, total = 1 + 0j, 0j
        for sample in samples[::4]:
            total += sample * turn
            turn *= step ** 4
        if abs(total) > power:
            best, power = frequency, abs(total)
    return best


class Recorder:
    """Records a source until it is asked what was heard."""

    def __init__(self, rig, source):
        self.rig = rig
        self.bytes = bytearray()
        self.process = rig.start("parec", [
            "parec", f"--device={source}", "--raw", "--format=s16le", f"--rate={RATE}", "--channels=1",
            "--latency-msec=10"], stdout=subprocess.PIPE)
        threading.Thread(target=self.read, daemon=True).start()
        wait("the recorder hears the output", lambda: rig.alive("parec") and len(self.bytes) > RATE // 10)

    def read(self):
        while data := self.process.stdout.read1(65536):
            self.bytes += data

    def mark(self):
        return len(self.bytes) // 2

    def samples(self, since):
        return array.array("h", bytes(self.bytes[2 * since:len(self.bytes) // 2 * 2]))

    def passes(self, seconds):
        """Waits until that much more was recorded: the recorder's own clock, not the wall's."""
        until = self.mark() + int(seconds * RATE)
        wait("the recorder goes on", lambda: self.rig.alive("parec") and self.mark() >= until, seconds + 20)

    def bursts(self, since, gap=0.1):
        """The sounds since a mark, as lists of samples, parted by silences of at least `gap` seconds."""
        samples = self.samples(since)
        found, quiet, current = [], 0, None
        for start in range(0, len(samples) - FRAME, FRAME):
            loud = decibels(max(abs(s) for s in samples[start:start + FRAME])) > FLOOR
            if loud:
                current = current if current is not None else start
                end, quiet = start + FRAME, 0
            elif current is not None:
                quiet += FRAME
                if quiet >= gap * RATE:
                    found.append((current, end))
                    current = None
        if current is not None:
            found.append((current, end))
        return [(since + start, samples[start:end]) for start, end in found]


def choose(rig, pack):
    rig.ctl("sounds", "use", pack)


def levels(rig, heard):
    rows = []
    for pack in rig.ask("sounds")[1]["sounds"]:
        for cue in pack["cues"]:
            since = heard.mark()
            rig.ctl("sounds", "play", pack["pack"], cue["cue"])
            heard.passes(0.5)
            bursts = heard.bursts(since)
            if len(bursts) != 1:
                raise RigError(f"{pack['pack']} {cue['cue']}: {len(bursts)} sounds were heard instead of one")
            samples = bursts[0][1]
            row = {
                "pack": pack["pack"], "cue": cue["cue"], "durationMs": round(len(samples) * 1000 / RATE),
                "peakDBFS": round(decibels(max(abs(s) for s in samples)), 1), "frequency": strongest(samples)}
            told = f"told {cue['durationMs']} ms, {cue['peakDBFS']} dBFS, {cue['frequency']} Hz"
            progress(f"  {row['pack']} {row['cue']}: heard {row['durationMs']} ms, {row['peakDBFS']} dBFS, "
                     f"{row['frequency']} Hz; {told}")
            # Looked at in steps of 5 ms; the last fade is under the floor for a moment.
            if abs(row["durationMs"] - cue["durationMs"]) > 15:
                raise RigError(f"{row} is not as long as {told}")
            if abs(row["peakDBFS"] - cue["peakDBFS"]) > 0.3:
                raise RigError(f"{row} is not as loud as {told}")
            if abs(row["frequency"] - cue["frequency"]) > 0.02 * cue["frequency"]:
                raise RigError(f"{row} does not sound as {told}")
            rows.append(row)
    return rows


def press(rig):
    rig.ctl("press")
    wait("the microphone delivers", lambda: rig.status().get("phase") == "recording")


def settled(rig):
    return wait("the dictation has ended", lambda: (s := rig.status()).get("phase") not in (
        "connecting", "recording", "transcribing", "injecting") and s, 60)


def dictation(rig, heard):
    choose(rig, "chime")
    since = heard.mark()
    press(rig)
    heard.passes(0.8)
    first = heard.bursts(since)
    if len(first) != 1:
        raise RigError(f"{len(first)} sounds at the start of a recording instead of one")
    rig.ctl("release")
    settled(rig)
    heard.passes(0.5)
    both = heard.bursts(since)
    if len(both) != 2:
        raise RigError(f"{len(both)} sounds in a dictation instead of two")
    start, stop = strongest(both[0][1]), strongest(both[1][1])
    if not start > 800 > stop:
        raise RigError(f"the start sounds like {start} Hz and the stop like {stop} Hz")
    # A shortcut: the key goes down and is taken back.
    quick = []
    while quick.count(True) < 5 and len(quick) < 30:
        since, began = heard.mark(), time.monotonic()
        rig.ctl("press")
        rig.ctl("cancel", check=False)
        # A machine that stood still made a recording of it.
        quick.append(time.monotonic() - began < 0.14)
        settled(rig)
        heard.passes(0.4)
        if heard.bursts(since) and quick[-1]:
            raise RigError("a press that was taken back at once was heard")
    if True not in quick:
        raise RigError("no press could be taken back within 140 ms")
    choose(rig, "none")
    since = heard.mark()
    press(rig)
    heard.passes(0.5)
    rig.ctl("cancel")
    heard.passes(0.5)
    if heard.bursts(since):
        raise RigError("the silent pack was heard")
    progress(f"  one start at {start} Hz, one stop at {stop} Hz, none for a shortcut and none for the silent pack")
    return {"startHz": start, "stopHz": stop}


def words(rig, speech):
    """What a dictation of that speech became; of nothing where there is none."""
    before = rig.ask("last")[1].get("text")
    press(rig)
    if speech:
        # At once: whoever speaks does not wait for the cue.
        rig.play(speech)
    else:
        time.sleep(1.2)
    code, answer = rig.ask("release", "--wait")
    settled(rig)
    if not speech and rig.ask("last")[1].get("text") != before:
        return rig.ask("last")[1]["text"]
    return answer.get("outcome", answer).get("text") or (rig.ask("last")[1].get("text") if speech else "") or ""


def loudspeaker(rig, heard):
    rig.output(["pactl", "set-default-sink", "rig"])
    speech = rig.speech()
    found = {}
    for pack in ("none", "chime", "soft"):
        choose(rig, pack)
        found[pack] = words(rig, speech)
        nothing = words(rig, None)
        progress(f"  {pack}: \"{found[pack]}\"; of a silent room: \"{nothing}\"")
        if nothing:
            raise RigError(f"the pack {pack} alone became words: {nothing}")
        # A cue that plays while somebody speaks may cost the engine a word, as any other sound in the room; it never
        # becomes one. The engine writes "to-morrow" at times: two spellings of one word.
        heard_words, wanted = (parts.words(found[name].replace("-", "")) for name in (pack, "none"))
        alike = difflib.SequenceMatcher(None, heard_words, wanted).ratio()
        if len(heard_words) > len(wanted) or alike < 0.7:
            raise RigError(f"with the pack {pack} the text is \"{found[pack]}\" instead of \"{found['none']}\"")
    rig.output(["pactl", "set-default-sink", "speaker"])
    return found


def timed_press(rig):
    started = time.monotonic()
    press(rig)
    took = (time.monotonic() - started) * 1000
    time.sleep(0.4)
    rig.ctl("cancel")
    settled(rig)
    return round(took, 1)


def faults(rig, heard):
    choose(rig, "chime")
    times = {"heard": timed_press(rig)}
    rig.output(["pactl", "set-sink-mute", "speaker", "1"])
    since = heard.mark()
    rig.ctl("sounds", "play")
    heard.passes(0.3)
    if heard.bursts(since):
        raise RigError("a muted output was heard")
    times["muted"] = timed_press(rig)
    rig.output(["pactl", "set-sink-mute", "speaker", "0"])
    rig.stop(rig.process("blurtd"))
    for name, playback in (
            ("missing", '"nowhere"'),
            ("hanging", f'{{ type file slave.pcm null file "{rig.folder}/pipe" format raw }}')):
        configuration = os.path.join(rig.folder, f"{name}.conf")
        with open(configuration, "w") as file:
            # Without the distribution's own configuration, which would find the sound server for the output as well.
            file.write("pcm.pulsemic { type pulse }\npcm.null { type null }\n"
                       f"pcm.default {{ type asym capture.pcm pulsemic playback.pcm {playback} }}\n")
        if name == "hanging":
            os.mkfifo(os.path.join(rig.folder, "pipe"))
        rig.daemon(None, {**ENGINE, "ALSA_CONFIG_PATH": configuration})
        times[name] = timed_press(rig)
        times[name + "Again"] = timed_press(rig)
        if name == "missing":
            code, answer = rig.ask("sounds", "play")
            if code != 1 or "could not be played" not in answer.get("message", ""):
                raise RigError(f"a missing output gave {code}, {answer}")
            checks = {c["check"]: c for c in json.loads(rig.ctl("doctor", "--json", check=False)[1])["checks"]}
            if checks["sounds"]["state"] != "warning":
                raise RigError(f"doctor says of a missing output: {checks['sounds']}")
        if rig.stop(rig.process("blurtd")) != 0:
            raise RigError(f"blurtd did not end well with an output that is {name}")
    progress(f"  press to recording, in ms: {times}")
    return times


def moved(rig, watcher):
    """B-100: somebody moves a recording to another source: it goes on, and the user is told which one it is now."""
    press(rig)
    ours = str(rig.process("blurtd").pid)

    def stream():
        listed = json.loads(rig.output(["pactl", "-f", "json", "list", "source-outputs"]))
        return next((str(s["index"]) for s in listed if s["properties"].get("application.process.id") == ours), None)

    number = wait("the server has our stream", stream)
    rig.output(["pactl", "move-source-output", number, "speaker.monitor"])
    told = wait("the move is told", lambda: [
        event for _, event in watcher.lines if event.get("notice") == "microphoneChanged"])
    if len(told) != 1 or "no microphone" not in told[0]["message"]:
        raise RigError(f"of a move is told: {told}")
    if rig.status().get("phase") != "recording":
        raise RigError(f"a recording that was moved has ended: {rig.status()}")
    rig.ctl("cancel")
    settled(rig)
    progress(f"  {told[0]['message']}")


def devices(rig, heard):
    listed = {d["device"]: d for d in rig.ask("devices")[1]["devices"]}
    monitors = [name for name, device in listed.items() if device["isMonitor"]]
    if monitors != ["pulse:DEVICE=rig.monitor", "pulse:DEVICE=speaker.monitor"] or not listed["default"]["isChosen"]:
        raise RigError(f"the list of devices is {listed}")
    rig.ctl("devices", "use", "pulse:DEVICE=rig.monitor")
    watcher = rig.watch()

    def notices():
        return [event["notice"] for _, event in watcher.lines if event.get("event") == "notice"]

    timed_press(rig)
    if notices():
        raise RigError(f"a source that is there gave {notices()}")
    moved(rig, watcher)
    for gone in ("pulse:DEVICE=headset", "usb:0d8c:0014@0000:00:14.0-2,0"):
        rig.ctl("settings", "set", "MicDeviceUID", gone)
        before = len(notices())
        timed_press(rig)
        wait(f"{gone} is said to be absent", lambda: notices()[before:] == ["chosenDeviceAbsent"])
        chosen = [d["device"] for d in rig.ask("devices")[1]["devices"] if d["isChosen"]]
        if chosen != [gone]:
            raise RigError(f"the choice {gone} was not kept: {chosen}")
    progress(f"  {', '.join(monitors)}; an absent source and an absent card leave the press to the default")
    return sorted(listed)


def doctor(rig, _):
    said = {}
    for name, state in (("pulse:DEVICE=headset_left_at_home", "warning"), ("pulse:DEVICE=rig.monitor", "ok")):
        rig.ctl("settings", "set", "MicDeviceUID", name)
        for words in ([], ["--record"]):
            checks = json.loads(rig.ctl("doctor", *words, "--json", check=False)[1])["checks"]
            check = next(check for check in checks if check["check"] == "microphone")
            # The rig's room is so quiet that to record it is to find silence.
            is_quiet = words and state == "ok" and check["state"] == "failed" and "silence" in check["message"]
            if (check["state"] != state and not is_quiet) or name not in check["message"]:
                raise RigError(f"doctor {' '.join(words)} says of {name}: {check}")
            if state == "warning" and ("default" not in check["message"] or "blurtctl devices" not in check.get("remedy", "")):
                raise RigError(f"doctor does not say what to do: {check}")
        said[name] = check["message"]
        progress(f"  {check['message']} {check.get('remedy', '')}")
    return said


CASES = {
    "levels": levels, "dictation": dictation, "loudspeaker": loudspeaker, "devices": devices, "doctor": doctor,
    "faults": faults}
# What is not for PulseAudio alone.
SERVERS = {"doctor": ("pulseaudio", "pipewire")}
ENGINE = {}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--only", choices=CASES)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    result = {}
    try:
        folder = parts.find_offline_engine()
        if not folder:
            raise RigError("the offline engine is not installed: run scripts/fetch-offline-engine.sh")
        ENGINE["BLURT_OFFLINE_DIR"] = folder
        for name, case in CASES.items():
            if options.only and name != options.only:
                continue
            for server in SERVERS.get(name, ("pulseaudio",)):
                progress(name if server == "pulseaudio" else f"{name} with {server}")
                if not shutil.which(server):
                    progress(f"  skipped: {server} is not installed")
                    continue
                with Rig() as rig:
                    rig.sound(server)
                    rig.daemon(None, ENGINE)
                    result[name] = case(rig, Recorder(rig, "speaker.monitor") if server == "pulseaudio" else None)
    except RigError as error:
        print(f"cues: {error}", file=sys.stderr)
        return 1
    if options.json:
        print(json.dumps(result))
    return 0


if __name__ == "__main__":
    sys.exit(main())
