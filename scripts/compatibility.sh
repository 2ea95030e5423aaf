#!/usr/bin/env bash
# Dictates into real programs under many keyboard layouts and two window managers, and writes the table of outcomes into
# DESIGN.md. Installs the programs (several hundred megabytes); the screenshots are in artifacts/programs/.
#
#   scripts/compatibility.sh [ARGUMENT ...]    arguments go to Tests/Rig/programs.py (--help lists them)
#
# With arguments the table is printed only. The programs under test are those of BLURT_BIN_DIR, else the newest build.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(dirname "$here")
# shellcheck source=scripts/common.sh
. "$here/common.sh"

case ${1-} in
  -h | --help) exec /usr/bin/python3 "$root/Tests/Rig/programs.py" --help ;;
esac
read -ra packages < <(/usr/bin/python3 "$root/Tests/Rig/programs.py" --packages)
need_packages "The table of programs" "${demo_packages[@]}" gcc libc6-dev libasound2-dev libasound2-plugins sox dbus \
  x11-xserver-utils icewm "${packages[@]}"
[ $# -gt 0 ] || set -- --design "$root/DESIGN.md"
exec /usr/bin/python3 "$root/Tests/Rig/programs.py" "$@"
