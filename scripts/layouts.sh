#!/usr/bin/env bash
# Prints the table of keyboard layouts in DESIGN.md: what is pressed on each, as seen by a window of the rig.
#
#   scripts/layouts.sh            prints it
#   scripts/layouts.sh --write    puts it into DESIGN.md as well, between its two marks
#
# Each row is a test that passed: the text arrived in an editor and in a terminal, with no lock and with Caps Lock and Num
# Lock on; the active group, the locks and the lights were as before; no key was down; no key was given another meaning.
# The tests must have been built (swift build --build-tests).
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
folder=$(mktemp -d "${TMPDIR:-/tmp}/blurt-layouts.XXXXXX")
trap 'rm -rf "$folder"' EXIT
cd "$root"
if ! BLURT_TEST_LAYOUT_TABLE=$folder/rows Tests/Rig/with-x11.sh \
  swift test --skip-build --disable-xctest --no-parallel --filter LayoutTests >"$folder/log" 2>&1; then
  tail -n 20 "$folder/log" >&2
  exit 1
fi
[ -s "$folder/rows" ] || { echo "layouts.sh: no test has written a row" >&2; exit 1; }
{
  echo '| layout | group | editor | terminal | with Caps Lock and Num Lock | keycodes | text, group, locks, lights |'
  echo '| --- | --- | --- | --- | --- | --- | --- |'
  sort -u "$folder/rows" | while IFS='|' read -r layout group editor terminal locked keycode; do
    echo "| \`$layout\` | $group | $editor | $terminal | $locked | $keycode | as they should be |"
  done
} >"$folder/table"
cat "$folder/table"
if [ "${1:-}" = --write ]; then
  awk -v table="$folder/table" '
    /<!-- layouts: end -->/ { skip = 0 }
    !skip { print }
    /<!-- layouts: begin/ { skip = 1; while ((getline line < table) > 0) print line }
  ' DESIGN.md >"$folder/design"
  cat "$folder/design" >DESIGN.md
fi
