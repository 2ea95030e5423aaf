# shellcheck shell=bash
# shellcheck disable=SC2154
# check.sh --self-test: a check never seen failing is not a check. Sourced by check.sh, which defines here, root and out.

# step|what is broken|command that breaks it, run in a copy of the project
breakages='
format|a line in the wrong layout|printf "let   x=1\n" >>Sources/BlurtOS/Errno.swift
invariants|Foundation is imported|printf "import Foundation\n" >Sources/BlurtOS/Broken.swift
invariants|Foundation is imported with an access level|printf "  package import Foundation\n" >Sources/BlurtOS/Broken.swift
invariants|the engine imports the C library|printf "import Glibc\n" >Sources/BlurtEngine/Broken.swift
invariants|the engine imports an adapter|printf "import BlurtCapture\n" >Sources/BlurtEngine/Broken.swift
invariants|a task sleeps on Dispatch|printf "func x() async { try? await Task.sleep(for: .seconds(1)) }\n" >Sources/BlurtDaemon/Broken.swift
invariants|a keyboard is grabbed|printf "let x = EVIOCGRAB\n" >Sources/BlurtHotkey/Broken.swift
invariants|an input device is made for the hotkey|printf "let x = \"uinput\"\n" >Sources/BlurtHotkey/Broken.swift
invariants|a stray entry at the top|mkdir docs; echo x >docs/x.md
invariants|a path of one machine|printf "// see ..%sred\n" /sha >Sources/BlurtOS/Broken.swift
units|an unknown key in a unit|sed -i "s/^Restart=.*/Restrat=on-failure/" systemd/blurtd.service
units|a value that is none|sed -i "s/^SocketMode=.*/SocketMode=rw/" systemd/blurtd.socket
man|an unknown macro|printf ".Zz nothing\n" >>Sources/blurtd/blurtd.1
shell|a variable that is never set|printf "#!/bin/bash\necho \$unset_here\nfoo=1\n" >scripts/broken.sh
shell|a script without the ending|printf "#!/bin/sh\nfoo=1\n" >scripts/broken
evaluation|a sum that is wrong|sed -i "s/errors == 0/errors == 1/" scripts/evaluate/scoring.py
protocol|a schema that is none|sed -i "s/\"type\": \"boolean\"/\"type\": \"bool\"/" protocol/schema/command.schema.json
protocol|a line that no schema describes|sed -i "s/\"result\":\"busy\"/\"result\":\"occupied\"/" protocol/transcripts/press-while-busy.transcript
protocol|a member that no schema describes|sed -i "s/\"result\":\"busy\"/\"result\":\"busy\",\"mood\":1/" protocol/transcripts/press-while-busy.transcript
linkage|blurtctl links libcurl|program blurtctl -lcurl
linkage|blurtd needs the toolchain|rm -f .build/release/blurtd; swiftc -o .build/release/blurtd blank.swift
secrecy|a code of another key in the log|sed -i "s/if options.plant:/if True:/" Tests/Rig/secrecy.py
programs|a wrong chord for xterm|sed -i "s/type=json.loads, default={}/type=json.loads, default={\"BlurtPasteChords\": {\"xterm\": \"ctrl+v\"}}/" Tests/Rig/programs.py
display|the session never tells of its display|sed -i "s/^PATIENCE = .*/PATIENCE = 0.2/" Tests/Rig/rig.py; sed -i "s/manager.told(screen.environment)/manager.told({})/" Tests/Rig/display.py
install|the udev rule is missing|rm systemd/70-blurt-uaccess.rules
coverage|nearly nothing is covered|true
'
full_breakages='
build|a module is imported that is not declared|printf "import BlurtOS\n" >Sources/BlurtContract/Broken.swift
build|a warning|printf "func broken() { let unused = 1 }\n" >Sources/BlurtOS/Broken.swift
unit|a test fails|printf "import Testing\n@Test func broken() { #expect(1 == 2) }\n" >Tests/BlurtOSTests/Broken.swift
unit|a test crashes|printf "import Testing\n@Test func broken() { fatalError() }\n" >Tests/BlurtOSTests/Broken.swift
executor|the executor is not installed|sed -i "s/return &swift_task_enqueueGlobal_hook/return 0/" Sources/CSwiftRuntime/hooks.c
thread|a data race|printf "import Testing\n@Test func broken() async { nonisolated(unsafe) var n = 0; await withTaskGroup(of: Void.self) { g in for _ in 0..<8 { g.addTask { for _ in 0..<10000 { n += 1 } } } } }\n" >Tests/BlurtOSTests/Broken.swift
fuzz|a number that traps|sed -i "s#deadline.map(..wholeMilliseconds)#deadline.map { Int64(\$0 / .milliseconds(1)) }#" Sources/BlurtContract/ClientCommand+JSON.swift
address|memory used after it was freed|printf "import Testing\n@Test func broken() { let p = UnsafeMutablePointer<Int>.allocate(capacity: 1); p.initialize(to: 1); p.deallocate(); #expect(p.pointee >= 0) }\n" >Tests/BlurtOSTests/Broken.swift
'

program() { # name, libraries: a program that links them
  rm -f ".build/release/$1"
  printf 'int curl_global_init(long); int main(void) { return curl_global_init(0); }\n' >blank.c
  gcc -o ".build/release/$1" blank.c "${@:2}"
}

# A copy of the project as git has it, and of its release programs. What was built there for another breakage stays.
copy_project() { # target
  mkdir -p "$1"
  find "$1" -mindepth 1 -maxdepth 1 ! -name '.build*' -exec rm -rf {} +
  (cd "$root" && { git ls-files -z --cached --others --exclude-standard || find . -type f -print0; } | tar c --null -T - 2>/dev/null) | tar x -C "$1"
  git -C "$1" init -q && git -C "$1" add -A
  mkdir -p "$1/.build"
  if [ -d "$root/.build/release/" ]; then
    mkdir -p "$1/.build/release"
    local name
    for name in blurtd blurtctl blurt-offline; do
      [ ! -e "$root/.build/release/$name" ] || cp "$root/.build/release/$name" "$1/.build/release/"
    done
  fi
}

self_test() { # '' or full
  local copy list=$breakages noticed=0 missed=0 skipped=0 step what break status sound=
  copy=$(mktemp -d)/project
  # shellcheck disable=SC2064
  trap "rm -rf '$(dirname "$copy")'" EXIT
  [ "$1" != full ] || list=$list$full_breakages
  built_in_copy() { # step: what it needs that is built for tests; everything else is there
    local need
    for need in ${needs[$1]}; do
      [[ $need != build* ]] || run_in_copy "$need" || return 1
    done
  }
  run_in_copy() { BLURT_CHECK_ROOT=$copy BLURT_CHECK_OUT=$copy/artifacts/check "$here/check.sh" --run "$1" >"$copy.log" 2>&1; }
  while IFS='|' read -r step what break; do
    [ -n "$step" ] || continue
    copy_project "$copy"
    mkdir -p "$copy/artifacts/check"
    if [ "$step" = coverage ]; then
      # Its input, not the sources: the arithmetic and the floor.
      printf '{"data":[{"files":[{"filename":"/x/Sources/BlurtEngine/A.swift","summary":{"lines":{"count":100,"covered":89,"percent":89}}}]}]}' >"$copy.json"
      python3 "$tally" coverage "$copy.json" BlurtEngine 90 >"$copy.log" 2>&1
      status=$?
    else
      if [[ $sound != *" $step "* ]]; then
        built_in_copy "$step" && run_in_copy "$step"
        case $? in
          0) sound="$sound $step " ;;
          77)
            echo "skipped: $step ($(tail -n 1 "$copy.log"))"
            skipped=$((skipped + 1))
            continue
            ;;
          *)
            echo "NOT SOUND: $step fails even before anything is broken:"
            tail -n 5 "$copy.log" | sed 's/^/  /'
            missed=$((missed + 1))
            continue
            ;;
        esac
      fi
      (cd "$copy" && printf 'print(1)\n' >blank.swift && eval "$break" && rm -f blank.swift blank.c && git add -A) || {
        echo "NOT BROKEN: $step ($what)"
        missed=$((missed + 1))
        continue
      }
      built_in_copy "$step" || {
        echo "NOT BROKEN: $step ($what): what it needs is not built"
        missed=$((missed + 1))
        continue
      }
      run_in_copy "$step"
      status=$?
    fi
    if [ "$status" != 0 ] && [ "$status" != 77 ]; then
      echo "noticed: $step ($what)"
      noticed=$((noticed + 1))
    else
      echo "MISSED: $step ($what)"
      missed=$((missed + 1))
    fi
  done <<<"$list"
  echo "self-test: $noticed noticed, $missed missed, $skipped skipped"
  [ "$missed" = 0 ]
}
