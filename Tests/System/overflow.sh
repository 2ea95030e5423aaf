#!/bin/bash
# H-73 H-45 H-76 B-10: the daemon is stopped while the kernel's queue overflows; what it does afterwards is what the kernel
# says about the keys.
# shellcheck source=Tests/System/guest/lib.sh
. /mnt/tests/System/guest/lib.sh

someone_at_the_machine
keyboards
key_service "Nothing was lost."
device plug first keys "First keyboard" >/dev/null
wait_for "it may be read" 60 runuser -u tester -- test -r "$(device node first)"
pid=$(daemon_pid)

hold first
kill -STOP "$pid"
device burst first 5000 RIGHTCTRL >/dev/null
[ -z "$(device held first)" ] || fail "the kernel has keys down: $(device held first)"
kill -CONT "$pid"
wait_for "B-10 the release among 5,000 events ends the recording" 60 is_at_rest
[ "$(recordings)" = 1 ] || fail "B-10 $(recordings) recordings: $(watch_phases)"
as_tester journalctl --user -u blurtd.service -o cat --no-pager | grep -q "dropped key events" ||
  fail "the queue did not overflow"
[ "$(ctl last)" = "Nothing was lost." ] || fail "the words are lost: $(ctl last 2>&1)"
echo "ok: H-45 B-10 the words are there"

hold first
kill -STOP "$pid"
# The key itself stays down.
device burst first 5000 LEFTCTRL >/dev/null
[ "$(device held first)" = KEY_RIGHTCTRL ] || fail "the kernel has other keys down: $(device held first)"
kill -CONT "$pid"
wait_for "the daemon answers again" 60 ctl status --quiet
[ "$(phase_now)" = recording ] || fail "H-73 H-44 the recording ended though the key is down: $(watch_phases)"
let_go first
[ "$(recordings)" = 2 ] || fail "$(recordings) recordings: $(watch_phases)"
echo "ok: H-73 H-44 a key that is still down after an overflow holds the recording until it is up"

kill -STOP "$pid"
device down first RIGHTCTRL >/dev/null
device burst first 5000 LEFTCTRL >/dev/null
kill -CONT "$pid"
wait_for "the daemon answers again" 60 ctl status --quiet
device up first RIGHTCTRL >/dev/null
hold first
let_go first
[ "$(recordings)" = 3 ] || fail "H-73 a press that was lost has started something: $(watch_phases)"
echo "ok: H-73 a press among lost events starts nothing"
