#!/bin/sh
# Builds the ALSA fault plug-in, its sounds and its configuration, and prints the environment that selects them.
#
#   env $(Tests/Rig/alsa/build-rig.sh OUTDIR) swift test --skip-build --filter Capture
#
# Needs gcc, libasound2-dev, libasound2-plugins, sox and flite. OUTDIR may be used again.
set -eu

[ $# -eq 1 ] || { echo "usage: $0 OUTDIR" >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
out=$(cd "$1" && pwd)
case $out in *[\ \",\']*) echo "$0: no space, comma or quote may stand in $out" >&2; exit 2 ;; esac
for tool in gcc sox flite; do
  command -v "$tool" >/dev/null || { echo "$0: $tool is not installed" >&2; exit 69; }
done

plugin=$out/libasound_module_pcm_rig.so
gcc -shared -fPIC -DPIC -O2 -Wall -Wextra -o "$plugin.new" "$here/pcm_rig.c" -lasound
mv "$plugin.new" "$plugin"

# synth FILE RATE CHANNELS EFFECT…: raw S16LE made by sox, the same at every run
synth() {
  file=$1 rate=$2 channels=$3
  shift 3
  sox -D -R -n -r "$rate" -c "$channels" -b 16 -e signed-integer -t raw "$out/$file" "$@"
}

if [ "$(cat "$out/complete" 2>/dev/null)" != 2 ]; then
  # Speech over a noise floor of about −80 dBFS: a real microphone never delivers exact zeros.
  flite -voice rms -t "The quick brown fox jumps over the lazy dog, and nobody loses a single word." "$out/flite.wav"
  sox -D "$out/flite.wav" -r 16000 -c 1 "$out/clean.wav"
  sox -D -R -n -r 16000 -c 1 "$out/floor.wav" synth "$(soxi -D "$out/clean.wav")" whitenoise vol 0.0003
  sox -D -m "$out/clean.wav" "$out/floor.wav" -b 16 -e signed-integer -t raw "$out/speech16.raw"
  for rate in 16000 44100 48000 96000; do synth "tone$rate.raw" "$rate" 1 synth 4 sine 440 vol 0.5; done
  # Stereo: one whose right channel is the left one inverted, and one whose voice is on the right alone.
  synth inverted48000.raw 48000 2 synth 4 sine 440 vol 0.5 remix 1 1i
  synth right48000.raw 48000 2 synth 4 sine 440 vol 0.5 remix 0 1
  # Twenty seconds of noise that never repeats, so that a missing or doubled frame shows.
  synth noise16.raw 16000 1 synth 20 whitenoise vol 0.3
  # The same speech at each rate that a device may have, floating point, mono, and what 16 kHz can have of it.
  for rate in 8000 11025 16000 22050 24000 32000 44100 48000 88200 96000; do
    sox -D -t raw -r 16000 -c 1 -b 16 -e signed-integer "$out/speech16.raw" \
      -t raw -b 32 -e floating-point "$out/speech$rate.f32" rate -v "$rate"
    if [ "$rate" -lt 16000 ]; then
      sox -D -t raw -r "$rate" -c 1 -b 32 -e floating-point "$out/speech$rate.f32" \
        -t raw -b 16 -e signed-integer "$out/heard$rate.raw" rate -v 16000
    else
      cp "$out/speech16.raw" "$out/heard$rate.raw"
    fi
  done
  echo 2 >"$out/complete"
fi

cat >"$out/asound.conf" <<EOF
</usr/share/alsa/alsa.conf>
pcm_type.rig { lib "$plugin" }

# rig:FILE=…,CTL=…: a device made to order, for a test that needs its own
pcm.rig {
  @args [ FILE CTL LOG COUNT FAULT FAULTMS FORMAT RATE CHANNELS MIC PERIOD BUFFER START ZEROS OPENMS OPENERR STARTERR ]
  @args.FILE { type string default "$out/noise16.raw" }
  @args.CTL { type string default "" }
  @args.LOG { type string default "" }
  @args.COUNT { type string default "" }
  @args.FAULT { type string default "" }
  @args.FAULTMS { type integer default 0 }
  @args.FORMAT { type string default "s16" }
  @args.RATE { type integer default 16000 }
  @args.CHANNELS { type integer default 1 }
  @args.MIC { type integer default -1 }
  @args.PERIOD { type integer default 0 }
  @args.BUFFER { type integer default 0 }
  @args.START { type integer default 0 }
  @args.ZEROS { type integer default 0 }
  @args.OPENMS { type integer default 0 }
  @args.OPENERR { type integer default 0 }
  @args.STARTERR { type integer default 0 }
  type rig
  file \$FILE
  ctl \$CTL
  log \$LOG
  count \$COUNT
  fault \$FAULT
  fault_ms \$FAULTMS
  format \$FORMAT
  rate \$RATE
  channels \$CHANNELS
  mic \$MIC
  period_frames \$PERIOD
  buffer_frames \$BUFFER
  start_ms \$START
  zeros_ms \$ZEROS
  open_ms \$OPENMS
  open_errno \$OPENERR
  start_errno \$STARTERR
}

# The same faults under names, for a daemon started by hand; "$out/ctl" steers pcm.mic.
pcm.mic { type rig file "$out/speech16.raw" ctl "$out/ctl" }
pcm.busy { type rig open_errno 16 }
pcm.denied { type rig open_errno 13 }
pcm.zeros { type rig }
pcm.slow { type rig file "$out/speech16.raw" start_ms 1500 }
pcm.lazy { type rig file "$out/speech16.raw" zeros_ms 700 }
pcm.xrun { type rig file "$out/speech16.raw" fault xrun fault_ms 500 }
pcm.unplug { type rig file "$out/speech16.raw" fault unplug fault_ms 500 }
pcm.freeze { type rig file "$out/speech16.raw" fault freeze fault_ms 500 }
pcm.only48 { type rig file "$out/tone48000.raw" rate 48000 }
pcm.stereo48 { type rig file "$out/inverted48000.raw" rate 48000 channels 2 }
pcm.!default { type plug slave.pcm mic }
EOF

echo "ALSA_CONFIG_PATH=$out/asound.conf"
echo "BLURT_TEST_ALSA_RIG=$out"
