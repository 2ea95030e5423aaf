# shellcheck shell=bash
# What the scenarios in the guest share. Sourced by each, as root; ends everything it started when the scenario ends.

work=$(mktemp -d)
chmod 777 "$work"
cd "$work" || exit 1
children=()
finish() {
  local child
  exec 5>&- 6>&- 7>&- 8>&- 2>/dev/null
  for child in "${children[@]}"; do kill "$child" 2>/dev/null; done
  as_tester systemctl --user stop blurtd.service blurtd.socket 2>/dev/null
  rm -rf ~tester/.config/systemd ~tester/.config/blurt ~tester/.asoundrc /etc/asound.conf
  # Kept recordings are the next scenario's no business.
  rm -rf "/run/user/$(id -u tester)/blurt"
}
trap finish EXIT

fail() {
  echo "FAILED: $*"
  as_tester journalctl --user -u blurtd.service -o cat --no-pager 2>/dev/null | tail -n 20 | sed 's/^/  blurtd: /'
  exit 1
}
# wait_for WHAT SECONDS COMMAND...: conditions, never times; emulated processors are slow
wait_for() {
  local what=$1 until=$((SECONDS + $2))
  shift 2
  until "$@" >/dev/null 2>&1; do
    [ $SECONDS -lt $until ] || fail "$what: it did not happen"
    sleep 0.1
  done
  echo "ok: $what"
}
start() { # LOG COMMAND...: in the background, ended with the scenario
  local log=$1
  shift
  "$@" >"$work/$log" 2>&1 </dev/null &
  children+=($!)
}
# As the desktop's user, with the session bus and the display; in no login session, which costs an emulated processor seconds.
tester_uid=$(id -u tester)
tester=(
  setpriv --reuid=tester --regid=tester --init-groups env -i HOME=/home/tester USER=tester LOGNAME=tester SHELL=/bin/bash
  LANG=C.UTF-8 PATH=/usr/local/bin:/usr/bin:/bin DISPLAY=:0 "XDG_RUNTIME_DIR=/run/user/$tester_uid"
  "DBUS_SESSION_BUS_ADDRESS=unix:path=/run/user/$tester_uid/bus"
)
as_tester() { "${tester[@]}" "$@"; }

# --- the desktop -----------------------------------------------------------------------------------

desktop() {
  mkfifo "$work/keys"
  vm-keyboard "Test Keyboard" <"$work/keys" >"$work/keyboard.log" 2>&1 &
  children+=($!)
  exec 5>"$work/keys"
  wait_for "there is a keyboard" 60 grep -q plugged "$work/keyboard.log"
  udevadm settle
  vm-xorg || fail "Xorg did not start"
  export DISPLAY=:0
  start openbox.log vm-as --seat tester openbox
  wait_for "there is a window manager" 60 bash -c 'xprop -root _NET_SUPPORTING_WM_CHECK | grep -q "window id"'
  # The console has the screen until somebody switches to the desktop, as a display manager does.
  to_front "$(loginctl show-user tester -p Display --value)"
}
to_front() { # SESSION
  loginctl activate "$1"
  wait_for "session $1 is in front" 60 bash -c "[ \"\$(loginctl show-session '$1' -p Active --value)\" = yes ]"
}
key() { # a command for the keyboard; returns when it has been carried out
  local before
  before=$(wc -l <"$work/keyboard.log")
  echo "$*" >&5
  wait_for "key $*" 60 bash -c "[ \$(wc -l <'$work/keyboard.log') -gt $before ]"
}

text_window() { # opens it; its text goes to $work/text.jsonl
  : >"$work/text.jsonl"
  chmod 666 "$work/text.jsonl"
  mkfifo "$work/window-input"
  chmod 666 "$work/window-input"
  # Held open: the window ends with its input.
  exec 6<>"$work/window-input"
  vm-as --seat tester python3 /mnt/tests/Rig/text_window.py "$work/text.jsonl" --toolkit tk --title "Guest window" \
    <&6 >"$work/window.log" 2>&1 &
  children+=($!)
  wait_for "the window has the focus" 120 grep -q ready "$work/text.jsonl"
}
window_text() {
  python3 - "$work/text.jsonl" <<'P'
import json, sys
texts = [json.loads(line)["text"] for line in open(sys.argv[1]) if '"text"' in line]
print(texts[-1] if texts else "", end="")
P
}

# shellcheck disable=SC2120
room() { # [PCM]: a quiet room at the other end of the loopback card, where somebody may speak
  rm -f "$work/room-input"
  mkfifo "$work/room-input"
  chmod 666 "$work/room-input"
  exec 7<>"$work/room-input"
  runuser -u tester -- python3 /mnt/tests/System/guest/voice.py "${1-plughw:Loopback,0,0}" /mnt/speech/speech.wav \
    <&7 >"$work/room.log" 2>&1 &
  room_pid=$!
  children+=("$room_pid")
  wait_for "there is a room to listen to" 60 grep -q room "$work/room.log"
}
room_leaves() { # the other end of the card is free again
  kill "$room_pid"
  wait_for "the room is gone" 60 grep -qx closed /proc/asound/Loopback/pcm0p/sub0/status
}
speak() { # returns when the last word has been spoken
  local before
  before=$(grep -c spoken "$work/room.log")
  echo speak >&7
  wait_for "the sentence is spoken" 120 bash -c "[ \$(grep -c spoken '$work/room.log') -gt $before ]"
}

# --- keyboards without a desktop --------------------------------------------------------------------

# someone_at_the_machine: tester's session is in front, without a display; ends with `nobody_at_the_machine`.
someone_at_the_machine() {
  vm-as --seat tester sleep infinity >/dev/null 2>&1 &
  children+=($!)
  # Without an X server nobody else brings its console to the front (VT_ACTIVATE).
  python3 -c 'import fcntl, os; fcntl.ioctl(os.open("/dev/tty0", os.O_RDWR), 0x5606, 7)'
  wait_for "tester sits at the machine" 60 grep -q "^ACTIVE_UID=$(id -u tester)$" /run/systemd/seats/seat0
}
nobody_at_the_machine() {
  # A session outlives who has started it.
  loginctl --no-legend list-sessions | awk '/seat0/ { print $1 }' | xargs -r loginctl terminate-session
  wait_for "nobody sits at the machine" 60 bash -c '! grep -q "^ACTIVE_UID=" /run/systemd/seats/seat0'
}
keyboards() {
  mkfifo "$work/keyboards-input"
  python3 /mnt/tests/System/guest/keyboards.py <"$work/keyboards-input" >"$work/keyboards.log" 2>&1 &
  children+=($!)
  exec 8>"$work/keyboards-input"
  wait_for "keyboards can be made" 60 grep -q ready "$work/keyboards.log"
}
# device COMMAND...: of keyboards.py; prints its answer
device() {
  local before answer until=$((SECONDS + 120))
  before=$(wc -l <"$work/keyboards.log")
  echo "$*" >&8
  until [ "$(wc -l <"$work/keyboards.log")" -gt "$before" ]; do
    [ $SECONDS -lt $until ] || fail "device $*: no answer"
    sleep 0.02
  done
  answer=$(tail -n 1 "$work/keyboards.log")
  case $answer in error*) fail "device $*: $answer" ;; esac
  echo "$answer"
}

# --- the daemon ------------------------------------------------------------------------------------

# service NAME=VALUE...: the shipped units, for tester, with these in the environment
service() {
  local drop=~tester/.config/systemd/user/blurtd.service.d
  runuser -u tester -- mkdir -p "$drop" ~tester/.config/blurt
  {
    echo '[Service]'
    printf 'Environment=%s\n' "$@"
  } >"$drop/test.conf"
  # The loopback card: what is played to one end is heard at the other.
  printf 'pcm.!default { type plug slave.pcm "hw:Loopback,1,0" }\n' >~tester/.asoundrc
  chown -R tester: ~tester/.config ~tester/.asoundrc
  as_tester systemctl --user import-environment DISPLAY || fail "no service manager of the user"
  as_tester systemctl --user daemon-reload
  as_tester systemctl --user start blurtd.socket || fail "the socket unit did not start"
}
api_key() {
  runuser -u tester -- mkdir -p ~tester/.config/blurt
  (umask 077 && echo "$1" >~tester/.config/blurt/api-key && chown tester: ~tester/.config/blurt/api-key)
}
ctl() { as_tester timeout 30 blurtctl "$@"; }
daemon_pid() { as_tester systemctl --user show -p MainPID --value blurtd.service; }
# The service for scenarios about keys: holds of any length, and a service that takes every dictation.
key_service() { # WORDS [OPTION OF THE SERVER...]
  start server.log python3 -u /mnt/tests/Rig/strict_server.py --key guest-key-0123456789 --text "$1" \
    --log "$work/server.jsonl" "${@:2}"
  wait_for "the service answers" 60 grep -q port "$work/server.log"
  room
  api_key guest-key-0123456789
  service "BLURT_BASE_URL=http://127.0.0.1:$(sed -n 's/.*"port": *\([0-9]*\).*/\1/p' "$work/server.log")"
  wait_for "the daemon answers" 120 ctl status
  ctl settings set TriggerActivation Hold --quiet || fail "the activation mode cannot be set"
  "${tester[@]}" blurtctl watch --json >"$work/watch.log" 2>&1 </dev/null &
  children+=($!)
  wait_for "watch tells the phase" 60 grep -q phase "$work/watch.log"
}
# How many dictations have begun to record.
recordings() { watch_phases | tr ' ' '\n' | grep -c '^recording$'; }
phase_now() { watch_phases | sed 's/.* //'; }
is_at_rest() { [[ " idle pasted noTarget failed cancelled " == *" $(phase_now) "* ]]; }
# hold ID [KEY]: returns once it records
hold() {
  local before
  before=$(recordings)
  device down "$1" "${2-RIGHTCTRL}" >/dev/null
  began() { [ "$(recordings)" -gt "$before" ]; }
  wait_for "$1 held: it records" 60 began
}
# let_go ID [KEY]: returns once that dictation has come to its end
let_go() {
  device up "$1" "${2-RIGHTCTRL}" >/dev/null
  wait_for "$1 let go: it ends" 60 is_at_rest
}
# doctor_says CHECK EXPRESSION: of Python, with the check as c
doctor_says() {
  ctl doctor --json | python3 -c "
import json, sys
checks = json.loads(sys.stdin.read().splitlines()[-1])
checks = checks.get('ack', checks)['checks']
c = [c for c in checks if c['check'] == '$1'][0]
print(c['state'], c['message'], '|', c.get('remedy'), file=open('$work/doctor-said', 'w'))
sys.exit(0 if ($2) else 1)"
}
# Wake-ups of the thread that reads the devices.
hotkey_wake_ups() {
  grep -lx blurt-hotkey /proc/"$1"/task/*/comm | while read -r comm; do
    awk '/ctxt_switches/ { n += $2 } END { print n }' "${comm%comm}status"
  done
}
# status_is EXPRESSION: of Python, with the daemon's status as s
status_is() {
  ctl status --json | python3 -c "
import json, sys
s = json.loads(sys.stdin.read().splitlines()[-1])
s = s.get('ack', s)
s = s.get('status', s)
sys.exit(0 if ($1) else 1)"
}
watch_phases() { # the phases so far, in order, on one line
  sed -n '/"event":"phase"/s/.*"phase":"\([A-Za-z]*\)".*}$/\1/p' "$work/watch.log" | uniq | paste -sd ' '
}
# watch_has COUNT EXPRESSION: of Python, true for at least so many events e so far
watch_has() {
  python3 - "$work/watch.log" "$1" "$2" <<'P'
import json, sys
count = 0
for line in open(sys.argv[1]):
    try:
        e = json.loads(line)
    except ValueError:
        continue
    count += bool(eval(sys.argv[3], {"e": e}))
sys.exit(count < int(sys.argv[2]))
P
}
has_phase() { [[ " $(watch_phases) " == *" $1 "* ]]; }
