#!/usr/bin/python3
"""Many clients, and bad ones: the daemon goes on answering, loses no phase and gives back what it took.

    load.py [--watchers N] [--stopped N] [--dictations N] [--connections N] [--out DIR] [--json]

Three parts, each with a daemon of its own: a thousand watchers of which a hundred stop reading; ten thousand connections
under a limit of 64 descriptors; a subscriber that is stopped with SIGSTOP. Everything that is checked is a condition;
times are measured and printed, and judged by bounds that only a hang exceeds. Times with and without the thousand watchers
are taken in turn, several times, so that what else the machine does meets both alike. With --json the last line of output
is one JSON object with the figures.
"""
import argparse
import hashlib
import json
import os
import resource
import select
import selectors
import signal
import socket
import subprocess
import sys
import time

import rig as parts
from rig import Rig, RigError, Watcher, now, progress, wait

KEY = "rig-key-0123456789abcdef"
# Memory that the daemon may keep of what a crowd made it use.
KEPT_MIB = 4
# Longer than any answer takes that does not wait for a client that never reads.
HANG = 2.0
# What every watcher is told when the crowd is complete.
MARK = b'{"event":"settings","settings":["BlurtKeyTerms"]}\n'
# How often times with and without the crowd are taken in turn.
ROUNDS = 5


# The crowd: a process of its own, so that its reading takes no time from whoever measures.


def crowd(path, live_count, stopped_count):
    """Watches `path` with many clients. Prints one line when all watch, then answers `report` lines on its input. What came
    before the MARK is not counted: something may still have been told while the clients came."""
    raise_limit()
    selector = selectors.DefaultSelector()
    live, stopped = [], []
    # For each event: how many have it, and when the last of them read it.
    arrivals = []
    reported = 0
    for number in range(live_count + stopped_count):
        client = {"socket": connect(path), "lines": 0, "hash": hashlib.blake2b(digest_size=8), "rest": b"", "open": True,
                  "marked": False}
        client["socket"].sendall(b'{"cmd":"watch","id":"w"}\n')
        # The ack, then the phase of now.
        read_lines(client, 2)
        if number < live_count:
            client["socket"].setblocking(False)
            selector.register(client["socket"], selectors.EVENT_READ, client)
            live.append(client)
        else:
            stopped.append(client)
    selector.register(sys.stdin.buffer.raw, selectors.EVENT_READ, None)
    print(json.dumps({"watching": len(live), "stopped": len(stopped)}), flush=True)
    while True:
        for key, _ in selector.select():
            if key.data is not None:
                take(key.data, selector, arrivals)
            elif not sys.stdin.buffer.raw.read(64):
                return
            else:
                streams = {(client["lines"], client["hash"].hexdigest()) for client in live}
                complete = sum(count == len(live) for count, _ in arrivals)
                print(json.dumps({
                    "open": sum(client["open"] for client in live), "marked": sum(client["marked"] for client in live),
                    "fewest": min(client["lines"] for client in live),
                    "most": max(client["lines"] for client in live),
                    "streams": len(streams), "dropped": sum(is_dropped(client["socket"]) for client in stopped),
                    "arrivals": [at for _, at in arrivals[reported:complete]],
                }), flush=True)
                reported = complete


def take(client, selector, arrivals):
    try:
        chunk = client["socket"].recv(1 << 16)
    except BlockingIOError:
        return
    except OSError:
        chunk = b""
    if not chunk:
        client["open"] = False
        selector.unregister(client["socket"])
        return
    at = now()
    if not client["marked"]:
        before, mark, chunk = (client["rest"] + chunk).partition(MARK)
        client["marked"], client["rest"] = bool(mark), b"" if mark else before
    for number in range(client["lines"], client["lines"] + chunk.count(b"\n")):
        if number == len(arrivals):
            arrivals.append([0, 0])
        arrivals[number][0] += 1
        arrivals[number][1] = at
    client["lines"] += chunk.count(b"\n")
    client["hash"].update(chunk)


def is_dropped(client):
    """Whether the daemon has closed the connection, without reading a byte of what it sent."""
    poll = select.poll()
    poll.register(client, select.POLLIN)
    return any(bits & select.POLLHUP for _, bits in poll.poll(0))


def read_lines(client, count):
    while client["rest"].count(b"\n") < count:
        chunk = client["socket"].recv(4096)
        if not chunk:
            raise RigError("the daemon hung up on a new watcher")
        client["rest"] += chunk


def connect(path):
    client = socket.socket(socket.AF_UNIX)
    client.connect(path)
    return client


def raise_limit():
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 8192), hard))


class Crowd:
    """The crowd's process, seen from the rig."""

    def __init__(self, rig, live, stopped):
        self.arrivals = []  # when the last live watcher had each event, as far as they have come
        self.process = rig.start(
            "crowd", [parts.PYTHON, os.path.abspath(__file__), "--crowd", rig.socket_path, str(live), str(stopped)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.rig = rig
        about = self.read()
        if about != {"watching": live, "stopped": stopped}:
            raise RigError(f"the crowd is not complete: {about}")

    def mark(self, client, eye, watch, round):
        """Lets every watcher begin to count at the same event. Returns the number of the next one for the eye, and for the
        driver's other watcher."""
        known = len(watch.lines)
        answer, _ = client.ask("set", setting="BlurtKeyTerms", value=f"round {round}")
        if answer["result"] != "done":
            raise RigError(f"a setting was answered {answer}")
        wait("every live watcher has the mark", lambda: (
            lambda report: report["marked"] == report["open"])(self.report()))
        is_mark = lambda event: event.get("event") == "settings"
        wait("the driver's watcher has the mark", lambda: any(is_mark(event) for _, event in list(watch.lines)[known:]))
        while not is_mark(eye.line_noted()):
            pass
        return len(eye.lines), 1 + max(number for number, (_, event) in enumerate(list(watch.lines)) if is_mark(event))

    def read(self):
        line = self.process.stdout.readline()
        if not line:
            raise RigError(f"the crowd died: {self.rig.log_tail('crowd')}")
        return json.loads(line)

    def report(self):
        self.process.stdin.write("report\n")
        self.process.stdin.flush()
        report = self.read()
        self.arrivals += report.pop("arrivals")
        return report

    def arrival(self, number):
        """When the last live watcher had the event of that number, counted from the crowd's beginning."""
        wait("every live watcher has the event", lambda: self.report() and len(self.arrivals) > number)
        return self.arrivals[number]


# One client that presses and cancels.


class Client:
    def __init__(self, path):
        self.socket = connect(path)
        self.socket.settimeout(30 * parts.PATIENCE)
        self.file = self.socket.makefile("rb")
        self.number = 0

    def ask(self, command, **fields):
        """Sends a command; returns its answer and the nanoseconds that it took."""
        self.number += 1
        line = json.dumps({"cmd": command, "id": str(self.number), **fields}).encode() + b"\n"
        began = now()
        self.socket.sendall(line)
        while True:
            line = self.file.readline()
            if not line:
                raise RigError(f"the daemon hung up on a client that sent {command}")
            answer = json.loads(line).get("ack")
            if answer and answer["id"] == str(self.number):
                return answer, now() - began

    def close(self):
        self.file.close()
        self.socket.close()


class Eye:
    """A watcher in the driver itself: it was there before the crowd, so it is one of those who are told first."""

    def __init__(self, path):
        self.socket = connect(path)
        self.socket.settimeout(30 * parts.PATIENCE)
        self.socket.sendall(b'{"cmd":"watch","id":"w"}\n')
        self.rest = b""
        self.lines = [self.line(), self.line()]  # the ack, the phase of now

    def line(self):
        while b"\n" not in self.rest:
            chunk = self.socket.recv(1 << 16)
            if not chunk:
                raise RigError("the daemon hung up on a watcher that reads")
            self.rest += chunk
        line, self.rest = self.rest.split(b"\n", 1)
        return json.loads(line)

    def line_noted(self):
        self.lines.append(self.line())
        return self.lines[-1]

    def until(self, phase, dictation):
        """Reads up to that event and returns the time at which it was read, and its number."""
        while True:
            event = self.line_noted()
            at = now()
            if event.get("dictation") == dictation:
                if event.get("phase") == phase:
                    return at, len(self.lines) - 1
                if event.get("phase") == "failed":
                    raise RigError(f"a dictation failed: {event.get('message')}")

    def close(self):
        self.socket.close()


class Times:
    """What is measured with and without a crowd, in nanoseconds."""

    def __init__(self):
        self.storm, self.acks, self.eye, self.last, self.recordings = [], [], [], [], []

    def measure(self, client, eye, watch, presses, rounds, crowd=None, first=0):
        """Presses back to back, then with a rest before each, as a person would; `first` is the number of the crowd's first
        event among the eye's."""
        self.storm += press_and_cancel(client, presses, eye)
        for _ in range(presses):
            time.sleep(0.02)
            began = now()
            answer, took = client.ask("press")
            if answer["result"] != "started":
                raise RigError(f"a press at rest was answered {answer}")
            self.acks.append(took)
            at, number = eye.until("connecting", answer["dictation"])
            self.eye.append(at - began)
            client.ask("cancel")
            _, end = eye.until("cancelled", answer["dictation"])
            if crowd:
                # Nobody's turn is still to come when the next press is made: what waits is measured by the storm.
                crowd.arrival(end - first)
                self.last.append(crowd.arrivals[number - first] - began)
        self.recordings += record_and_cancel(client, watch, eye, rounds)

    def figures(self):
        named = {"pressBackToBackMs": self.storm, "pressMs": self.acks, "connectingMs": self.eye,
                 "connectingLastMs": self.last, "recordingMs": self.recordings}
        return {name: spread(values) for name, values in named.items() if values}


def press_and_cancel(client, count, eye=None):
    """Presses and cancels; returns how long each accepted press took to be answered, in nanoseconds. The eye, if there is
    one, reads what came of it afterwards."""
    took, dictation = [], None
    while len(took) < count:
        answer, time_taken = client.ask("press")
        if answer["result"] == "started":
            took.append(time_taken)
            dictation = answer["dictation"]
        elif answer["result"] != "busy":
            raise RigError(f"a press was answered {answer}")
        client.ask("cancel")
    if eye:
        eye.until("cancelled", dictation)
    return took


def record_and_cancel(client, watch, eye, count):
    """Presses, waits for `recording` at a watcher, cancels; returns how long `recording` took, in nanoseconds."""
    took = []
    for _ in range(count):
        began = now()
        answer, _ = client.ask("press")
        if answer["result"] != "started":
            raise RigError(f"a press at rest was answered {answer}")
        took.append(watch.reach("recording", began, "blurtd records") - began)
        client.ask("cancel")
        wait("the recording is cancelled", lambda: watch.when("cancelled", began))
        if eye:
            eye.until("cancelled", answer["dictation"])
    return took


def median(values):
    values = sorted(values)
    return values[len(values) // 2]


def memory_mib(pid):
    """Resident memory, and what of it is this process's own. Clean pages of the program are left out: whether they count as
    private depends on who else runs it."""
    with open(f"/proc/{pid}/smaps_rollup") as file:
        fields = dict(line.split(":", 1) for line in file.read().splitlines()[1:])
    kib = lambda name: int(fields[name].split()[0])
    return {"rss": kib("Rss") / 1024, "private": kib("Private_Dirty") / 1024}


def descriptor_count(pid):
    return len(os.listdir(f"/proc/{pid}/fd"))


def start_daemon(rig, wrapper=()):
    """A daemon with a microphone, no screen, and a service that is not there: nothing is ever transcribed here."""
    rig.sound()
    return rig.daemon(environment={
        "BLURT_OFFLINE_DIR": os.path.join(rig.folder, "none"), "ASSEMBLYAI_API_KEY": KEY,
        "BLURT_BASE_URL": "http://127.0.0.1:9"}, wrapper=wrapper).pid


def settled_memory(pid):
    """Memory once it no longer falls."""
    last = memory_mib(pid)
    for _ in range(40):
        time.sleep(0.25)
        current = memory_mib(pid)
        if current["private"] >= last["private"]:
            return current
        last = current
    return last


# The parts


def watchers(options):
    """1,000 watchers, 100 of them stopped (B-38, S-149)"""
    with Rig(part_folder(options, "watchers")) as rig:
        pid = start_daemon(rig)
        client, watch, eye = Client(rig.socket_path), rig.watch(), Eye(rig.socket_path)
        # What a first use costs for good is not the crowd's.
        press_and_cancel(client, 50, eye)
        record_and_cancel(client, watch, eye, 3)
        before = settled_memory(pid)
        quiet, loaded = Times(), Times()
        presses = max(1, options.dictations // ROUNDS)
        for number in range(ROUNDS):
            quiet.measure(client, eye, watch, presses, 2)
            crowd = Crowd(rig, options.watchers - options.stopped, options.stopped)
            connected = memory_mib(pid)
            first, known = crowd.mark(client, eye, watch, number)
            loaded.measure(client, eye, watch, presses, 2, crowd, first)
            if number < ROUNDS - 1:
                rig.stop(crowd.process)
                wait("the crowd has gone", lambda: descriptor_count(pid) < 100)
        # Enough to fill the socket of each stopped one, also where several events go out at once.
        for _ in range(15):
            press_and_cancel(client, 100, eye)
        stalled_at = time.monotonic()
        during = memory_mib(pid)
        # The driver's own watcher is one of the live ones: what it saw is what each of them must have seen.
        all_seen(crowd, lambda: phase_lines(watch, known))
        report = wait("the stopped watchers are dropped", lambda: (
            lambda seen: seen if seen["dropped"] == options.stopped and seen["streams"] == 1 else None)(crowd.report()), 60)
        dropped_after = time.monotonic() - stalled_at
        # What may still come counts for all of them alike, as `streams` says.
        live = options.watchers - options.stopped
        expected = {"open": live, "marked": live, "streams": 1, "dropped": options.stopped}
        seen = {name: report[name] for name in expected}
        problems = [f"the watchers saw {seen}, not {expected}"] if seen != expected else []
        lines = rig.log("blurtd").count("client does not read, connection dropped")
        if lines != options.stopped:
            problems.append(f"{options.stopped} stopped watchers made {lines} lines in the log")

        glutton = gluttony(rig, problems)
        rig.stop(crowd.process)
        wait("the crowd has gone", lambda: descriptor_count(pid) < 100)
        after = settled_memory(pid)
        if after["private"] > before["private"] + KEPT_MIB:
            problems.append(f"the crowd left {after['private'] - before['private']:.1f} MiB more in use")
        slowest = max(loaded.storm + loaded.acks)
        if slowest > HANG * 1e9:
            problems.append(f"a press took {slowest / 1e6:.0f} ms to be answered under load")
        client.close()
        eye.close()
        stop_daemon(rig, problems)
        return problems, {
            "quiet": quiet.figures(), "loaded": loaded.figures(),
            "phases": phase_lines(watch, known), "droppedAfterS": round(dropped_after, 1),
            "memoryMiB": {name: {kind: round(value, 1) for kind, value in reading.items()} for name, reading in (
                ("before", before), ("connected", connected), ("during", during), ("glutton", glutton), ("after", after))},
        }


def all_seen(crowd, expected):
    """Waits until each live watcher has as many events as the driver's own, as long as any of them still gets some."""
    last, since = None, time.monotonic()
    while True:
        report, count = crowd.report(), expected()
        if report["fewest"] == report["most"] == count:
            return
        if (report["fewest"], report["most"], count) != last:
            last, since = (report["fewest"], report["most"], count), time.monotonic()
        if time.monotonic() > since + 20 * parts.PATIENCE:
            raise RigError(f"the live watchers do not see every phase: {report} where the rig's own has seen {count}")
        time.sleep(0.05)


def gluttony(rig, problems):
    """A client that asks and never reads is dropped at 4 MiB, at once. Returns the memory at that moment."""
    pid = rig.process("blurtd").pid
    before = rig.log("blurtd").count("client does not read, connection dropped")
    client = connect(rig.socket_path)
    client.settimeout(30 * parts.PATIENCE)
    asked, began = 0, time.monotonic()
    try:
        while time.monotonic() < began + 9:
            client.sendall(b"".join(b'{"cmd":"status","id":"%d"}\n' % (asked + number) for number in range(20)))
            asked += 20
    except OSError:
        pass
    took = time.monotonic() - began
    peak = memory_mib(pid)
    client.close()
    wait("the client that asks and never reads is in the log", lambda: rig.log("blurtd").count(
        "client does not read, connection dropped") == before + 1)
    if took >= 9:
        problems.append(f"a client with {asked} unread answers was not dropped")
    return peak


def phase_lines(watch, known):
    return len([1 for _, event in list(watch.lines)[known:] if event.get("event")])


def connections(options):
    """10,000 connections under a limit of 64 descriptors (B-41)"""
    with Rig(part_folder(options, "connections")) as rig:
        problems = []
        pid = start_daemon(rig, wrapper=("prlimit", "--nofile=64:64"))
        client = Client(rig.socket_path)
        watch = rig.watch()
        press_and_cancel(client, 5)
        record_and_cancel(client, watch, None, 2)
        before, memory = descriptor_count(pid), settled_memory(pid)
        highest = refused = 0
        held = []
        for number in range(options.connections):
            other = connect(rig.socket_path)
            refused += not use(other, number % 4)
            held.append(other)
            # More at once than there is room for, now and then.
            if len(held) == (40 if number // 40 % 8 == 0 else 4):
                highest = max(highest, descriptor_count(pid))
                for old in held:
                    old.close()
                held = []
            if number % 1000 == 0:
                answer, took = client.ask("status")
                if answer["result"] != "done" or took > HANG * 1e9:
                    problems.append(f"after {number} connections a status took {took / 1e6:.0f} ms and said {answer['result']}")
        for old in held:
            old.close()
        # The microphone and the network may hold a few that they had not opened before; a client's would be thousands.
        wait("the descriptors are given back", lambda: rig.alive("blurtd") and descriptor_count(pid) <= before + 4)
        press_and_cancel(client, 5)
        if highest > 64:
            problems.append(f"{highest} descriptors were open under a limit of 64")
        if not refused:
            problems.append("no client was ever told that there is no room: the limit was not reached")
        after = settled_memory(pid)
        if after["private"] > memory["private"] + KEPT_MIB:
            problems.append(f"{options.connections} connections left {after['private'] - memory['private']:.1f} MiB in use")
        client.close()
        stop_daemon(rig, problems)
        return problems, {
            "descriptorsBefore": before, "descriptorsHighest": highest, "refused": refused,
            "memoryMiB": {"before": round(memory["private"], 1), "after": round(after["private"], 1)}}


def use(client, way):
    """Does one of four things with a new connection. False: the daemon has no room for it."""
    client.settimeout(30 * parts.PATIENCE)
    try:
        if way == 1:
            client.sendall(b'{"cmd":"status","id":"1"}\n')
        elif way == 2:
            client.sendall(b'{"cmd":"wa')
        elif way == 3:
            client.sendall(b'{"cmd":"watch","id":"1"}\n')
            return b"tooManyClients" not in client.recv(4096)
    except OSError:
        return False
    return True


def stopped_subscriber(options):
    """a subscriber stopped with SIGSTOP (B-38)"""
    with Rig(part_folder(options, "stopped")) as rig:
        problems = []
        pid = start_daemon(rig)
        client, watch = Client(rig.socket_path), rig.watch()
        press_and_cancel(client, 20)
        record_and_cancel(client, watch, None, 2)
        quiet = press_and_cancel(client, options.dictations)
        before = settled_memory(pid)
        victim = rig.start(
            "victim", [parts.find_program("blurtctl"), "watch", "--json"], stdout=subprocess.PIPE, text=True)
        seen = Watcher(victim)
        wait("the victim watches", lambda: seen.phases())
        os.kill(victim.pid, signal.SIGSTOP)
        try:
            stopped = press_and_cancel(client, options.dictations)
            recording = record_and_cancel(client, watch, None, 3)
            wait("the stopped subscriber is dropped", lambda: "connection dropped" in rig.log("blurtd"), 60)
        finally:
            os.kill(victim.pid, signal.SIGCONT)
        wait("the subscriber learns that it was dropped", lambda: victim.poll() is not None)
        after = settled_memory(pid)
        if after["private"] > before["private"] + KEPT_MIB:
            problems.append(f"a stopped subscriber left {after['private'] - before['private']:.1f} MiB in use")
        if max(stopped + recording) > HANG * 1e9:
            problems.append(f"something took {max(stopped + recording) / 1e6:.0f} ms beside a stopped subscriber")
        if rig.log("blurtd").count("connection dropped") != 1:
            problems.append("the stopped subscriber made more than one line in the log")
        client.close()
        stop_daemon(rig, problems)
        return problems, {"pressMs": spread(quiet), "pressBesideStoppedMs": spread(stopped),
                          "memoryMiB": {"before": round(before["private"], 1), "after": round(after["private"], 1)}}


def spread(nanoseconds):
    ordered = sorted(nanoseconds)
    return {"p50": round(median(ordered) / 1e6, 3), "p99": round(ordered[len(ordered) * 99 // 100] / 1e6, 3),
            "max": round(ordered[-1] / 1e6, 3)}


def stop_daemon(rig, problems):
    rig.alive("blurtd")
    if rig.stop(rig.process("blurtd")) != 0:
        problems.append("blurtd did not end with status 0 on SIGTERM")


def part_folder(options, name):
    return os.path.join(options.out, name) if options.out else None


PARTS = {"watchers": watchers, "connections": connections, "stopped": stopped_subscriber}


def main():
    if sys.argv[1:2] == ["--crowd"]:
        return crowd(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--watchers", type=int, default=1000)
    parser.add_argument("--stopped", type=int, default=100)
    parser.add_argument("--dictations", type=int, default=300)
    parser.add_argument("--connections", type=int, default=10_000)
    parser.add_argument("--only", choices=PARTS, nargs="+", default=list(PARTS))
    parser.add_argument("--out")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    raise_limit()
    problems, figures = [], {}
    for name in options.only:
        progress(f"load: {PARTS[name].__doc__.strip()}")
        try:
            found, figures[name] = PARTS[name](options)
        except RigError as error:
            found = [str(error)]
        except KeyboardInterrupt:
            return 130
        problems += [f"{name}: {problem}" for problem in found]
    for problem in problems:
        print(f"load: {problem}", file=sys.stderr)
    print(json.dumps({"problems": problems, **figures}) if options.json else json.dumps(figures, indent=1))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
