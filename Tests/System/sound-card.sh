#!/bin/bash
# The microphone is a sound card of the kernel, opened by its hw: name, with no layer between: several formats, nothing open
# between dictations, digital silence, a program that has it, a node that may not be opened, and a card that goes in mid-word.
# shellcheck source=Tests/System/guest/lib.sh
. /mnt/tests/System/guest/lib.sh

words="The card itself was heard."
card=hw:Loopback,1,0
heard=/proc/asound/Loopback/pcm1c/sub0
# What is played makes the card, for whoever records, one that can do this format alone.
cat >/etc/asound.conf <<'CONF'
pcm.room16 { type plug slave { pcm "hw:Loopback,0,0" format S16_LE rate 16000 channels 1 } }
pcm.room44 { type plug slave { pcm "hw:Loopback,0,0" format S24_3LE rate 44100 channels 2 } }
pcm.room48 { type plug slave { pcm "hw:Loopback,0,0" format S32_LE rate 48000 channels 6 } }
CONF
someone_at_the_machine
key_service "$words" --expect-audio /mnt/speech/speech.wav
room_leaves
ctl settings set MicDeviceUID "$card" --quiet || fail "the microphone cannot be chosen"
daemon=$(daemon_pid)

descriptors() { find "/proc/$daemon/fd" -lname '/dev/snd/*' | wc -l; }
no_descriptor() { [ "$(descriptors)" = 0 ]; }
# The card's own word for it, where there is a card.
nothing_open() { no_descriptor && { [ ! -e $heard ] || grep -qx closed $heard/status; }; }
taken() { ! grep -qx closed $heard/status; }
events() { grep -c "\"event\": *\"$1\"" "$work/server.jsonl"; }
press() { # returns once it records
  local before
  before=$(recordings)
  ctl press --quiet || fail "the press was refused"
  began() { [ "$(recordings)" -gt "$before" ]; }
  wait_for "it records" 60 began
}
failures() { watch_phases | tr ' ' '\n' | grep -c '^failed$'; }
# press_fails WHAT WORDS...: with a message that has these words; nothing of ours stays open, and nothing is sent
press_fails() {
  local what=$1 before sent
  shift
  before=$(failures) sent=$(events chunk)
  ctl press --quiet || fail "$what: the press was refused"
  failed() { [ "$(failures)" -gt "$before" ]; }
  wait_for "$what: the press fails" 60 failed
  python3 - "$work/watch.log" "$@" <<'P' || fail "$what: not in these words: $*"
import json, sys
said = [e.get("message", "") for e in map(json.loads, open(sys.argv[1])) if e.get("phase") == "failed"][-1]
print("  " + said)
sys.exit(any(word not in said for word in sys.argv[2:]))
P
  wait_for "$what: nothing of ours is open" 30 no_descriptor
  # A connection may have been made ready; no sound goes over it.
  [ "$(events chunk)" = "$sent" ] || fail "$what: sound was sent"
}
# dictate FORMAT RATE CHANNELS LEAST: a whole dictation at that format of the card. Without numpy the server compares in steps
# of half a millisecond: what needs no conversion is the same to the bit, the rest lies between two steps.
dictate() {
  local before
  before=$(events comparison)
  press
  { grep -qx "format: $1" $heard/hw_params && grep -q "^rate: $2 " $heard/hw_params &&
    grep -qx "channels: $3" $heard/hw_params; } || fail "the card runs otherwise: $(tr '\n' ' ' <$heard/hw_params)"
  no_descriptor && fail "there is no descriptor of the card while it records"
  speak
  ctl release --quiet || fail "the release was refused"
  wait_for "$1 $2 $3: it ends" 120 is_at_rest
  [ "$(ctl last)" = "$words" ] || fail "the text is $(ctl last)"
  compared() { [ "$(events comparison)" -gt "$before" ]; }
  wait_for "the server has compared the sound" 120 compared
  python3 - "$work/server.jsonl" "$4" <<'P' || fail "$1 $2 $3: not the sound that was played"
import json, sys
last = [e for e in map(json.loads, open(sys.argv[1])) if e["event"] == "comparison"][-1]
print(f"  correlation {last['correlation']}")
sys.exit(last["correlation"] < float(sys.argv[2]))
P
  wait_for "$1 $2 $3: nothing is open" 30 nothing_open
}

echo "--- C-12 nothing is open before the first press"
wait_for "nothing is open" 30 nothing_open

echo "--- C-25 nobody plays: digital silence"
press_fails "silence" muted "$card"

echo "--- C-27 B-102 B-103 the card's own formats"
room room16
dictate S16_LE 16000 1 0.99
room_leaves
room room44
dictate S24_3LE 44100 2 0.8
room_leaves
room room48
dictate S32_LE 48000 6 0.8

echo "--- C-20 the journal says how the microphone came up"
as_tester journalctl --user -u blurtd.service -o cat --no-pager >"$work/journal"
grep 'microphone live' "$work/journal" | grep 'transport=virtual' | grep 'waitedMs=' | grep -q 'powerDB=' ||
  fail "no such line: $(grep microphone "$work/journal")"
grep 'microphone not live' "$work/journal" | grep 'waitedMs=' | grep -q 'powerDB=-160' ||
  fail "no such line of the silence: $(grep microphone "$work/journal")"

echo "--- B-96 another program has the card"
start arecord.log arecord -q -D "$card" -f S32_LE -r 48000 -c 6 /dev/null
other=$!
wait_for "the other program records" 60 taken
press_fails "busy" "in use by another program" "$card"
kill "$other"
wait_for "the other program is gone" 60 nothing_open

echo "--- B-96 the node may not be opened"
node=$(echo /dev/snd/pcmC*D1c)
chmod 600 "$node"
press_fails "denied" "may not be opened" "$card"
chmod 660 "$node"
dictate S32_LE 48000 6 0.8

echo "--- B-100 the card is pulled out in mid-word"
press
echo speak >&7
captured() { [ -n "$(find "/run/user/$(id -u tester)/blurt/spool" -type f -size +32k)" ]; }
wait_for "a second was captured" 60 captured
# It returns when nobody has a descriptor of the card any more.
echo snd_aloop.0 >/sys/bus/platform/drivers/snd_aloop/unbind &
puller=$!
wait_for "watch says that the microphone went" 60 \
  watch_has 1 "e.get('notice') == 'deviceLost' and '$card' in e.get('message', '')"
wait_for "nothing is open" 30 nothing_open
wait $puller || fail "the card did not let go"
# Without a release: the recording ends with its device.
wait_for "it ends" 120 is_at_rest
[ "$(ctl last)" = "$words" ] || fail "what was captured is lost"
python3 - "$work/server.jsonl" <<'P' || fail "what was captured was not sent"
import json, sys
sent = [e["bytes"] for e in map(json.loads, open(sys.argv[1])) if e["event"] == "audio"][-1]
print(f"  {sent} bytes were sent")
sys.exit(sent < 32000)
P
press_fails "pulled out" "There is no microphone"

echo "--- C-06 it is plugged in again, and heard at once"
echo snd_aloop.0 >/sys/bus/platform/drivers/snd_aloop/bind
udevadm settle
wait_for "the card is back" 60 test -e $heard
room room48
dictate S32_LE 48000 6 0.8
