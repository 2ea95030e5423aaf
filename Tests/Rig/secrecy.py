#!/usr/bin/python3
"""Design rule: no key but the trigger's is kept, logged or told. A daemon at its most talkative is typed at.

    secrecy.py [--out DIR] [--plant]

The daemon runs with its log at `debug` and with developer mode on, and is watched. In every state of the hotkey a key is
typed whose code stands for nothing else: at rest, in the middle of a hold, over a latched recording, beside a modifier,
while the keyboard is pulled out, after a change of the trigger key. Then everything that the daemon has said anywhere is
searched for those codes, in decimal and hex, and for the names of keys: log, events, status, doctor, settings, developer
logs, records of the spool. With --plant one code is put into what was collected: the search must find it, and fails.
"""
import argparse
import json
import os
import re
import sys

from rig import Keyboard, Rig, RigError, now, progress, wait
from scenario import ANSWER, KEY, TRIGGER

# Codes that a keyboard may have and that nothing else is called by. One for each state, typed so often that a leak cannot
# be taken for a number that happens to be the same.
STATES = {"at rest": 701, "in a hold": 702, "latched": 703, "with a modifier": 704, "unplugged": 705, "after a rebind": 706}
TIMES = 12
# A time or a size may be the same number by chance.
CHANCE = 2
BOUND = {"KEY_RIGHTCTRL", "KEY_RIGHTALT"}


def findings(texts):
    """What was told that must not be, as sentences. `texts` by where each was found."""
    for state, code in STATES.items():
        pattern = re.compile(rf"(?<![\w.]){code}(?![\w.])|\b0x0*{code:x}\b", re.IGNORECASE)
        hits = [(place, line) for place, text in texts.items() for line in text.splitlines() if pattern.search(line)]
        if len(hits) > CHANCE:
            yield f"code {code}, typed {state}, was told {len(hits)} times, such as in {hits[0][0]}: {hits[0][1].strip()[:200]}"
    for place, text in texts.items():
        names = set(re.findall(r"\b(?:KEY|BTN)_[A-Z0-9_]+", text)) - BOUND
        # What may be chosen as a trigger is listed by `settings`; remedies name one that nobody has typed.
        if place not in ("settings", "doctor") and names:
            yield f"{place} names {', '.join(sorted(names)[:5])}"


def drive(rig, keyboard, watch, speech):
    def seen(phase, since):
        return lambda: watch.when(phase, since)

    def ended(since):
        return lambda: any(watch.when(phase, since) for phase in ("cancelled", "failed", "pasted", "idle", "noTarget"))

    def held(trigger=TRIGGER):
        since = now()
        keyboard.do(f"down {trigger}")
        wait("it records", seen("recording", since))
        return since

    progress("typing at rest")
    for _ in range(TIMES):
        keyboard.do(f"tap {STATES['at rest']}")
    progress("typing in holds: each is a shortcut")
    for _ in range(TIMES):
        since = held()
        keyboard.do(f"tap {STATES['in a hold']}")
        wait("a shortcut cancels", seen("cancelled", since))
        keyboard.do(f"up {TRIGGER}")
        rig.status()
    progress("typing over a latched recording")
    since = held()
    keyboard.do(f"up {TRIGGER}")
    for _ in range(TIMES):
        keyboard.do(f"tap {STATES['latched']}")
    # A whole dictation, so that it is written down.
    rig.play(speech)
    keyboard.do(f"tap {TRIGGER}")
    wait("the second tap ends it", ended(since))
    progress("typing with a modifier")
    keyboard.do("down LEFTSHIFT")
    for _ in range(TIMES):
        keyboard.do(f"tap {STATES['with a modifier']}")
    keyboard.do("up LEFTSHIFT")
    progress("typing while the keyboard is pulled out")
    for _ in range(TIMES):
        opened = rig.log("blurtd").count("input device opened")
        keyboard.do(f"down {STATES['unplugged']}")
        keyboard.do("unplug")
        keyboard.do("plug")
        wait("it is opened again", lambda: rig.log("blurtd").count("input device opened") > opened)
    progress("typing after a change of the trigger key")
    rig.ctl("settings", "set", "TriggerKeyCode", "KEY_RIGHTALT")
    wait("the new key is bound", lambda: rig.status()["hotkey"].get("device") == "KEY_RIGHTALT")
    since = held("RIGHTALT")
    for _ in range(TIMES):
        keyboard.do(f"tap {STATES['after a rebind']}")
    wait("a shortcut cancels", seen("cancelled", since))
    keyboard.do("up RIGHTALT")
    rig.status()


def collect(rig, watch):
    texts = {"log": rig.log("blurtd"), "watch": "\n".join(json.dumps(event) for _, event in watch.lines) + "\n".join(watch.bad)}
    for command in ("status", "doctor", "settings", "recent", "spool", "last"):
        code, output, error = rig.ctl(command, "--json", check=False)
        texts[command] = output + error
    for folder in ("state", "run", "config", "cache", "home"):
        for place, _, files in os.walk(os.path.join(rig.folder, folder)):
            for name in files:
                path = os.path.join(place, name)
                if os.path.isfile(path):
                    with open(path, "rb") as file:
                        content = file.read()
                    # Sound is no text.
                    if b"\0" not in content:
                        texts[os.path.relpath(path, rig.folder)] = content.decode(errors="replace")
    return texts


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", metavar="DIR")
    parser.add_argument("--plant", action="store_true")
    options = parser.parse_args()
    try:
        with Rig(options.out) as rig:
            rig.sound()
            speech = rig.speech(text="Testing.")
            keyboard = Keyboard(rig)
            rig.daemon(keyboard, {
                "ASSEMBLYAI_API_KEY": KEY, "BLURT_BASE_URL": rig.server(KEY, ANSWER, speech), "BLURT_LOG": "debug",
                "BLURT_OFFLINE_DIR": os.path.join(rig.folder, "none")})
            wait("blurtd has its keyboard", lambda: rig.alive("blurtd") and (rig.status().get("hotkey") or {}).get("ready"), 30)
            rig.ctl("settings", "set", "DeveloperMode", "true")
            watch = rig.watch()
            drive(rig, keyboard, watch, speech)
            texts = wait("developer mode has written its log", lambda: (
                lambda texts: texts if any(place.startswith("state/") for place in texts) else None)(collect(rig, watch)))
            if options.plant:
                texts["log"] += "".join(f"\n<7>a key was pressed code={STATES['latched']}" for _ in range(TIMES))
            # A search that finds nothing in nothing would prove nothing.
            for place, word in (("log", "input device opened"), ("log", "<7>"), ("watch", "recording"), ("status", "KEY_RIGHTALT")):
                if word not in texts[place]:
                    raise RigError(f"{place} does not hold {word!r}: the daemon is not at its most talkative")
            found = list(findings(texts))
            for sentence in found:
                print(f"NOT OK: {sentence}")
            size = sum(map(len, texts.values()))
            print(f"{len(STATES)} states, {TIMES} strokes each, {len(texts)} texts of {size} characters: "
                  + ("something was told" if found else "no other key was told"))
            return 1 if found else 0
    except RigError as error:
        print(f"NOT OK: {error}")
        return 1


if __name__ == "__main__":
    sys.exit(main())
