#!/bin/bash
# H-50 H-78 B-12 B-13: blurtd takes no device for itself and makes none; and it notices who does.
# shellcheck source=Tests/System/guest/lib.sh
. /mnt/tests/System/guest/lib.sh

someone_at_the_machine
keyboards
key_service "It only listened."
pid=$(daemon_pid)
before=$(grep -c ^I: /proc/bus/input/devices)
strace -f -q -p "$pid" -e trace=ioctl,open,openat -o "$work/trace" &
tracer=$!
children+=("$tracer")
traced() { [ "$(awk '/^TracerPid/ { print $2 }' "/proc/$pid/status")" != 0 ]; }
wait_for "every call is seen" 60 traced

device plug first keys "First keyboard" >/dev/null
wait_for "it may be read" 60 runuser -u tester -- test -r "$(device node first)"
hold first
device grab first >/dev/null || fail "B-13 another program cannot have the device: blurtd holds it"
device ungrab first >/dev/null
let_go first
ctl settings set TriggerKeyCode KEY_RIGHTALT --quiet
hold first RIGHTALT
device unplug first >/dev/null
wait_for "it ends" 60 is_at_rest
ctl settings set TriggerKeyCode KEY_RIGHTCTRL --quiet
[ "$(grep -c ^I: /proc/bus/input/devices)" = "$before" ] || fail "B-13 H-78 there is a device more than before"
kill "$tracer"
wait "$tracer" 2>/dev/null
grep -q EVIOCGKEY "$work/trace" || fail "the trace holds no call to a device: $(tail -n 3 "$work/trace")"
! grep -E 'EVIOCGRAB|EVIOCREVOKE|/dev/uinput' "$work/trace" || fail "B-13 blurtd takes or makes a device"
! grep '/dev/input' "$work/trace" | grep -v O_RDONLY || fail "H-50 a device was not opened for reading"
echo "ok: H-50 B-13 $(grep -c EVIOC "$work/trace") calls to devices, no grab, no device made, none opened for writing"

# A remapper: the keyboard's events are its own, and its own keyboard says what it wants.
device plug physical keys "Physical keyboard" >/dev/null
device plug virtual keys "keyd virtual keyboard" >/dev/null
for name in physical virtual; do
  wait_for "$name may be read" 60 runuser -u tester -- test -r "$(device node $name)"
done
hold physical
let_go physical
doctor_says keyboard "c['state'] == 'ok' and 'holds' not in c['message']" || fail "doctor: $(cat "$work/doctor-said")"
device grab physical >/dev/null
for _ in 1 2; do
  device down physical RIGHTCTRL >/dev/null
  hold virtual
  device up physical RIGHTCTRL >/dev/null
  let_go virtual
done
doctor_says keyboard "c['state'] == 'ok' and 'Physical keyboard' in c['message'] and 'keyd is running' in c['message']" ||
  fail "B-12 doctor does not say who holds the keyboard: $(cat "$work/doctor-said")"
echo "ok: B-12 $(cat "$work/doctor-said")"
device unplug virtual >/dev/null
device ungrab physical >/dev/null
hold physical
let_go physical
doctor_says keyboard "'holds' not in c['message']" || fail "B-12 doctor: $(cat "$work/doctor-said")"
echo "ok: B-12 a keyboard that was given back is heard again"
