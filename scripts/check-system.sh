#!/usr/bin/env bash
# Runs the scenarios of Tests/System/ in a virtual machine, all in one boot: a kernel with uinput and a sound card, udev,
# logind, Xorg, and the shipped units under a user's own service manager.
#
#   scripts/check-system.sh [--out DIR] [SCENARIO...]
#
# SCENARIO is a file's name without .sh (default: all). Needs the release programs (or BLURT_BIN_DIR) and, the first time,
# root to build the guest. Status 77 where no virtual machine can be had, with the reason as the last line.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
out=$root/artifacts/system
if [ "${1-}" = --out ]; then
  out=$2
  shift 2
fi
skip() {
  echo "$*"
  exit 77
}

[ "$(uname -m)" = x86_64 ] || skip "the virtual machine is for x86-64 only"
command -v dpkg >/dev/null || skip "the virtual machine is built from Debian packages, and this is not Debian"
bin=${BLURT_BIN_DIR:-$root/.build/release}
for program in blurtd blurtctl; do
  [ -x "$bin/$program" ] || { echo "$program is not built for release in $bin"; exit 1; }
done

vm=$root/Tests/System/vm
image=$(bash "$vm/build-image.sh" --print-dir)
if [ ! -e "$image/complete" ] || ! command -v qemu-system-x86_64 >/dev/null; then
  [ "$(id -u)" = 0 ] || skip "the virtual machine is not built yet, which needs root: sudo Tests/System/vm/build-image.sh --install-deps"
  bash "$vm/build-image.sh" --install-deps || skip "the virtual machine could not be built (the lines above say why)"
fi

mkdir -p "$out"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# The guest has no voice of its own, and no time for one.
/usr/bin/python3 - "$root/Tests/Rig" "$work/speech.wav" <<'P'
import shutil, sys
sys.path.insert(0, sys.argv[1])
import rig
with rig.Rig() as r:
    shutil.copy(r.speech(), sys.argv[2])
P
# The guest's user reads it.
chmod 755 "$work"
chmod 644 "$work/speech.wav"
mkdir "$work/bin"
for program in blurtd blurtctl blurt-offline; do
  [ ! -e "$bin/$program" ] || cp -L "$bin/$program" "$work/bin/"
done

status=0
bash "$vm/run-in-vm.sh" --verbose --timeout 1200 --boot-timeout 300 --out "$out" --journal --console "$out/console.log" \
  --share "$root/Tests:tests" --share "$root/systemd:systemd" --share "$root/scripts:scripts" --share "$root/Sources:sources" \
  --share "$work/bin:bin" --share "$work:speech" \
  "$root/Tests/System/guest/run-all.sh" "$@" || status=$?
if [ "$status" = 125 ] && ! grep -q . "$out/console.log" 2>/dev/null; then
  skip "the virtual machine does not start here"
fi
exit "$status"
