#!/usr/bin/env bash
# Checks everything: format, build, tests with their rigs, sanitizers, coverage, invariants, linkage, units, man pages,
# shell, whole dictations, and a virtual machine. Runs every step, also after one failed, then prints one table and
# `N passed, N failed, N skipped`, in which each Swift test counts once, and each other step once.
#
#   scripts/check.sh                  everything; status 1 if anything failed
#   scripts/check.sh --list           the steps
#   scripts/check.sh --only STEP ...  these steps (they may need what an earlier one builds)
#   scripts/check.sh --self-test [full]   breaks one thing for each step and expects the step to notice;
#                                     with full also what takes minutes
#
# Installs the packages that the tests need (as root or with sudo). Logs are in artifacts/check/.
set -uo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=${BLURT_CHECK_ROOT:-$(dirname "$here")}
out=${BLURT_CHECK_OUT:-$root/artifacts/check}
# shellcheck source=scripts/common.sh
. "$here/common.sh"
tally=$here/check/tally.py
# A rig waits for conditions; only what never happens takes that long. A machine that others use as well is slow at times.
export BLURT_RIG_PATIENCE=${BLURT_RIG_PATIENCE:-3}

# name|limit in seconds|what it checks
steps='
packages|900|what the tests need is installed
format|120|swift format finds nothing to change
build|1500|everything builds, no import is undeclared, no warning
unit|600|all Swift tests without special rigs
executor|600|the tests of session, daemon and socket on the executor of the daemon
coverage|120|lines of BlurtEngine covered by them: at least 90 %
evdev|300|hotkey tests, with keyboards of umockdev
alsa|300|capture tests, with an ALSA plugin that has faults
microphone|300|capture tests, with the microphones of PulseAudio: restarted, muted, changed, gone
pipewire|300|the same with PipeWire, through the ALSA plugin of PulseAudio and through its own
x11|300|injection tests, with Xvfb and a window manager
engine|900|the offline engine can be fetched
offline|600|offline tests, with the real engine and model
thread|1500|all Swift tests under the thread sanitizer
address|1500|all Swift tests under the address sanitizer
invariants|60|rules that a program can check in the sources
release|1200|the programs build for release with the Swift runtime inside
linkage|60|the programs link what they may, and no more
units|60|systemd finds no fault in the units
man|60|mandoc finds no fault in the man pages
shell|120|shellcheck finds no fault in the scripts
evaluation|60|the arithmetic of scripts/evaluate.sh
protocol|120|schemas and transcripts hold by a validator that is not ours
fuzz|900|nothing that libFuzzer makes of the corpus stops the readers of the protocol
install|120|install.sh places and removes everything
demo|300|a whole dictation, offline engine, evdev key
service|300|a whole dictation through the service, over HTTP
service-tls|300|the same over HTTPS
hold|300|a whole dictation by `blurtctl hold`
example|300|a whole dictation by the example client of the protocol
cues|300|the cues sound as they are told, stay out of the transcript, and no faulty output delays anything
wayland|120|whole dictations into real Wayland windows, under sway without a screen
media|120|media players are paused by the real playerctl, and exactly those play on
context|240|the text before the caret, from GTK and Qt programs to the request; passwords; a program that hangs
load|300|a thousand watchers, ten thousand connections, a stopped subscriber
secrecy|300|no key but the trigger is named in any log, event or status
display|300|the display comes late, dies and comes back, and dictations paste
bad-input|600|each fault gives one sentence, and no spoken word is lost
engines|600|keys from the refusal to the dictation, a real keyring, a server and a program as engines
programs|300|dictations into GTK, Tk and xterm under two layouts, read back from the programs
kill|600|the daemon is killed 20 times in every phase, and no spoken word is lost
system|1200|keyboards of the kernel, permissions and dictations in a virtual machine, under systemd
'
# These run on real time: sound, sockets, keyboards, a virtual machine. One that fails is run once more, since a machine that
# stood still for a moment is no fault of ours; the table says so, and what the first run said is printed all the same.
again_steps=' unit executor evdev alsa microphone x11 offline thread address demo service service-tls hold example cues media
load secrecy bad-input engines kill system wayland context programs display pipewire '
# These report Swift tests; each of those counts once.
swift_steps=' unit executor evdev alsa microphone pipewire x11 offline '

step_names() { printf '%s' "$steps" | sed '/^$/d;s/|.*//'; }
field() { printf '%s' "$steps" | grep "^$1|" | cut -d'|' -f"$2"; }
skip() { # the reason; leaves the step
  echo "$*"
  exit 77
}

# --- the rigs ------------------------------------------------------------------------------------

# Environments of the rigs for a test process, as an array `rig`.
with_alsa() {
  local line
  while IFS= read -r line; do
    line=${line#export }
    case $line in [A-Z]*=*) rig+=("$line") ;; esac
  done < <("$root/Tests/Rig/alsa/build-rig.sh" "$out/alsa-rig")
}
swift_test() { # name of the event stream, then arguments of swift test
  local stream=$out/$1.events.jsonl
  shift
  rm -f "$stream"
  cd "$root" || exit 1
  # An instrumented program writes its profile somewhere; only `unit` wants it. One test after the other: many of them block
  # a thread of the shared pool on a real socket or process, and there are only as many as cores.
  env LLVM_PROFILE_FILE="${LLVM_PROFILE_FILE:-/dev/null}" ${rig[@]+"${rig[@]}"} \
    ${runner[@]+"${runner[@]}"} swift test --skip-build --no-parallel --event-stream-output-path "$stream" "$@" </dev/null
}
rig=() runner=()

step_packages() { need_packages "Checking Blurt" "${build_packages[@]}" "${fetch_packages[@]}" "${demo_packages[@]}" "${check_packages[@]}"; }

step_format() { cd "$root" && swift format lint -r --strict Sources Tests Package.swift; }

step_build() {
  cd "$root" && swift build --build-tests --enable-code-coverage --explicit-target-dependency-import-check error
}

step_unit() {
  cd "$root" || exit 1
  rm -rf "$out/unit.events.jsonl" .build/debug/codecov
  swift test --skip-build --no-parallel --enable-code-coverage --event-stream-output-path "$out/unit.events.jsonl" </dev/null
}

# The others run on Dispatch's pool, as in a program that embeds the engine.
step_executor() {
  rig=(BLURT_TEST_EXECUTOR=own)
  swift_test executor --disable-xctest --filter 'BlurtExecutorTests|BlurtEngineTests|BlurtDaemonTests|BlurtIPCTests|BlurtHTTPTests|BlurtOSTests'
}

step_coverage() {
  cd "$root" || exit 1
  local profile tools
  # Other versions of these, as Debian's, do not read this toolchain's profiles.
  tools=$(dirname "$(readlink -f "$(command -v swift)")")
  profile=$out/unit.profdata
  # Merged here, since `swift test` does not where a test failed.
  "$tools/llvm-profdata" merge -sparse .build/debug/codecov/*.profraw -o "$profile" || exit 1
  "$tools/llvm-cov" export -summary-only -instr-profile "$profile" .build/debug/blurtPackageTests.xctest >"$out/coverage.json" || exit 1
  python3 "$tally" coverage "$out/coverage.json" BlurtEngine 90
}

step_evdev() {
  runner=(umockdev-wrapper)
  swift_test evdev --disable-xctest --filter BlurtHotkeyTests
}

step_alsa() {
  with_alsa
  [ ${#rig[@]} -gt 0 ] || { echo "Tests/Rig/alsa/build-rig.sh built no rig"; exit 1; }
  swift_test alsa --disable-xctest --filter BlurtCaptureTests
}

step_microphone() {
  runner=(/usr/bin/python3 "$root/Tests/Rig/with_sound.py")
  swift_test microphone --disable-xctest --filter "DefaultDeviceTests|SoundServerTests|PulseStreamTests"
}

step_pipewire() {
  # Where the plugin cannot be had, its own suite is skipped by name.
  rig=("BLURT_PIPEWIRE_ALSA=$("$root/Tests/Rig/pipewire-alsa.sh" "$out/pipewire-alsa")")
  runner=(/usr/bin/python3 "$root/Tests/Rig/with_sound.py" --server pipewire)
  swift_test pipewire --disable-xctest --filter "DefaultDeviceTests|SoundServerTests|PipeWirePluginTests|PulseStreamTests"
}

step_x11() {
  rig=(BLURT_TEST_X11=1)
  runner=("$root/Tests/Rig/with-x11.sh")
  swift_test x11 --disable-xctest --filter BlurtInjectionTests
}

step_engine() { "$root/scripts/fetch-offline-engine.sh"; }

step_offline() {
  offline_rig
  swift_test offline --disable-xctest --filter BlurtOfflineTests
}
offline_rig() {
  local folder=${BLURT_OFFLINE_DIR:-${XDG_DATA_HOME:-$HOME/.local/share}/blurt/offline}
  [ -d "$folder" ] || skip "the offline engine could not be fetched (step 'engine')"
  rig+=("BLURT_OFFLINE_DIR=$folder")
}

# Every test with every rig at once, built anew with a sanitizer.
sanitized() { # kind
  local scratch=$root/.build-$1
  cd "$root" || exit 1
  swift build --build-tests --sanitize "$1" --scratch-path "$scratch" || exit 1
  with_alsa
  rig+=(BLURT_TEST_X11=1 BLURT_TEST_SLOW=1 SWIFT_BACKTRACE=enable=no
    "TSAN_OPTIONS=halt_on_error=0 suppressions=$root/Tests/thread-sanitizer.supp"
    "LSAN_OPTIONS=print_suppressions=0 suppressions=$root/Tests/leak-sanitizer.supp")
  local status=0
  runner=("$root/Tests/Rig/with-x11.sh")
  swift_test "$1" --disable-xctest --sanitize "$1" --scratch-path "$scratch" --skip BlurtHotkeyTests || status=1
  # A test bed of umockdev serialises every open of the process and keeps sockets: for those tests alone that need one.
  runner=(umockdev-wrapper)
  swift_test "$1-hotkey" --disable-xctest --sanitize "$1" --scratch-path "$scratch" --filter BlurtHotkeyTests || status=1
  return $status
}
step_thread() { sanitized thread; }
step_address() { sanitized address; }

# --- what can be read off the sources ------------------------------------------------------------

# Each line that is found is a fault; each invariant is one of DESIGN.md's decisions.
step_invariants() {
  cd "$root" || exit 1
  local faults=0 files
  fault() {
    faults=1
    echo "$1:"
    sed 's/^/  /'
  }
  found() { # sentence, then a command that prints faults
    local sentence=$1 lines
    shift
    lines=$("$@" 2>/dev/null)
    [ -z "$lines" ] || fault "$sentence" <<<"$lines"
  }
  # All of it would come with it: 40 MB of ICU and several milliseconds at each start of blurtctl.
  found "imports Foundation (FoundationEssentials is enough)" \
    grep -rnE '^[[:space:]]*(@[a-zA-Z_]+[[:space:]]+)*((public|package|internal|private|fileprivate)[[:space:]]+)?import ([a-z]+ )?Foundation([[:space:]]|\.|$)' --include='*.swift' Sources
  # The engine is pure: another host embeds it.
  found "BlurtEngine or AssemblyAI imports something outside" grep -rnE --include='*.swift' \
    'import ([a-z]+ )?(Glibc|Musl|Dispatch|C[A-Z][A-Za-z0-9]*|Blurt(OS|Bus|Capture|Context|Cues|Executor|Hotkey|Injection|HTTP|IPC|Daemon|Offline|Seat|Contract|Wayland))\b' \
    Sources/BlurtEngine Sources/AssemblyAI
  # The runtime's own sleep goes to Dispatch, whose pool then wakes once a second for ever.
  found "sleeps without a clock that was given, or TaskClock" \
    grep -rnE 'Task\.sleep|(Continuous|Suspending)Clock\(\)\.sleep' --include='*.swift' Sources
  found "the daemon's own parts sleep by TaskClock where no clock is given" \
    grep -rnE '= (Continuous|Suspending)Clock\(\)' --include='*.swift' Sources/BlurtDaemon
  # A listener must never be able to disable a keyboard.
  found "takes a device for itself" bash -c \
    "grep -rnE 'EVIOCGRAB|libevdev_grab' --include='*.swift' --include='*.h' Sources | grep -vE '^[^:]+:[0-9]+:[[:space:]]*(///?|\\*|/\\*)'"
  # B-91: a portal asks for permission, again at each start.
  found "asks a desktop portal" grep -rn 'freedesktop\.portal' --include='*.swift' --include='*.h' Sources
  # One keyboard of ours, for compositors that take keys from no program; the hotkey has none.
  found "makes an input device outside BlurtWayland" bash -c \
    "grep -rn uinput --include='*.swift' --include='*.h' Sources | grep -vE '^Sources/(BlurtWayland/|CEvdev/shim.h)|^[^:]+:[0-9]+:[[:space:]]*(///?|\\*|/\\*)'"
  found "adds an entry at the top" bash -c \
    '{ git ls-files 2>/dev/null || find . -type f -not -path "./.build*" -not -path "./artifacts/*" | sed "s#^\./##"; } | cut -d/ -f1 | sort -u |
     grep -vxE "Package\.swift|Package\.resolved|Sources|Tests|systemd|protocol|scripts|README\.md|DESIGN\.md|\..*"'
  # The project stands alone. (The pattern is in pieces, so that this line is not one.)
  local machine='\.\./sh''ared|/wo''rk/main|/tmp/w''t/'
  files=$(git ls-files 2>/dev/null || find Sources Tests systemd protocol scripts -type f)
  # shellcheck disable=SC2086
  found "names a path of one machine" grep -nE "$machine" $files
  [ $faults = 0 ] && echo "no invariant is broken"
  return $faults
}

step_release() { build_release "$root" "$out/release-build.log" blurtd blurtctl blurt-offline; }

step_linkage() {
  cd "$root" || exit 1
  local bin=.build/release status=0 program names
  needed() { ldd "$bin/$1" | sed 's/^[[:space:]]*//;s/ .*//'; }
  for program in blurtd blurtctl blurt-offline; do
    [ -x "$bin/$program" ] || { echo "$program is not built"; exit 1; }
    names=$(needed "$program")
    printf '%s: %s\n' "$program" "$(tr '\n' ' ' <<<"$names")"
    if grep -E '^libswift|^lib_?Foundation|not found' <<<"$names"; then
      echo "$program: an installed program must not need a Swift toolchain"
      status=1
    fi
  done
  if needed blurtd | grep -F libsystemd; then
    echo "blurtd: libsystemd is loaded at run time, where there is one"
    status=1
  fi
  if needed blurtctl | grep -E '^lib(X|asound|evdev|curl)'; then
    echo "blurtctl: a client needs none of the daemon's libraries"
    status=1
  fi
  return $status
}

step_units() {
  command -v systemd-analyze >/dev/null || skip "systemd-analyze is not installed"
  local work said unit
  work=$(mktemp -d)
  for unit in "$root"/systemd/*.service "$root"/systemd/*.socket; do
    # The program is not installed here; everything else is checked as it is.
    sed 's#^\(Exec[A-Za-z]*=\)/usr/bin/[a-z-]*#\1/bin/true#' "$unit" >"$work/$(basename "$unit")"
  done
  mkdir -m 700 "$work/run"
  # It exits 0 on an unknown key: any output is a fault. Man pages are not installed either.
  said=$(XDG_RUNTIME_DIR=$work/run SYSTEMD_UNIT_PATH=$work: systemd-analyze verify --user --man=no "$work"/*.service "$work"/*.socket 2>&1)
  rm -rf "$work"
  [ -z "$said" ] || { echo "$said"; exit 1; }
  echo "no complaint"
}

step_man() {
  command -v mandoc >/dev/null || skip "mandoc is not installed"
  cd "$root" || exit 1
  local said
  said=$(mandoc -Tlint -W warning Sources/*/*.1 2>&1)
  [ -z "$said" ] || { echo "$said"; exit 1; }
  echo "no complaint"
}

step_shell() {
  command -v shellcheck >/dev/null || skip "shellcheck is not installed"
  cd "$root" || exit 1
  local scripts=()
  mapfile -t scripts < <({ git ls-files 2>/dev/null || find . -type f -not -path './.build*' -not -path './artifacts/*'; } | while IFS= read -r file; do
    case $file in
      *.sh | .ci/run) echo "$file" ;;
      *.swift | *.md | *.json | *.wav | *.py) ;;
      *) head -c 64 "$file" 2>/dev/null | head -n 1 | grep -aqE '^#!.*\b(ba|da)?sh\b' && echo "$file" ;;
    esac
  done)

  shellcheck -x -S warning "${scripts[@]}" && echo "${#scripts[@]} scripts"
}

step_evaluation() { /usr/bin/python3 -B "$root/scripts/evaluate/test_scoring.py"; }

step_protocol() {
  # The distribution's package is for its own Python.
  local python=/usr/bin/python3
  "$python" -c "import jsonschema" 2>/dev/null || python=python3
  "$python" "$here/check/protocol.py" "$root"
}

step_fuzz() { BLURT_CHECK_ROOT=$root BLURT_FUZZ_OUT=$out/fuzz "$here/check/fuzz.sh"; }

step_install() {
  local stage=$out/stage
  rm -rf "$stage"
  DESTDIR=$stage PREFIX=/usr "$root/scripts/install.sh" || exit 1
  (cd "$stage" && find . -type f | sort)
  local file
  for file in usr/bin/blurtd usr/bin/blurtctl usr/lib/systemd/user/blurtd.service usr/lib/systemd/user/blurtd.socket \
    usr/lib/udev/rules.d/70-blurt-uaccess.rules usr/share/man/man1/blurtd.1 usr/share/man/man1/blurtctl.1 \
    usr/share/bash-completion/completions/blurtctl usr/share/zsh/site-functions/_blurtctl \
    usr/share/fish/vendor_completions.d/blurtctl.fish; do
    [ -s "$stage/$file" ] || { echo "not installed: $file"; exit 1; }
  done
  "$stage/usr/bin/blurtctl" version || exit 1
  DESTDIR=$stage PREFIX=/usr "$root/scripts/install.sh" --uninstall || exit 1
  [ -z "$(find "$stage" -type f)" ] || { echo "left behind:"; find "$stage" -type f; exit 1; }
}

# --- whole dictations ----------------------------------------------------------------------------

scenario() {
  export BLURT_BIN_DIR=$root/.build/release
  /usr/bin/python3 "$root/Tests/Rig/scenario.py" --json --out "$out/$1" "${@:2}"
}
step_demo() { scenario demo --engine offline; }
step_service() { scenario service --engine service; }
step_service-tls() { scenario service-tls --engine service-tls; }
step_hold() { scenario hold --engine service --drive hold; }
step_cues() { offline_rig; /usr/bin/python3 "$root/Tests/Rig/cues.py"; }
step_wayland() {
  export BLURT_BIN_DIR=$root/.build/release
  /usr/bin/python3 "$root/Tests/Rig/wayland.py" --out "$out/wayland"
}
step_media() { /usr/bin/python3 "$root/Tests/Rig/media.py"; }
step_example() { scenario example --engine service --drive example; }
step_secrecy() {
  export BLURT_BIN_DIR=$root/.build/release
  /usr/bin/python3 "$root/Tests/Rig/secrecy.py" --out "$out/secrecy"
}
step_bad-input() {
  export BLURT_BIN_DIR=$root/.build/release
  /usr/bin/python3 "$root/Tests/Rig/bad_input.py" --out "$out/bad-input"
}
step_display() {
  export BLURT_BIN_DIR=$root/.build/release
  /usr/bin/python3 "$root/Tests/Rig/display.py" --out "$out/display"
}
step_engines() {
  export BLURT_BIN_DIR=$root/.build/release
  /usr/bin/python3 "$root/Tests/Rig/engines.py" --out "$out/engines"
}
step_context() {
  export BLURT_BIN_DIR=$root/.build/release
  /usr/bin/python3 "$root/Tests/Rig/context.py" --out "$out/context"
}
step_programs() {
  export BLURT_BIN_DIR=$root/.build/release
  /usr/bin/python3 "$root/Tests/Rig/programs.py" --light --alsa-rig "$out/alsa-rig" --out "$out/programs"
}
step_kill() {
  export BLURT_BIN_DIR=$root/.build/release
  /usr/bin/python3 "$root/Tests/Rig/kill.py" --out "$out/kill"
}
step_load() {
  export BLURT_BIN_DIR=$root/.build/release
  /usr/bin/python3 "$root/Tests/Rig/load.py" --json --out "$out/load"
}
step_system() { "$root/scripts/check-system.sh" --out "$out/system"; }

# --- running them --------------------------------------------------------------------------------

run_step() { # name; sets result, seconds, reason
  local name=$1 log=$out/$1.log began=$SECONDS status scratch
  # What a step leaves in its temporary folder (test beds of umockdev, for one) goes with it.
  scratch=$(mktemp -d /tmp/blurt-check.XXXXXX)
  TMPDIR=$scratch timeout --foreground --kill-after=20 "$(field "$name" 2)" "${BASH_SOURCE[0]}" --run "$name" >"$log" 2>&1
  status=$?
  rm -rf "$scratch"
  seconds=$((SECONDS - began)) reason=
  case $status in
    0) result=passed ;;
    77)
      result=skipped
      reason=$(tail -n 1 "$log")
      ;;
    124 | 137)
      result=failed
      reason="no end within $(field "$name" 2) s"
      ;;
    *)
      result=failed
      reason="status $status, see ${log#"$root"/}"
      ;;
  esac
}

# Also a step that failed and then passed is told of: a race of ours would look like that.
run_again() { # name; sets what run_step sets
  local name=$1
  [ "$result" = failed ] && [[ $again_steps == *[[:space:]]"$name"[[:space:]]* ]] || return 0
  printf 'failed (%s s), once more … ' "$seconds" >&2
  mv "$out/$name.log" "$out/$name.first.log"
  rm -f "$out/$name.events.jsonl" "$out/$name-hotkey.events.jsonl"
  run_step "$name"
  [ "$result" != passed ] || reason="at the second run; the first: artifacts/check/$name.first.log"
}

show_fault() { # name: what its log says of the fault, since whoever reads the output may not have the log
  local log=$out/$1.log
  printf '\nstep %s, from %s:\n' "$1" "${log#"$root"/}"
  {
    for stream in "$out/$1.events.jsonl" "$out/$1-hotkey.events.jsonl"; do
      [ ! -f "$stream" ] || python3 "$tally" failed "$stream"
    done
    grep -aE '✘|error:|SUMMARY:|WARNING: ThreadSanitizer|ERROR: |[Ff]atal' "$log" | head -n 20
    echo ...
    tail -n 12 "$log"
  } 2>&1 | cut -c1-300 | sed 's/^/  /'
}

run_all() {
  local passed=0 failed=0 skipped=0 name counts streams=() rows=() faulty=() twice=() tests p f s complete
  mkdir -p "$out"
  rm -f "$out"/*.events.jsonl "$out"/*.first.log
  for name in "$@"; do
    printf '%-12s %s … ' "$name" "$(field "$name" 3)" >&2
    run_step "$name"
    run_again "$name"
    [ ! -f "$out/$name.first.log" ] || twice+=("$name.first")
    tests=
    if [[ $swift_steps == *" $name "* ]]; then
      complete=1
      counts=$(python3 "$tally" counts "$out/$name.events.jsonl") || complete=
      read -r p f s <<<"$counts"
      tests="$p/$f/$s"
      streams+=("$out/$name.events.jsonl")
      # A run that crashed, or did not start, or ran nothing, is a fault of its own.
      if [ "$result" = failed ] && { [ -z "$complete" ] || [ "$f" = 0 ]; }; then failed=$((failed + 1)); fi
      if [ "$result" = passed ] && { [ -z "$complete" ] || [ "$p" = 0 ]; }; then
        result=failed reason="no test ran"
        failed=$((failed + 1))
      fi
      if [ "$result" = skipped ]; then skipped=$((skipped + 1)); fi
    else
      case $result in
        passed) passed=$((passed + 1)) ;;
        failed) failed=$((failed + 1)) ;;
        skipped) skipped=$((skipped + 1)) ;;
      esac
    fi
    printf '%s (%s s)\n' "$result" "$seconds" >&2
    [ "$result" != failed ] || faulty+=("$name")
    rows+=("$(printf '%-12s %-8s %6s  %-14s %s' "$name" "$result" "$seconds" "$tests" "$reason")")
  done
  printf '\n%-12s %-8s %6s  %-14s %s\n' step result s 'tests p/f/s' reason
  printf '%s\n' "${rows[@]}"
  if [ ${#streams[@]} -gt 0 ]; then
    counts=$(python3 "$tally" counts "${streams[@]}")
    read -r p f s <<<"$counts"
    passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
    if [ "$f" != 0 ]; then
      printf '\nfailed tests:\n'
      python3 "$tally" failed "${streams[@]}" | sed 's/^/  /'
    fi
    if [ "$s" != 0 ]; then
      printf '\nskipped tests:\n'
      python3 "$tally" skipped "${streams[@]}" | sed 's/^/  /'
    fi
  fi
  for name in ${twice[@]+"${twice[@]}"} ${faulty[@]+"${faulty[@]}"}; do show_fault "$name"; done
  printf '\n%s passed, %s failed, %s skipped\n' "$passed" "$failed" "$skipped"
  [ "$failed" = 0 ]
}

case ${1-} in
  --list)
    printf '%s' "$steps" | sed '/^$/d' | awk -F'|' '{ printf "%-12s %s\n", $1, $3 }'
    ;;
  --run)
    "step_$2"
    ;;
  --only)
    shift
    [ $# -gt 0 ] || die "check.sh: --only needs a step ('--list' names them)"
    for name in "$@"; do [ -n "$(field "$name" 1)" ] || die "check.sh: there is no step $name ('--list' names them)"; done
    need_swift
    run_all "$@"
    ;;
  --self-test)
    need_swift
    # shellcheck source=scripts/check/self-test.sh
    . "$here/check/self-test.sh"
    self_test "${2-}"
    ;;
  '')
    need_swift
    # shellcheck disable=SC2046
    run_all $(step_names)
    ;;
  -h | --help) sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p;}' "${BASH_SOURCE[0]}" ;;
  *) die "check.sh: unknown argument $1 (--help lists them)" ;;
esac
