"""The real programs of programs.py: how each is started, when it has the focus, and how it says by itself what it holds."""
import contextlib
import http.server
import json
import os
import shlex
import signal
import subprocess
import threading

import rig as parts
from rig import RigError, wait

PAGE = """<!doctype html><meta charset="utf-8"><title>Dictation</title>
<style>textarea { font: 18px 'DejaVu Sans'; width: 95%; height: 20em }</style>
<textarea autofocus></textarea>
<script>
const area = document.querySelector("textarea");
const tell = (path, body) => { queue = queue.then(() => fetch(path, { method: "POST", body })) };
let queue = Promise.resolve();
area.oninput = () => tell("/text", area.value);
setInterval(() => { area.focus(); if (document.hasFocus()) tell("/ready", "") }, 200);
</script>"""


def version(package):
    """Of an installed Debian package, without what Debian adds; `?` elsewhere."""
    try:
        done = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", package], capture_output=True, text=True)
    except FileNotFoundError:
        return "?"
    return done.stdout.split(":")[-1].split("+")[0].split("-")[0] or "?"


class Program:
    """One program with an empty text that has the focus."""

    name = ""
    command = ""
    packages = ()
    # Whether scripts/check.sh looks at it.
    in_check = False
    # Newlines become spaces on the way, as the daemon does it for terminals.
    is_terminal = False
    # Takes text of one line only.
    is_line = False
    # Saves on Ctrl+S, which needs a layout with an s.
    saves = False
    # A class that xdotool finds the window by.
    window_class = ""
    start_seconds = 60

    def __init__(self, rig, number):
        self.rig = rig
        self.tag = f"{type(self).__name__.lower()}-{number}"
        self.folder = os.path.join(rig.folder, self.tag)
        os.mkdir(self.folder)
        self.file = os.path.join(self.folder, "dictation.txt")

    def arguments(self):
        return shlex.split(self.command)

    environment = {}

    def start(self):
        self.process = self.rig.start(self.tag, self.arguments(), self.environment, stdin=subprocess.PIPE,
                                      start_new_session=True)
        wait(f"{self.name} is ready", lambda: self.rig.alive(self.tag) and self.ready(), self.start_seconds)
        self.focus()

    def ready(self):
        return self.window()

    def window(self):
        """The newest window of the class that can be seen, or None."""
        found = self.rig.output(["xdotool", "search", "--onlyvisible", "--class", self.window_class], check=False).split()
        return found[-1] if found else None

    def active(self):
        return self.rig.output(["xdotool", "getactivewindow"], check=False).strip()

    def focus(self):
        """The program's window is the active one; window managers do that by themselves, sooner or later."""
        wait(f"{self.name} has the focus", lambda: self.rig.alive(self.tag) and self.is_active(), 30)

    def is_active(self):
        names = self.rig.output(["xprop", "-id", self.active() or "0", "WM_CLASS"], check=False).lower()
        return self.window_class.lower() in names

    def text(self):
        """All of the text that the program holds now."""
        with open(self.file, encoding="utf-8", errors="replace", newline="") as file:
            return file.read()

    def stop(self):
        self.rig.stop(self.process)
        # Some are a script, or have helpers.
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)


# Toolkits


class ToolkitWindow(Program):
    toolkit = ""
    window_class = "blurt-rig"

    def arguments(self):
        return [parts.PYTHON, os.path.join(parts.HERE, "text_window.py"), self.file, "--title", "Dictation",
                "--class", self.window_class, "--toolkit", self.toolkit]

    def events(self):
        if not os.path.exists(self.file):
            return []
        with open(self.file, encoding="utf-8", newline="\n") as file:
            return [json.loads(line) for line in file if line.endswith("\n")]

    def ready(self):
        return any("ready" in event for event in self.events())

    def text(self):
        return next((event["text"] for event in reversed(self.events()) if "text" in event), "")


class GTKView(ToolkitWindow):
    name, toolkit, packages, in_check = "GTK 3 text view", "gtk", ("gir1.2-gtk-3.0", "python3-gi"), True


class GTKEntry(ToolkitWindow):
    name, toolkit, packages, in_check = "GTK 3 entry", "gtk-entry", ("gir1.2-gtk-3.0", "python3-gi"), True


class GTK4View(ToolkitWindow):
    name, toolkit, packages = "GTK 4 text view", "gtk4", ("gir1.2-gtk-4.0", "python3-gi")
    environment = {"GSK_RENDERER": "cairo"}


class TkText(ToolkitWindow):
    name, toolkit, packages, in_check = "Tk text", "tk", ("libtk8.6", "python3-tk"), True


class QtText(ToolkitWindow):
    name, toolkit, packages = "Qt 5 text", "qt5", ("libqt5widgets5", "python3-pyqt5")

    def is_active(self):
        return "Dictation" in self.rig.output(["xprop", "-id", self.active() or "0", "_NET_WM_NAME"], check=False)


class Qt6Text(QtText):
    name, toolkit, packages = "Qt 6 text", "qt6", ("libqt6widgets6", "python3-pyqt6")


# Terminals


class Terminal(Program):
    is_terminal = True

    def arguments(self):
        return super().arguments() + [parts.PYTHON, os.path.join(parts.HERE, "tty_capture.py"), self.file]

    def shell(self):
        """The arguments that run a shell without bracketed paste, which runs a line at each newline."""
        return super().arguments() + ["/bin/bash", "--noprofile", "--norc", "-i"]

    def ready(self):
        return os.path.exists(self.file)


class XTerm(Terminal):
    name, command, packages, in_check = "xterm", "xterm -u8 -e", ("xterm",), True
    window_class = "xterm"


class URxvt(Terminal):
    name, command, packages, window_class = "urxvt", "urxvt -e", ("rxvt-unicode",), "urxvt"


class ST(Terminal):
    name, command, packages, window_class = "st", "stterm -e", ("stterm",), "st-256color"


class Kitty(Terminal):
    name, packages, window_class = "kitty", ("kitty", "libgl1-mesa-dri"), "kitty"
    command = "kitty --config NONE -o confirm_os_window_close=0 -o update_check_interval=0"
    environment = {"LIBGL_ALWAYS_SOFTWARE": "1"}


class Alacritty(Terminal):
    name, command, packages, window_class = "Alacritty", "alacritty -e", ("alacritty", "libgl1-mesa-dri"), "alacritty"
    environment = {"LIBGL_ALWAYS_SOFTWARE": "1"}


class XfceTerminal(Terminal):
    name, command, packages = "Xfce terminal (VTE)", "xfce4-terminal --disable-server -x", ("xfce4-terminal",)
    window_class = "xfce4-terminal"


class Konsole(Terminal):
    name, command, packages, window_class = "Konsole", "konsole --nofork -e", ("konsole",), "konsole"


class LXTerminal(Terminal):
    name, packages, window_class = "LXTerminal (VTE)", ("lxterminal",), "lxterminal"

    def arguments(self):
        # It takes one word, and starts a server of its own otherwise.
        return ["lxterminal", "--no-remote", "-e", shlex.join([parts.PYTHON, os.path.join(parts.HERE, "tty_capture.py"), self.file])]

    def shell(self):
        return ["lxterminal", "--no-remote", "-e", "/bin/bash --noprofile --norc -i"]


class Mlterm(Terminal):
    name, command, packages, window_class = "mlterm", "mlterm -e", ("mlterm",), "mlterm"


class Pterm(Terminal):
    name, command, packages, window_class = "pterm", "pterm -e", ("pterm",), "pterm"


class Zutty(Terminal):
    name, command, packages, window_class = "Zutty", "zutty -font DejaVuSansMono -e", ("zutty", "libgl1-mesa-dri"), "zutty"
    environment = {"LIBGL_ALWAYS_SOFTWARE": "1"}


class Vim(Program):
    """In normal mode, where a letter is a command."""

    name, packages, window_class = "Vim in xterm, normal mode", ("vim-nox", "xterm"), "xterm"
    is_terminal = True

    def arguments(self):
        return ["xterm", "-u8", "-e", "vim.nox", "-u", "NONE", "-N", "-n", "--cmd", "set encoding=utf-8 nofixeol noeol",
                "-c", "autocmd TextChanged,TextChangedI * silent write!", "-c", "silent write!", self.file]

    def ready(self):
        return os.path.exists(self.file)

    def text(self):
        return super().text().removesuffix("\n")


# Editors


class Mousepad(Program):
    name, packages, window_class, saves = "Mousepad", ("mousepad",), "mousepad", True
    environment = {"GSETTINGS_BACKEND": "memory"}

    def arguments(self):
        open(self.file, "w").close()
        return ["mousepad", "--disable-server", self.file]

    def save(self):
        """Returns when the file is written: a key that is still on its way would be taken under the next layout."""
        before = os.stat(self.file).st_mtime_ns
        self.rig.output(["xdotool", "key", "ctrl+s"])
        with contextlib.suppress(RigError):
            wait("the file is written", lambda: os.stat(self.file).st_mtime_ns != before, 3)

    def text(self):
        return super().text().removesuffix("\n")


class Gedit(Mousepad):
    name, packages, window_class = "gedit", ("gedit",), "gedit"

    def arguments(self):
        open(self.file, "w").close()
        return ["gedit", "--standalone", self.file]


class Emacs(Program):
    name, packages, window_class = "Emacs (GTK)", ("emacs-gtk",), "emacs"

    def arguments(self):
        write = f'(let ((coding-system-for-write (quote utf-8-unix))) (write-region nil nil "{self.file}" nil 0))'
        return ["emacs", "-Q", "--no-splash", "--eval",
                f'(progn (switch-to-buffer "dictation") (text-mode) (add-hook (quote after-change-functions) '
                f"(lambda (&rest _) (save-restriction (widen) {write})) nil t) "
                f"(add-hook (quote window-setup-hook) (lambda () {write})))"]

    def ready(self):
        return os.path.exists(self.file) and self.window()


class Writer(Program):
    name, packages, window_class = "LibreOffice Writer", ("libreoffice-writer", "libreoffice-gtk3", "python3-uno"), "libreoffice"
    start_seconds = 180

    def arguments(self):
        profile = os.path.join(self.folder, "profile")
        os.makedirs(os.path.join(profile, "user"))
        with open(os.path.join(profile, "user", "registrymodifications.xcu"), "w") as file:
            file.write('<?xml version="1.0" encoding="UTF-8"?><oor:items xmlns:oor="http://openoffice.org/2001/registry">'
                       '<item oor:path="/org.openoffice.Office.Common/Misc"><prop oor:name="ShowTipOfTheDay" oor:op="fuse">'
                       "<value>false</value></prop></item>"
                       '<item oor:path="/org.openoffice.Setup/Product"><prop oor:name="ooSetupLastVersion" oor:op="fuse">'
                       "<value>99.9</value></prop></item></oor:items>")
        self.pipe = "blurt" + os.path.basename(self.rig.folder).rpartition(".")[2]
        return ["soffice", "--norestore", "--nologo", "--nofirststartwizard", "--writer",
                f"-env:UserInstallation=file://{profile}", f"--accept=pipe,name={self.pipe};urp;"]

    READ = """
import sys, uno
local = uno.getComponentContext()
resolver = local.ServiceManager.createInstanceWithContext("com.sun.star.bridge.UnoUrlResolver", local)
remote = resolver.resolve(f"uno:pipe,name={sys.argv[1]};urp;StarOffice.ComponentContext")
desktop = remote.ServiceManager.createInstanceWithContext("com.sun.star.frame.Desktop", remote)
if sys.argv[2] == "end":
    # Unchanged in its own eyes, so it asks nobody.
    desktop.getCurrentComponent().setModified(False)
    desktop.terminate()
else:
    sys.stdout.write(desktop.getCurrentComponent().getText().getString())
"""

    def uno(self, what):
        return subprocess.run([parts.PYTHON, "-c", self.READ, self.pipe, what], env=self.rig.environment,
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=60)

    def ready(self):
        return self.window() and self.uno("text").returncode == 0

    def text(self):
        done = self.uno("text")
        if done.returncode:
            raise RigError(f"Writer does not tell its text: {done.stderr.decode()[-200:]}")
        return done.stdout.decode()

    def stop(self):
        self.uno("end")
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(30)
        super().stop()


# Browsers


class Browser(Program):
    start_seconds = 120

    def start(self):
        browser = self
        self.held = {"/text": "", "/ready": None}

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                body = PAGE.encode() if self.path == "/" else b""
                self.answer(200 if body else 404, body)

            def do_POST(self):
                browser.held[self.path] = self.rfile.read(int(self.headers["Content-Length"])).decode()
                self.answer(200, b"")

            def answer(self, status, body):
                self.send_response(status)
                self.send_header("Content-Type", "text/html")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.address = f"http://127.0.0.1:{self.server.server_port}/"
        super().start()

    def ready(self):
        return self.held["/ready"] is not None

    def text(self):
        return self.held["/text"]

    def stop(self):
        super().stop()
        self.server.shutdown()
        self.server.server_close()


class Chromium(Browser):
    name, packages, window_class = "Chromium", ("chromium",), "chromium"

    def arguments(self):
        # Its own sandbox does not start as root.
        return ["chromium", "--no-sandbox", "--disable-gpu", "--no-first-run", "--no-default-browser-check",
                "--disable-background-networking", "--disable-component-update", "--password-store=basic",
                f"--user-data-dir={self.folder}", self.address]


class Firefox(Browser):
    name, packages, window_class = "Firefox ESR", ("firefox-esr",), "firefox"

    def arguments(self):
        with open(os.path.join(self.folder, "user.js"), "w") as file:
            for name, value in {
                "browser.shell.checkDefaultBrowser": False, "browser.aboutwelcome.enabled": False,
                "datareporting.policy.dataSubmissionEnabled": False, "toolkit.telemetry.reportingpolicy.firstRun": False,
                "browser.startup.homepage_override.mstone": "ignore", "app.update.enabled": False,
                "browser.tabs.warnOnClose": False, "trailhead.firstrun.didSeeAboutWelcome": True,
                "termsofuse.bypassNotification": True, "browser.preonboarding.enabled": False,
            }.items():
                file.write(f"user_pref({json.dumps(name)}, {json.dumps(value)});\n")
        return ["firefox-esr", "--no-remote", "--profile", self.folder, self.address]


ALL = [GTKView, GTKEntry, GTK4View, TkText, QtText, Qt6Text, Chromium, Firefox, XTerm, URxvt, ST, Mlterm, Pterm, Zutty,
       XfceTerminal, LXTerminal, Kitty, Alacritty, Konsole, Vim, Emacs, Mousepad, Gedit, Writer]
