#!/bin/bash
# B-19 B-20 B-25 B-31: the trigger key keeps its meaning for every window; a shortcut is only a shortcut; keys that an X
# client makes up are no trigger; and no key is left down.
# shellcheck source=Tests/System/guest/lib.sh
. /mnt/tests/System/guest/lib.sh

desktop
text_window
key_service "It was said."
wait_for "keyboard and display are there" 120 status_is "s['hotkey']['ready'] and s['display']['ready']"
keys_down() { # XQueryKeymap
  DISPLAY=:0 python3 -c '
import ctypes
x = ctypes.CDLL("libX11.so.6")
x.XOpenDisplay.restype = ctypes.c_void_p
keys = (ctypes.c_char * 32)()
x.XQueryKeymap(ctypes.c_void_p(x.XOpenDisplay(None)), keys)
print(sum(bin(byte).count("1") for byte in keys.raw))'
}

DISPLAY=:0 xdotool key Control_R
ctl status --quiet
[ "$(recordings)" = 0 ] && [ "$(watch_phases)" = idle ] || fail "B-31 xdotool has pressed the trigger: $(watch_phases)"
echo "ok: B-31 a key made up by an X client is no trigger"

printf 'clipboard ' | DISPLAY=:0 xclip -selection clipboard -i
key down RIGHTCTRL
wait_for "it records" 60 has_phase recording
key tap V
wait_for "B-19 a shortcut cancels" 60 has_phase cancelled
key up RIGHTCTRL
pasted() { [ "$(window_text)" = "clipboard " ]; }
wait_for "B-19 B-20 the window got the shortcut" 60 pasted

for _ in 1 2 3; do
  before=$(recordings)
  key down RIGHTCTRL
  for _ in {1..10}; do echo "repeat RIGHTCTRL" >&5; done
  began() { [ "$(recordings)" -gt "$before" ]; }
  wait_for "it records" 60 began
  [ "$(keys_down)" = 1 ] || fail "X has $(keys_down) keys down while one is held"
  key up RIGHTCTRL
  wait_for "it ends" 60 is_at_rest
done
arrived() { [[ "$(window_text)" == "clipboard It was said."*"It was said."*"It was said." ]]; }
wait_for "B-20 three dictations stand behind the shortcut's text, and nothing of the held key" 60 arrived
node=$(sed -n 's/^plugged //p' "$work/keyboard.log")
held=$(python3 -c "import sys; from evdev import InputDevice; print(len(InputDevice(sys.argv[1]).active_keys()))" "$node")
[ "$(keys_down)" = "$held" ] && [ "$held" = 0 ] || fail "B-25 X has $(keys_down) keys down, the kernel $held"
echo "ok: B-25 no key is down, for the kernel and for X"
[ "$(recordings)" = 4 ] || fail "$(recordings) recordings: $(watch_phases)"
