#!/usr/bin/python3
"""Measures the figures of DESIGN.md's numbers against floors from the same run. Started by scripts/measure.sh."""
import argparse
import json
import os
import signal
import subprocess
import sys
import time
import uuid
import wave

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../Tests/Rig"))
import rig as parts  # noqa: E402
from rig import Keyboard, Rig, RigError, TextWindow, now, wait  # noqa: E402
from load import Crowd  # noqa: E402
from scenario import KEY, TRIGGER, part_ready  # noqa: E402

FLOORS = os.environ["BLURT_MEASURE_FLOORS"]
# SyncSTTLimits.autoReleaseAfter
CAP_SECONDS = 1195
ROWS = []
ON_REQUEST = {}


class Row:
    """A line of the table. `verdict` is None where there is no goal."""

    def __init__(self, name, figure, floor, relation, goal, verdict):
        self.name, self.figure, self.floor, self.relation, self.goal, self.verdict = (
            name, figure, floor, relation, goal, verdict)


def floor_program(name):
    return os.path.join(FLOORS, name)


def row(function):
    ROWS.append(function)
    return function


def on_request(reason):
    """A row that is left out unless it is named."""
    def mark(function):
        ON_REQUEST[name_of(function)] = reason
        return function
    return mark


def name_of(function):
    return function.__name__.replace("_", "-")


def ms(nanoseconds):
    return f"{nanoseconds / 1e6:.2f} ms" if nanoseconds >= 100_000 else f"{nanoseconds / 1e3:.1f} µs"


def ratio_row(name, figure, floor, limit):
    ratio = figure / floor
    return Row(name, ms(figure), ms(floor), f"{ratio:.2f} ×", f"≤ {limit} ×", ratio <= limit)


def difference_row(name, figure, floor, limit_ms):
    difference = (figure - floor) / 1e6
    return Row(name, ms(figure), ms(floor), f"{difference:+.2f} ms", f"≤ {limit_ms:g} ms more", difference <= limit_ms)


def median(values):
    values = sorted(values)
    return values[len(values) // 2]


class Bench:
    """A daemon in a rig, as the rows need it."""

    def __init__(self, options):
        self.options = options
        self.quick = options.quick
        self.idle_seconds = options.idle_seconds

    def seconds(self):
        return self.idle_seconds or (10 if self.quick else 60)

    def count(self, many):
        return max(5, many // 10) if self.quick else many

    def setup(self, rig, *, screen=False, service=True, text="This is what was said.", environment=None, keyboard=True,
              server=()):
        rig.sound()
        window = None
        speech = rig.speech(text="Testing.")
        if screen:
            rig.screen()
            window = TextWindow(rig)
        # umockdev's library stands before each system call of a daemon that uses its keyboard.
        keyboard = Keyboard(rig) if keyboard else None
        own = {"BLURT_OFFLINE_DIR": os.path.join(rig.folder, "none"), "ASSEMBLYAI_API_KEY": KEY, "BLURT_LOG": "warning"}
        own["BLURT_BASE_URL"] = rig.server_base = rig.server(
            KEY, text, speech, extra=("--control", os.path.join(rig.folder, "faults"))) if service else "http://127.0.0.1:9"
        own.update(environment or {})
        rig.daemon(keyboard, own)
        if keyboard:
            wait("blurtd has its keyboard", lambda: rig.alive("blurtd") and (rig.status().get("hotkey") or {}).get("ready"), 30)
        if screen:
            wait("blurtd has its display", lambda: part_ready(rig.status(), "display"), 30)
        return window, keyboard, speech

    def run(self, rig, program, *arguments, environment=None):
        return json.loads(rig.output([floor_program(program), *map(str, arguments)], environment=environment).splitlines()[-1])


def with_echo(rig, action):
    """Runs action(socket) while the bare echo listens there."""
    path = os.path.join(rig.folder, f"echo-{len(rig.processes)}.sock")
    process = rig.start("echo", [floor_program("line-echo"), path])
    wait("the echo listens", lambda: os.path.exists(path))
    try:
        return action(path)
    finally:
        rig.stop(process)


def wait_idle(rig):
    wait("blurtd is at rest", lambda: rig.status().get("phase") in ("idle", "pasted", "cancelled", "failed", "noTarget", None))


@row
def press(bench):
    """press over the socket, ack received; and the whole process blurtctl press"""
    with Rig() as rig:
        bench.setup(rig, keyboard=False)
        count = bench.count(1000)
        ours = bench.run(rig, "line-client", rig.socket_path, count)
        floor = with_echo(rig, lambda path: bench.run(rig, "line-client", path, count))
        yield ratio_row(f"press over the socket, ack, p50 of {count}", ours["p50"], floor["p50"], 1.5)
        yield ratio_row(f"press over the socket, ack, p99 of {count}", ours["p99"], floor["p99"], 2)
        count = bench.count(200)
        wait_idle(rig)
        ours = bench.run(rig, "line-client", rig.socket_path, count, 20)
        floor = with_echo(rig, lambda path: bench.run(rig, "line-client", path, count, 20))
        yield ratio_row(f"press after 20 ms of rest, ack, p50 of {count}", ours["p50"], floor["p50"], 1.5)
        yield ratio_row(f"press after 20 ms of rest, ack, p99 of {count}", ours["p99"], floor["p99"], 2)
        wait_idle(rig)
        ours = bench.run(rig, "spawn-timer", rig.socket_path, count, parts.find_program("blurtctl"), "press")
        floor = with_echo(rig, lambda path: bench.run(rig, "spawn-timer", path, count, floor_program("one-shot"), path))
        yield difference_row(f"blurtctl press, whole process, p50 of {count}", ours["p50"], floor["p50"], 3)


@row
def start(bench):
    """start: exec to the socket answering"""
    with Rig() as rig:
        rig.sound()
        count = bench.count(50)
        path = os.path.join(rig.folder, "run", "timed.sock")
        environment = {"BLURT_SOCKET": path, "ASSEMBLYAI_API_KEY": KEY, "BLURT_BASE_URL": "http://127.0.0.1:9",
                       "BLURT_OFFLINE_DIR": os.path.join(rig.folder, "none")}
        ours = bench.run(rig, "start-timer", path, count, parts.find_program("blurtd"), environment=environment)
        echo = os.path.join(rig.folder, "echo.sock")
        floor = bench.run(rig, "start-timer", echo, count, floor_program("line-echo"), echo)
        yield difference_row(f"start, exec to the socket answering, p50 of {count}", ours["p50"], floor["p50"], 20)


@row
def key(bench):
    """key-down to connecting, and to recording, seen by a watcher"""
    with Rig() as rig:
        _, keyboard, _ = bench.setup(rig)
        log = os.path.join(rig.folder, "watch.txt")
        with open(log, "wb") as file:
            rig.start("bare-watch", [floor_program("watch-lines"), rig.socket_path], stdout=file)

        def lines():
            with open(log, encoding="utf-8") as file:
                return [(int(line.split(" ", 1)[0]), json.loads(line.split(" ", 1)[1])) for line in file if line.endswith("\n")]

        def seen(phase, since):
            told = [(at, event) for at, event in lines() if at >= since]
            failed = next((event for _, event in told if event.get("phase") == "failed"), None)
            if failed and phase == "recording":
                raise RigError(f"it records: {failed.get('message')}")
            return next((at for at, event in told if event.get("phase") == phase), None)

        wait("the watcher is told the phase", lambda: any("phase" in event for _, event in lines()))
        connecting, recording = [], []
        for _ in range(bench.count(50)):
            began = now()
            pressed = keyboard.do(f"down {TRIGGER}")
            recording.append(wait("it records", lambda: seen("recording", began)) - pressed)
            connecting.append(seen("connecting", began) - pressed)
            rig.ctl("cancel", check=False)
            wait("it is cancelled", lambda: any(
                seen(phase, began) for phase in ("cancelled", "failed", "pasted", "idle", "noTarget")))
            rig.status()
            keyboard.do(f"up {TRIGGER}")
            # A person's finger is slower than this loop: the daemon has seen the key go up before it comes down again.
            rig.status()
        # A device of umockdev gives its events to one reader only.
        rig.stop(rig.process("blurtd"))
        reader_log = os.path.join(rig.folder, "reader.txt")
        with open(reader_log, "wb") as file:
            rig.start("key-reader", [floor_program("key-reader"), keyboard.node], keyboard.environment, stdout=file)

        def read():
            with open(reader_log) as file:
                return file.read().split()

        wait("the bare reader is ready", lambda: read()[:1] == ["ready"])
        floor = []
        for number in range(len(connecting)):
            pressed = keyboard.do("down A")
            wait("the bare reader reads", lambda: len(read()) == number + 2)
            floor.append(int(read()[-1]) - pressed)
            keyboard.do("up A")
        how = "" if keyboard.backend == "uinput" else ", umockdev"
        yield difference_row(f"key-down to connecting at a watcher{how}, p50 of {len(connecting)}", median(connecting), median(floor), 1)
        period = bench.run(rig, "first-period", "default", len(recording))
        yield difference_row(
            f"key-down to recording, p50 of {len(recording)} (floor: first period of the PCM)", median(recording), period["p50"], 5)


@row
def upload(bench):
    """bytes not yet handed over at key-up, and key-up to the end of the request body"""
    left, late = [], []
    with Rig() as rig:
        window, keyboard, _ = bench.setup(rig, screen=True)
        speech = rig.speech()
        watch = rig.watch()
        for _ in range(2 if bench.quick else 5):
            began = now()
            keyboard.do(f"down {TRIGGER}")
            watch.reach("recording", began, "it records")
            before = len(rig.server_events("audio"))
            rig.play(speech)
            key_up = keyboard.do(f"up {TRIGGER}")
            audio = wait("the server has the whole body", lambda: rig.server_events("audio")[before:])[0]
            chunks = [e for e in rig.server_events("chunk") if e["connection"] == audio["connection"] and e["t"] > began / 1e9]
            left.append(audio["bytes"] - max([e["audio_bytes"] for e in chunks if e["t"] * 1e9 <= key_up], default=0))
            late.append(audio["t"] * 1e9 - key_up)
            wait("the dictation ends", lambda: watch.when("pasted", began) or watch.when("failed", began))
        rate = 32  # bytes a millisecond
        period = 20 * rate
        yield Row("bytes not yet at the server at key-up, median", f"{median(left)} B ({median(left) / rate:.0f} ms)",
                  f"{period} B (one period)", f"{median(left) / period:.1f} periods", "≤ 1 period", median(left) <= period)
        yield Row("key-up to the end of the request body, median", ms(median(late)), "last frame captured", "", "≤ 10 ms",
                  median(late) <= 10e6)


def curl_upload(rig, base, key, speech):
    """The same sound in the same form by plain curl, a frame every 20 ms; when the last frame went into its pipe, and
    when the answer was out of it."""
    boundary = f"blurt-{str(uuid.uuid4()).upper()}"
    part = lambda name, more, kind: (f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"{more}\r\n'
                                     f"Content-Type: {kind}\r\n\r\n").encode()
    head = part("config", "", "application/json") + b'{"channels":1,"sample_rate":16000}\r\n' + part(
        "audio", '; filename="audio.pcm"', "audio/pcm")
    with wave.open(speech) as file:
        sound = file.readframes(file.getnframes())
    curl = rig.start("curl", [
        "curl", "-sS", "-N", "-X", "POST", "-T", ".", "-H", "Expect:", "-H", f"Authorization: {key}", "-H",
        f"Content-Type: multipart/form-data; boundary={boundary}", "-H", "User-Agent: curl", base + "/v1/transcribe/live"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    curl.stdin.write(head)
    curl.stdin.flush()
    due = time.monotonic()
    for start in range(0, len(sound), 640):
        time.sleep(max(0, due - time.monotonic()))
        due += 0.02
        at = now()
        curl.stdin.write(sound[start:start + 640])
        curl.stdin.flush()
    curl.stdin.write(f"\r\n--{boundary}--\r\n".encode())
    curl.stdin.close()
    answer = os.read(curl.stdout.fileno(), 65_536)
    answered = now()
    curl.wait(20)
    if b"text" not in answer:
        raise RigError(f"curl got {answer[:200]!r}")
    return at, answered


@row
def transcription(bench):
    """the upload and the answer beside plain curl; the offline engine's speed, memory, loading and unloading"""
    count = 3 if bench.quick else 10
    with Rig() as rig:
        _, keyboard, _ = bench.setup(rig)
        speech = rig.speech()
        base = rig.server_base
        log = os.path.join(rig.folder, "watch.txt")
        with open(log, "wb") as file:
            rig.start("bare-watch", [floor_program("watch-lines"), rig.socket_path], stdout=file)

        def seen(phases, since):
            with open(log, encoding="utf-8") as file:
                told = [line.split(" ", 1) for line in file if line.endswith("\n")]
            return next((int(at) for at, line in told if int(at) >= since and json.loads(line).get("phase") in phases), None)

        wait("the watcher is told the phase", lambda: seen(("idle",), 0))
        left, ends, floor_ends = [], [], []

        def answered(before):
            audio = wait("the server has the whole body", lambda: rig.server_events("audio")[before:])[0]
            answer = wait("the server has answered", lambda: [
                event for event in rig.server_events("answer") if event["connection"] == audio["connection"]
                and event["t"] >= audio["t"]])[-1]
            return audio, answer

        def measure():
            """The times from the answer to its result, ours and plain curl's."""
            results, floor_results = [], []
            for _ in range(count):
                began, before = now(), len(rig.server_events("audio"))
                keyboard.do(f"down {TRIGGER}")
                wait("it records", lambda: seen(("recording",), began))
                rig.play(speech)
                key_up = keyboard.do(f"up {TRIGGER}")
                audio, answer = answered(before)
                chunks = [e for e in rig.server_events("chunk") if e["connection"] == audio["connection"] and e["t"] * 1e9 > began]
                left.append(audio["bytes"] - max([e["audio_bytes"] for e in chunks if e["t"] * 1e9 <= key_up], default=0))
                ends.append(audio["t"] * 1e9 - key_up)
                results.append(wait("the text is there", lambda: seen(("injecting", "noTarget", "pasted"), key_up)) - answer["t"] * 1e9)
                before = len(rig.server_events("audio"))
                last, out = curl_upload(rig, base, KEY, speech)
                audio, answer = answered(before)
                floor_ends.append(audio["t"] * 1e9 - last)
                floor_results.append(out - answer["t"] * 1e9)
            return median(results), median(floor_results)

        at_once = measure()
        # A service takes its time. By then the microphone is closed and the stop sound plays, which take the processor too.
        with open(os.path.join(rig.folder, "faults"), "w", encoding="utf-8") as file:
            file.write("delay=300")
        later = measure()
        period = 640
        yield Row(f"bytes not yet at the server at key-up, median of {2 * count}", f"{median(left)} B", f"{period} B (one period)",
                  f"{median(left) / period:.1f} periods", "≤ 1 period", median(left) <= period)
        yield Row(f"key-up to the end of the request body, median of {2 * count} (floor: plain curl, last frame to the same end)",
                  ms(median(ends)), ms(median(floor_ends)), f"{(median(ends) - median(floor_ends)) / 1e6:+.2f} ms", "≤ 10 ms",
                  median(ends) <= 10e6)
        what = f"response to the engine's result at a watcher, median of {count} (floor: plain curl's output)"
        for (result, floor), when, judged in ((later, "0.3 s after the audio", True), (at_once, "an answer at once", False)):
            yield Row(f"{what}, {when}", ms(result), ms(floor), f"{(result - floor) / 1e6:+.2f} ms", "< 1 ms more" if judged else "",
                      result - floor < 1e6 if judged else None)
    folder = parts.find_offline_engine()
    if not folder:
        yield Row("offline engine", "not installed", "–", "", "", None)
        return
    with Rig() as rig:
        speech = rig.speech(text="Please send the report to the whole team before lunch tomorrow, and then call me back.")
        daemon = rig.daemon(environment={"BLURT_OFFLINE_DIR": folder, "BLURT_LOG": "info"})
        wait("the engine is loaded, and nobody has asked for it", lambda: "offline engine ready" in rig.log("blurtd"))
        child = next(int(pid) for pid in os.listdir("/proc") if pid.isdigit() and is_child(pid, daemon.pid))
        with wave.open(speech) as file:
            seconds = file.getnframes() / 16_000
        took, used = [], ticks(child)
        for _ in range(count):
            at = now()
            code, answer = rig.ask("transcribe", speech, "--engine", "offline")
            took.append((now() - at) / 1e9 / seconds)
            if code != 0:
                raise RigError(f"transcribe: {answer}")
        cpu = (ticks(child) - used) / os.sysconf("SC_CLK_TCK") / seconds / count
        yield Row(f"offline engine, time / audio, {seconds:.1f} s, median of {count}", f"{median(took):.3f}", "–",
                  f"{cpu:.3f} CPU s / s", "≤ 0.2", median(took) <= 0.2)
        with open(f"/proc/{child}/status") as file:
            fields = dict(line.rstrip("\n").split(":", 1) for line in file if ":" in line)
        yield Row("offline engine, resident memory now and at its peak", fields["VmRSS"].strip(), "–",
                  f"peak {fields['VmHWM'].strip()}", "", None)


def is_child(pid, parent):
    try:
        with open(f"/proc/{pid}/stat") as file:
            fields = file.read()
        return int(fields.rsplit(")", 1)[1].split()[1]) == parent and "blurt-offline" in fields
    except (OSError, IndexError):
        return False


@row
def paste(bench):
    """response received to the paste keys, and to the last character in a GTK view; 405 characters; 1 MB"""
    long = (("Größe, naïve café, 日本語のテキスト, " * 20)[:405]).strip()
    line = "Words that fill a line of eighty characters and that end where the next begins."
    for text, label, many, limit in (("Eighteen letters.!", "18 characters", 10, 5), (long, "405 characters", 10, 5),
                                     (((line + "\n") * 13200).strip(), "1 MB", 3, 100)):
        yield from paste_of(bench, text, label, min(many, 3) if bench.quick else many, limit)


def paste_of(bench, text, label, count, limit):
    """Pastes by a dictation and by a bare program. Before each dictation another program copies, so that the old clipboard
    has to be fetched; afterwards it must be back."""
    with Rig() as rig:
        source = os.path.join(rig.folder, "words.txt")
        with open(source, "w", encoding="utf-8") as file:
            file.write(text)
        faults = os.path.join(rig.folder, "faults")
        # A service takes its time. By then the microphone is closed and the stop sound plays.
        with open(faults, "w", encoding="utf-8") as file:
            file.write("delay=300")
        window, _, speech = bench.setup(rig, screen=True, text="@" + source, keyboard=False, server=("--faults", faults))
        watch = rig.watch()
        took, keys, exact = [], [], True

        def arrived(known, length):
            """The change that brought the text, and the last key before it; exact if it is the text."""
            change = window.changes()[-1]
            pressed = [event["at"] for event in window.events() if "key" in event and event["at"] <= change["at"]]
            # A space sets it off from the dictation before (C-56).
            added = change["length"] - length
            same = added == len(text) + (length > 0) and change["text"].endswith(text[-4096:])
            return change, pressed[-1], same

        for number in range(count):
            old = f"what was copied before dictation {number}"
            subprocess.run(["xclip", "-i", "-selection", "clipboard"], input=old, text=True, env=rig.environment, check=True,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            known = len(window.changes())
            length = window.changes()[-1]["length"] if known else 0
            began, answers = now(), len(rig.server_events("answer"))
            rig.ctl("press")
            watch.reach("recording", began, "it records")
            rig.play(speech)
            rig.ctl("release")
            wait("the text arrives", lambda: rig.alive("blurtd") and len(window.changes()) > known and (
                watch.when("pasted", began) or watch.when("failed", began)))
            answer = [e for e in rig.server_events("answer")[answers:] if e["status"] == 200][-1]
            change, pressed, same = arrived(known, length)
            exact = exact and same
            took.append(change["at"] - answer["t"] * 1e9)
            keys.append(pressed - answer["t"] * 1e9)
            wait("the old clipboard is back", lambda: rig.output(
                ["timeout", "5", "xclip", "-o", "-selection", "clipboard"], check=False) == old)
        rig.stop(rig.process("blurtd"))
        floor, floor_keys, trips = [], [], []
        for _ in range(count):
            known = len(window.changes())
            sent, _, trip = map(int, rig.output([floor_program("paste-floor"), "@" + source]).split())
            wait("the bare paste arrives", lambda: len(window.changes()) > known)
            change, pressed, _ = arrived(known, 0)
            floor.append(change["at"] - sent)
            floor_keys.append(pressed - sent)
            trips.append(trip)
        if limit == 5:
            yield difference_row(
                f"response to the paste keys at the view, {label}, median of {count} (goal: 5 ms and two round trips of "
                f"{ms(median(trips))})", median(keys), median(floor_keys), 5 + 2 * median(trips) / 1e6)
        result = difference_row(
            f"response to the text in a GTK view, {label}, median of {count}", median(took), median(floor), limit)
        if not exact:
            result.verdict = False
            result.relation += ", text differs"
        yield result


def switches(pid, kinds=("voluntary", "nonvoluntary")):
    """Context switches by thread, whatever their cause. Threads of a name are counted together.

    One that is voluntary is followed by a wake-up; the others say that somebody else wanted the processor."""
    counts = {}
    for thread in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{thread}/status") as file:
            fields = dict(line.rstrip("\n").split(":\t", 1) for line in file if ":\t" in line)
        count = sum(int(fields[f"{kind}_ctxt_switches"]) for kind in kinds)
        counts[fields["Name"]] = counts.get(fields["Name"], 0) + count
    return counts


def ticks(pid):
    with open(f"/proc/{pid}/stat") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return int(fields[11]) + int(fields[12])


def private_mib(pid):
    with open(f"/proc/{pid}/smaps_rollup") as file:
        return sum(int(line.split()[1]) for line in file if line.startswith("Private_")) / 1024


def over_time(pid, seconds, kinds=("voluntary", "nonvoluntary")):
    """Wake-ups by thread, milliseconds of CPU and seconds that passed."""
    before, used, began = switches(pid, kinds), ticks(pid), time.monotonic()
    time.sleep(seconds)
    took = time.monotonic() - began
    woken = {name: count - before.get(name, 0) for name, count in switches(pid, kinds).items() if count > before.get(name, 0)}
    return woken, (ticks(pid) - used) * 1000 / os.sysconf("SC_CLK_TCK"), took


def by_thread(woken):
    return ", ".join(f"{name} {count}" for name, count in sorted(woken.items(), key=lambda item: -item[1])[:5])


@row
def idle(bench):
    """idle: wake-ups of all threads, CPU, private memory"""
    with Rig() as rig:
        bench.setup(rig, screen=True)
        pid = rig.process("blurtd").pid
        # Whatever a dictation leaves behind counts as well.
        bench.run(rig, "line-client", rig.socket_path, 3)
        wait_idle(rig)
        # Start-up is over when nothing has happened for two seconds.
        for _ in range(15):
            if not over_time(pid, 2)[0]:
                break
        woken, used, took = over_time(pid, bench.seconds())
        yield Row(f"idle, wake-ups of all threads in {took:.0f} s", str(sum(woken.values())), "0", by_thread(woken), "0", not woken)
        yield Row(f"idle, CPU in {took:.0f} s", f"{used:.0f} ms", "0", "", "0 ms", used == 0)
        memory = private_mib(pid)
        yield Row("idle, private memory", f"{memory:.1f} MiB", "–", "", "≤ 12 MiB", memory <= 12)


@row
def context(bench):
    """reading the focused field: from the first call on the accessibility bus to the last answer, by a monitor"""
    import context as field_rig

    for toolkit in ("gtk", "qt"):
        with Rig() as rig:
            watch = field_rig.start(rig)
            field = field_rig.Field(rig, toolkit, "view")
            field_rig.on_the_bus(rig, field)
            daemon = rig.process("blurtd").pid
            field_rig.dictate(rig, watch)
            before = private_mib(daemon)
            address = rig.output(["gdbus", "call", "--session", "--dest", "org.a11y.Bus", "--object-path", "/org/a11y/bus",
                                  "--method", "org.a11y.Bus.GetAddress"]).split("'")[1]
            monitor = rig.start("monitor", ["dbus-monitor", "--profile", "--address", address])
            wait("the monitor listens", lambda: rig.alive("monitor") and rig.log("monitor"), 60)
            for _ in range(bench.count(10)):
                field_rig.dictate(rig, watch)
            rig.stop(monitor)
            after = private_mib(daemon)
            calls, spans = {}, {}
            for line in rig.log("monitor").splitlines():
                parts_of = line.split("\t")
                if parts_of[0] == "mc" and parts_of[7] != "Hello":
                    calls[parts_of[3], parts_of[2]] = (float(parts_of[1]), parts_of[7])
                elif parts_of[0] in ("mr", "err") and (parts_of[4], parts_of[5]) in calls:
                    began, member = calls[parts_of[4], parts_of[5]]
                    spans.setdefault(parts_of[4], []).append((began, float(parts_of[1]), member))
            readings = [span for span in spans.values() if any(member == "GetRole" for _, _, member in span)]
            if not readings:
                raise RigError("the monitor has seen no reading")
            whole = [1e9 * (max(end for _, end, _ in span) - min(began for began, _, _ in span)) for span in readings]
            one = [1e9 * (end - began) for span in readings for began, end, _ in span]
            yield Row(f"reading the field of a press, {toolkit} text view, median of {len(whole)}", ms(median(whole)),
                      f"{ms(median(one))} (one call)", f"{median([len(span) for span in readings])} calls", "", None)
            yield Row(f"private memory after them, {toolkit}", f"{after:.1f} MiB", f"{before:.1f} MiB before",
                      f"{after - before:+.1f} MiB", "", None)


@row
def devices(bench):
    """idle with five keyboards: wake-ups of all threads, CPU"""
    with Rig() as rig:
        _, keyboard, _ = bench.setup(rig, environment={"BLURT_LOG": "info"})
        keyboard.do("more 4")
        wait("five keyboards are listened to", lambda: rig.log("blurtd").count("input device opened") == 5)
        pid = rig.process("blurtd").pid
        for _ in range(15):
            if not over_time(pid, 2)[0]:
                break
        woken, used, took = over_time(pid, bench.seconds())
        how = "" if keyboard.backend == "uinput" else ", umockdev"
        yield Row(f"idle with five keyboards{how}, wake-ups of all threads in {took:.0f} s", str(sum(woken.values())), "0",
                  by_thread(woken), "0", not woken)
        yield Row(f"idle with five keyboards{how}, CPU in {took:.0f} s", f"{used:.0f} ms", "0", "", "0 ms", used == 0)


@row
def mouse(bench):
    """a mouse that moves 8,000 times a second: CPU and wake-ups"""
    if not os.access("/dev/uinput", os.W_OK):
        raise RigError("needs /dev/uinput: only the kernel itself holds back what nobody has asked for")
    with Rig() as rig:
        bench.setup(rig, environment={"BLURT_LOG": "info"})
        pid = rig.process("blurtd").pid
        seconds = 10 if bench.quick else 30
        opened = rig.log("blurtd").count("input device opened")
        flood = rig.start("mouse-flood", [floor_program("mouse-flood"), "8000", str(seconds + 5)], stdout=subprocess.PIPE, text=True)
        node = flood.stdout.readline().strip()
        wait("the mouse is listened to", lambda: rig.log("blurtd").count("input device opened") > opened, 30)
        reader = rig.start("motion-reader", [floor_program("motion-reader"), node], stdout=subprocess.PIPE, text=True)
        woken, used, took = over_time(pid, seconds)
        rig.stop(flood)
        reports, reader_ms, reader_took = map(int, reader.stdout.readline().split())
        share = used / took / 10
        yield Row(f"a mouse that moves {1000 * reports / reader_took:.0f} times a second, CPU of blurtd", f"{share:.2f} % of a core",
                  f"{100 * reader_ms / reader_took:.2f} % (a bare reader of all of it)", "", "≤ 1 %", share <= 1)
        yield Row(f"the same, wake-ups of blurt-hotkey in {took:.0f} s", str(woken.get("blurt-hotkey", 0)), "0", "", "0",
                  woken.get("blurt-hotkey", 0) == 0)


@row
def recording(bench):
    """while recording: CPU and wake-ups"""
    with Rig() as rig:
        bench.setup(rig, screen=True, keyboard=False)
        pid = rig.process("blurtd").pid
        watch = rig.watch()
        began = now()
        rig.ctl("press")
        watch.reach("recording", began, "it records")
        # While others use the processors, a thread that runs is put off now and then: that is no wake-up of its own.
        woken, used, took = over_time(pid, 10 if bench.quick else 30, kinds=["voluntary"])
        rig.ctl("release")
        share, rate = used / took / 10, sum(woken.values()) / took
        yield Row(f"recording and sending for {took:.0f} s, CPU", f"{share:.2f} % of a core", "–", "", "≤ 1 %", share <= 1)
        own = woken.get("blurt-mic", 0) / took
        yield Row("recording and sending, wake-ups a second, capture thread", f"{own:.0f}", "25 (one for 40 ms)", "", "≤ 60", own <= 60)
        # PulseAudio's client in ALSA's plug-in, where we could not speak to the server ourselves.
        client = woken.get("threaded-ml", 0) / took
        yield Row("the same, the sound server's client thread", f"{client:.0f}", "–", "", "", None)
        yield Row("recording and sending, wake-ups a second, all threads", f"{rate:.0f}", "25 (one for 40 ms)",
                  by_thread({name: round(count / took) for name, count in woken.items()}), "≤ 60", rate <= 60)


@row
def load(bench):
    """1,000 watchers, 100 of them stopped: press, key, memory; taken in turn with and without them"""
    with Rig() as rig:
        _, keyboard, _ = bench.setup(rig)
        pid = rig.process("blurtd").pid
        log = os.path.join(rig.folder, "watch.txt")
        with open(log, "wb") as file:
            # It was there before the crowd, so it is one of those who are told first.
            rig.start("bare-watch", [floor_program("watch-lines"), rig.socket_path], stdout=file)

        def lines():
            with open(log, encoding="utf-8") as file:
                return [line for line in file if line.endswith("\n")]

        def seen(phase, since):
            """When the watcher had that phase after a time, and the number of the line."""
            for number, line in enumerate(lines()):
                at = int(line.split(" ", 1)[0])
                if at >= since and '"phase":"failed"' in line and phase == "recording":
                    raise RigError(f"it records: {json.loads(line.split(' ', 1)[1]).get('message')}")
                if at >= since and f'"phase":"{phase}"' in line:
                    return at, number
            return None

        storms, presses = {False: [], True: []}, {False: [], True: []}
        keys, recordings, last = {False: [], True: []}, {False: [], True: []}, []
        rounds = 3 if bench.quick else 6

        def figures(crowd=None):
            loaded = crowd is not None
            storms[loaded].append(bench.run(rig, "line-client", rig.socket_path, bench.count(300)))
            wait_idle(rig)
            presses[loaded].append(bench.run(rig, "line-client", rig.socket_path, bench.count(300), 20))
            keys[loaded].append([])
            recordings[loaded].append([])
            for _ in range(5):
                wait_idle(rig)
                began = now()
                pressed = keyboard.do(f"down {TRIGGER}")
                recordings[loaded][-1].append(wait("it records", lambda: seen("recording", began))[0] - pressed)
                at, number = seen("connecting", began)
                keys[loaded][-1].append(at - pressed)
                if crowd:
                    last.append(crowd.arrival(number - first) - pressed)
                rig.ctl("cancel", check=False)
                wait("it is cancelled", lambda: seen("cancelled", began))
                keyboard.do(f"up {TRIGGER}")
                rig.status()

        wait("the watcher is told the phase", lambda: os.path.getsize(log))
        bench.run(rig, "line-client", rig.socket_path, 50)
        before = private_mib(pid)
        for number in range(rounds):
            wait_idle(rig)
            figures()
            crowd = Crowd(rig, 900, 100)
            # All count from the same event.
            began = now()
            rig.ctl("settings", "set", "BlurtKeyTerms", f"round {number}")
            wait("every live watcher has the mark", lambda: (lambda said: said["marked"] == said["open"])(crowd.report()))
            first = 1 + wait("the mark is told", lambda: max(
                (at for at, line in enumerate(lines()) if '"event":"settings"' in line and int(line.split(" ", 1)[0]) >= began),
                default=None))
            figures(crowd)
            if number < rounds - 1:
                rig.stop(crowd.process)
                wait("the crowd has gone", lambda: len(os.listdir(f"/proc/{pid}/fd")) < 100)
        # Enough phases to fill the socket of each stopped watcher, also where several go out at once.
        bench.run(rig, "line-client", rig.socket_path, 1500)
        during = private_mib(pid)
        crowd_report = wait("the stopped watchers are dropped", lambda: (
            lambda seen: seen if seen["dropped"] == 100 else None)(crowd.report()), 60)
        rig.stop(crowd.process)
        wait("the crowd has gone", lambda: len(os.listdir(f"/proc/{pid}/fd")) < 100)
        after = private_mib(pid)

        def beside(name, loaded, quiet, goal="–", reached=None):
            return Row(f"the same: {name}", ms(loaded), f"{ms(quiet)} without", f"{(loaded - quiet) / 1e6:+.2f} ms", goal, reached)

        def within_noise(name, runs):
            """Noise: what the runs without the watchers differ by among themselves."""
            loaded, quiet = ([median(run) for run in runs[with_crowd]] for with_crowd in (True, False))
            count = sum(map(len, runs[True]))
            return beside(f"{name}, p50 of {count}", median(loaded), median(quiet), f"≤ {ms(max(quiet))}, the slowest run without",
                          median(loaded) <= max(quiet))

        yield Row("1,000 watchers, 100 stopped: live ones that saw other phases than the rest", str(crowd_report["streams"] - 1),
                  "0", f"{crowd_report['open']} live, {crowd_report['dropped']} dropped", "0", crowd_report["streams"] == 1)
        for name, runs in (("press back to back, ack", storms), ("press after 20 ms of rest, ack", presses)):
            for share in ("p50", "p99"):
                loaded, quiet = (median([run[share] for run in runs[with_crowd]]) for with_crowd in (True, False))
                yield beside(f"{name}, {share}, median of {rounds} runs", loaded, quiet)
        yield within_noise("key-down to connecting at the first watcher", keys)
        yield Row(f"the same: key-down to connecting at the last of them, p50 of {len(last)}", ms(median(last)), "–", "", "–", None)
        yield within_noise("key-down to recording at the first watcher", recordings)
        yield Row("the same: private memory before, during, after", f"{before:.1f}, {during:.1f}, {after:.1f} MiB", "–", "",
                  "≤ 4 MiB kept", after <= before + 4)


def memory_kib(pid):
    """What is resident, and of that what is memory of the process's own."""
    with open(f"/proc/{pid}/status") as file:
        fields = dict(line.rstrip("\n").split(":", 1) for line in file if ":" in line)
    return int(fields["VmRSS"].split()[0]), int(fields["RssAnon"].split()[0])


@row
@on_request("takes 20 minutes: --only long-recording")
def long_recording(bench):
    """memory over a recording of 20 minutes, in real time: a device that delivered faster would be refused"""
    with Rig() as rig:
        # With a window: without one each dictation ends in `failed`, as its words have nowhere to go.
        window, keyboard, _ = bench.setup(rig, screen=True)
        pid = rig.process("blurtd").pid
        watch = rig.watch()
        # A first dictation: what every recording needs once is there afterwards.
        for _ in range(2):
            began = now()
            keyboard.do(f"down {TRIGGER}")
            watch.reach("recording", began, "it records")
            time.sleep(2)
            rig.ctl("cancel", check=False)
            keyboard.do(f"up {TRIGGER}")
            wait_idle(rig)
        began = now()
        keyboard.do(f"down {TRIGGER}")
        watch.reach("recording", began, "it records")
        seconds = min(bench.options.recording_seconds, CAP_SECONDS - 1)
        settling = min(60, seconds / 4)
        samples = []
        while (passed := (now() - began) / 1e9) < seconds:
            rss, own = memory_kib(pid)
            samples.append((passed, rss, own))
            time.sleep(min(15, seconds / 8))
        if rig.status().get("phase") != "recording":
            raise RigError(f"the recording ended early: {rig.status()}")
        if bench.options.recording_seconds > CAP_SECONDS:
            wait("the recording ends at its cap", lambda: watch.when("transcribing", began), 60)
        else:
            keyboard.do(f"up {TRIGGER}")
        watch.reach("pasted", began, "the recording ends in text", 120)
        words = wait("the text is in the window", window.text, 30)
        sent = rig.server_events("audio")[-1]["seconds"]
        keyboard.do(f"up {TRIGGER}")
        start = next(sample for sample in samples if sample[0] >= settling)
        growth = [max(sample[kind] for sample in samples if sample[0] >= settling) - start[kind] for kind in (1, 2)]
        audio = 32 * seconds / 1.024
        yield Row(f"a recording of {sent:.0f} s ends in text", "1 text" if words.strip() == "This is what was said." else f"{words!r}", "",
                  "", "1 text", words.strip() == "This is what was said." and sent >= seconds)
        yield Row(f"memory over a recording of {seconds / 60:.0f} min, resident, from {settling:.0f} s on",
                  f"{growth[0] / 1024:+.1f} MiB", f"{audio / 1024:.0f} MiB of sound in the spool",
                  f"{start[1] / 1024:.1f} MiB, at the end {samples[-1][1] / 1024:.1f}", "≤ 1 MiB more", growth[0] <= 1024)
        yield Row("the same, the process's own memory", f"{growth[1] / 1024:+.1f} MiB", "",
                  f"{start[2] / 1024:.1f} MiB, at the end {samples[-1][2] / 1024:.1f}", "≤ 1 MiB more", growth[1] <= 1024)


def main():
    parser = argparse.ArgumentParser(prog="measure.sh")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--idle-seconds", type=int, help="how long the idle rows look")
    parser.add_argument("--json", metavar="FILE")
    parser.add_argument("--only", nargs="+", default=[], choices=[name_of(function) for function in ROWS])
    parser.add_argument("--recording-seconds", type=int, default=1190,
                        help="how long the recording of long-recording is; over 1,195 it is ended by its cap")
    options = parser.parse_args()
    bench = Bench(options)
    rows, failures = [], []
    for function in ROWS:
        name = name_of(function)
        if name not in options.only and (options.only or name in ON_REQUEST):
            continue
        parts.progress(f"measuring {function.__doc__.strip()}…")
        try:
            rows += list(function(bench))
        except (RigError, subprocess.SubprocessError, OSError, ValueError, KeyError, IndexError, TypeError, StopIteration) as error:
            failures.append((function.__doc__.strip(), f"{type(error).__name__}: {error}"))
        except KeyboardInterrupt:
            return 130
    table = [("figure", "measured", "floor", "relation", "goal", "verdict")]
    verdicts = {True: "reached", False: "NOT REACHED", None: ""}
    table += [(r.name, r.figure, r.floor, r.relation, r.goal, verdicts[r.verdict]) for r in rows]
    widths = [max(len(line[column]) for line in table) for column in range(6)]
    print(f"{os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}, Linux {os.uname().release}")
    for number, line in enumerate(table):
        print("| " + " | ".join(cell.ljust(width) for cell, width in zip(line, widths)) + " |")
        if number == 0:
            print("|" + "|".join("-" * (width + 2) for width in widths) + "|")
    for name, reason in failures + ([] if options.only else list(ON_REQUEST.items())):
        print(f"not measured: {name} ({reason})")
    if options.json:
        with open(options.json, "w") as file:
            json.dump([vars(r) for r in rows], file, ensure_ascii=False, indent=1)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
