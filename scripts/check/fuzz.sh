#!/usr/bin/env bash
# Feeds the readers of the control protocol (LineFramer, JSONReader, MessageCoder) with inputs that libFuzzer makes of
# Tests/Fuzz/corpus, under the address sanitizer. The number of inputs and the seed are fixed, so a run says the same each time.
#
#   scripts/check/fuzz.sh [--runs N] [--seed N] [--seconds N]   status 1 if an input stopped the target; 77 without libFuzzer
#   scripts/check/fuzz.sh FILE ...                              only these inputs, as a crash leaves them
#
# The target, what it learned, and inputs that stopped it are in $BLURT_FUZZ_OUT, else in artifacts/fuzz/.
set -uo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=${BLURT_CHECK_ROOT:-$(dirname "$(dirname "$here")")}
out=${BLURT_FUZZ_OUT:-$root/artifacts/fuzz}
runs=150000 seed=1 seconds=0 files=()
while [ $# -gt 0 ]; do
  case $1 in
    --runs | --seed | --seconds)
      [ $# -gt 1 ] || { echo "fuzz.sh: $1 needs a number" >&2; exit 2; }
      declare "${1#--}=$2"
      shift
      ;;
    -h | --help) sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p;}' "${BASH_SOURCE[0]}"; exit ;;
    -*) echo "fuzz.sh: unknown argument $1 (--help lists them)" >&2; exit 2 ;;
    *) files+=("$1") ;;
  esac
  shift
done
# The runtime's own printer of crashes hangs under this sanitizer.
export SWIFT_BACKTRACE=enable=no

mkdir -p "$out/found" "$out/large"
target=$out/message-fuzzer
sources=("$root"/Sources/BlurtContract/*.swift "$root/Tests/Fuzz/MessageFuzzer.swift")
flags=(-O -g -parse-as-library -swift-version 6 -package-name blurt -module-name MessageFuzzer
  -enable-upcoming-feature ExistentialAny -enable-upcoming-feature InternalImportsByDefault
  -enable-upcoming-feature MemberImportVisibility -warnings-as-errors)

if [ ! -x "$target" ] || [ -n "$(find "${sources[@]}" -newer "$target" -print -quit)" ]; then
  rm -f "$target"
  swiftc "${flags[@]}" -sanitize=fuzzer,address "${sources[@]}" -o "$target" >"$out/build.log" 2>&1 || {
    cat "$out/build.log"
    # A toolchain without the library says so when it links.
    if grep -qE "libclang_rt\.fuzzer|unsupported.*sanitize|not available" "$out/build.log"; then
      echo "this Swift toolchain has no libFuzzer"
      exit 77
    fi
    exit 1
  }
fi

stopped() {
  local file
  for file in "$out"/found/*; do
    [ -f "$file" ] || continue
    printf '\nAn input stopped the target (%s bytes): %s\n' "$(stat -c %s "$file")" "$file"
    head -c 600 "$file" | cat -v
    printf '\nTo see it again: scripts/check/fuzz.sh %s\n' "$file"
  done
  exit 1
}

if [ ${#files[@]} -gt 0 ]; then
  "$target" -timeout=10 "${files[@]}"
  exit
fi

# Lines at the cap are made here: stored, they would be 64 KiB of nothing each.
line() { # length, start, filler, end
  printf '%s' "$2"
  head -c $(($1 - ${#2} - ${#4})) /dev/zero | tr '\0' "$3"
  printf '%s\n' "$4"
}
for length in 65535 65536 65537; do
  line $length '{"id":"1","cmd":"press","client":"' x '"}' >"$out/large/press-$length"
  line $length '' x '' >"$out/large/filler-$length"
  line $length '' '[' '' >"$out/large/brackets-$length"
  line $length '' 9 '' >"$out/large/digits-$length"
  line $length '"' '\\' '"' >"$out/large/backslashes-$length"
done
head -c 200000 /dev/zero >"$out/large/zeroes"
head -c 60000 /dev/zero | tr '\0' '\n' >"$out/large/newlines"

rm -f "$out"/found/*
common=(-timeout=10 -rss_limit_mb=2048 -artifact_prefix="$out/found/")
"$target" "${common[@]}" "$out"/large/* >"$out/large.log" 2>&1 || {
  tail -n 40 "$out/large.log"
  stopped
}
rm -rf "$out/corpus"
cp -r "$root/Tests/Fuzz/corpus" "$out/corpus"
limit=()
[ "$seconds" = 0 ] || limit=(-max_total_time="$seconds")
"$target" "${common[@]}" -seed="$seed" -runs="$runs" ${limit[@]+"${limit[@]}"} -max_len=4096 -print_final_stats=1 \
  -dict="$root/Tests/Fuzz/protocol.dict" "$out/corpus" >"$out/fuzz.log" 2>&1 || {
  grep -avE '^#[0-9]+' "$out/fuzz.log" | tail -n 40
  stopped
}
grep -aE '^#[0-9]+.*DONE|^Done|stat::(number_of_executed_units|average_exec_per_sec|peak_rss_mb)' "$out/fuzz.log"
