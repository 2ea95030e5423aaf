#!/bin/bash
# A Wayland session whose compositor takes no keys of any program, as on GNOME and KDE: the paste keys come from a keyboard of
# the daemon in /dev/uinput. sway reads it through libinput, as it reads the user's own; wtype is not installed here.
# shellcheck source=Tests/System/guest/lib.sh
. /mnt/tests/System/guest/lib.sh

words="Every window got this."
own="Blurt virtual keyboard"
runtime=/run/user/$(id -u tester)
rule=/etc/udev/rules.d/70-uinput-uaccess.rules
tidy() {
  rm -f $rule
  udevadm control --reload
  udevadm trigger --settle /dev/uinput
  as_tester systemctl --user unset-environment WAYLAND_DISPLAY SWAYSOCK DISPLAY
  finish
  nobody_at_the_machine
}
trap tidy EXIT
as_tester() { vm-as tester "$@"; }

# --- the desktop ----------------------------------------------------------------------------------

# The seat and its console may be an X server's still.
systemctl stop vm-xorg.service
nobody_at_the_machine
keyboards
device plug main keys "Test keyboard" >/dev/null
udevadm settle
cat >"$work/sway.conf" <<'C'
output HEADLESS-1 resolution 640x400
default_border none
C
start sway.log vm-as --seat tester env XDG_SESSION_TYPE=wayland WLR_BACKENDS=headless,libinput WLR_RENDERER=pixman \
  LIBSEAT_BACKEND=logind sway -c "$work/sway.conf"
# Without an X server nobody else brings its console to the front (VT_ACTIVATE).
python3 -c 'import fcntl, os; fcntl.ioctl(os.open("/dev/tty0", os.O_RDWR), 0x5606, 7)'
sway_socket() { ls "$runtime"/sway-ipc.*.sock 2>/dev/null; }
wait_for "there is a compositor" 120 sway_socket
wayland=(env "XDG_RUNTIME_DIR=$runtime" "SWAYSOCK=$(sway_socket)" WAYLAND_DISPLAY=wayland-1 DISPLAY=:0 LANG=C.UTF-8)
user() { runuser -u tester -- "${wayland[@]}" "$@"; }
tree_has() { user swaymsg -r -t get_tree | python3 -c "
import json, sys
def windows(node):
    yield node
    for child in node['nodes'] + node['floating_nodes']: yield from windows(child)
sys.exit(0 if any($1 for w in windows(json.load(sys.stdin))) else 1)"; }
inputs_have() { user swaymsg -r -t get_inputs | grep -q "$1"; }
wait_for "the compositor reads the keyboard" 60 inputs_have "Test keyboard"
# window NAME PROGRAM...: its text goes to $work/NAME
window() {
  local name=$1
  shift
  : >"$work/$name"
  chmod 666 "$work/$name"
  start "$name.log" runuser -u tester -- "${wayland[@]}" "$@" sh -c "stty raw -echo; exec tee -a '$work/$name'"
}
focused() { tree_has "w['focused'] and (w.get('app_id') or w.get('window_properties', {}).get('class')) == '$1'"; }
terminal_text() { sed 's/ $//' "$work/$1"; }

window foot foot
wait_for "a terminal has the focus" 120 focused foot
as_tester systemctl --user set-environment WAYLAND_DISPLAY=wayland-1 "SWAYSOCK=$(sway_socket)" DISPLAY=:0
key_service "$words" --expect-audio /mnt/speech/speech.wav
wait_for "the daemon reads the keyboard" 60 status_is "s['hotkey']['ready']"

# dictate WINDOW WHAT: and it stands there
count() { grep -oF "$words" "$work/$1" | wc -l; }
dictate() {
  local before
  before=$(count "$1")
  hold main
  let_go main
  stands() { [ "$(count "$1")" = $((before + 1)) ]; }
  wait_for "$2" 60 stands "$1"
}
noticed() { watch_has 1 "e.get('notice') == '$1'"; }
# Behind a former text of the same window a space comes first.
clipboard_has() { [[ "$(user timeout 10 wl-paste -n)" =~ ^\ ?"$words"$ ]]; }

# --- no permission ----------------------------------------------------------------------------------

echo "--- C-71 B-90 /dev/uinput is not ours"
user wl-copy -- before 2>/dev/null >&2
wait_for "doctor says what helps" 60 doctor_says display "c['state'] == 'warning' and 'wtype' in c['remedy']"
cat "$work/doctor-said"
hold main
let_go main
[ "$(phase_now)" = noTarget ] || fail "the phase is $(phase_now)"
wait_for "the words are on the clipboard" 60 clipboard_has
wait_for "a notice says what to do" 60 noticed noPasteKeys
[ -z "$(terminal_text foot)" ] || fail "something came: $(terminal_text foot)"
grep -q "$own" /proc/bus/input/devices && fail "there is a keyboard of ours without permission"

echo "--- as README.md allows it, without a new start"
echo 'KERNEL=="uinput", SUBSYSTEM=="misc", OPTIONS+="static_node=uinput", TAG+="uaccess"' >$rule
udevadm control --reload
udevadm trigger /dev/uinput
wait_for "the user may write to it" 60 runuser -u tester -- test -w /dev/uinput
wait_for "doctor names the way" 60 doctor_says display "c['state'] == 'ok' and '/dev/uinput' in c['message']"
cat "$work/doctor-said"
status_is "s['display']['ready']" || fail "status does not call the display ready"
grep -q "$own" /proc/bus/input/devices || fail "there is no keyboard of ours"
wait_for "the compositor has taken it up" 60 inputs_have "$own"

# --- a dictation ------------------------------------------------------------------------------------

echo "--- a whole dictation"
user wl-copy -- before 2>/dev/null >&2
hold main
speak
let_go main
alone() { [ "$(terminal_text foot)" = "$words" ]; }
wait_for "C-44 the words stand in the terminal" 60 alone
[ "$(phase_now)" = pasted ] || fail "the phase is $(phase_now)"
wait_for "the server has compared the sound" 60 grep -q correlation "$work/server.jsonl"
python3 -c "
import json, sys
best = max(e['correlation'] for e in map(json.loads, open('$work/server.jsonl')) if e['event'] == 'comparison')
print('correlation', best)
sys.exit(0 if best > 0.8 else 1)" || fail "not the sound that was played"
old_is_back() { [ "$(user timeout 10 wl-paste -n)" = before ]; }
wait_for "C-47 the old clipboard is back" 60 old_is_back
node=$(python3 -c "
import re
for block in open('/proc/bus/input/devices').read().split('\n\n'):
    if '$own' in block: print('/dev/input/' + re.search(r'event\d+', block)[0])")
[ -z "$(find "/proc/$(daemon_pid)/fd" -lname "$node")" ] || fail "H-78 the daemon reads its own keyboard"
echo "ok: H-78 the daemon does not read its own keyboard ($node)"

echo "--- H-78 a bound key that is one of the paste keys"
before=$(recordings)
ctl settings set TriggerKeyCode KEY_LEFTSHIFT --quiet || fail "the trigger key cannot be set"
hold main LEFTSHIFT
let_go main LEFTSHIFT
arrived() { [ "$(count foot)" = 2 ]; }
wait_for "the words stand there again" 60 arrived
ctl settings set TriggerKeyCode KEY_RIGHTCTRL --quiet || fail "the trigger key cannot be set"
dictate foot "and with right Ctrl once more"
[ "$(recordings)" = $((before + 2)) ] || fail "our own keys opened a dictation: $(watch_phases)"

# --- layouts, modifiers -----------------------------------------------------------------------------

echo "--- B-72 B-74 layouts"
layout() { # NAMES VARIANTS GROUP
  user swaymsg -q "input type:keyboard xkb_variant \"\"; input type:keyboard xkb_layout \"$1\"" || fail "no layout $1"
  user swaymsg -q "input type:keyboard xkb_variant \"$2\"; input type:keyboard xkb_switch_layout $3" || fail "no variant $2"
}
for names in "de - 0" "us dvorak 0" "ru - 0" "us,ru - 1"; do
  read -r keys variant group <<<"$names"
  layout "$keys" "${variant#-}" "$group"
  dictate foot "layout $names"
done
layout us "" 0

echo "--- B-71 a modifier of the user's stays down"
before=$(count foot)
held=$(recordings)
# By command: a key more would end a hold.
ctl press --quiet || fail "it does not begin"
again() { [ "$(recordings)" -gt "$held" ]; }
wait_for "it records" 60 again
device down main LEFTALT >/dev/null
ctl release --quiet
wait_for "it ends" 60 is_at_rest
[ "$(phase_now)" = noTarget ] || fail "the phase is $(phase_now)"
wait_for "a notice says so" 60 noticed modifiersHeld
wait_for "the words are on the clipboard" 60 clipboard_has
[ "$(count foot)" = "$before" ] || fail "the words were pasted under Alt"
device up main LEFTALT >/dev/null
dictate foot "without it they are pasted again"

# --- X programs -------------------------------------------------------------------------------------

echo "--- an X program under Xwayland"
window xterm xterm -e
wait_for "xterm has the focus" 120 focused XTerm
dictate xterm "the words stand in xterm"

# --- the end ----------------------------------------------------------------------------------------

echo "--- B-25 killed between two keys of the chord"
killed=$(daemon_pid)
strace -f -o "$work/strace.log" -P /dev/uinput -e trace=write -e inject=write:signal=SIGKILL:when=3 -p "$killed" 2>"$work/strace.err" &
children+=($!)
wait_for "the daemon is watched" 60 grep -q attached "$work/strace.err"
hold main
device up main RIGHTCTRL >/dev/null
dead() { ! kill -0 "$killed" 2>/dev/null; }
wait_for "it is killed" 60 dead
grep write "$work/strace.log"
: >"$work/xterm"
device tap main A >/dev/null
letter() { [ "$(cat "$work/xterm")" = a ]; }
wait_for "no Shift is left down" 60 letter
wait_for "a new daemon answers" 120 ctl status
wait_for "it has a keyboard of its own" 60 doctor_says display "c['state'] == 'ok'"
[ "$(grep -c "$own" /proc/bus/input/devices)" = 1 ] || fail "there are $(grep -c "$own" /proc/bus/input/devices) keyboards of ours"

as_tester systemctl --user stop blurtd.service blurtd.socket || fail "the unit did not stop"
gone() { ! grep -q "$own" /proc/bus/input/devices; }
wait_for "the keyboard goes with the daemon" 30 gone
