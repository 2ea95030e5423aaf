#!/usr/bin/python3
"""What goes wrong at a user's desk: each fault gives one clear sentence, the daemon stays up, no spoken word is lost.

    bad_input.py [--out DIR] [--only NAME ...] [--list]

Each case runs in a rig of its own. Prints a line for each; status 1 if one failed. A case that cannot be run here is
named with the reason.
"""
import argparse
import os
import shutil
import signal
import socket
import stat
import subprocess
import sys
import time

import rig as parts
from rig import Keyboard, Rig, RigError, TextWindow, likeness, now, wait, words
from scenario import ANSWER, KEY, TRIGGER, part_ready, ready

CASES = []


class Skip(Exception):
    pass


def case(function):
    CASES.append(function)
    return function


def require(condition, sentence):
    if not condition:
        raise RigError(sentence)


def one_sentence(message, *mentions):
    """The message is one line that a person can act on, and names what it is about."""
    require(isinstance(message, str) and message.strip(), "there is no message")
    require("\n" not in message.strip(), f"the message has more than one line: {message!r}")
    require(20 <= len(message) <= 400, f"the message is no sentence: {message!r}")
    for mention in mentions:
        choices = [mention] if isinstance(mention, str) else mention
        require(any(choice.lower() in message.lower() for choice in choices), f"{message!r} does not name {' or '.join(choices)}")
    return message


def dictation(rig, keyboard, watch, speech, *, need_recording=True):
    """Holds the key while the sentence is played; returns the last event of the dictation that ended it."""
    began = now()
    keyboard.do(f"down {TRIGGER}")
    try:
        wait("the press is answered", lambda: watch.phases(began), 20)
        if need_recording:
            wait("blurtd records", lambda: watch.when("recording", began) or over(watch, began), 20)
        if not over(watch, began):
            rig.play(speech)
    finally:
        keyboard.do(f"up {TRIGGER}")
    return wait("the dictation ends", lambda: rig.alive("blurtd") and over(watch, began), 60)


def over(watch, since):
    return next((event for at, event in watch.lines if at >= since and event.get("phase") in
                 ("failed", "noTarget", "pasted", "cancelled")), None)


def kept(rig):
    return (rig.status().get("spool") or {}).get("recordings", 0)


def standard(rig, *, service=True, key=KEY, environment=None, sound=True, screen=True, text=ANSWER, offline=False):
    """Sound, screen, window, keyboard, server and daemon, less what a case leaves out."""
    own = {"BLURT_OFFLINE_DIR": parts.find_offline_engine() if offline else os.path.join(rig.folder, "none")}
    window = None
    if sound:
        rig.sound()
    speech = rig.speech()
    if screen:
        rig.screen()
        window = TextWindow(rig)
    keyboard = Keyboard(rig)
    if service:
        own["BLURT_BASE_URL"] = rig.server(KEY, text, speech)
    if key:
        own["ASSEMBLYAI_API_KEY"] = key
    own.update(environment or {})
    rig.daemon(keyboard, own)
    if screen:
        wait("blurtd is ready", lambda: rig.alive("blurtd") and ready(rig.status()), 30)
    return window, keyboard, speech, rig.watch()


def still_works(rig):
    rig.alive("blurtd")
    require(rig.status().get("phase") is not None, "blurtd does not answer any more")


@case
def no_microphone(rig):
    configuration = os.path.join(rig.folder, "no-sound.conf")
    with open(configuration, "w") as file:
        # Without the distribution's own configuration, which would find the sound server.
        file.write("pcm.default { type hw card 31 }\n")
    rig.sound()
    window, keyboard, speech, watch = standard(rig, sound=False, environment={"ALSA_CONFIG_PATH": configuration})
    event = dictation(rig, keyboard, watch, speech, need_recording=False)
    require(event["phase"] == "failed", f"the dictation ended as {event['phase']}")
    one_sentence(event.get("message"), ["microphone"])
    require(not words(window.text()), "something was pasted")
    still_works(rig)


@case
def no_display(rig):
    _, keyboard, speech, watch = standard(rig, screen=False)
    status = rig.status()
    require(part_ready(status, "display") is False, "status does not say that there is no display")
    one_sentence(status["display"].get("hint"), ["display"])
    wait("blurtd has its keyboard", lambda: part_ready(rig.status(), "hotkey"), 30)
    event = dictation(rig, keyboard, watch, speech)
    require(event["phase"] in ("noTarget", "failed"), f"the dictation ended as {event['phase']}")
    code, answer = rig.ask("last")
    require((code == 0 and answer.get("text") == ANSWER) or kept(rig) >= 1, "the words are neither in `last` nor in the spool")
    still_works(rig)


@case
def no_keyboard(rig):
    rig.sound()
    rig.screen()
    TextWindow(rig)
    keyboard = Keyboard(rig, "umockdev")
    keyboard.do("unplug")
    rig.daemon(keyboard, {"BLURT_BASE_URL": "http://127.0.0.1:9", "ASSEMBLYAI_API_KEY": KEY})
    status = rig.status()
    require(part_ready(status, "hotkey") is False, "status does not say that there is no keyboard")
    one_sentence(status["hotkey"].get("hint"), ["keyboard", "input"])
    keyboard.do("plug")
    wait("a keyboard that is plugged in is used", lambda: rig.alive("blurtd") and part_ready(rig.status(), "hotkey"), 20)


@case
def keyboard_unplugged_while_held(rig):
    window, keyboard, speech, watch = standard(rig)
    if keyboard.backend != "umockdev":
        raise Skip("needs umockdev's keyboard")
    began = now()
    keyboard.do(f"down {TRIGGER}")
    watch.reach("recording", began, "blurtd records")
    rig.play(speech)
    keyboard.do("unplug")
    event = wait("the dictation ends though no release comes", lambda: rig.alive("blurtd") and over(watch, began), 30)
    require(event["phase"] == "pasted" or kept(rig) >= 1, f"the words are lost: {event}")
    still_works(rig)


@case
def no_key_and_no_engine(rig):
    window, keyboard, speech, watch = standard(rig, service=False, key=None)
    code, answer = rig.ask("press")
    require(code == 4, f"press ended with status {code}, not 4")
    one_sentence(answer.get("message"), ["key"], ["offline"])
    began = now()
    keyboard.do(f"tap {TRIGGER}")
    wait("a press of the key says why it does nothing", lambda: any(
        at >= began and (event.get("errorKind") == "apiKeyMissing" or event.get("reason") == "apiKeyMissing")
        for at, event in watch.lines), 20)
    still_works(rig)


@case
def wrong_key(rig):
    window, keyboard, speech, watch = standard(rig, key="not-the-right-key-000", offline=bool(parts.find_offline_engine()))
    event = dictation(rig, keyboard, watch, speech)
    require(event["phase"] == "failed", f"the dictation ended as {event['phase']}, though the key is wrong")
    one_sentence(event.get("message"), ["key"])
    require("not-the-right-key" not in str(watch.lines) + rig.log("blurtd"), "the key was printed")
    require(kept(rig) >= 1, "the recording was not kept")
    require(not words(window.text()), "something was pasted")
    still_works(rig)


def nobody_listens():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{probe.getsockname()[1]}"


@case
def unreachable_service(rig):
    window, keyboard, speech, watch = standard(rig, service=False, environment={"BLURT_BASE_URL": nobody_listens()})
    event = dictation(rig, keyboard, watch, speech)
    require(event["phase"] == "failed", f"the dictation ended as {event['phase']}")
    one_sentence(event.get("message"))
    require(kept(rig) >= 1, "the recording was not kept")
    still_works(rig)


@case
def unreachable_service_with_fallback(rig):
    if not parts.find_offline_engine():
        raise Skip("the offline engine is not installed")
    window, keyboard, speech, watch = standard(
        rig, service=False, offline=True, environment={"BLURT_BASE_URL": nobody_listens()})
    event = dictation(rig, keyboard, watch, speech)
    require(event["phase"] == "pasted", f"the dictation ended as {event}")
    # The phase tells that the window has taken the text; that it shows it may follow.
    wait("the text stands in the window", lambda: words(window.text()))
    require(likeness(parts.SENTENCE, window.text()) >= 0.8, f"the window has {window.text()!r}")
    require(any(event.get("engine") == "offline" for _, event in watch.lines), "the delivery does not say which engine spoke")


@case
def garbage_on_the_socket(rig):
    rig.daemon(environment={"ASSEMBLYAI_API_KEY": KEY, "BLURT_BASE_URL": "http://127.0.0.1:9"})

    def send(data, answer_expected=True):
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(rig.socket_path)
            client.settimeout(20 * parts.PATIENCE)
            try:
                client.sendall(data)
            except (BrokenPipeError, ConnectionResetError):
                pass
            if not answer_expected:
                return
            heard = b""
            try:
                while not heard.endswith(b"\n"):
                    piece = client.recv(65536)
                    if not piece:
                        break
                    heard += piece
            except ConnectionResetError:
                pass
            require(heard.count(b"\n") == 1 and b"message" in heard, f"{data[:30]!r} is answered with {heard[:200]!r}")
            try:
                require(client.recv(1) == b"", "the connection stays open after garbage")
            except ConnectionResetError:
                pass

    send(b"this is not JSON\n")
    send(b"\xff\xfe\x00\x01\n")
    send(b"[]\n")
    send(b"x" * 70_000 + b"\n")
    send(b"{\"id\":", answer_expected=False)
    send(b"", answer_expected=False)
    for _ in range(200):
        send(b"\0" * 64, answer_expected=False)
    still_works(rig)


@case
def hostile_clients(rig):
    """Silent clients, half lines, a byte at a time: whoever dictates beside them notices nothing."""
    window, keyboard, speech, watch = standard(rig)

    def connect():
        client = socket.socket(socket.AF_UNIX)
        client.connect(rig.socket_path)
        client.settimeout(20 * parts.PATIENCE)
        return client

    request = b'{"id":"1","cmd":"status"}\n'
    crowd = [connect() for _ in range(100)]
    halves = [connect() for _ in range(100)]
    for number, client in enumerate(halves):
        client.sendall(request[:1 + number % (len(request) - 1)])
    slow = connect()
    # Half of a press whose client goes away must not record.
    for _ in range(50):
        with connect() as client:
            client.sendall(b'{"id":"1","cmd":"press"}')
    for byte in request[:-1]:
        slow.sendall(bytes([byte]))
    require(rig.status().get("phase") == "idle", "half a press was acted on")
    event = dictation(rig, keyboard, watch, speech)
    require(event["phase"] == "pasted", f"the dictation ended as {event}")
    wait("the text stands in the window", lambda: window.text().strip() == ANSWER)
    slow.sendall(request[-1:])
    require(slow.makefile("rb").readline().startswith(b'{"ack":'), "a request that came byte by byte is not answered")
    for client in crowd[:1] + crowd[-1:]:
        client.sendall(request)
        require(client.makefile("rb").readline().startswith(b'{"ack":'), "a client that was silent is not answered")
    for client in crowd + halves + [slow]:
        client.close()
    still_works(rig)


@case
def another_user(rig):
    """A process of another user finds the connection closed, even where the file lets it connect."""
    if os.geteuid() != 0:
        raise Skip("only root can start a process as another user")
    if not shutil.which("setpriv"):
        raise Skip("setpriv is not installed")
    rig.daemon(environment={"ASSEMBLYAI_API_KEY": KEY, "BLURT_BASE_URL": "http://127.0.0.1:9"})
    stranger = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", parts.PYTHON, "-c", (
        "import socket,sys\n"
        "s=socket.socket(socket.AF_UNIX)\n"
        "try: s.connect(sys.argv[1])\n"
        "except PermissionError: print('refused'); sys.exit()\n"
        "try: s.sendall(b'{\"id\":\"1\",\"cmd\":\"press\"}\\n'); print('answered' if s.recv(9) else 'closed')\n"
        "except OSError: print('closed')\n"), rig.socket_path]
    require(rig.output(stranger).strip() == "refused", "another user may connect to the socket")
    # Whoever loosens the modes is still not served.
    place = rig.socket_path
    os.chmod(place, 0o666)
    while place != "/":
        place = os.path.dirname(place)
        mode = stat.S_IMODE(os.stat(place).st_mode)
        if not mode & stat.S_IXOTH:
            os.chmod(place, mode | stat.S_IXGRP | stat.S_IXOTH)
    require(rig.output(stranger).strip() == "closed", "another user is served")
    require(rig.status().get("phase") == "idle", "another user's press was acted on")
    still_works(rig)


@case
def output_on_a_full_disk(rig):
    """A text that could not be written does not count as given."""
    rig.daemon(environment={"ASSEMBLYAI_API_KEY": KEY, "BLURT_BASE_URL": "http://127.0.0.1:9"})
    for words in (["status"], ["settings", "list", "--json"], ["completion", "bash"], ["watch"]):
        with open("/dev/full", "w") as full:
            done = subprocess.run([parts.find_program("blurtctl"), *words], env=rig.environment, stdin=subprocess.DEVNULL,
                                  stdout=full, stderr=subprocess.PIPE, text=True, timeout=30 * parts.PATIENCE)
        require(done.returncode == 1, f"{words}: status {done.returncode}, not 1")
        require("No space left" in done.stderr, f"{words}: {done.stderr!r}")


@case
def runtime_folder_unset_or_read_only(rig):
    program = parts.find_program("blurtd")

    def start(label, change, **options):
        environment = dict(rig.environment)
        environment.update({k: v for k, v in change.items() if v is not None})
        for name in [k for k, v in change.items() if v is None]:
            environment.pop(name, None)
        done = subprocess.run([program], env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=30 * parts.PATIENCE, **options)
        lines = done.stderr.strip().splitlines()
        require(done.returncode == 78, f"{label}: status {done.returncode}, not 78 ({done.stderr.strip()[-200:]})")
        require(len(lines) == 1, f"{label}: {len(lines)} lines, not one: {lines}")
        one_sentence(lines[0], ["XDG_RUNTIME_DIR"])

    start("unset", {"XDG_RUNTIME_DIR": None})
    start("not there", {"XDG_RUNTIME_DIR": os.path.join(rig.folder, "nowhere")})
    if os.geteuid() == 0:
        # Root writes anywhere but here.
        start("read-only", {"XDG_RUNTIME_DIR": "/proc/sys"})
    else:
        locked = os.path.join(rig.folder, "locked")
        os.mkdir(locked, 0o500)
        start("read-only", {"XDG_RUNTIME_DIR": locked})


@case
def killed_while_recording(rig):
    window, keyboard, speech, watch = standard(rig)
    began = now()
    keyboard.do(f"down {TRIGGER}")
    watch.reach("recording", began, "blurtd records")
    rig.play(speech)
    daemon = rig.process("blurtd")
    daemon.send_signal(signal.SIGKILL)
    daemon.wait()
    keyboard.do(f"up {TRIGGER}")
    spool = os.path.join(rig.environment["XDG_RUNTIME_DIR"], "blurt", "spool")
    files = [os.path.join(spool, name) for name in os.listdir(spool)]
    largest = max((os.path.getsize(file) for file in files), default=0)
    length = os.path.getsize(speech)
    require(largest >= 0.9 * (length - 16_000), f"the spool has {largest} bytes of {length} that were spoken")
    require(all(os.stat(file).st_mode & 0o077 == 0 for file in files), "others may read the recording")
    rig.daemon(keyboard, {"BLURT_BASE_URL": nobody_listens(), "ASSEMBLYAI_API_KEY": KEY})
    wait("the interrupted recording is listed", lambda: (rig.status().get("spool") or {}).get("interrupted") == 1, 20)
    still_works(rig)


@case
def no_swift(rig):
    tools = os.path.join(rig.folder, "tools")
    os.mkdir(tools)
    for name in ("bash", "dirname", "sed", "head", "sort", "cat"):
        os.symlink(shutil.which(name), os.path.join(tools, name))
    done = subprocess.run([shutil.which("bash"), os.path.join(parts.ROOT, "scripts/run.sh"), "--demo"],
                          env={"PATH": tools, "HOME": rig.environment["HOME"]}, stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=30 * parts.PATIENCE)
    require(done.returncode == 1, f"run.sh ended with {done.returncode}")
    one_sentence(done.stderr.strip(), ["Swift"], ["swift.org"])
    require(not done.stdout, "run.sh printed to standard output")


def main(cases, description, out):
    """Runs the cases that the command line names, each in a rig of its own; returns the exit status."""
    parser = argparse.ArgumentParser(description=description.splitlines()[0])
    parser.add_argument("--out", default=os.path.join(parts.ROOT, "artifacts", out))
    parser.add_argument("--only", nargs="+", default=[])
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    for function in cases:
        name = function.__name__.replace("_", "-")
        if options.list:
            print(name)
            continue
        if options.only and name not in options.only:
            continue
        began = time.monotonic()
        try:
            with Rig(os.path.join(os.path.abspath(options.out), name)) as rig:
                function(rig)
            result, said = "passed", "ok"
        except Skip as reason:
            result, said = "skipped", f"skipped ({reason})"
        except (RigError, OSError, KeyError, subprocess.SubprocessError) as error:
            result, said = "failed", f"FAILED: {error}"
        except KeyboardInterrupt:
            return 130
        counts[result] += 1
        print(f"{name}: {said} ({time.monotonic() - began:.1f} s)", flush=True)
    if not options.list:
        print(", ".join(f"{count} {what}" for what, count in counts.items()))
    return 1 if counts["failed"] else 0


if __name__ == "__main__":
    sys.exit(main(CASES, __doc__, "bad-input"))
