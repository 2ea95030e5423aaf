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

# name|limit in seconds|beside what it may run|what must have ended before it|what it checks
#   first   nothing starts before it has ended
#   work    it computes, and its pace is of no matter: at idle priority, beside all others but another of these
#   pair    it waits for conditions more than it computes, with folders, displays and servers of its own: beside one of these
#   alone   it fills the machine, or is about real time: beside `work` only
# They start in this order, as far as what they need has ended.
steps='
packages|900|first||what the tests need is installed
build|2400|work||everything builds, no import is undeclared, no warning
release|2400|work||the programs build for release with the Swift runtime inside
build-thread|3000|work||the same for the thread sanitizer
build-address|3000|work||the same for the address sanitizer
format|240|pair||swift format finds nothing to change
invariants|60|pair||rules that a program can check in the sources
guest|900|pair||the virtual machine is built, or was before
engine|900|pair||the offline engine can be fetched
units|60|pair||systemd finds no fault in the units
man|60|pair||mandoc finds no fault in the man pages
shell|240|pair||shellcheck finds no fault in the scripts
evaluation|60|pair||the arithmetic of scripts/evaluate.sh
protocol|120|pair||schemas and transcripts hold by a validator that is not ours
fuzz|900|pair||nothing that libFuzzer makes of the corpus stops the readers of the protocol
unit|900|alone|build|all Swift tests without special rigs, but for those of the hotkey
coverage|240|work|unit|lines of BlurtEngine covered by them: at least 90 %
executor|900|alone|build|the tests of session, daemon and socket on the executor of the daemon
alsa|300|alone|build|capture tests, with an ALSA plugin that has faults
x11|300|alone|build|injection tests, with Xvfb and a window manager
microphone|600|pair|build|capture tests, with the microphones of PulseAudio: restarted, muted, changed, gone
pipewire|600|pair|build guest|the same with PipeWire, through the ALSA plugin of PulseAudio and through its own
evdev|300|pair|build|hotkey tests, with keyboards of umockdev
offline|600|pair|build engine|offline tests, with the real engine and model
system|1500|pair|release guest|keyboards of the kernel, permissions and dictations in a virtual machine, under systemd
linkage|60|pair|release|the programs link what they may, and no more
install|120|pair|release|install.sh places and removes everything
demo|300|pair|release engine|a whole dictation, offline engine, evdev key
service|300|pair|release|a whole dictation through the service, over HTTP
service-tls|300|pair|release|the same over HTTPS
hold|300|pair|release|a whole dictation by `blurtctl hold`
example|300|pair|release|a whole dictation by the example client of the protocol
wayland|600|pair|release|whole dictations into real Wayland windows, under sway without a screen
media|120|pair|release|media players are paused by the real playerctl, and exactly those play on
context|600|pair|release|the text before the caret, from GTK and Qt programs to the request; passwords; a program that hangs
secrecy|300|pair|release|no key but the trigger is named in any log, event or status
display|300|pair|release|the display comes late, dies and comes back, and dictations paste
bad-input|600|pair|release|each fault gives one sentence, and no spoken word is lost
engines|600|pair|release|keys from the refusal to the dictation, a real keyring, a server and a program as engines
programs|300|pair|release|dictations into GTK, Tk and xterm under two layouts, read back from the programs
kill|600|pair|release|the daemon is killed 20 times in every phase, and no spoken word is lost
cues|300|alone|release engine|the cues sound as they are told, stay out of the transcript, and no faulty output delays anything
load|300|alone|release|a thousand watchers, ten thousand connections, a stopped subscriber
thread|1500|alone|build-thread engine|all Swift tests under the thread sanitizer
address|1500|alone|build-address engine|all Swift tests under the address sanitizer
'
# These run on real time: sound, sockets, keyboards, a virtual machine. One that fails is run once more when all the others have
# ended, with nothing beside it, since a machine that stood still for a moment is no fault of ours, nor is a neighbour; the table
# says so, and what the first run said is printed all the same.
again_steps=' unit executor evdev alsa microphone x11 offline thread address demo service service-tls hold example cues media
load secrecy bad-input engines kill system wayland context programs display pipewire '
# These report Swift tests; each of those counts once.
swift_steps=' unit executor evdev alsa microphone pipewire x11 offline '

names=()
declare -A limit kind needs what
while IFS='|' read -r name a b c d; do
  names+=("$name")
  limit[$name]=$a kind[$name]=$b needs[$name]=$c what[$name]=$d
done < <(printf '%s' "${steps#?}")
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
# The test program itself, as `swift test` runs it: that one holds a lock on the build folder. One test after the other: many of
# them block a thread of the shared pool on a real socket or process, and there are only as many as cores.
swift_test() { # name of the event stream, then arguments
  local stream=$out/$1.events.jsonl
  shift
  rm -f "$stream"
  cd "$root" || exit 1
  # An instrumented program writes its profile somewhere; only `unit` wants it.
  env LLVM_PROFILE_FILE="${profile:-/dev/null}" ${rig[@]+"${rig[@]}"} ${runner[@]+"${runner[@]}"} \
    "$tests/blurtPackageTests.xctest" --testing-library swift-testing --no-parallel --event-stream-output-path "$stream" "$@" </dev/null
}
# Two processes side by side take about half of the time, most of which is waiting.
half='^(BlurtDaemonTests|BlurtWaylandTests|BlurtHTTPTests|BlurtOfflineTests)\.'
side_by_side() { # name of the event streams, --filter or --skip with an expression for the one, and for the other
  local other status=0
  swift_test "$1.2" "$4" "$5" >"$out/$1.second" 2>&1 &
  other=$!
  swift_test "$1.1" "$2" "$3" || status=1
  wait $other || status=1
  cat "$out/$1.second"
  rm -f "$out/$1.second"
  return $status
}
rig=() runner=() profile='' tests=$root/.build/debug

step_packages() { need_packages "Checking Blurt" "${build_packages[@]}" "${fetch_packages[@]}" "${demo_packages[@]}" "${check_packages[@]}"; }

step_format() { cd "$root" && swift format lint -r --strict Sources Tests Package.swift; }

step_build() {
  cd "$root" && swift build --build-tests --enable-code-coverage --explicit-target-dependency-import-check error
}

step_unit() {
  cd "$root" || exit 1
  rm -rf "$out/profiles"
  profile=$out/profiles/%m.%p.profraw
  # The engine's own tests are those of the step `offline`, and the hotkey's all run in `evdev`.
  rig=(BLURT_OFFLINE_DIR=/nonexistent)
  side_by_side unit --filter "$half" --skip "$half|^BlurtHotkeyTests\."
}

# The others run on Dispatch's pool, as in a program that embeds the engine.
step_executor() {
  rig=(BLURT_TEST_EXECUTOR=own)
  side_by_side executor --filter '^(BlurtExecutorTests|BlurtDaemonTests)\.' \
    --filter '^(BlurtEngineTests|BlurtIPCTests|BlurtHTTPTests|BlurtOSTests)\.'
}

step_coverage() {
  cd "$root" || exit 1
  local tools profile
  # Other versions of these, as Debian's, do not read this toolchain's profiles.
  tools=$(dirname "$(readlink -f "$(command -v swift)")")
  profile=$out/unit.profdata
  "$tools/llvm-profdata" merge -sparse "$out"/profiles/*.profraw -o "$profile" || exit 1
  "$tools/llvm-cov" export -summary-only -instr-profile "$profile" .build/debug/blurtPackageTests.xctest >"$out/coverage.json" || exit 1
  python3 "$tally" coverage "$out/coverage.json" BlurtEngine 90
}

step_evdev() {
  runner=(umockdev-wrapper)
  swift_test evdev --filter BlurtHotkeyTests
}

step_alsa() {
  with_alsa
  [ ${#rig[@]} -gt 0 ] || { echo "Tests/Rig/alsa/build-rig.sh built no rig"; exit 1; }
  swift_test alsa --filter BlurtCaptureTests
}

step_microphone() {
  runner=(/usr/bin/python3 "$root/Tests/Rig/with_sound.py")
  swift_test microphone --filter "DefaultDeviceTests|SoundServerTests|PulseStreamTests"
}

step_pipewire() {
  # Where the plugin cannot be had, its own suite is skipped by name.
  rig=("BLURT_PIPEWIRE_ALSA=$("$root/Tests/Rig/pipewire-alsa.sh" "$out/pipewire-alsa")")
  runner=(/usr/bin/python3 "$root/Tests/Rig/with_sound.py" --server pipewire)
  swift_test pipewire --filter "DefaultDeviceTests|SoundServerTests|PipeWirePluginTests|PulseStreamTests"
}

step_x11() {
  rig=(BLURT_TEST_X11=1)
  runner=("$root/Tests/Rig/with-x11.sh")
  swift_test x11 --filter BlurtInjectionTests
}

step_engine() { "$root/scripts/fetch-offline-engine.sh"; }

step_offline() {
  offline_rig
  swift_test offline --filter BlurtOfflineTests
}
offline_rig() {
  local folder=${BLURT_OFFLINE_DIR:-${XDG_DATA_HOME:-$HOME/.local/share}/blurt/offline}
  [ -d "$folder" ] || skip "the offline engine could not be fetched (step 'engine')"
  rig+=("BLURT_OFFLINE_DIR=$folder")
}

# Builds and runs every test with every rig at once under a sanitizer.
build_sanitized() { # kind
  cd "$root" && swift build --build-tests --sanitize "$1" --scratch-path ".build-$1"
}
step_build-thread() { build_sanitized thread; }
step_build-address() { build_sanitized address; }
sanitized() { # kind
  tests=$root/.build-$1/debug
  [ -x "$tests/blurtPackageTests.xctest" ] || { echo "the tests are not built (step 'build-$1')"; exit 1; }
  with_alsa
  rig+=(BLURT_TEST_X11=1 BLURT_TEST_SLOW=1 SWIFT_BACKTRACE=enable=no
    "TSAN_OPTIONS=halt_on_error=0 suppressions=$root/Tests/thread-sanitizer.supp"
    "LSAN_OPTIONS=print_suppressions=0 suppressions=$root/Tests/leak-sanitizer.supp")
  local status=0
  runner=("$root/Tests/Rig/with-x11.sh")
  side_by_side "$1" --filter "$half" --skip "$half|^BlurtHotkeyTests\." || status=1
  # A test bed of umockdev serialises every open of the process and keeps sockets: for those tests alone that need one.
  runner=(umockdev-wrapper)
  swift_test "$1.hotkey" --filter '^BlurtHotkeyTests\.' || status=1
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
  /usr/bin/python3 "$root/Tests/Rig/programs.py" --light --alsa-rig "$out/programs/alsa-rig" --out "$out/programs"
}
step_kill() {
  export BLURT_BIN_DIR=$root/.build/release
  /usr/bin/python3 "$root/Tests/Rig/kill.py" --out "$out/kill"
}
step_load() {
  export BLURT_BIN_DIR=$root/.build/release
  /usr/bin/python3 "$root/Tests/Rig/load.py" --json --out "$out/load"
}
step_guest() {
  [ "$(uname -m)" = x86_64 ] && command -v dpkg >/dev/null || skip "the virtual machine is for x86-64 and Debian only"
  [ "$(id -u)" = 0 ] || skip "the virtual machine is built by root"
  bash "$root/Tests/System/vm/build-image.sh" --install-deps || skip "the virtual machine could not be built (the lines above say why)"
}
step_system() { "$root/scripts/check-system.sh" --out "$out/system"; }

# --- running them --------------------------------------------------------------------------------

# What computes gives way to what waits for real time.
idle=(nice -n 19)
! chrt --idle 0 true 2>/dev/null || idle=(chrt --idle 0)

run_step() { # name; leaves result|seconds|seconds of a processor|reason in NAME.result
  local name=$1 log=$out/$1.log began=$SECONDS status scratch result reason='' how=()
  case ${kind[$name]} in
    work) how=("${idle[@]}" timeout) ;;
    # It may ask for a password.
    first) how=(timeout --foreground) ;;
    # In a process group of its own, of which nothing is left at the limit.
    *) how=(timeout) ;;
  esac
  # What a step leaves in its temporary folder (test beds of umockdev, for one) goes with it.
  scratch=$(mktemp -d /tmp/blurt-check.XXXXXX)
  trap 'kill $! 2>/dev/null; wait; rm -rf "$scratch"; exit 143' TERM
  TMPDIR=$scratch "${how[@]}" --kill-after=20 "${limit[$name]}" "${BASH_SOURCE[0]}" --run "$name" >"$log" 2>&1 </dev/null &
  wait $!
  status=$?
  rm -rf "$scratch"
  case $status in
    0) result=passed ;;
    77) result=skipped reason=$(tail -n 1 "$log") ;;
    124 | 137) result=failed reason="no end within ${limit[$name]} s" ;;
    *) result=failed reason="status $status, see ${log#"$root"/}" ;;
  esac
  # Second line: user and system time of what has ended, as 1m2.345s.
  times >"$out/$name.times"
  printf '%s|%s|%s|%s\n' "$result" "$((SECONDS - began))" \
    "$(awk -F '[ms ]+' 'NR == 2 { printf "%.0f", 60 * ($1 + $3) + $2 + $4 }' "$out/$name.times")" "$reason" >"$out/$name.new"
  rm "$out/$name.times"
  mv "$out/$name.new" "$out/$name.result"
}

declare -A state=() pid=() result=() seconds=() processor=() reason=()
running() { # kind ...: how many steps of these kinds run
  local name n=0
  for name in "${!pid[@]}"; do
    [[ " $* " != *" ${kind[$name]} "* ]] || n=$((n + 1))
  done
  echo $n
}
may_start() { # name
  local need
  for need in packages ${needs[$1]}; do
    # What was not asked for has ended long ago.
    [ "$need" = "$1" ] || [ "${state[$need]-ended}" = ended ] || return 1
  done
  case ${kind[$1]} in
    first) [ ${#pid[@]} = 0 ] ;;
    work) [ "$(running work)" = 0 ] ;;
    pair) [ "$(running alone)" = 0 ] && [ "$(running pair)" -lt 2 ] ;;
    alone) [ "$(running alone pair)" = 0 ] ;;
  esac
}
start_step() { # name
  rm -f "$out/$1.result" "$out/$1".*events.jsonl
  state[$1]=running
  run_step "$1" &
  pid[$1]=$!
}
start_steps() { # name ...: those that may
  local name
  for name in "$@"; do
    [ "${state[$name]}" = waiting ] || continue
    if may_start "$name"; then start_step "$name"; fi
  done
}
collect() { # waits until one or more have ended
  local name said found=
  while [ -z "$found" ]; do
    sleep 0.2
    for name in "${!pid[@]}"; do
      [ -f "$out/$name.result" ] || ! kill -0 "${pid[$name]}" 2>/dev/null || continue
      wait "${pid[$name]}"
      said="failed|0|0|it was ended from outside"
      [ ! -f "$out/$name.result" ] || said=$(<"$out/$name.result")
      IFS='|' read -r 'result[$name]' 'seconds[$name]' 'processor[$name]' 'reason[$name]' <<<"$said"
      rm -f "$out/$name.result"
      unset "pid[$name]"
      state[$name]=ended found=1
      printf '%-13s %s (%s s)\n' "$name" "${result[$name]}" "${seconds[$name]}" >&2
    done
  done
}
run_steps() { # name ...
  local name need
  trap 'kill "${pid[@]}" 2>/dev/null; wait; exit 130' INT TERM
  for name in "$@"; do state[$name]=waiting; done
  start_steps "$@"
  while [ ${#pid[@]} -gt 0 ]; do
    collect
    start_steps "$@"
  done
  # Also a step that failed and then passed is told of: a race of ours would look like that.
  for name in "$@"; do
    [ "${result[$name]}" = failed ] && [[ $again_steps == *[[:space:]]"$name"[[:space:]]* ]] || continue
    for need in ${needs[$name]}; do [ "${result[$need]-passed}" != failed ] || continue 2; done
    echo "$name failed; once more, with nothing beside it" >&2
    mv "$out/$name.log" "$out/$name.first.log"
    start_step "$name"
    collect
    [ "${result[$name]}" != passed ] || reason[$name]="at the second run; the first: artifacts/check/$name.first.log"
  done
}

show_fault() { # name: what its log says of the fault, since whoever reads the output may not have the log
  local log=$out/$1.log
  printf '\nstep %s, from %s:\n' "$1" "${log#"$root"/}"
  {
    for stream in "$out/$1".*events.jsonl; do
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
  run_steps "$@"
  for name in "$@"; do
    [ ! -f "$out/$name.first.log" ] || twice+=("$name.first")
    tests=
    if [[ $swift_steps == *" $name "* ]]; then
      complete=1
      counts=$(python3 "$tally" counts "$out/$name".*events.jsonl) || complete=
      read -r p f s <<<"$counts"
      tests="$p/$f/$s"
      streams+=("$out/$name".*events.jsonl)
      # A run that crashed, or did not start, or ran nothing, is a fault of its own.
      if [ "${result[$name]}" = failed ] && { [ -z "$complete" ] || [ "$f" = 0 ]; }; then failed=$((failed + 1)); fi
      if [ "${result[$name]}" = passed ] && { [ -z "$complete" ] || [ "$p" = 0 ]; }; then
        result[$name]=failed reason[$name]="no test ran"
        failed=$((failed + 1))
      fi
      if [ "${result[$name]}" = skipped ]; then skipped=$((skipped + 1)); fi
    else
      case ${result[$name]} in
        passed) passed=$((passed + 1)) ;;
        failed) failed=$((failed + 1)) ;;
        skipped) skipped=$((skipped + 1)) ;;
      esac
    fi
    [ "${result[$name]}" != failed ] || faulty+=("$name")
    rows+=("$(printf '%-13s %-8s %6s %6s  %-14s %s' "$name" "${result[$name]}" "${seconds[$name]}" "${processor[$name]}" "$tests" "${reason[$name]}")")
  done
  printf '\n%-13s %-8s %6s %6s  %-14s %s\n' step result s 'CPU s' 'tests p/f/s' reason
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
  printf '\n%s min %s s\n' $((SECONDS / 60)) $((SECONDS % 60))
  printf '%s passed, %s failed, %s skipped\n' "$passed" "$failed" "$skipped"
  [ "$failed" = 0 ]
}

main() {
  case ${1-} in
    --list)
      for name in "${names[@]}"; do printf '%-13s %s\n' "$name" "${what[$name]}"; done
      ;;
    --run)
      "step_$2"
      ;;
    --only)
      shift
      [ $# -gt 0 ] || die "check.sh: --only needs a step ('--list' names them)"
      for name in "$@"; do [ -n "${kind[$name]-}" ] || die "check.sh: there is no step $name ('--list' names them)"; done
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
      run_all "${names[@]}"
      ;;
    -h | --help) sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p;}' "${BASH_SOURCE[0]}" ;;
    *) die "check.sh: unknown argument $1 (--help lists them)" ;;
  esac
}
# One line: bash reads a script as it goes, and a check takes long enough to be edited meanwhile.
main "$@"; exit
