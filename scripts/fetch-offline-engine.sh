#!/bin/sh
# Fetches the offline engine: the speech library libmoonshine, its runtime and its English model, all out of one wheel
# from PyPI (MIT), checked against the pin below.
#
#   scripts/fetch-offline-engine.sh [FOLDER]      into FOLDER, else ${XDG_DATA_HOME:-~/.local/share}/blurt/offline
#   scripts/fetch-offline-engine.sh --print-dir   only say which folder that is
#
# Does nothing where the pinned engine is already in place. Needs python3 with pip; nothing is installed into Python.
set -eu

package=moonshine-voice
version=0.1.0
# Later releases hold no model. SHA-256 of the two wheels of this one:
x86_64_hash=0f833deb43bad5dcfb4cfd3257b6df83ef9abd3f27be3199622fe41932e8d916
aarch64_hash=da54a99587edb987c8755f2c746cab72fada0e67cf847f7edfb8105447f405af
# The oldest glibc the wheel runs on.
glibc=2.34

fail() {
  echo "fetch-offline-engine: $1" >&2
  exit 1
}

case ${1-} in
  --help | -h)
    sed -n '2,/^set /{/^#/s/^# \{0,1\}//p}' "$0"
    exit 0
    ;;
  --print-dir | '') destination= ;;
  -*) fail "$1 is not an option; see --help." ;;
  *) destination=$1 ;;
esac
if [ -z "$destination" ]; then
  case ${XDG_DATA_HOME-} in
    /*) destination=$XDG_DATA_HOME/blurt/offline ;;
    *) destination=${HOME:?is not set; give a folder as argument}/.local/share/blurt/offline ;;
  esac
fi
if [ "${1-}" = --print-dir ]; then
  echo "$destination"
  exit 0
fi

machine=$(uname -m)
case $machine in
  x86_64) hash=$x86_64_hash ;;
  aarch64) hash=$aarch64_hash ;;
  *) fail "there is no offline engine for $machine, only for x86_64 and aarch64; choose another engine." ;;
esac

# Written last into the folder, so that it stands for the whole.
stamp=$destination/wheel.sha256
if [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$hash" ] && [ -f "$destination/moonshine_voice/libmoonshine.so" ]; then
  echo "The offline engine is already in $destination."
  exit 0
fi
if [ -e "$destination" ] && [ ! -f "$stamp" ] && [ -n "$(ls -A "$destination" 2>/dev/null)" ]; then
  fail "$destination holds something else; move it away or give another folder."
fi

for tool in sha256sum python3; do
  command -v "$tool" >/dev/null || fail "$tool is missing; install it (apt-get install coreutils python3 python3-pip)."
done
# Any pip will do: it only downloads. A pip that belongs to another Python is as good.
if python3 -m pip --version >/dev/null 2>&1; then
  pip() { python3 -m pip "$@"; }
elif command -v pip3 >/dev/null && pip3 --version >/dev/null 2>&1; then
  pip() { pip3 "$@"; }
elif command -v pip >/dev/null && command pip --version >/dev/null 2>&1; then
  pip() { command pip "$@"; }
else
  fail "python3 has no pip; install it (apt-get install python3-pip) and run this again."
fi

mkdir -p "$(dirname "$destination")" || fail "$(dirname "$destination") cannot be made; give another folder as argument."
# Beside the destination, so that the last step is a rename on one file system.
work=$(mktemp -d "$(dirname "$destination")/.offline-XXXXXX") || fail "$(dirname "$destination") cannot be written."
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

echo "Fetching $package $version (about 56 MB) …"
pip download --quiet --disable-pip-version-check --no-deps --only-binary :all: \
  --platform "manylinux_$(echo $glibc | tr . _)_$machine" --dest "$work" "$package==$version" ||
  fail "pip could not fetch $package $version; check the network and try again."
wheel=$(find "$work" -name '*.whl')
[ -n "$wheel" ] || fail "pip fetched nothing for $machine."
echo "$hash  $wheel" | sha256sum --check --status ||
  fail "the wheel is not the pinned one (SHA-256 differs); nothing was installed."

# Four things out of the wheel: library, runtime, model, licence, with their places relative to each other.
python3 - "$wheel" "$work/engine" <<'PYTHON' || fail "the wheel cannot be unpacked into $work (is there room for 109 MB?)."
import os, sys, zipfile

wheel, target = sys.argv[1:]
wanted = ("moonshine_voice/libmoonshine.so", "moonshine_voice/assets/tiny-en/", "moonshine_voice.libs/")
with zipfile.ZipFile(wheel) as archive:
    for entry in archive.infolist():
        if entry.is_dir():
            continue
        if entry.filename.startswith(wanted):
            archive.extract(entry, target)
        elif entry.filename.endswith("/licenses/LICENSE"):
            os.makedirs(target, exist_ok=True)
            with open(os.path.join(target, "LICENSE"), "wb") as licence:
                licence.write(archive.read(entry))
PYTHON
for file in LICENSE moonshine_voice/libmoonshine.so moonshine_voice/assets/tiny-en/encoder_model.ort \
  moonshine_voice/assets/tiny-en/decoder_model_merged.ort moonshine_voice/assets/tiny-en/tokenizer.bin; do
  [ -s "$work/engine/$file" ] || fail "the wheel lacks $file."
done
echo "$hash" >"$work/engine/wheel.sha256"
chmod -R u=rwX,go=rX "$work/engine"

# A folder cannot replace one that is not empty: the old one steps aside for the moment of the rename.
if [ -e "$destination" ]; then mv "$destination" "$work/old"; fi
mv "$work/engine" "$destination" || {
  [ ! -e "$work/old" ] || mv "$work/old" "$destination"
  fail "$destination cannot be written."
}
echo "The offline engine is in $destination."
