#!/bin/bash
# A user without any rights but a desktop user's holds right Ctrl on a real keyboard, speaks into a real sound card, lets
# go, and the text stands in a window. The daemon runs from the shipped units under `systemd --user`, socket-activated.
# shellcheck source=Tests/System/guest/lib.sh
. /mnt/tests/System/guest/lib.sh

words="The guest heard every word of it."
desktop
text_window
room

start server.log python3 -u /mnt/tests/Rig/strict_server.py --key guest-key-0123456789 --text "$words" \
  --expect-audio /mnt/speech/speech.wav --log "$work/server.jsonl"
wait_for "the service answers" 60 grep -q port "$work/server.log"
port=$(sed -n 's/.*"port": *\([0-9]*\).*/\1/p' "$work/server.log")

api_key guest-key-0123456789
service "BLURT_BASE_URL=http://127.0.0.1:$port"
as_tester systemctl --user is-active --quiet blurtd.service && fail "the daemon runs before anyone has asked for it"
# The first command to the socket starts the daemon.
wait_for "the daemon is started by its socket, with keyboard and display" 120 \
  status_is "s['hotkey']['ready'] and s['display']['ready']"
as_tester systemctl --user is-active --quiet blurtd.service || fail "the unit is not active"
start watch.log vm-as tester blurtctl watch --json
wait_for "watch tells the phase" 60 grep -q phase "$work/watch.log"

key down RIGHTCTRL
wait_for "it records while the key is held" 60 has_phase recording
speak
key_up=$(python3 -c 'import time; print(time.monotonic())')
key up RIGHTCTRL

arrived() { [ "$(window_text)" = "$words" ]; }
wait_for "the words stand in the window" 120 arrived
scrot -o /mnt/out/first-dictation.png
wait_for "watch tells that they were pasted" 60 has_phase pasted
echo "phases: $(watch_phases)"

# The right sound travelled, and it travelled while the key was held.
cp "$work/server.jsonl" /mnt/out/first-dictation.server.jsonl
wait_for "the server has compared the sound" 60 grep -q correlation "$work/server.jsonl"
python3 - "$work/server.jsonl" "$key_up" <<'P' || fail "not the sound that was played, or only after the key was up"
import json, sys
events = [json.loads(line) for line in open(sys.argv[1])]
held = max([e["audio_bytes"] for e in events if e["event"] == "chunk" and e["t"] < float(sys.argv[2])], default=0)
total = [e["bytes"] for e in events if e["event"] == "audio"][-1]
likeness = [e["correlation"] for e in events if e["event"] == "comparison"][-1]
print(f"{held} of {total} bytes arrived while the key was held; correlation {likeness}")
sys.exit(0 if held > 0.5 * total and likeness > 0.8 else 1)
P
closed() { grep -qx closed /proc/asound/Loopback/pcm1c/sub0/status; }
wait_for "the microphone is closed again" 30 closed
wait_for "no recording is kept, since its text was delivered" 60 status_is "(s.get('spool') or {}).get('recordings', 0) == 0"
as_tester systemctl --user stop blurtd.service blurtd.socket || fail "the unit did not stop"
as_tester systemctl --user show -p Result blurtd.service | grep -qx Result=success || fail "the daemon did not end well"
