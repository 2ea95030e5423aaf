"""The parts that scenarios are made of: a virtual microphone, a screen with a window, a keyboard, the daemon.

Everything runs in one private folder with a runtime, configuration, state and home folder of its own, so that nothing of
the user's is read or changed. Everything started here is ended here, also on failure and on a signal. What must happen is
waited for as a condition, with a generous limit; nothing sleeps for a time and hopes.
"""
import array
import ctypes
import difflib
import glob
import json
import os
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import wave

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
PYTHON = "/usr/bin/python3"
SENTENCE = "Please send the report to the whole team before lunch tomorrow."

# Slow machines and emulated ones get more time, never less certainty.
PATIENCE = float(os.environ.get("BLURT_RIG_PATIENCE", "1"))


class RigError(Exception):
    """A part of the rig, or what it tests, did not do what it must. The message is one sentence."""


def now():
    return time.clock_gettime_ns(time.CLOCK_MONOTONIC)


def progress(message):
    print(message, file=sys.stderr, flush=True)


def wait(what, condition, seconds=20.0):
    """Waits for a true value of condition() and returns it. Where it does not come, the error says what the daemon said
    went wrong in the meantime."""
    began = now()
    limit = time.monotonic() + seconds * PATIENCE
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > limit:
            told = [text for watcher in Watcher.all for text in watcher.failures(began)]
            raise RigError(f"{what} within {seconds * PATIENCE:g} s: it did not happen"
                           + (f"; blurtd said: {' / '.join(told[-3:])}" if told else ""))
        time.sleep(0.01)


def die_with_parent():
    """In the child: the kernel kills it if the rig is killed outright."""
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)


def words(text):
    return re.sub(r"[^\w\s']", " ", text.lower()).split()


def likeness(expected, heard):
    """The share of the expected words that were heard, in order."""
    matcher = difflib.SequenceMatcher(a=words(expected), b=words(heard), autojunk=False)
    return sum(block.size for block in matcher.get_matching_blocks()) / max(1, len(words(expected)))


def find_program(name):
    """A program under test: $BLURT_BIN_DIR, else the newest build of this package, else PATH."""
    folder = os.environ.get("BLURT_BIN_DIR")
    places = [folder] if folder else [os.path.join(ROOT, ".build", kind) for kind in ("release", "debug")]
    for place in places:
        path = os.path.join(place, name)
        if os.access(path, os.X_OK):
            return path
    found = None if folder else shutil.which(name)
    if not found:
        raise RigError(f"{name} is not built: run 'swift build --product {name}', or set BLURT_BIN_DIR")
    return found


def find_offline_engine():
    """The folder of the offline engine, or None."""
    data = os.environ.get("XDG_DATA_HOME") or os.path.join(os.path.expanduser("~"), ".local/share")
    for folder in (os.environ.get("BLURT_OFFLINE_DIR"), os.path.join(data, "blurt/offline"), "/usr/lib/blurt/offline"):
        if folder and os.path.isdir(folder) and os.listdir(folder):
            return folder
    return None


class Watcher:
    """Reads JSON lines of a child as they come and stamps each with its time of arrival."""

    all = []  # of the rig that runs: errors quote them

    def __init__(self, process):
        Watcher.all.append(self)
        self.process = process
        self.lines = []  # (nanoseconds, object)
        self.bad = []
        self.thread = threading.Thread(target=self.read, daemon=True)
        self.thread.start()

    def read(self):
        for line in self.process.stdout:
            at = now()
            try:
                self.lines.append((at, json.loads(line)))
            except ValueError:
                self.bad.append(line)

    def phases(self, since=0):
        """The phases seen after a time, in order, each change once."""
        seen = []
        for at, event in list(self.lines):
            phase = event.get("phase")
            if at >= since and phase and (not seen or seen[-1][1] != phase):
                seen.append((at, phase))
        return seen

    def when(self, phase, since=0):
        return next((at for at, seen in self.phases(since) if seen == phase), None)

    def failures(self, since=0):
        """What the daemon has said after a time about what went wrong, one sentence each."""
        said = []
        for at, event in list(self.lines):
            if at < since or not isinstance(event, dict):
                continue
            if event.get("phase") == "failed":
                said.append(f"failed ({event.get('errorKind')}): {event.get('message')}")
            elif event.get("event") == "notice":
                said.append(f"{event.get('notice')}: {event.get('message')}")
            elif event.get("event") == "listening" and event.get("state") != "open":
                said.append(f"not listening ({event.get('reason')}): {event.get('message')}")
        return said

    def reach(self, phase, since, what=None, seconds=20.0):
        """Waits for a phase after a time and returns when it came. A dictation that fails first is an error at once, which
        says why."""
        def reached():
            at = self.when(phase, since)
            if at is None and phase != "failed" and self.when("failed", since):
                raise RigError(f"{what or 'the dictation reaches ' + phase}: {' / '.join(self.failures(since))}")
            return at

        return wait(what or f"the dictation reaches {phase}", reached, seconds)


class Keyboard:
    def __init__(self, rig, backend="auto"):
        self.rig = rig
        self.process = rig.start(
            "keyboard", [PYTHON, os.path.join(HERE, "keyboard.py"), "--backend", backend],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        if not line:
            raise RigError(f"the keyboard did not start: {rig.log_tail('keyboard')}")
        about = json.loads(line)
        self.backend, self.node, self.environment = about["backend"], about["node"], about["environment"]

    def do(self, command):
        """Carries out one command and returns the time at which the event was written."""
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise RigError(f"the keyboard died: {self.rig.log_tail('keyboard')}")
        answer = json.loads(line)
        self.node = answer["node"]
        return answer["at"]


class TextWindow:
    def __init__(self, rig, title="Blurt demo", toolkit="auto"):
        self.rig = rig
        self.file = os.path.join(rig.folder, f"text-{len(rig.processes)}.jsonl")
        open(self.file, "w").close()
        self.process = rig.start(
            "window", [PYTHON, os.path.join(HERE, "text_window.py"), self.file, "--title", title, "--toolkit", toolkit],
            stdin=subprocess.PIPE)
        wait("the text window has the focus", lambda: rig.alive("window") and any("ready" in e for e in self.events()), 40)

    def events(self):
        with open(self.file, encoding="utf-8") as file:
            return [json.loads(line) for line in file if line.endswith("\n")]

    def changes(self):
        return [event for event in self.events() if "text" in event]

    def text(self):
        changes = self.changes()
        return changes[-1]["text"] if changes else ""

    def name(self):
        """Title and class of the window that has the focus, as the window manager knows it."""
        window = self.rig.output(["xdotool", "getactivewindow"]).strip()
        lines = self.rig.output(["xprop", "-id", window, "WM_CLASS", "_NET_WM_NAME"])
        quoted = re.findall(r'"((?:[^"\\]|\\.)*)"', lines)
        return f"{quoted[-1]} ({quoted[1]})" if len(quoted) >= 3 else lines.strip()


class Rig:
    """One private folder and everything that runs in it. Use as a context manager."""

    def __init__(self, out=None):
        self.out = out
        self.processes = []  # (name, Popen)
        self.folder = None
        self.environment = {}

    def __enter__(self):
        self.folder = tempfile.mkdtemp(prefix="blurt-rig.")
        for name in ("run", "home", "config", "state", "data", "cache", "tmp", "logs"):
            os.mkdir(os.path.join(self.folder, name), 0o700)
        place = lambda name: os.path.join(self.folder, name)
        # Made from nothing: no key, display, bus or sound server of the user's is within reach.
        self.environment = {
            "PATH": os.environ.get("PATH", "/usr/bin:/bin"), "LANG": "C.UTF-8", "HOME": place("home"),
            "XDG_RUNTIME_DIR": place("run"), "XDG_CONFIG_HOME": place("config"), "XDG_STATE_HOME": place("state"),
            "XDG_DATA_HOME": place("data"), "XDG_CACHE_HOME": place("cache"), "TMPDIR": place("tmp"),
            "DBUS_SESSION_BUS_ADDRESS": "disabled:", "DBUS_SYSTEM_BUS_ADDRESS": "disabled:", "NO_AT_BRIDGE": "1",
        }
        for name in ("TSAN_OPTIONS", "ASAN_OPTIONS", "SWIFT_BACKTRACE", "BLURT_LOG", "LD_LIBRARY_PATH", "PYTHONPATH"):
            if name in os.environ:
                self.environment[name] = os.environ[name]
        self.old_handlers = {s: signal.signal(s, self.interrupted) for s in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
        return self

    def interrupted(self, number, _):
        raise KeyboardInterrupt(signal.Signals(number).name)

    def __exit__(self, kind, error, trace):
        for number in self.old_handlers:
            signal.signal(number, signal.SIG_IGN)
        Watcher.all.clear()
        for name, process in reversed(self.processes):
            self.stop(process)
        if self.out:
            logs = os.path.join(self.out, "logs")
            os.makedirs(logs, exist_ok=True)
            for name in os.listdir(os.path.join(self.folder, "logs")):
                shutil.copy(os.path.join(self.folder, "logs", name), logs)
        shutil.rmtree(self.folder, ignore_errors=True)
        for number, handler in self.old_handlers.items():
            signal.signal(number, handler)

    # Processes

    def start(self, name, arguments, environment=None, **options):
        """Starts a program whose error output goes to a log of its own, with only the rig's environment."""
        log = open(os.path.join(self.folder, "logs", name + ".log"), "ab")
        options.setdefault("stdin", subprocess.DEVNULL)
        options.setdefault("stdout", log)
        process = subprocess.Popen(
            arguments, env={**self.environment, **(environment or {})}, stderr=log, preexec_fn=die_with_parent, **options)
        log.close()
        self.processes.append((name, process))
        return process

    def stop(self, process, limit=10):
        """Ends a child of ours and returns its status."""
        for stream in (process.stdin,):
            try:
                if stream:
                    stream.close()
            except OSError:
                pass
        if process.poll() is None:
            process.terminate()
            try:
                process.wait(limit)
            except subprocess.TimeoutExpired:
                process.kill()
        return process.wait()

    def process(self, name):
        return [process for known, process in self.processes if known == name][-1]

    def alive(self, name):
        """True, or an error that says how the child ended."""
        status = self.process(name).poll()
        if status is not None:
            raise RigError(f"{name} ended with status {status}: {self.log_tail(name)}")
        return True

    def log(self, name):
        with open(os.path.join(self.folder, "logs", name + ".log"), errors="replace") as file:
            return file.read()

    def log_tail(self, name):
        lines = [line for line in self.log(name).strip().splitlines() if line]
        return " / ".join(lines[-3:]) or "it said nothing"

    def output(self, arguments, check=True, environment=None, **options):
        done = subprocess.run(
            arguments, env={**self.environment, **(environment or {})}, stdin=subprocess.DEVNULL, capture_output=True,
            text=True, timeout=60 * PATIENCE, **options)
        if check and done.returncode != 0:
            raise RigError(f"{arguments[0]} ended with status {done.returncode}: {done.stderr.strip()[-300:]}")
        return done.stdout

    # Sound

    def sound(self, server="pulseaudio"):
        """A sound server, reached through ALSA's `default`: what is played into the sink `rig` is heard by the default
        source, and PulseAudio's default sink is `speaker`, which the microphone does not hear, as with headphones."""
        # "default" is the sound server whatever this machine's own configuration says.
        configuration = os.path.join(self.folder, "asound.conf")
        with open(configuration, "w") as file:
            file.write("</usr/share/alsa/alsa.conf>\npcm.!default { type pulse }\nctl.!default { type pulse }\n")
        self.environment["ALSA_CONFIG_PATH"] = configuration
        self.sound_server = server
        {"pulseaudio": self.pulseaudio, "pipewire": self.pipewire}[server]()
        self.room()

    def pipewire_pcm(self):
        """Adds PipeWire's own ALSA plug-in to the configuration, as the PCM `pipewire`. False where it is not installed and
        $BLURT_PIPEWIRE_ALSA names no folder of it (`pipewire-alsa.sh`)."""
        name = "libasound_module_pcm_pipewire.so"
        folders = [os.environ.get("BLURT_PIPEWIRE_ALSA") or "/nonexistent", *glob.glob("/usr/lib/*/alsa-lib")]
        found = next((os.path.join(folder, name) for folder in folders if os.path.exists(os.path.join(folder, name))), None)
        if found:
            with open(self.environment["ALSA_CONFIG_PATH"], "a") as file:
                file.write(f'pcm_type.pipewire {{ lib "{found}" }}\n'
                           'pcm.pipewire { type pipewire server "pipewire-0" playback_node "-1" capture_node "-1" }\n')
        return found is not None

    def restart_sound(self):
        """The sound server dies without a word and comes back as it was at the beginning."""
        for name in {"pulseaudio": ["pulseaudio"], "pipewire": ["pipewire", "wireplumber", "pipewire-pulse", "dbus"]}[self.sound_server]:
            process = self.process(name)
            process.kill()
            process.wait()
        run = self.environment["XDG_RUNTIME_DIR"]
        for left in (os.path.join(self.folder, "pulse.sock"), f"{run}/bus", f"{run}/pipewire-0", f"{run}/pulse/native"):
            if os.path.lexists(left):
                os.remove(left)
        {"pulseaudio": self.pulseaudio, "pipewire": self.pipewire}[self.sound_server]()
        self.room()

    def answers(self, server):
        wait("the sound server answers", lambda: self.alive(server) and subprocess.run(
            ["pactl", "info"], env=self.environment, capture_output=True).returncode == 0)

    def pulseaudio(self):
        address = os.path.join(self.folder, "pulse.sock")
        script = os.path.join(self.folder, "sound.pa")
        with open(script, "w") as file:
            # Without norewinds the monitor of a null sink ticks every two seconds; more than one channel changes the level.
            file.write(
                f"load-module module-native-protocol-unix auth-anonymous=1 socket={address}\n"
                "load-module module-null-sink sink_name=rig rate=16000 channels=1 norewinds=1\n"
                "load-module module-null-sink sink_name=speaker rate=48000 channels=1 norewinds=1\n"
                "set-default-sink speaker\nset-default-source rig.monitor\n")
        self.environment["PULSE_SERVER"] = "unix:" + address
        self.start("pulseaudio", [
            "pulseaudio", "-n", "-F", script, "--daemonize=no", "--use-pid-file=no", "--exit-idle-time=-1",
            "--disallow-exit=1", "--disable-shm=1", "--realtime=0", "--high-priority=0"])
        self.answers("pulseaudio")

    def pipewire(self):
        """PipeWire with its session manager, which needs a bus, and its PulseAudio protocol."""
        run = self.environment["XDG_RUNTIME_DIR"]
        self.environment["DBUS_SESSION_BUS_ADDRESS"] = f"unix:path={run}/bus"
        self.environment["PULSE_SERVER"] = f"unix:{run}/pulse/native"
        self.start("dbus", ["dbus-daemon", "--session", "--nofork", "--nopidfile", f"--address=unix:path={run}/bus"])
        wait("the bus is there", lambda: self.alive("dbus") and os.path.exists(f"{run}/bus"))
        self.start("pipewire", ["pipewire"])
        wait("PipeWire is there", lambda: self.alive("pipewire") and os.path.exists(f"{run}/pipewire-0"))
        self.start("wireplumber", ["wireplumber"])
        self.start("pipewire-pulse", ["pipewire-pulse"])
        self.answers("pipewire-pulse")
        self.output(["pactl", "load-module", "module-null-sink", "sink_name=rig", "rate=16000", "channels=1"])
        wait("the sink is there", lambda: "rig.monitor" in self.output(["pactl", "list", "short", "sources"]))
        self.output(["pactl", "set-default-sink", "rig"])
        self.output(["pactl", "set-default-source", "rig.monitor"])
        # The session manager decides in its own time.
        wait("the monitor is the default source",
             lambda: self.output(["pactl", "get-default-source"]).strip() == "rig.monitor")

    def room(self):
        """The noise of a very quiet room (about -84 dBFS). Without it the source would be digitally silent, like a muted one."""
        room = self.start("room", [
            "pacat", "--playback", "--device=rig", "--raw", "--format=s16le", "--rate=16000", "--channels=1", "--latency-msec=40"],
            stdin=subprocess.PIPE)
        noise = random.Random(1)
        second = array.array("h", (noise.randint(-3, 3) for _ in range(16000))).tobytes()

        def breathe():
            try:
                while True:
                    room.stdin.write(second)
            except (OSError, ValueError):
                pass  # the rig was taken down

        threading.Thread(target=breathe, daemon=True).start()

    def speech(self, source=None, text=SENTENCE):
        """A 16 kHz mono WAV with half a second of silence at its end: `source`, or `text` spoken by flite."""
        path = os.path.join(self.folder, "speech.wav")
        if source is None:
            source = os.path.join(self.folder, "flite.wav")
            self.output(["flite", "-voice", "rms", "-t", text, "-o", source])
        with wave.open(source) as file:
            if (file.getframerate(), file.getnchannels(), file.getsampwidth()) != (16000, 1, 2):
                raise RigError(f"{source} is not 16 kHz mono 16 bit")
            frames = file.readframes(file.getnframes())
        with wave.open(path, "wb") as file:
            file.setparams((1, 2, 16000, 0, "NONE", ""))
            file.writeframes(frames + bytes(2 * 8000))
        return path

    def play(self, path):
        """Says a file to the microphone and returns when its last frame has been played."""
        self.output(["paplay", "--device=rig", "--latency-msec=200", path])

    # Screen

    def screen(self, manager="openbox"):
        """A display with a window manager: openbox or icewm."""
        ours, theirs = os.pipe()
        os.set_inheritable(theirs, True)
        self.start("xvfb", ["Xvfb", "-displayfd", str(theirs), "-screen", "0", "1024x640x24", "-nolisten", "tcp", "-noreset"],
                   pass_fds=[theirs])
        os.close(theirs)
        number = b""
        os.set_blocking(ours, False)

        def told():
            nonlocal number
            self.alive("xvfb")
            try:
                number += os.read(ours, 16)
            except BlockingIOError:
                pass
            return number.endswith(b"\n")

        wait("the X server says its display", told, 40)
        os.close(ours)
        self.environment["DISPLAY"] = ":" + number.decode().strip()
        arguments = {"openbox": ["openbox", "--sm-disable"], "icewm": ["icewm", "--splash="]}[manager]
        self.start(manager, arguments)
        wait("the window manager is there", lambda: self.alive(manager) and "window id" in self.output(
            ["xprop", "-root", "_NET_SUPPORTING_WM_CHECK"], check=False), 40)

    def screenshot(self, path):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        self.output(["import", "-window", "root", path])

    # The service

    def server(self, key, text, speech, *, tls=False, extra=()):
        """The strict local server in the service's place; returns its base address."""
        self.server_log = os.path.join(self.folder, "logs", "server.jsonl")
        arguments = [PYTHON, os.path.join(HERE, "strict_server.py"), "--key", key, "--text", text, "--log", self.server_log]
        if speech:
            arguments += ["--expect-audio", speech]
        if tls:
            folder = os.path.join(self.folder, "tls")
            self.output([os.path.join(HERE, "make-cert.sh"), folder])
            self.authority = os.path.join(folder, "ca.pem")
            arguments += ["--tls", os.path.join(folder, "cert.pem"), os.path.join(folder, "key.pem")]
        process = self.start("server", [*arguments, *extra], stdout=subprocess.PIPE, text=True)
        line = process.stdout.readline()
        if not line:
            raise RigError(f"the strict server did not start: {self.log_tail('server')}")
        port = json.loads(line)["port"]
        return f"{'https' if tls else 'http'}://{'localhost' if tls else '127.0.0.1'}:{port}"

    def server_events(self, name=None):
        """What the strict server has logged so far, or only the events of a name."""
        if not os.path.exists(self.server_log):
            return []
        with open(self.server_log, encoding="utf-8") as file:
            events = [json.loads(line) for line in file if line.endswith("\n")]
        return [event for event in events if name is None or event["event"] == name]

    # The daemon

    @property
    def socket_path(self):
        return os.path.join(self.environment.get("XDG_RUNTIME_DIR", self.folder), "blurt", "blurtd.sock")

    def daemon(self, keyboard=None, environment=None, ready=True, wrapper=()):
        """Starts blurtd as a service manager would, under the words of `wrapper`, and waits for its READY=1."""
        address = os.path.join(self.folder, f"notify-{len(self.processes)}")
        self.notify = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.notify.bind(address)
        self.notices = []
        # Read for ever, as a service manager does: the kernel keeps ten datagrams only.
        threading.Thread(target=self.listen, args=(self.notify, self.notices), daemon=True).start()
        own = {"NOTIFY_SOCKET": address}
        if keyboard is not None:
            own.update(keyboard.environment)
        own.update(environment or {})
        process = self.start("blurtd", [*wrapper, find_program("blurtd")], own)
        if ready:
            wait("blurtd says READY=1", lambda: self.alive("blurtd") and any("READY=1" in n for n in self.told()), 30)
        return process

    @staticmethod
    def listen(notify, notices):
        while True:
            notices += notify.recv(65536).decode().splitlines()

    def told(self):
        """What the daemon has told its service manager so far."""
        return list(self.notices)

    def ctl(self, *arguments, check=True):
        """Runs blurtctl and returns (status, output, error output)."""
        done = subprocess.run([find_program("blurtctl"), *arguments], env=self.environment, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=90 * PATIENCE)
        if check and done.returncode != 0:
            raise RigError(f"blurtctl {' '.join(arguments)} ended with {done.returncode}: {(done.stderr or done.stdout).strip()}")
        return done.returncode, done.stdout, done.stderr

    def ask(self, *arguments):
        """Runs blurtctl with --json and returns (status, the daemon's answer)."""
        code, output, error = self.ctl(*arguments, "--json", check=False)
        try:
            answer = json.loads(output.strip().splitlines()[-1])
        except (ValueError, IndexError):
            return code, {"message": error.strip()}
        return code, answer.get("ack", answer)

    def status(self):
        """The daemon's status, or an empty object."""
        code, answer = self.ask("status")
        return answer.get("status", answer) if code == 0 else {}

    def watch(self):
        """`blurtctl watch --json`; returns when its first line, the present phase, has come."""
        watcher = Watcher(self.start("watch", [find_program("blurtctl"), "watch", "--json"], stdout=subprocess.PIPE, text=True))
        wait("watch tells the present phase", lambda: self.alive("watch") and watcher.phases())
        return watcher
