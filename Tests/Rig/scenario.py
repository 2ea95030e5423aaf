#!/usr/bin/python3
"""One dictation from end to end: a key is held, a sentence is spoken, the text stands in a real window.

    scenario.py [--engine offline|service|service-tls] [--drive key|hold|example] [--speech FILE.wav] [--expect WORDS]
                [--out DIR] [--json] [--quiet]

Real here: ALSA's `default` through a sound server, an X server with a window manager and a text view, evdev events,
`blurtd` and `blurtctl` as built. The service is played by a strict local server, which compares what it heard with what
was played. Ends with status 0 only if the words arrived in the window. With --json the last line of output is one JSON
object: `phase`, `engine`, `text`, `window`, `screenshot`, `keyUpToTextMs` and more.
"""
import argparse
import json
import os
import pty
import subprocess
import sys

import rig as parts
from rig import Keyboard, Rig, RigError, TextWindow, likeness, now, progress, wait, words

KEY = "rig-key-0123456789abcdef"
ANSWER = "Please send the report to the whole team before lunch tomorrow."
TRIGGER = "RIGHTCTRL"
# What a recognizer may get wrong of a made voice before the run fails; the strict server's answer must be exact.
OFFLINE_LIKENESS = 0.8


class HeldByKey:
    """Right Ctrl as an evdev event."""

    def __init__(self, rig, keyboard):
        self.keyboard = keyboard

    def press(self):
        return self.keyboard.do(f"down {TRIGGER}")

    def release(self):
        return self.keyboard.do(f"up {TRIGGER}")


class HeldByCommand:
    """`blurtctl hold` on a terminal, which holds until Enter."""

    def __init__(self, rig, keyboard):
        self.rig = rig

    def press(self):
        ours, theirs = pty.openpty()
        self.terminal = ours
        at = now()
        # A session of its own makes the pseudo-terminal its controlling one, as a person's is.
        self.process = self.rig.start("hold", [
            parts.PYTHON, "-c",
            "import fcntl,os,sys,termios; os.setsid(); fcntl.ioctl(0,termios.TIOCSCTTY,0); os.execv(sys.argv[1],sys.argv[1:])",
            parts.find_program("blurtctl"), "hold"], stdin=theirs, stdout=theirs)
        os.close(theirs)
        return at

    def release(self):
        self.rig.alive("hold")
        at = now()
        os.write(self.terminal, b"\n")
        return at


class HeldByExample:
    """The example client of the protocol, which holds until Enter."""

    def __init__(self, rig, keyboard):
        self.rig = rig

    def press(self):
        at = now()
        self.process = self.rig.start(
            "example", [parts.PYTHON, os.path.join(parts.ROOT, "protocol/examples/dictate.py")],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        return at

    def release(self):
        self.rig.alive("example")
        at = now()
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        return at


DRIVES = {"key": HeldByKey, "hold": HeldByCommand, "example": HeldByExample}


def service_audit(rig, key_up):
    """What the strict server saw: audio before the key was up, and the right audio. Returns figures for the result."""
    compared = wait("the strict server compares what it heard", lambda: rig.server_events("comparison"), 30)[-1]
    audio = rig.server_events("audio")[-1]
    early = [e for e in rig.server_events("chunk")
             if e["t"] * 1e9 < key_up and e["audio_bytes"] and e["connection"] == audio["connection"]]
    if not early:
        raise RigError("no audio reached the server while the key was held")
    if compared["correlation"] < 0.8:
        raise RigError(f"the server heard something else than what was played: correlation {compared['correlation']:.2f}")
    return {
        "audioBytes": audio["bytes"], "audioBytesWhileHeld": early[-1]["audio_bytes"],
        "correlation": compared["correlation"], "keyUpToEndOfBodyMs": round(audio["t"] * 1e3 - key_up / 1e6, 2),
    }


def dictate(options):
    with Rig(options.out) as rig:
        environment = {}
        expected = options.expect
        progress("rig: sound, screen and keyboard")
        rig.sound()
        rig.screen()
        window = TextWindow(rig)
        keyboard = Keyboard(rig, options.keyboard)
        speech = rig.speech(options.speech)
        if options.engine == "offline":
            folder = parts.find_offline_engine()
            if not folder:
                raise RigError("the offline engine is not installed: run scripts/fetch-offline-engine.sh")
            environment["BLURT_OFFLINE_DIR"] = folder
            expected = expected or parts.SENTENCE
        else:
            expected = expected or ANSWER
            tls = options.engine == "service-tls"
            environment["BLURT_BASE_URL"] = rig.server(KEY, expected, speech, tls=tls)
            environment["ASSEMBLYAI_API_KEY"] = KEY
            if tls:
                environment["SSL_CERT_FILE"] = rig.authority
        progress(f"rig: blurtd, {options.engine}, keyboard by {keyboard.backend}")
        # At its most talkative: the log is searched at the end (B-52).
        rig.daemon(keyboard, {"BLURT_LOG": "debug", **environment})
        status = wait("blurtd has its keyboard and its display", lambda: rig.alive("blurtd") and ready(rig.status()), 30)
        watch = rig.watch()
        began = now()
        drive = DRIVES[options.drive](rig, keyboard)
        progress("key down" if options.drive == "key" else options.drive)
        pressed = drive.press()
        try:
            wait("blurtd records", lambda: rig.alive("blurtd") and reached(watch, "recording", began), 20)
            progress("speaking")
            rig.play(speech)
        finally:
            key_up = drive.release()
        progress("key up" if options.drive == "key" else f"{options.drive} ended")
        limit = 60 if options.engine == "offline" else 20
        wait("the words arrive in the window", lambda: rig.alive("blurtd") and arrived(window, watch, began), limit)
        # The text is there; the phase that says so follows at once.
        phase = wait("watch tells how the dictation ended", lambda: ended(watch, began), 20)
        text = window.text().strip()
        text_at = window.changes()[-1]["at"]
        name = window.name()
        picture = os.path.join(options.out, f"{options.engine}-{options.drive}.png")
        rig.screenshot(picture)
        share = likeness(expected, text)
        result = {
            "phase": phase, "engine": status_engine(rig.status(), status) or options.engine, "text": text, "window": name,
            "screenshot": os.path.relpath(picture), "keyUpToTextMs": round((text_at - key_up) / 1e6, 1),
            "expected": expected, "likeness": round(share, 2), "keyboard": keyboard.backend, "drive": options.drive,
            "pressToRecordingMs": round((watch.when("recording", began) - pressed) / 1e6, 2),
            "phases": [phase for _, phase in watch.phases(began)],
        }
        problems = []
        if options.engine == "offline":
            if share < OFFLINE_LIKENESS:
                problems.append(f"only {share:.0%} of the words were right: {text!r}")
        else:
            if text != expected:
                problems.append(f"the window has {text!r}, the service said {expected!r}")
            result.update(service_audit(rig, key_up))
        wanted = ["connecting", "recording", "transcribing", "injecting", "pasted"]
        if [p for p in result["phases"] if p != "idle"] != wanted:
            problems.append(f"watch told {result['phases']}, not {wanted}")
        if options.drive == "hold":
            # 'hold' waits for the end of its dictation; it must not hang.
            code = wait("blurtctl hold ends", lambda: rig.process("hold").poll() is not None, 20) and rig.process("hold").returncode
            if code != 0:
                problems.append(f"blurtctl hold ended with {code}")
        if options.drive == "example":
            code = wait("the example ends", lambda: rig.process("example").poll() is not None, 20) and drive.process.returncode
            printed = drive.process.stdout.read().strip()
            if code != 0 or printed != text:
                problems.append(f"the example ended with {code} and printed {printed!r}")
        kept = (rig.status().get("spool") or {}).get("recordings")
        if kept:
            problems.append(f"{kept} recordings are kept though the text was delivered")
        rig.alive("blurtd")
        if rig.stop(rig.process("blurtd")) != 0:
            problems.append("blurtd did not end with status 0 on SIGTERM")
        problems += told_to_the_log(rig, [text, expected, KEY])
        result["problems"] = problems
        return result


def told_to_the_log(rig, secrets):
    """What the daemon's log has of what is private, and what it wrote to the disk without being asked (B-52, S-98)."""
    log = rig.log("blurtd").lower()
    if "phase" not in log:
        return ["blurtd wrote no log at debug level"]
    problems = [f"the log has {secret!r}" for secret in secrets if secret and secret.lower() in log]
    # The empty mark of H-54 says that a migration has been run.
    state = [name for _, _, names in os.walk(rig.environment["XDG_STATE_HOME"]) for name in names if name != "trigger-keys-migrated"]
    return problems + ([f"the state folder has {state} though developer mode is off"] if state else [])


def ready(status):
    return status if part_ready(status, "hotkey") and part_ready(status, "display") else None


def part_ready(status, part):
    value = status.get(part)
    return value.get("ready") if isinstance(value, dict) else None


def status_engine(*statuses):
    for status in statuses:
        engine = status.get("engine")
        if isinstance(engine, dict):
            engine = engine.get("kind") or engine.get("name")
        if engine:
            return engine
    return None


def failure(watch, since):
    """The first failed event after a time, as a sentence."""
    for at, event in list(watch.lines):
        if at >= since and event.get("phase") in ("failed", "noTarget", "cancelled"):
            return f"{event['phase']}: {event.get('message') or event.get('errorKind') or 'no reason given'}"
    return None


def reached(watch, phase, since):
    reason = failure(watch, since)
    if reason:
        raise RigError(f"the dictation ended instead of {phase}: {reason}")
    return watch.when(phase, since)


def arrived(window, watch, since):
    reason = failure(watch, since)
    if reason:
        raise RigError(f"no text came: {reason}")
    return words(window.text())


def ended(watch, since):
    phases = [phase for _, phase in watch.phases(since)]
    return next((phase for phase in reversed(phases) if phase in ("pasted", "noTarget", "failed", "cancelled")), None)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--engine", choices=["offline", "service", "service-tls"], default="offline")
    parser.add_argument("--drive", choices=list(DRIVES), default="key")
    parser.add_argument("--keyboard", choices=["auto", "uinput", "umockdev"], default="auto")
    parser.add_argument("--speech", metavar="FILE", help="16 kHz mono WAV instead of flite's sentence")
    parser.add_argument("--expect", metavar="WORDS", help="what the window must show at the end")
    parser.add_argument("--out", default=os.environ.get("BLURT_DEMO_OUT", os.path.join(parts.ROOT, "artifacts/demo")))
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--quiet", action="store_true")
    options = parser.parse_args()
    options.out = os.path.abspath(options.out)
    if options.quiet:
        parts.progress = globals()["progress"] = lambda message: None
    try:
        result = dictate(options)
    except RigError as error:
        result = {"phase": "failed", "engine": options.engine, "text": "", "window": None, "screenshot": None,
                  "keyUpToTextMs": None, "problems": [str(error)]}
    except KeyboardInterrupt:
        return 130
    for problem in result["problems"]:
        print(f"scenario: {problem}", file=sys.stderr)
    if result["problems"]:
        print(f"scenario: logs are in {os.path.join(options.out, 'logs')}", file=sys.stderr)
    if options.json:
        print(json.dumps(result, ensure_ascii=False), flush=True)
    elif not result["problems"]:
        print(f"{result['text']}\n({result['engine']}, in {result['window']}, {result['keyUpToTextMs']} ms after the key)")
    return 1 if result["problems"] else 0


if __name__ == "__main__":
    sys.exit(main())
