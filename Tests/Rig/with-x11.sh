#!/usr/bin/env bash
# Runs a command inside an X session of its own: Xvfb, a window manager, nothing else.
#
#   Tests/Rig/with-x11.sh swift test --skip-build --filter BlurtInjectionTests
#
# Exports DISPLAY, BLURT_TEST_X11=1 and NO_AT_BRIDGE=1. Ends what it started, and only that. Exit status: the command's;
# 77 where a program is missing, 1 where the display does not come up.
set -u

for program in Xvfb openbox xprop; do
  if ! command -v "$program" >/dev/null; then
    echo "with-x11.sh: $program is missing: apt-get install xvfb openbox x11-utils" >&2
    exit 77
  fi
done
if [ $# -eq 0 ]; then
  echo "usage: with-x11.sh COMMAND [ARGUMENT...]" >&2
  exit 2
fi

folder=$(mktemp -d "${TMPDIR:-/tmp}/blurt-x11.XXXXXX")
server= manager=
finish() {
  for process in $manager $server; do
    kill "$process" 2>/dev/null
    wait "$process" 2>/dev/null
  done
  rm -rf "$folder"
}
trap finish EXIT
trap 'exit 143' TERM
trap 'exit 130' INT

# A condition, looked at every 20 ms for at most 15 s.
await() {
  for _ in $(seq 750); do
    if "$@" >/dev/null 2>&1; then return 0; fi
    sleep 0.02
  done
  echo "with-x11.sh: waited in vain for: $*" >&2
  return 1
}

exec 6>"$folder/display"
Xvfb -displayfd 6 -screen 0 1024x768x24 -nolisten tcp -noreset >"$folder/xvfb.log" 2>&1 &
server=$!
exec 6>&-
await test -s "$folder/display" || { cat "$folder/xvfb.log" >&2; exit 1; }
DISPLAY=:$(cat "$folder/display")
export DISPLAY BLURT_TEST_X11=1 NO_AT_BRIDGE=1
unset WAYLAND_DISPLAY

# No configuration of the user's, no key bindings that could swallow a chord.
mkdir -p "$folder/config/openbox"
cat >"$folder/config/openbox/rc.xml" <<'XML'
<openbox_config xmlns="http://openbox.org/3.4/rc">
  <focus><focusNew>yes</focusNew><followMouse>no</followMouse></focus>
  <keyboard></keyboard>
  <mouse></mouse>
</openbox_config>
XML
openbox --config-file "$folder/config/openbox/rc.xml" >"$folder/openbox.log" 2>&1 &
manager=$!
await sh -c 'xprop -root _NET_SUPPORTING_WM_CHECK | grep -q "window id"' || { cat "$folder/openbox.log" >&2; exit 1; }

"$@"
