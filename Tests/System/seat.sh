#!/bin/bash
# The desktop's screen is locked, another user comes to the front, the machine sleeps: the key does nothing and watchers are
# told why, a live recording is ended and kept, nothing is pasted into a locked screen, and on return the key works again.
# logind, its sessions, virtual terminals and sleep are real. The kernel goes as far as freezing all programs for five
# seconds (pm_test), since nobody could wake the guest; the screen locker is one call that does what lockers do.
# shellcheck source=Tests/System/guest/lib.sh
. /mnt/tests/System/guest/lib.sh

words="Nobody else shall read this."
desktop
text_window
room
start server.log python3 -u /mnt/tests/Rig/strict_server.py --key guest-key-0123456789 --text "$words" --fault delay=15000
wait_for "the service answers" 60 grep -q port "$work/server.log"
api_key guest-key-0123456789
service "BLURT_BASE_URL=http://127.0.0.1:$(sed -n 's/.*"port": *\([0-9]*\).*/\1/p' "$work/server.log")"
wait_for "the daemon is there, with keyboard and display" 120 status_is "s['hotkey']['ready'] and s['display']['ready']"
desktop_session=$(loginctl show-user tester -p Display --value)
doctor_says() { as_tester blurtctl doctor --json | grep -q "$1"; }
wait_for "Y-131 doctor names the session" 60 doctor_says "Session $desktop_session (x11, seat0) is watched; it is in front"
wait_for "Y-133 sleep is to wait for the daemon" 60 bash -c 'systemd-inhibit --list | grep Blurt | grep -q delay'
start watch.log vm-as tester blurtctl watch --json
wait_for "watch tells the phase" 60 watch_has 1 "'phase' in e"

# In the desktop's own session, as a screen locker does it.
locker() { # true or false
  runuser -u tester -- busctl call org.freedesktop.login1 "/org/freedesktop/login1/session/_3$desktop_session" \
    org.freedesktop.login1.Session SetLockedHint b "$1" || fail "the locker could not say $1"
}
presses=0 interruptions=0 openings=0 cancelled=0 kept=0
interrupted() { # REASON
  interruptions=$((interruptions + 1))
  wait_for "watch says that it does not listen" 60 watch_has $interruptions "e.get('state') == 'interrupted'"
  watch_has 1 "e.get('state') == 'interrupted' and e['reason'] == '$1'" || fail "watch has another reason than $1"
}
listens_again() {
  openings=$((openings + 1))
  wait_for "it listens again" 60 watch_has $openings "e.get('event') == 'listening' and e['state'] == 'open'"
  wait_for "the key is read again" 60 status_is "s['hotkey']['ready'] and s['listening']"
}
begin() {
  key down RIGHTCTRL
  presses=$((presses + 1))
  wait_for "it records while the key is held" 60 watch_has $presses "e.get('phase') == 'recording'"
}
# The recording was ended, is kept, and the microphone is closed.
ended_and_kept() {
  cancelled=$((cancelled + 1)) kept=$((kept + 1))
  wait_for "the recording has ended" 60 watch_has $cancelled "e.get('phase') == 'cancelled'"
  wait_for "the microphone is closed" 60 grep -qx closed /proc/asound/Loopback/pcm1c/sub0/status
  wait_for "$kept recordings are kept" 60 status_is "(s.get('spool') or {}).get('recordings', 0) == $kept"
}
# While nobody is in front, keys and commands do nothing.
is_deaf() { # REASON
  status_is "not s['listening'] and s['reason'] == '$1' and not s['hotkey']['ready'] and s['hotkey']['hint']" ||
    fail "status does not say $1"
  key down RIGHTCTRL
  key up RIGHTCTRL
  as_tester blurtctl press --quiet
  [ $? = 4 ] || fail "a press was not refused"
  ! watch_has $((presses + 1)) "e.get('phase') == 'connecting'" || fail "the key was acted on"
}
# On return a hold works, from its own press on.
works() {
  begin
  as_tester blurtctl cancel --quiet || fail "the cancel did not take effect"
  cancelled=$((cancelled + 1))
  key up RIGHTCTRL
}

echo "--- B-29 the screen is locked while the key is held"
begin
locker true
interrupted seatInactive
ended_and_kept
key up RIGHTCTRL
is_deaf seatInactive
locker false
listens_again
works

echo "--- B-29 the session is asked to lock itself, and no locker answers"
loginctl lock-session "$desktop_session"
interrupted seatInactive
loginctl unlock-session "$desktop_session"
listens_again

echo "--- B-92 the words come when the screen is locked"
begin
speak
key up RIGHTCTRL
wait_for "the words are awaited" 60 watch_has 1 "e.get('phase') == 'transcribing'"
locker true
interrupted seatInactive
wait_for "nothing is pasted" 60 watch_has 1 "e.get('phase') == 'noTarget'"
watch_has 1 "e.get('notice') == 'notInFront'" || fail "nobody is told"
[ "$(as_tester blurtctl last)" = "$words" ] || fail "the words are lost: $(as_tester blurtctl last)"
[ -z "$(window_text)" ] || fail "something was typed: $(window_text)"
[ "$(as_tester xclip -selection clipboard -o)" = "$words" ] || fail "the words are not on the clipboard"
# Whether a recording whose words were not pasted is kept is not this scenario's subject.
kept=$(as_tester blurtctl status --json | grep -o '"recordings":[0-9]*' | cut -d: -f2)
locker false
listens_again

echo "--- B-29 another user comes to the front"
other() {
  systemd-run --quiet --wait --pipe --collect -p User=plain -p PAMName=vm-session -E XDG_SESSION_CLASS=user \
    -E XDG_SESSION_TYPE=x11 -E XDG_SEAT=seat0 -E XDG_VTNR=8 -- sleep 600
}
start other.log other
wait_for "the other user has a session" 60 bash -c 'loginctl list-sessions --no-legend | grep -q plain'
begin
to_front "$(loginctl list-sessions --no-legend | awk '$3 == "plain" { print $1 }')"
interrupted seatInactive
ended_and_kept
key up RIGHTCTRL
is_deaf seatInactive
doctor_says "another one is in front" || fail "doctor does not say that another session is in front"
to_front "$desktop_session"
listens_again
works

echo "--- B-23 H-80 sleep begins while the key is held, and it goes up unseen"
echo freezer >/sys/power/pm_test || fail "this kernel cannot play sleep"
begin
systemctl suspend || fail "logind does not sleep"
interrupted suspended
key up RIGHTCTRL
listens_again
ended_and_kept
status_is "s['phase'] == 'cancelled'" || fail "the key counts as held"
works
wait_for "Y-133 sleep is to wait for the daemon again" 60 bash -c 'systemd-inhibit --list | grep Blurt | grep -q delay'
echo "phases: $(watch_phases)"
