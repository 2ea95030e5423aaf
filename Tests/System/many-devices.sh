#!/bin/bash
# H-72 H-77 B-28: a mouse that moves never wakes the thread that reads the devices (EVIOCSMASK); two hundred keyboards are
# listened to, and rest.
# shellcheck source=Tests/System/guest/lib.sh
. /mnt/tests/System/guest/lib.sh

# An X server would take minutes over two hundred keyboards.
systemctl stop vm-xorg.service
someone_at_the_machine
keyboards
key_service "It was quiet."
device plug first keys "First keyboard" >/dev/null
device plug mouse mouse "Fast mouse" >/dev/null
for name in first mouse; do wait_for "$name may be read" 60 runuser -u tester -- test -r "$(device node $name)"; done
hold first
let_go first
pid=$(daemon_pid)
open_nodes() { find /proc/"$pid"/fd -lname '/dev/input/event*' | wc -l; }
find /proc/"$pid"/fd -lname "$(device node mouse)" | grep -q . || fail "the mouse is not listened to"
# Only time can show that nothing happens.
quiet() { # WHAT COMMAND...: at most 2 wake-ups meanwhile
  local what=$1 before after
  shift
  before=$(hotkey_wake_ups "$pid")
  "$@"
  after=$(hotkey_wake_ups "$pid")
  [ $((after - before)) -le 2 ] || fail "$what: $((after - before)) wake-ups"
  echo "ok: $what: $((after - before)) wake-ups"
}
quiet "B-28 two seconds of nothing" sleep 2
device listen mouse >/dev/null
moving() { device motion mouse 4000 >/dev/null; }
quiet "H-72 4,000 reports of a mouse that moves" moving
heard=$(device heard mouse)
[ "$heard" = 4000 ] || fail "the kernel has delivered $heard reports to another reader"
hold first
moving
[ "$(phase_now)" = recording ] || fail "H-72 motion is no click: $(watch_phases)"
let_go first

before=$(open_nodes)
device many 200 >/dev/null
all_open() { [ "$(open_nodes)" = $((before + 200)) ]; }
wait_for "H-77 two hundred more keyboards are listened to" 240 all_open
hold many199
let_go many199
quiet "H-77 two seconds of nothing with two hundred keyboards" sleep 2
device few >/dev/null
none_left() { [ "$(open_nodes)" = "$before" ]; }
wait_for "H-77 all of them are let go" 240 none_left
hold first
let_go first
