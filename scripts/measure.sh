#!/usr/bin/env bash
# Measures Blurt on this machine and prints one table: each figure beside its floor, the least that any program could
# need for it, measured in the same run by a small C program (scripts/measure/).
#
#   scripts/measure.sh [--quick] [--json FILE] [--only ROW...]
#
#   --quick   10 s instead of 60 for what is measured over time, and fewer repetitions
#
# Needs the release programs (scripts/run.sh builds them). Rows that cannot be measured are named with the reason.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck source=scripts/common.sh
. "$root/scripts/common.sh"
need_packages "Measuring" "${build_packages[@]}" "${demo_packages[@]}" xclip gcc libc6-dev dbus at-spi2-core python3-pyqt5 \
  libglib2.0-bin || exit 1
floors=$root/.build/measure
mkdir -p "$floors"
for source in "$root"/scripts/measure/*.c; do
  name=$(basename "$source" .c)
  if [ "$source" -nt "$floors/$name" ]; then
    gcc -O2 -Wall -Wextra -o "$floors/$name" "$source" -lasound -lX11 -lXtst
  fi
done
# A user's runtime folder, and with it the spool, is memory.
[ ! -w /dev/shm ] || export TMPDIR=${TMPDIR:-/dev/shm}
export BLURT_BIN_DIR=${BLURT_BIN_DIR:-$root/.build/release} BLURT_MEASURE_FLOORS=$floors
exec /usr/bin/python3 "$root/scripts/measure/measure.py" "$@"
