#!/bin/sh
# Fetches PipeWire's own ALSA plug-in and prints the folder that holds it, for BLURT_PIPEWIRE_ALSA.
#
#   BLURT_PIPEWIRE_ALSA=$(Tests/Rig/pipewire-alsa.sh OUTDIR) Tests/Rig/with_sound.py --server pipewire swift test …
#
# The package that has it, pipewire-alsa, cannot be installed beside pulseaudio, which other rigs need: it is unpacked
# instead. OUTDIR may be used again. Status 69 where it cannot be had.
set -eu

[ $# -eq 1 ] || { echo "usage: $0 OUTDIR" >&2; exit 2; }
mkdir -p "$1"
out=$(cd "$1" && pwd)
find_it() { find "$out" /usr/lib -path '*/alsa-lib/libasound_module_pcm_pipewire.so' 2>/dev/null | head -n 1; }

if [ -z "$(find_it)" ]; then
  for tool in apt-get dpkg; do
    command -v "$tool" >/dev/null || { echo "$0: there is no $tool" >&2; exit 69; }
  done
  (cd "$out" && apt-get download -q pipewire-alsa >&2) || { echo "$0: pipewire-alsa cannot be downloaded" >&2; exit 69; }
  dpkg -x "$out"/pipewire-alsa_*.deb "$out"
fi
found=$(find_it)
[ -n "$found" ] || { echo "$0: the package has no plug-in" >&2; exit 69; }
dirname "$found"
