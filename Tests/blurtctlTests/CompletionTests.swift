import BlurtContract
import BlurtTestSupport
import Foundation
import Testing

@testable import blurtctl

/// The completions, run by the shells themselves. A shell that is not installed is skipped by name.
@Suite(.timeLimit(.minutes(1))) struct CompletionTests {
  /// A folder with a `blurtctl` that names two of everything, and the script of a shell.
  private struct Bed {
    let folder = SocketFolder()

    init(_ script: String) throws {
      let program = """
        #!/bin/sh
        [ "$*" = "settings get KeepAudio" ] && echo true && exit
        [ "$*" = "settings get SoundPack" ] && echo none && exit
        [ "$2 $3" = "list --names" ] || exit 1
        printf '%s\\n' "$1-one" "$1 two"
        """
      try write(program, "blurtctl")
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.file("blurtctl"))
      try write(script, "_blurtctl")
      try write("", "speech.wav")
    }

    func write(_ text: String, _ name: String) throws {
      try Data(text.utf8).write(to: URL(fileURLWithPath: folder.file(name)))
    }

    /// The lines that the shell prints.
    func run(_ shell: String, _ arguments: [String]) throws -> [String] {
      let process = Process()
      process.executableURL = URL(fileURLWithPath: shell)
      process.arguments = arguments
      process.currentDirectoryURL = URL(fileURLWithPath: folder.path)
      process.environment = ["PATH": "\(folder.path):/usr/bin:/bin", "HOME": folder.path, "LC_ALL": "C.UTF-8"]
      let output = Pipe()
      process.standardOutput = output
      process.standardError = output
      process.standardInput = FileHandle.nullDevice
      try process.run()
      let said = output.fileHandleForReading.readDataToEndOfFile()
      process.waitUntilExit()
      return String(decoding: said, as: UTF8.self).split(separator: "\n").map(String.init)
    }
  }

  private static let bash = "/usr/bin/bash"
  private static let zsh = "/usr/bin/zsh"
  private static let fish = "/usr/bin/fish"

  private static func has(_ shell: String) -> Bool { FileManager.default.isExecutableFile(atPath: shell) }

  /// What is typed, the last word being completed, and what must come.
  private static let cases: [(words: [String], offers: [String])] = [
    (["can"], ["cancel", "cancel-recording"]),
    (["--js"], ["--json"]),
    (["settings", ""], ["get", "list", "reset", "set"]),
    (["keys", ""], ["activation", "bind", "list", "off", "set"]),
    (["keys", "off", "keys-"], ["keys-one"]),
    (["keys", "activation", "tap"], ["tap", "taporhold"]),
    (["keys", "set", "x", "--activation", "h"], ["hold"]),
    (["settings", "--na"], ["--names"]),
    (["settings", "get", ""], ["settings two", "settings-one"]),
    (["settings", "set", "x", ""], []),
    (["--socket", "press", "terms", "a"], ["add"]),
    (["release", "--w"], ["--wait"]),
    (["watch", "--wa"], ["--waybar"]),
    (["styles", "remove", "a", "styles-"], ["styles-one"]),
    (["styles", "use", "a", ""], []),
    (["completion", ""], ["bash", "fish", "zsh"]),
    (["shortcuts", "export", "--format", ""], ["csv", "json", "tsv"]),
    (["transcribe", "sp"], ["speech.wav"]),
    (["transcribe", "a.wav", "sp"], []),
    (["press", ""], []),
    (["retry", "spool-"], ["spool-one"]),
  ]

  @Test("S-151 bash completes commands, options, files and names", .enabled(if: has(bash), "bash is not installed"))
  func inBash() throws {
    let bed = try Bed(BashCompletion.script)
    for (words, offers) in Self.cases {
      let list = (["blurtctl"] + words).map { "'\($0)'" }.joined(separator: " ")
      let script = """
        source ./_blurtctl
        complete -p blurtctl >/dev/null || echo "not registered"
        COMP_WORDS=(\(list)) COMP_CWORD=\(words.count)
        _blurtctl
        (( ${#COMPREPLY[@]} )) && printf '%s\\n' "${COMPREPLY[@]}"
        """
      // As bash inserts them: a blank is written so that the word stays one.
      let expected = offers.map { $0.split(separator: " ").joined(separator: "\\ ") }
      #expect(try bed.run(Self.bash, ["--norc", "-c", script]).sorted() == expected.sorted(), "\(words)")
    }
  }

  @Test(
    "S-151 bash completes a value behind an equals sign, which it takes for a word",
    .enabled(if: has(bash), "bash is not installed"))
  func equalsSignInBash() throws {
    let bed = try Bed(BashCompletion.script)
    for words in ["shortcuts export --format =", "shortcuts export --format = c"] {
      let script = """
        source ./_blurtctl
        COMP_WORDS=(blurtctl \(words)) COMP_CWORD=\(words.split(separator: " ").count)
        _blurtctl
        printf '%s\\n' "${COMPREPLY[@]}"
        """
      #expect(try bed.run(Self.bash, ["--norc", "-c", script]).contains("csv"), "\(words)")
    }
  }

  @Test(
    "S-151 bash goes on with a name whose blank is written already", .enabled(if: has(bash), "bash is not installed"))
  func blankInBash() throws {
    let script = """
      source ./_blurtctl
      COMP_WORDS=(blurtctl settings get 'settings\\ t') COMP_CWORD=3
      _blurtctl
      printf '%s\\n' "${COMPREPLY[@]}"
      """
    #expect(try Bed(BashCompletion.script).run(Self.bash, ["--norc", "-c", script]) == ["settings\\ two"])
  }

  @Test(
    "S-151 bash offers on and off for a setting that is one of both", .enabled(if: has(bash), "bash is not installed"))
  func switchesInBash() throws {
    let bed = try Bed(BashCompletion.script)
    for (line, offers) in [
      ("settings set KeepAudio ''", ["on", "off"]), ("settings set KeepAudio of", ["off"]),
      ("settings set SoundPack ''", []), ("settings set KeepAudio on ''", []),
    ] {
      let script = """
        source ./_blurtctl
        COMP_WORDS=(blurtctl \(line)) COMP_CWORD=\(line.split(separator: " ").count)
        _blurtctl
        (( ${#COMPREPLY[@]} )) && printf '%s\\n' "${COMPREPLY[@]}"
        """
      #expect(try bed.run(Self.bash, ["--norc", "-c", script]) == offers, "\(line)")
    }
  }

  @Test("S-151 zsh completes commands, options, files and names", .enabled(if: has(zsh), "zsh is not installed"))
  func inZsh() throws {
    let bed = try Bed(ZshCompletion.script)
    for (words, offers) in Self.cases {
      let list = (["blurtctl"] + words).map { "'\($0)'" }.joined(separator: " ")
      // The ends of the completion system are played: what is handed to them is printed, as it would be matched.
      let script = """
        show() { local each; for each in "$@"; do [[ $each == "$PREFIX"* ]] && print -r -- "$each"; done; return 0 }
        compdef() { [[ $* == "_blurtctl blurtctl" ]] || print "not registered" }
        compadd() { shift; show "$@" }
        _describe() { show "${(@)${(P)@[-1]}%%:*}" }
        _files() { show *(N) }
        _message() { }
        source ./_blurtctl
        words=(\(list)) CURRENT=\(words.count + 1) PREFIX='\(words.last ?? "")'
        _blurtctl
        """
      let expected = offers
      #expect(try bed.run(Self.zsh, ["-f", "-c", script]).sorted() == expected.sorted(), "\(words)")
    }
  }

  @Test(
    "S-151 zsh finds the completions in its folder by their first line", .enabled(if: has(zsh), "zsh is not installed"))
  func foundByZsh() throws {
    let bed = try Bed(ZshCompletion.script)
    let script = """
      fpath=($PWD $fpath)
      autoload -Uz compinit && compinit -D -u
      print -r -- ${_comps[blurtctl]}
      """
    #expect(try bed.run(Self.zsh, ["-f", "-c", script]) == ["_blurtctl"])
  }

  @Test("S-151 fish completes commands, options, files and names", .enabled(if: has(fish), "fish is not installed"))
  func inFish() throws {
    let bed = try Bed(FishCompletion.script)
    for (words, offers) in Self.cases {
      let line = (["blurtctl"] + words).joined(separator: " ")
      let script = "source ./_blurtctl; complete -C '\(line)'"
      // Each line is the word, a tab and its summary.
      let found = try bed.run(Self.fish, ["-N", "-c", script]).map { $0.split(separator: "\t")[0] }.map(String.init)
      #expect(found.sorted() == offers.sorted(), "\(words)")
    }
  }

  @Test("S-151 completion prints the script, also into a pipe, and as a text in JSON")
  func verb() async {
    for (shell, script) in [
      ("bash", BashCompletion.script), ("zsh", ZshCompletion.script), ("fish", FishCompletion.script),
    ] {
      let run = await FakeDaemon.run("completion \(shell)", socket: nil, terminal: false)
      #expect(run.status == .done && run.out == script && run.err == "")
      for verb in CommandTable.Verb.allCases { #expect(script.contains(verb.lastWord)) }
      for option in CommandTable.Option.allCases { #expect(script.contains(option.rawValue)) }
    }
    #expect(await FakeDaemon.run("completion bash --json", socket: nil).out.hasPrefix("{\"completion\":\"# Comp"))
    #expect(await FakeDaemon.run("completion csh", socket: nil).status == .usage)
  }
}
