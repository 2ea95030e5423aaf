#!/usr/bin/env bash
# Builds Blurt and starts it. The first command to run in a fresh clone.
#
#   scripts/run.sh            what is missing is installed, blurtd is built and runs in the foreground
#   scripts/run.sh --demo     shows one dictation by itself: a sentence is played into a virtual microphone while the key
#                             is held, and the text arrives in a real window. The last line of output is one JSON object.
#
# Where there is no display or no microphone, the demo is shown as well. Environment: BLURT_DEMO_OUT, the folder for the
# demo's screenshot (default: artifacts/demo).
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck source=scripts/common.sh
. "$root/scripts/common.sh"

demo=
for argument in "$@"; do
  case $argument in
    --demo) demo=1 ;;
    -h | --help)
      sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p;}' "${BASH_SOURCE[0]}"
      exit 0
      ;;
    *)
      say "run.sh: unknown argument $argument (there is --demo)"
      exit 2
      ;;
  esac
done

has_display() { [ -n "${DISPLAY-}" ]; }
has_microphone() {
  local run=${XDG_RUNTIME_DIR:-/nonexistent}
  compgen -G '/dev/snd/pcmC*D*c' >/dev/null || [ -S "$run/pulse/native" ] || [ -S "$run/pipewire-0" ] || [ -n "${PULSE_SERVER-}" ]
}
has_key() { [ -n "${ASSEMBLYAI_API_KEY-}" ] || [ -s "${BLURT_CONFIG_DIR:-${XDG_CONFIG_HOME:-$HOME/.config}/blurt}/api-key" ]; }

need_swift
if [ -z "$demo" ] && ! has_display; then
  say "There is no display here (DISPLAY is not set), so this shows the demo instead."
  demo=1
elif [ -z "$demo" ] && ! has_microphone; then
  say "There is no microphone here, so this shows the demo instead."
  demo=1
fi

packages=("${build_packages[@]}")
# Any pip will do; Debian's is needed only where there is none.
python3 -m pip --version >/dev/null 2>&1 || packages+=("${fetch_packages[@]}")
[ -z "$demo" ] || packages+=("${demo_packages[@]}")
need_packages "Blurt" "${packages[@]}" || exit 1

say "Fetching the offline engine, unless it is there…"
if ! "$root/scripts/fetch-offline-engine.sh" >&2; then
  if [ -z "$demo" ] && has_key; then
    say "The offline engine could not be fetched; dictation works with the service, for which there is a key."
  elif [ -z "$demo" ]; then
    say "The offline engine could not be fetched and there is no API key: run blurtctl key set, or run this again with a network."
  else
    die "The demo needs the offline engine, which could not be fetched (the lines above say why)."
  fi
fi

say "Building (some minutes the first time)…"
build_release "$root" "$root/artifacts/build.log" blurtd blurtctl blurt-offline || exit 1

if [ -n "$demo" ]; then
  say "Showing a dictation…"
  export BLURT_BIN_DIR=$root/.build/release BLURT_DEMO_OUT=${BLURT_DEMO_OUT:-$root/artifacts/demo}
  exec /usr/bin/python3 "$root/Tests/Rig/scenario.py" --engine offline --drive key --json
fi
say "Hold right Ctrl, speak, let go. Ctrl+C here ends it; scripts/install.sh installs it for good."
exec "$root/.build/release/blurtd"
