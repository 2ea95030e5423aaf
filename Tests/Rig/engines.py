#!/usr/bin/python3
"""Keys and engines end to end: blurtd and blurtctl as built, the service and its like played by the strict server.

    engines.py [--out DIR] [--only NAME ...] [--list]

Each case runs in a rig of its own. Prints a line for each; status 1 if one failed.
"""
import difflib
import glob
import json
import os
import pty
import re
import shutil
import signal
import socket
import stat
import subprocess
import sys
import termios
import threading
import time

import rig as parts
from bad_input import Skip, kept, main, one_sentence, require
from rig import wait
from scenario import ANSWER

CASES = []
KEY = "right-key-of-this-rig-7531"
OTHER = "wrong-key-of-this-rig-8642"
SECRETS = (KEY, OTHER)


def case(function):
    CASES.append(function)
    return function


def start(rig, *, sound=True, environment=None):
    """The server, and a daemon without a key and without the offline engine, at its most talkative."""
    if sound:
        rig.sound()
    speech = rig.speech()
    rig.control = os.path.join(rig.folder, "faults")
    base = rig.server(KEY, ANSWER, speech, extra=("--control", rig.control))
    rig.daemon(environment={"BLURT_BASE_URL": base, "BLURT_LOG": "debug", "BLURT_OFFLINE_DIR": os.path.join(rig.folder, "none"),
                            **(environment or {})})
    return base, speech


def faults(rig, *names):
    with open(rig.control, "w") as file:
        file.write("\n".join(names))


def key_set(rig, key, *arguments):
    """`blurtctl key set` with the key from a pipe; returns (status, output, error output)."""
    done = subprocess.run([parts.find_program("blurtctl"), "key", "set", *arguments], env=rig.environment, input=key + "\n",
                          capture_output=True, text=True, timeout=60 * parts.PATIENCE)
    require(not any(secret in done.stdout + done.stderr for secret in SECRETS), "blurtctl prints the key")
    return done.returncode, done.stdout, done.stderr


def dictate(rig, watch, speech):
    """One dictation by command; returns its text, which `last` has, since there is no window."""
    began = parts.now()
    code, answer = rig.ask("press")
    require(code == 0, f"press: {code} {answer}")
    wait("blurtd records", lambda: watch.when("recording", began), 20)
    rig.play(speech)
    code, answer = rig.ask("release", "--wait")
    outcome = answer.get("outcome", answer)
    return outcome.get("text"), outcome.get("engine"), outcome


def no_secret(rig, *more):
    """No log of the rig and nothing in `more` has a key, and no log has what was said (T-111)."""
    texts = {name: open(name, errors="replace").read() for name in glob.glob(os.path.join(rig.folder, "logs", "*"))
             if not os.path.basename(name).startswith("server")}
    for folder, _, names in os.walk(os.path.join(rig.folder, "state")):
        texts.update({name: open(os.path.join(folder, name), errors="replace").read() for name in names})
    for name, text in texts.items():
        require(ANSWER not in text and "Said by a program" not in text, f"{name} has what was said")
    texts.update({f"text {number}": text for number, text in enumerate(more)})
    for name, text in texts.items():
        for secret in SECRETS:
            require(secret not in text, f"{name} has a key")
    require(any(texts.values()), "there is nothing to search")


def processes_without_secret(rig):
    """No process of this machine has a key in its arguments or its environment, but the server, which must know it."""
    count = 0
    for folder in set(glob.glob("/proc/[0-9]*")) - {f"/proc/{rig.process('server').pid}"}:
        for name in ("cmdline", "environ"):
            try:
                with open(os.path.join(folder, name), "rb") as file:
                    data = file.read()
            except OSError:
                continue
            count += 1
            for secret in SECRETS:
                require(secret.encode() not in data, f"{folder}/{name} has a key")
    require(count > 4, "no process could be looked at")


@case
def key_from_refusal_to_dictation(rig):
    """T-101 to T-104, T-107, P-77: the four outcomes, and a dictation right after the last one, without a restart."""
    _, speech = start(rig)
    watch = rig.watch()
    code, answer = rig.ask("press")
    require(code == 4 and answer.get("reason") == "apiKeyMissing", f"press without a key: {code} {answer}")
    code, _, error = key_set(rig, OTHER)
    require(code == 11, f"a wrong key ends with {code}: {error}")
    one_sentence(error.strip(), ["key"])
    faults(rig, "check=503")
    code, _, error = key_set(rig, KEY)
    require(code == 12, f"a service out of order ends with {code}: {error}")
    require(rig.ask("key")[1]["apiKey"]["connected"] is False, "a key that was not checked was stored")
    faults(rig)
    file = os.path.join(rig.environment["XDG_CONFIG_HOME"], "blurt", "api-key")
    os.makedirs(os.path.join(file, "in the way"))
    code, _, error = key_set(rig, KEY)
    require(code == 10, f"a key that cannot be stored ends with {code}: {error}")
    one_sentence(error.strip(), ["api-key"])
    shutil.rmtree(file)
    code, output, error = key_set(rig, "  " + KEY + "  ")
    require(code == 0, f"the right key ends with {code}: {error}")
    require(stat.S_IMODE(os.stat(file).st_mode) == 0o600 and open(file).read() == KEY + "\n", "the key file is not as it should be")
    status = rig.status()
    require(status["apiKey"] is True and status["apiKeyDisplay"] == "••••7531", f"status shows {status.get('apiKeyDisplay')}")
    text, engine, outcome = dictate(rig, watch, speech)
    require((text, engine) == (ANSWER, "assemblyai"), f"the dictation gave {outcome}")
    code, answer = rig.ask("key", "check")
    require(code == 0 and answer["apiKey"]["verdict"] == "valid", f"key check: {code} {answer}")
    # The service has withdrawn it.
    faults(rig, "check=401")
    require(rig.ask("key", "check")[0] == 11, "a withdrawn key is not told")
    faults(rig)
    code, answer = rig.ask("key", "clear")
    require(code == 0 and not os.path.exists(file), f"key clear: {code} {answer}")
    require(rig.ask("press")[0] == 4, "a press is answered without a key")
    no_secret(rig, json.dumps([event for _, event in watch.lines]), json.dumps(rig.status()), json.dumps(rig.ask("doctor")[1]))
    processes_without_secret(rig)


@case
def key_from_a_terminal(rig):
    """T-111: what is typed is not shown, and whatever ends the program, the terminal shows again what is typed."""
    start(rig, sound=False)

    def begin():
        ours, theirs = pty.openpty()
        process = rig.start("key-set", [
            parts.PYTHON, "-c",
            "import fcntl,os,signal,sys,termios; [signal.signal(n, signal.SIG_DFL) for n in (1, 2, 3, 15)]; os.setsid(); "
            "fcntl.ioctl(0,termios.TIOCSCTTY,0); os.dup2(1,2); os.execv(sys.argv[1],sys.argv[1:])",
            parts.find_program("blurtctl"), "key", "set"],
            # On a terminal a debug build would ask whether to look into SIGQUIT.
            {"SWIFT_BACKTRACE": "enable=no"}, stdin=theirs, stdout=theirs)
        shown = []

        def listen():
            try:
                while data := os.read(ours, 4096):
                    shown.append(data.decode(errors="replace"))
            except OSError:
                pass

        threading.Thread(target=listen, daemon=True).start()
        wait("the prompt", lambda: "API key" in "".join(shown), 20)
        echo = lambda: bool(termios.tcgetattr(theirs)[3] & termios.ECHO)
        wait("the echo is off", lambda: not echo(), 20)
        return ours, theirs, process, shown, echo

    ours, theirs, process, shown, echo = begin()
    os.write(ours, (KEY + "\n").encode())
    require(process.wait(60) == 0, f"key set ended with {process.returncode}: {''.join(shown)}")
    wait("what it printed", lambda: "••••7531" in "".join(shown), 20)
    require(KEY not in "".join(shown), "the terminal showed the key")
    require(echo(), "the echo is still off")
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
        ours, theirs, process, shown, echo = begin()
        os.write(ours, OTHER[:9].encode())
        process.send_signal(number)
        require(process.wait(20) == -number, f"{number!r} ended it with {process.returncode}")
        require(echo(), f"the echo is off after {number!r}")
        require(OTHER[:9] not in "".join(shown), "the terminal showed what was typed")
    # Ctrl-C as a person types it, and Ctrl-Z with its way back.
    ours, theirs, process, shown, echo = begin()
    os.write(ours, b"\x03")
    require(process.wait(20) == -signal.SIGINT and echo(), "Ctrl-C did not end it well")
    ours, theirs, process, shown, echo = begin()
    process.send_signal(signal.SIGTSTP)
    state = lambda: open(f"/proc/{process.pid}/stat").read().rpartition(")")[2].split()[0]
    wait("it is stopped", lambda: state() == "T", 20)
    require(echo(), "the echo is off while it is stopped")
    process.send_signal(signal.SIGCONT)
    wait("the echo is off again", lambda: not echo(), 20)
    os.write(ours, (KEY + "\n").encode())
    require(process.wait(60) == 0 and echo(), "it did not go on after Ctrl-Z")
    require(rig.ask("key")[1]["apiKey"]["display"] == "••••7531", "the old key is gone")
    code, _, error = rig.ctl("key", "set", KEY, check=False)
    require(code == 2, f"a key as an argument ends with {code}")


def keyring(rig):
    """A session bus with a real, unlocked keyring; returns the environment of its users."""
    for name in ("dbus-daemon", "gnome-keyring-daemon", "secret-tool", "busctl"):
        if not shutil.which(name):
            raise Skip(f"{name} is not installed")
    address = os.path.join(rig.folder, "bus")
    rig.start("bus", ["dbus-daemon", "--session", "--nofork", "--nopidfile", f"--address=unix:path={address}"])
    wait("the bus", lambda: os.path.exists(address), 20)
    own = {"DBUS_SESSION_BUS_ADDRESS": f"unix:path={address}"}
    ring = rig.start("keyring", ["gnome-keyring-daemon", "--foreground", "--unlock", "--components=secrets"], own,
                     stdin=subprocess.PIPE)
    ring.stdin.write(b"keyring-password")
    ring.stdin.close()
    ask = lambda *words: subprocess.run(["busctl", "--user", *words], env={**rig.environment, **own}, capture_output=True, text=True)
    wait("the keyring is unlocked", lambda: rig.alive("keyring") and "false" in ask(
        "get-property", "org.freedesktop.secrets", "/org/freedesktop/secrets/aliases/default",
        "org.freedesktop.Secret.Collection", "Locked").stdout, 20)
    return own, lambda: ask("call", "org.freedesktop.secrets", "/org/freedesktop/secrets", "org.freedesktop.Secret.Service",
                            "Lock", "ao", "1", "/org/freedesktop/secrets/collection/login")


@case
def key_in_a_real_keyring(rig):
    """P-76, T-109: into the unlocked keyring, out of it after a restart, and unknown, not absent, while it is locked."""
    own, lock = keyring(rig)
    base, speech = start(rig, environment=own)
    code, _, error = key_set(rig, KEY)
    require(code == 0, f"key set ended with {code}: {error}")
    require(rig.ask("key")[1]["apiKey"]["source"] == "secretService", "the key is not in the keyring")
    require(not os.path.exists(os.path.join(rig.environment["XDG_CONFIG_HOME"], "blurt", "api-key")), "the key is in a file as well")
    found = subprocess.run(["secret-tool", "lookup", "service", "blurt"], env={**rig.environment, **own}, capture_output=True, text=True)
    require(found.stdout == KEY, "secret-tool does not find the key")
    rig.stop(rig.process("blurtd"))
    rig.daemon(environment={"BLURT_BASE_URL": base, "BLURT_LOG": "debug", "BLURT_OFFLINE_DIR": os.path.join(rig.folder, "none"), **own})
    wait("the key is found after a restart", lambda: rig.status().get("apiKey") is True, 20)
    watch = rig.watch()
    text, engine, outcome = dictate(rig, watch, speech)
    require((text, engine) == (ANSWER, "assemblyai"), f"the dictation gave {outcome}")
    rig.stop(rig.process("blurtd"))
    lock()
    rig.daemon(environment={"BLURT_BASE_URL": base, "BLURT_LOG": "debug", "BLURT_OFFLINE_DIR": os.path.join(rig.folder, "none"), **own})
    wait("the keyring was asked", lambda: "locked" in (rig.ask("key")[1].get("message") or ""), 20)
    code, _, error = key_set(rig, KEY)
    require(code == 10 and "locked" in error, f"key set with a locked keyring ends with {code}: {error}")
    # P-75: the press tries, nothing asks for a password, and the words are kept.
    watch = rig.watch()
    before = kept(rig)
    text, _, outcome = dictate(rig, watch, speech)
    require(text is None and "locked" in (outcome.get("message") or ""), f"the dictation gave {outcome}")
    wait("the recording is kept", lambda: kept(rig) == before + 1, 20)
    no_secret(rig)
    processes_without_secret(rig)


@case
def broken_uploads(rig):
    """B-115, B-117, B-125: reset at 10, 50 and 99 %, no credit, a wrong type: each is kept with its cause, and after a restart
    each can be sent again, whole."""
    base, speech = start(rig, environment={"ASSEMBLYAI_API_KEY": KEY})
    watch = rig.watch()
    failures = [("reset@10%", "network"), ("reset@50%", "network"), ("reset@99%", "network"), ("402", "credit"), ("415", "audioType")]
    for number, (fault, cause) in enumerate(failures, 1):
        faults(rig, fault)
        text, _, outcome = dictate(rig, watch, speech)
        require(text is None and outcome.get("errorKind") == "sttFailed", f"{fault} gave {outcome}")
        require(outcome.get("errorCause") == cause, f"{fault} has the cause {outcome.get('errorCause')}")
        one_sentence(outcome["message"], ["kept", "update"])
        wait("the recording is kept", lambda: kept(rig) == number, 20)
    faults(rig)
    rig.stop(rig.process("blurtd"))
    rig.daemon(environment={"BLURT_BASE_URL": base, "BLURT_LOG": "debug", "BLURT_OFFLINE_DIR": os.path.join(rig.folder, "none"),
                            "ASSEMBLYAI_API_KEY": KEY})
    recordings = rig.ask("spool")[1]["recordings"]
    require([entry.get("errorCause") for entry in recordings] == [cause for _, cause in reversed(failures)], f"spool has {recordings}")
    for entry in recordings:
        before = len(rig.server_events("comparison"))
        code, answer = rig.ask("retry", entry["id"], "--wait")
        require(answer.get("outcome", answer).get("text") == ANSWER, f"retry gave {answer}")
        wait("the server has compared the sound", lambda: len(rig.server_events("comparison")) > before, 20)
        comparison = rig.server_events("comparison")[-1]
        require(comparison["correlation"] > 0.8 and comparison["length_ratio"] > 0.95, f"not the sound that was played: {comparison}")
    require(kept(rig) == 0, "a recording that was delivered is still kept")
    no_secret(rig)


@case
def engine_openai(rig):
    """A server of OpenAI's kind: its key, a dictation, a file, and what happens when it is away."""
    base, speech = start(rig)
    watch = rig.watch()
    rig.ctl("settings", "set", "EngineKind", "openai")
    code, answer = rig.ask("press")
    require(code == 4 and "OpenAIOrigin" in answer["message"], f"press without a server: {code} {answer}")
    rig.ctl("settings", "set", "OpenAIOrigin", base + "/v1")
    rig.ctl("settings", "set", "StayLocal", "true")
    rig.ctl("terms", "add", "Moonshine")
    code, _, error = key_set(rig, OTHER, "--engine", "openai")
    require(code == 11, f"a wrong key ends with {code}: {error}")
    code, _, error = key_set(rig, KEY, "--engine", "openai")
    require(code == 0, f"the right key ends with {code}: {error}")
    text, engine, outcome = dictate(rig, watch, speech)
    require((text, engine) == (ANSWER, "openai"), f"the dictation gave {outcome}")
    wait("the server has compared the sound", lambda: rig.server_events("comparison"), 20)
    comparison = rig.server_events("comparison")[-1]
    require(comparison["correlation"] > 0.8, f"not the sound that was played: {comparison}")
    form = rig.server_events("form")[-1]
    require(form["config"]["prompt"] == "Moonshine.", f"the form was {form}")
    code, answer = rig.ask("transcribe", speech, "--engine", "openai")
    require(code == 0 and (answer["text"], answer["engine"]) == (ANSWER, "openai"), f"transcribe: {answer}")
    checks = {check["check"]: check for check in rig.ask("doctor")[1]["checks"]}
    require(checks["openAIServer"]["state"] == "ok" and checks["keyTerms"]["state"] == "ok", f"doctor: {checks}")
    faults(rig, "503")
    text, _, outcome = dictate(rig, watch, speech)
    require(text is None and outcome["errorKind"] == "sttFailed", f"a server out of order gave {outcome}")
    faults(rig)
    code, answer = rig.ask("retry", "--engine", "command", "--wait")
    require(code == 4 and "EngineCommand" in answer["message"], f"retry by an engine that is not set: {code} {answer}")
    code, answer = rig.ask("retry", "--engine", "openai", "--wait")
    require(answer.get("outcome", answer).get("text") == ANSWER, f"retry gave {answer}")
    rig.ctl("settings", "set", "OpenAIOrigin", "http://192.0.2.1:8000")
    code, answer = rig.ask("press")
    require(code == 4 and "StayLocal" in answer["message"], f"StayLocal lets a press through: {code} {answer}")
    no_secret(rig, json.dumps([event for _, event in watch.lines]))
    return form["second_parser"]


@case
def engine_command(rig):
    """The user's program: a dictation, its failures, and no key anywhere near it."""
    _, speech = start(rig, environment={"ASSEMBLYAI_API_KEY": KEY})
    watch = rig.watch()
    place = lambda name: os.path.join(rig.folder, name)
    with open(place("program"), "w") as file:
        file.write(f"#!/bin/sh\ntr '\\0' '\\n' < /proc/self/environ > {place('environ')}\n"
                   f"tr '\\0' ' ' < /proc/self/cmdline > {place('cmdline')}\ncat > {place('got.wav')}\n"
                   f"[ -e {place('fail')} ] && {{ echo 'no model' >&2; exit 4; }}\n"
                   f"[ -e {place('hang')} ] && {{ sleep 600 & echo $! > {place('child')}; wait; }}\necho 'Said by a program.'\n")
    os.chmod(place("program"), 0o755)
    rig.ctl("settings", "set", "EngineCommand", json.dumps([place("program"), "an argument"]))
    rig.ctl("settings", "set", "EngineKind", "command")
    text, engine, outcome = dictate(rig, watch, speech)
    require((text, engine) == ("Said by a program.", "command"), f"the dictation gave {outcome}")
    import wave
    with wave.open(place("got.wav")) as heard, wave.open(speech) as played:
        require(heard.getframerate() == 16000 and heard.getnframes() >= played.getnframes() * 0.9, "it got another sound")
    for name in ("environ", "cmdline"):
        data = open(place(name)).read()
        require(KEY not in data and "CREDENTIALS" not in data and data, f"its {name} is {data!r}")
    open(place("fail"), "w").close()
    before = kept(rig)
    text, _, outcome = dictate(rig, watch, speech)
    one_sentence(outcome["message"], ["no model"], ["status 4"])
    wait("the recording is kept", lambda: kept(rig) == before + 1, 20)
    os.remove(place("fail"))
    code, answer = rig.ask("retry", "--wait")
    require(answer.get("outcome", answer).get("text") == "Said by a program.", f"retry gave {answer}")
    # A cancel ends it with all it started.
    open(place("hang"), "w").close()
    began = parts.now()
    require(rig.ask("press")[0] == 0, "the press was not answered")
    wait("blurtd records", lambda: watch.when("recording", began), 20)
    rig.play(speech)
    rig.ask("release")
    wait("the program hangs", lambda: os.path.exists(place("child")) and open(place("child")).read().strip(), 20)
    child = open(place("child")).read().strip()
    processes_of_daemon_without_secret(rig)
    rig.ctl("cancel")
    gone = lambda: not os.path.exists(f"/proc/{child}") or ") Z" in open(f"/proc/{child}/stat").read()
    wait("the program and its child are gone", gone, 20)
    no_secret(rig)


def processes_of_daemon_without_secret(rig):
    """The children of the daemon, and theirs. The daemon itself was started with a key in its environment here."""
    parents = {}
    for folder in glob.glob("/proc/[0-9]*"):
        try:
            parents[int(folder[6:])] = int(open(folder + "/stat").read().rpartition(")")[2].split()[1])
        except OSError:
            continue
    daemon = rig.process("blurtd").pid
    below = {daemon}
    while True:
        more = {pid for pid, parent in parents.items() if parent in below} - below
        if not more:
            break
        below |= more
    require(len(below) > 1, "the daemon has no child")
    for pid in below - {daemon}:
        for name in ("cmdline", "environ"):
            try:
                data = open(f"/proc/{pid}/{name}", "rb").read()
            except OSError:
                continue
            require(KEY.encode() not in data, f"process {pid} has the key in its {name}")


@case
def real_openai_server(rig):
    """A server of OpenAI's kind that others wrote, with a model: a file, a dictation, doctor, and the server gone."""
    folder = subprocess.run([os.path.join(parts.ROOT, "scripts/fetch-openai-server.sh"), "--print-dir"], capture_output=True,
                            text=True, check=True).stdout.strip()
    serve = os.path.join(os.environ.get("BLURT_OPENAI_SERVER_DIR") or folder, "serve")
    if not os.access(serve, os.X_OK):
        raise Skip("the server is not there: scripts/fetch-openai-server.sh")
    _, speech = start(rig)
    watch = rig.watch()
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    base = f"http://127.0.0.1:{port}"
    server = rig.start("openai-server", [serve, str(port)], {"no_proxy": "*"})
    models = lambda: subprocess.run(["curl", "-s", base + "/v1/models"], capture_output=True, text=True).stdout
    wait("the server has loaded its model", lambda: server.poll() is not None or "moonshine" in models(), 60)
    require(server.poll() is None, f"the server ended: {rig.log_tail('openai-server')}")
    rig.ctl("settings", "set", "EngineKind", "openai")
    rig.ctl("settings", "set", "OpenAIOrigin", base)
    rig.ctl("terms", "add", "Moonshine")
    check = {check["check"]: check for check in rig.ask("doctor")[1]["checks"]}["openAIServer"]
    require(check["state"] == "ok", f"doctor: {check}")

    def alike(text):
        plain = lambda text: re.sub("[^a-z ]", "", text.lower()).split()
        return difflib.SequenceMatcher(None, plain(text or ""), plain(parts.SENTENCE)).ratio()

    code, answer = rig.ask("transcribe", speech)
    require(code == 0 and answer["engine"] == "openai" and alike(answer["text"]) > 0.6, f"transcribe: {answer}")
    text, engine, outcome = dictate(rig, watch, speech)
    require(engine == "openai" and alike(text) > 0.6, f"the dictation gave {outcome}")
    rig.stop(server)
    before = kept(rig)
    text, _, outcome = dictate(rig, watch, speech)
    require(text is None and outcome.get("errorKind") == "sttFailed", f"without the server: {outcome}")
    one_sentence(outcome["message"], [f"127.0.0.1:{port}"])
    wait("the recording is kept", lambda: kept(rig) == before + 1, 20)


@case
def sound_files(rig):
    """FLAC and Ogg files arrive at the engine as the sound they hold; what is none gives one sentence, and nothing else."""
    _, speech = start(rig, sound=False, environment={"ASSEMBLYAI_API_KEY": KEY})
    check = {check["check"]: check for check in rig.ask("doctor")[1]["checks"]}["soundFiles"]
    if check["state"] != "ok":
        raise Skip(f"{check['message']} {check.get('remedy')}")
    place = lambda name: os.path.join(rig.folder, name)
    sox = lambda *arguments: rig.output(["sox", "-R", *arguments])
    sox(speech, "-r", "44100", "-c", "2", "-b", "24", place("stereo.flac"))
    sox(speech, place("speech.ogg"))
    sox(speech, "-r", "8000", place("narrow.ogg"))
    shutil.copy(place("speech.ogg"), place("in truth ogg.wav"))
    for name in ("stereo.flac", "speech.ogg", "narrow.ogg", "in truth ogg.wav"):
        before = len(rig.server_events("comparison"))
        code, answer = rig.ask("transcribe", place(name))
        require(code == 0 and answer["text"] == ANSWER, f"{name}: {answer}")
        comparison = wait("the server has compared the sound", lambda: rig.server_events("comparison")[before:], 60)[0]
        require(comparison["correlation"] > 0.9 and 0.99 < comparison["length_ratio"] < 1.01, f"{name}: {comparison}")
    whole = open(place("stereo.flac"), "rb").read()
    hostile = {"head.flac": whole[:42], "noise.flac": b"fLaC" + os.urandom(20_000), "noise.ogg": b"OggS" + os.urandom(20_000),
               "letter.ogg": b"Dear reader,\n", "empty.flac": b"", "song.mp3": b"ID3" + os.urandom(20_000)}
    for name, data in hostile.items():
        with open(place(name), "wb") as file:
            file.write(data)
    sox("-n", "-r", "16000", "-c", "1", place("none.flac"), "trim", "0", "0")
    sox("-D", "-n", "-r", "8000", "-c", "1", "-b", "16", place("20 hours.flac"), "trim", "0", "72000")
    require(os.path.getsize(place("20 hours.flac")) < 4 << 20, "the bomb is no bomb")
    os.mkfifo(place("pipe.flac"))
    requests = len(rig.server_events("request"))
    for name in [*hostile, "none.flac", "20 hours.flac", "pipe.flac"]:
        code, answer = rig.ask("transcribe", place(name))
        require(code == 1 and answer.get("reason") == "badFile", f"{name}: {code} {answer}")
        one_sentence(answer["message"], ["20 minutes"] if name == "20 hours.flac" else [name])
    for path in ("/dev/zero", rig.folder):
        code, answer = rig.ask("transcribe", path)
        require(code == 1 and answer.get("reason") == "badFile" and "regular" in answer["message"], f"{path}: {answer}")
    require(len(rig.server_events("request")) == requests and kept(rig) == 0, "something was sent, or kept")
    # What a cut file still has is not thrown away.
    with open(place("cut.flac"), "wb") as file:
        file.write(whole[: len(whole) * 3 // 4])
    code, answer = rig.ask("transcribe", place("cut.flac"))
    require(code == 0 and answer["text"] == ANSWER, f"cut.flac: {answer}")
    no_secret(rig)


@case
def forgotten_connection(rig):
    """B-121: the connection was idle, and the way has forgotten it without a word: the dictation arrives, whole and once."""
    base, speech = start(rig, sound=False)
    relay = rig.start("relay", [parts.PYTHON, os.path.join(parts.HERE, "relay.py"), base.rpartition(":")[2]], stdin=subprocess.PIPE,
                      stdout=subprocess.PIPE, text=True)

    def ask(line=None):
        if line:
            relay.stdin.write(line + "\n")
            relay.stdin.flush()
        return json.loads(relay.stdout.readline())

    port = ask()["port"]
    rig.stop(rig.process("blurtd"))
    rig.sound()
    rig.daemon(environment={"BLURT_BASE_URL": f"http://127.0.0.1:{port}", "BLURT_LOG": "debug", "ASSEMBLYAI_API_KEY": KEY,
                            "BLURT_OFFLINE_DIR": os.path.join(rig.folder, "none")})
    watch = rig.watch()
    for number in (1, 2, 3):
        text, _, outcome = dictate(rig, watch, speech)
        require(text == ANSWER, f"dictation {number} gave {outcome}")
        # A connection that has just answered is trusted for two seconds.
        time.sleep(2.5)
        require(ask("mute")["muted"] >= number, "there was no connection to forget")
    audio = [event["bytes"] for event in rig.server_events("audio")]
    require(len(audio) == 3, f"the server got {audio}")
    wait("the server has compared the sound", lambda: len(rig.server_events("comparison")) == 3, 60)
    for comparison in rig.server_events("comparison"):
        # The virtual microphone stutters on a machine that is busy; what is missing or another sound is nowhere near this.
        require(comparison["correlation"] > 0.4 and comparison["length_ratio"] > 0.95, f"not the sound that was played: {comparison}")
    for text in ask("report")["swallowed"]:
        require("POST" not in text and KEY not in text, "a request went into the void")


if __name__ == "__main__":
    sys.exit(main(CASES, __doc__, "engines"))
