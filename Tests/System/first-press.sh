#!/bin/bash
# Nothing runs but the socket. The first `blurtctl press` starts the daemon and is answered by it, and the window that had
# the focus keeps it; a second press finds the dictation of the first; a cancel leaves neither text nor recording.
# B-138: all of that under a window manager that reaches no graphical-session.target. B-140: by the shipped units, under a
# service manager of a user. B-142: what cannot run is left alone after a few starts.
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
as_tester systemctl --user is-active --quiet graphical-session.target && fail "B-138 the target is reached here"

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

restarts() { as_tester systemctl --user show -p NRestarts --value blurtd.service; }
[ "$(restarts)" = 0 ] || fail "B-140 it was restarted $(restarts) times"
pid=$(daemon_pid)
kill -KILL "$pid"
another() { ctl status --json && [ "$(daemon_pid)" != 0 ] && [ "$(daemon_pid)" != "$pid" ]; }
wait_for "B-142 a daemon that was killed comes back" 60 another
# A key that is not there, and then a daemon that dies at each start.
rm ~tester/.config/blurt/api-key
as_tester systemctl --user restart blurtd.service || fail "B-142 without a key it does not start"
as_tester blurtctl press --json >"$work/refused.json"
python3 - "$work/refused.json" <<'P' || fail "B-142 without a key: $(cat "$work/refused.json")"
import json, sys
ack = json.load(open(sys.argv[1]))["ack"]
print("ok: B-142 without a key:", ack["result"], ack.get("errorKind"), ack.get("message"))
sys.exit(ack["result"] == "started")
P
[ "$(restarts)" -le 1 ] || fail "B-142 without a key it was restarted $(restarts) times"
printf '[Service]\nExecStart=\nExecStart=/bin/false\n' >~tester/.config/systemd/user/blurtd.service.d/broken.conf
as_tester systemctl --user daemon-reload
as_tester systemctl --user stop blurtd.service blurtd.socket
as_tester systemctl --user reset-failed blurtd.service
as_tester systemctl --user start blurtd.service blurtd.socket
left_alone() { [ "$(as_tester systemctl --user show -p ActiveState --value blurtd.service)" = failed ]; }
wait_for "B-142 a daemon that dies at each start is left alone" 60 left_alone
[ "$(restarts)" -le 5 ] || fail "B-142 it was restarted $(restarts) times"
as_tester timeout 20 blurtctl press >"$work/broken.txt" 2>&1
status=$?
echo "blurtctl press then says ($status): $(cat "$work/broken.txt")"
{ [ $status != 0 ] && [ $status != 124 ] && [ -s "$work/broken.txt" ]; } || fail "B-142 nobody is told"
