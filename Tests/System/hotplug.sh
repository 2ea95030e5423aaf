#!/bin/bash
# H-74 H-75 H-77 B-01 B-03 B-05 B-06 B-08 B-11 B-14 B-15 B-18 B-22: keyboards of the kernel's own come, repeat, go and are
# destroyed while they are held, and each hold is one dictation.
# shellcheck source=Tests/System/guest/lib.sh
. /mnt/tests/System/guest/lib.sh

words="Every keyboard was heard."
someone_at_the_machine
keyboards
key_service "$words"
count=0
# one_more WHAT: exactly one dictation since the last
one_more() {
  count=$((count + 1))
  [ "$(recordings)" = $count ] || fail "$1: $(recordings) dictations instead of $count: $(watch_phases)"
  echo "ok: $1"
}
wait_for_node() { wait_for "$1 may be read" 60 runuser -u tester -- test -r "$(device node "$1")"; }

device plug first keys "First keyboard" >/dev/null
wait_for_node first
hold first
let_go first
one_more "B-06 a keyboard that came after the start is heard"

hold first
device plug passing keys "Passing keyboard" >/dev/null
wait_for_node passing
device unplug passing >/dev/null
udevadm settle
[ "$(phase_now)" = recording ] || fail "B-01 the recording ended with another keyboard: $(watch_phases)"
device repeat first RIGHTCTRL 300 >/dev/null
[ "$(phase_now)" = recording ] || fail "B-15 the recording ended while the key repeats: $(watch_phases)"
udevadm trigger --subsystem-match=input --action=change
udevadm settle
[ "$(phase_now)" = recording ] || fail "the recording ended when udev looked at the keyboard again: $(watch_phases)"
let_go first
one_more "B-01 B-15 one dictation, whatever comes and goes and repeats meanwhile"

device plug second keys "Second keyboard" >/dev/null
wait_for_node second
hold first
device down second RIGHTCTRL >/dev/null
device up first RIGHTCTRL >/dev/null
ctl status --quiet
[ "$(phase_now)" = recording ] || fail "B-14 the first release ended it: $(watch_phases)"
let_go second
one_more "H-74 B-14 two keyboards: one start, one stop, at the last release"

hold first
device unplug first >/dev/null
wait_for "B-08 H-75 unplugged with the key held: it ends" 60 is_at_rest
one_more "B-08 H-75 the keyboard that is gone has ended its dictation"
[ "$(ctl last)" = "$words" ] || fail "B-08 the words are lost: $(ctl last 2>&1)"
hold second
let_go second
one_more "B-08 the other keyboard is heard"

pid=$(daemon_pid)
before=$(hotkey_wake_ups "$pid")
# Only time can show that nothing happens; a dead descriptor would wake the thread thousands of times.
sleep 2
after=$(hotkey_wake_ups "$pid")
[ $((after - before)) -le 2 ] || fail "B-05 B-28 $((after - before)) wake-ups in two seconds of nothing"
echo "ok: B-05 B-28 $((after - before)) wake-ups in two seconds after a keyboard was unplugged"

for round in 1 2 3 4 5 6 7 8 9 10; do
  device unplug second >/dev/null
  device plug second keys "Restarted keyboard" >/dev/null
  wait_for_node second >/dev/null
  hold second >/dev/null
  let_go second >/dev/null
  one_more "B-03 H-77 restarted for the ${round}th time, it is heard"
done

for name in "keyd virtual keyboard" "LogiOps Virtual Input"; do
  device plug remapped keys "$name" >/dev/null
  wait_for_node remapped
  hold remapped
  let_go remapped
  one_more "B-11 $name is heard"
  device unplug remapped >/dev/null
done

device plug control consumer "Consumer control" >/dev/null
wait_for_node control
ctl settings set TriggerKeyCode KEY_VOICECOMMAND --quiet || fail "KEY_VOICECOMMAND is no trigger key"
hold control VOICECOMMAND
let_go control VOICECOMMAND
one_more "B-22 a consumer control with an axis is heard"
ctl settings set TriggerKeyCode KEY_RIGHTCTRL --quiet

noticed() { grep -q tooShort "$work/watch.log"; }
sent() { grep -c '"event": "audio"' "$work/server.jsonl"; }
sent_before=$(sent)
[ "$sent_before" -gt 0 ] || fail "the server has logged no dictation"
device tap second RIGHTCTRL >/dev/null
wait_for "B-18 a tap is too short, and says so" 60 noticed
wait_for "B-18 it ends" 60 is_at_rest
[ "$(sent)" = "$sent_before" ] || fail "B-18 something was sent to be transcribed"

# The kernel lets go of the keys of a device that it takes away: that is no tap, which would go on recording for ever.
ctl settings set TriggerActivation TapOrHold --quiet
before=$(grep -c '"phase":"connecting"' "$work/watch.log")
device pull second RIGHTCTRL >/dev/null
tried() { [ "$(grep -c '"phase":"connecting"' "$work/watch.log")" -gt "$before" ]; }
wait_for "H-75 a keyboard is pulled out as its key goes down" 60 tried
wait_for "H-75 B-08 nothing goes on recording" 60 is_at_rest
