#!/bin/bash
# Nothing runs but the socket. The first `blurtctl press` starts the daemon and is answered by it, and the window that had
# the focus keeps it; a second press finds the dictation of the first; a cancel leaves neither text nor recording.
# shellcheck source=Tests/System/guest/lib.sh
. /mnt/tests/System/guest/lib.sh

desktop
text_window
room
api_key guest-key-0123456789
service "BLURT_BASE_URL=http://127.0.0.1:9"

focused() { xprop -root _NET_ACTIVE_WINDOW | sed 's/.*# //'; }
before=$(focused)
[ -n "$before" ] || fail "no window has the focus"
as_tester systemctl --user is-active --quiet blurtd.service && fail "the daemon runs before anyone has asked for it"

began=$(date +%s%N)
as_tester blurtctl press --json >"$work/press.json"
status=$?
echo "the first press ended with $status after $((($(date +%s%N) - began) / 1000000)) ms: $(cat "$work/press.json")"
[ $status = 0 ] || fail "the first press was not accepted"
as_tester systemctl --user is-active --quiet blurtd.service || fail "the unit is not active"
[ "$(focused)" = "$before" ] || fail "the focus moved from $before to $(focused)"

as_tester blurtctl press --quiet
[ $? = 3 ] || fail "a second press was not told that a dictation runs"
wait_for "it records" 60 status_is "s['phase'] == 'recording'"
as_tester blurtctl cancel --quiet || fail "the cancel did not take effect"
[ "$(focused)" = "$before" ] || fail "the focus moved from $before to $(focused)"
[ -z "$(window_text)" ] || fail "something was typed: $(window_text)"
# The answer does not wait for the device to close, and the file goes after that.
wait_for "the cancelled recording is gone" 60 status_is "(s.get('spool') or {}).get('recordings', 0) == 0"
as_tester blurtctl doctor --json >"$work/doctor.json"
python3 - "$work/doctor.json" <<'P' || fail "doctor does not see what is there"
import json, sys
checks = {c["check"]: c for c in json.load(open(sys.argv[1]))["checks"]}
for name in ("socket", "unit", "keyboard", "microphone", "display", "engine"):
    print(name, checks[name]["state"], checks[name]["message"])
sys.exit(any(checks[name]["state"] != "ok" for name in ("socket", "unit", "keyboard", "microphone", "display", "engine")))
P
[ -z "$(window_text)" ] || fail "doctor typed something: $(window_text)"
