#!/usr/bin/env python3
"""Dictates once through blurtd and prints the text. Written from protocol/README.md alone.

    dictate.py [--socket PATH] [--seconds N]

Speak when it says so; Enter ends the recording, or the time does. The text is pasted into the window that has the focus,
as always. Exit status: 0 there is a text, 1 there is none, 3 busy, 4 not listening, 6 no daemon, 130 interrupted.
"""
import argparse
import json
import os
import select
import socket
import sys
import time


class Failure(Exception):
    def __init__(self, status, message):
        super().__init__(message)
        self.status = status


class Daemon:
    """One connection. Answers and events come in between each other, so each is kept until it is asked for."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        try:
            self.socket.connect(path)
        except OSError as error:
            raise Failure(6, f"no blurtd at {path}: {error.strerror}") from None
        self.bytes, self.acks, self.events, self.count = b"", {}, [], 0

    def receive(self, seconds=None, also=()):
        """Takes what has come, waiting at most so long. True if one of `also` can be read."""
        ready, _, _ = select.select([self.socket, *also], [], [], seconds)
        if self.socket in ready:
            data = self.socket.recv(65536)
            if not data:
                raise Failure(6, "blurtd hung up")
            *lines, self.bytes = (self.bytes + data).split(b"\n")
            for line in map(json.loads, lines):
                if "ack" in line:
                    self.acks[line["ack"]["id"]] = line["ack"]
                elif "event" in line:
                    self.events.append(line)
                elif "error" in line:
                    raise Failure(6, line["error"].get("message", "blurtd hung up"))
        return any(source in ready for source in also)

    def ask(self, cmd, seconds=None, **fields):
        """Sends a command and returns its answer."""
        self.count += 1
        name = str(self.count)
        request = {"id": name, "cmd": cmd, "client": "dictate.py", **fields}
        try:
            self.socket.sendall(json.dumps(request).encode() + b"\n")
        except OSError:
            raise Failure(6, "blurtd hung up") from None
        limit = None if seconds is None else time.monotonic() + seconds
        while name not in self.acks:
            left = None if limit is None else limit - time.monotonic()
            if left is not None and left <= 0:
                raise Failure(6, "blurtd does not answer")
            self.receive(left)
        return self.acks.pop(name)

    def phase(self, dictation):
        """The newest phase of a dictation, or None."""
        mine = [event for event in self.events if event["event"] == "phase" and event.get("dictation") == dictation]
        return mine[-1]["phase"] if mine else None


def dictate(daemon, seconds):
    status = daemon.ask("status", 5)["status"]
    if status["protocol"] != 1 or not {"lease", "wait"} <= set(status["capabilities"]):
        raise Failure(1, f"blurtd {status['version']} is too old or too new for this program")
    daemon.ask("watch", 5)
    # Given up after 1.2 s; 200 ms before that the daemon no longer acts on it.
    deadline = time.clock_gettime_ns(time.CLOCK_BOOTTIME) // 1_000_000 + 1000
    ack = daemon.ask("press", 1.2, lease=True, deadlineMs=deadline)
    if ack["result"] != "started":
        status = {"busy": 3, "notListening": 4}.get(ack["result"], 1)
        raise Failure(status, ack.get("message") or f"the answer was {ack['result']}")
    dictation = ack["dictation"]
    while daemon.phase(dictation) in (None, "connecting"):
        daemon.receive()
    if daemon.phase(dictation) == "recording":
        print("Speak. Enter ends the recording.", file=sys.stderr, flush=True)
        limit = None if seconds is None else time.monotonic() + seconds
        # Only the clock ends it where a time was given.
        keyboard = [sys.stdin] if seconds is None else []
        while daemon.phase(dictation) == "recording":
            left = None if limit is None else limit - time.monotonic()
            if (left is not None and left <= 0) or daemon.receive(left, keyboard):
                daemon.ask("release", 5)
                break
    ack = daemon.ask("wait", dictation=dictation)
    outcome = ack.get("outcome", ack)
    if not outcome.get("text"):
        raise Failure(1, outcome.get("message") or f"no text: {outcome.get('phase', ack['result'])}")
    if outcome.get("phase") != "pasted":
        print(outcome.get("message") or f"not pasted: {outcome.get('phase')}", file=sys.stderr)
    return outcome["text"]


def main():
    parser = argparse.ArgumentParser(description="Dictates once through blurtd and prints the text.")
    parser.add_argument("--socket", default=os.environ.get("BLURT_SOCKET") or os.path.join(
        os.environ.get("XDG_RUNTIME_DIR", "/"), "blurt", "blurtd.sock"))
    parser.add_argument("--seconds", type=float, help="end the recording after so long instead of by Enter")
    options = parser.parse_args()
    try:
        print(dictate(Daemon(options.socket), options.seconds))
        return 0
    except Failure as failure:
        print(f"dictate.py: {failure}", file=sys.stderr)
        return failure.status
    except KeyboardInterrupt:
        return 130  # the end of the connection ends the lease: what was said is transcribed


if __name__ == "__main__":
    sys.exit(main())
