#!/bin/bash
# C-71 H-78 B-72 B-74 B-81 B-90: a Wayland session whose compositor takes keys from no program that is there: a keyboard of
# ours in the kernel sends them, on every layout, and the hotkey's watcher leaves it alone.
# shellcheck source=Tests/System/guest/lib.sh
. /mnt/tests/System/guest/lib.sh

words="Typed by a keyboard of the kernel."
own="Blurt virtual keyboard"
keyboards
device plug first keys "First keyboard" >/dev/null
udevadm settle
# What the user's udev rule does where it is wanted.
chmod 666 /dev/uinput

runtime="/run/user/$(id -u tester)"
printf 'output HEADLESS-1 resolution 800x600\nxwayland disable\n' >"$work/sway.conf"
chmod 644 "$work/sway.conf"
start sway.log vm-as --seat tester env WLR_BACKENDS=headless,libinput WLR_RENDERER=pixman sway -c "$work/sway.conf"
# Without an X server nobody else brings its console to the front (VT_ACTIVATE).
python3 -c 'import fcntl, os; fcntl.ioctl(os.open("/dev/tty0", os.O_RDWR), 0x5606, 7)'
wait_for "tester sits at the machine" 60 grep -q "^ACTIVE_UID=$(id -u tester)$" /run/systemd/seats/seat0
sway_socket() { compgen -G "$runtime/sway-ipc.*.sock" | head -n 1; }
there_is_sway() { [ -n "$(sway_socket)" ] && compgen -G "$runtime/wayland-[0-9]" >/dev/null; }
wait_for "sway is there" 120 there_is_sway
display=$(compgen -G "$runtime/wayland-[0-9]" | head -n 1)
sway() { runuser -u tester -- env SWAYSOCK="$(sway_socket)" swaymsg -r "$@"; }
wait_for "sway has the first keyboard" 120 bash -c "SWAYSOCK='$(sway_socket)' swaymsg -r -t get_inputs | grep -q 'First keyboard'"

: >"$work/typed"
chmod 666 "$work/typed"
start foot.log runuser -u tester -- env XDG_RUNTIME_DIR="$runtime" WAYLAND_DISPLAY="$display" LANG=C.UTF-8 \
  foot sh -c "stty raw -echo; cat >>$work/typed"
has_focus() { sway -t get_tree | python3 -c '
import json, sys
def focused(node):
    return node["focused"] and node.get("app_id") == "foot" or any(map(focused, node["nodes"]))
sys.exit(not focused(json.load(sys.stdin)))'; }
wait_for "the terminal has the focus" 120 has_focus

runuser -u tester -- mkdir -p ~tester/.config/systemd/user/blurtd.service.d
printf '[Service]\nEnvironment=WAYLAND_DISPLAY=%s\nEnvironment=SWAYSOCK=%s\n' "$display" "$(sway_socket)" \
  >~tester/.config/systemd/user/blurtd.service.d/wayland.conf
key_service "$words"
doctor_says display "c['state'] == 'ok' and '/dev/uinput' in c['message']"
echo "ok: doctor names the keyboard of ours"
taken_up() { sway -t get_inputs | grep -q "$own"; }
wait_for "sway has our keyboard" 120 taken_up

node=/dev/input/$(grep -l "$own" /sys/class/input/event*/device/name | sed 's|/sys/class/input/||;s|/.*||')
grep -q "^P: Phys=blurt/" <(grep -A 3 "Name=\"$own\"" /proc/bus/input/devices) || fail "our keyboard has no path of ours"
opened() { # NODE: whether the daemon has it open
  local link
  for link in /proc/"$(daemon_pid)"/fd/*; do [ "$(readlink "$link")" = "$1" ] && return 0; done
  return 1
}
opened "$(device node first)" || fail "the daemon has not opened the first keyboard, so that nothing is proved"
! opened "$node" || fail "H-78 the daemon listens to its own keyboard"
echo "ok: H-78 the daemon listens to the first keyboard, and not to its own"

expected=
for layout in "us:" "us:dvorak" "ru:" "de:neo"; do
  sway input type:keyboard xkb_layout "${layout%%:*}" >/dev/null
  sway input type:keyboard xkb_variant "'${layout#*:}'" >/dev/null
  hold first
  let_go first
  expected="$expected${expected:+ }$words"
  arrived() { [ "$(cat "$work/typed")" = "$expected" ]; }
  wait_for "B-72 B-74 C-71 typed with layout $layout" 120 arrived
done
before=$(recordings)
[ "$before" = 4 ] || fail "B-90 $before recordings: our own keys are no trigger: $(watch_phases)"
down=$(python3 -c "import sys; from evdev import InputDevice; print(len(InputDevice(sys.argv[1]).active_keys()))" "$node")
[ "$down" = 0 ] || fail "B-25 $down keys of our keyboard are down"
echo "ok: B-25 no key of ours is down"
