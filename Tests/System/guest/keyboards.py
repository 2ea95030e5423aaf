#!/usr/bin/python3
"""Input devices of the kernel's own, made, held and destroyed as told.

Reads commands from standard input, one a line, and answers each with one line; ends, and takes its devices with it, at the
end of its input. ID is any word.

    plug ID KIND [NAME]   makes a device: `keys` (a keyboard), `mouse`, `consumer` (a few keys and a volume axis)
    unplug ID             destroys it
    down ID KEY           KEY is a name such as RIGHTCTRL
    up ID KEY
    tap ID KEY            both in one go
    pull ID KEY           presses it and destroys the device at once
    repeat ID KEY COUNT   what a held key sends
    burst ID COUNT KEY    COUNT events of other keys, and then KEY goes up
    motion ID COUNT       COUNT reports of a mouse that moves
    many COUNT            so many keyboards at once, as IDs many0, many1, ...
    few                   their end
    grab ID               takes the device's events for this process alone, which is called keyd from then on
    ungrab ID
    listen ID             counts the reports that reach this process
    heard ID              their number so far
    held ID               the keys that the kernel has down
    node ID               its node
"""
import ctypes
import errno
import select
import sys

from evdev import AbsInfo, InputDevice, UInput, ecodes

KINDS = {
    "keys": {ecodes.EV_KEY: list(range(1, 249)), ecodes.EV_MSC: [ecodes.MSC_SCAN]},
    "mouse": {ecodes.EV_KEY: [ecodes.BTN_LEFT, ecodes.BTN_RIGHT, ecodes.BTN_MIDDLE],
              ecodes.EV_REL: [ecodes.REL_X, ecodes.REL_Y]},
    "consumer": {ecodes.EV_KEY: [ecodes.KEY_VOLUMEUP, ecodes.KEY_VOLUMEDOWN, ecodes.KEY_VOICECOMMAND],
                 ecodes.EV_ABS: [(ecodes.ABS_VOLUME, AbsInfo(0, 0, 100, 0, 0, 0))]},
}
devices, grabbed, listeners = {}, {}, {}


def code(key):
    return ecodes.ecodes["KEY_" + key]


def plug(name, kind, *words):
    devices[name] = UInput(KINDS[kind], name=" ".join(words) or name, vendor=0x1209, product=len(devices) + 1)
    return devices[name].device.path


def send(name, key, value):
    devices[name].write(ecodes.EV_KEY, code(key), value)
    devices[name].syn()


def unplug(name):
    for kept in (grabbed, listeners):
        if name in kept:
            kept.pop(name)
    devices.pop(name).close()


def burst(name, count, key):
    device = devices[name]
    letters = [ecodes.KEY_A + n for n in range(9)]
    # A press, a report, a release, a report: four events a tap.
    for number in range(int(count) // 4):
        for value in (1, 0):
            device.write(ecodes.EV_KEY, letters[number % 9], value)
            device.syn()
    send(name, key, 0)


def motion(name, count):
    device = devices[name]
    for number in range(int(count)):
        device.write(ecodes.EV_REL, ecodes.REL_X, 1 if number % 2 else -1)
        device.syn()
        # Its queue holds 64 events.
        if number % 16 == 0:
            count_reports()


def count_reports():
    for name, (device, seen) in listeners.items():
        while select.select([device.fd], [], [], 0)[0]:
            try:
                listeners[name] = (device, seen := seen + sum(event.type == ecodes.EV_SYN for event in device.read()))
            except OSError as error:
                if error.errno != errno.EAGAIN:
                    raise


def grab(name):
    ctypes.CDLL(None).prctl(15, b"keyd", 0, 0, 0)
    grabbed[name] = InputDevice(devices[name].device.path)
    grabbed[name].grab()


def many(count):
    for number in range(int(count)):
        plug(f"many{number}", "keys", f"Keyboard {number}")


def few():
    for name in [name for name in devices if name.startswith("many")]:
        unplug(name)


def held(name):
    return " ".join(str(ecodes.KEY.get(key, key)) for key in InputDevice(devices[name].device.path).active_keys())


COMMANDS = {
    "plug": plug, "unplug": unplug, "burst": burst, "motion": motion, "grab": grab, "many": many, "few": few, "held": held,
    "down": lambda name, key: send(name, key, 1), "up": lambda name, key: send(name, key, 0),
    "tap": lambda name, key: [send(name, key, value) for value in (1, 0)] and None,
    "pull": lambda name, key: send(name, key, 1) or unplug(name),
    "repeat": lambda name, key, count: [send(name, key, 2) for _ in range(int(count))] and None,
    "ungrab": lambda name: grabbed.pop(name).ungrab(),
    "listen": lambda name: listeners.__setitem__(name, (InputDevice(devices[name].device.path), 0)),
    "heard": lambda name: count_reports() or listeners[name][1],
    "node": lambda name: devices[name].device.path,
}
print("ready", flush=True)
for line in sys.stdin:
    words = line.split()
    if not words:
        continue
    try:
        answer = COMMANDS[words[0]](*words[1:])
    except (OSError, KeyError, TypeError, ValueError) as error:
        answer = f"error {type(error).__name__} {error}"
    print("done" if answer is None else answer, flush=True)
