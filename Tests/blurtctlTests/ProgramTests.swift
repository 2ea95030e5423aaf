import BlurtContract
import BlurtIPC
import BlurtOS
import BlurtTestSupport
import Foundation
import Synchronization
import Testing

@testable import blurtctl

@Suite(.timeLimit(.minutes(1))) struct ProgramTests {
  private func with(_ script: FakeDaemon.Script = FakeDaemon.Script(), _ body: (FakeDaemon) async throws -> Void)
    async throws
  {
    let daemon = try FakeDaemon(script)
    defer { daemon.stop() }
    try await body(daemon)
  }

  /// The one JSON line of a run.
  private func json(_ run: FakeDaemon.Run) throws -> JSONObject {
    #expect(run.out.hasSuffix("\n") && !run.out.dropLast().contains("\n"))
    return try #require(try JSONReader.read(Array(run.out.utf8)).object)
  }

  /// A field of its answer.
  private func ack(_ field: String, _ run: FakeDaemon.Run) -> JSONValue? { (try? json(run))?["ack"]?.object?[field] }

  private func error(_ field: String, _ run: FakeDaemon.Run) -> JSONValue? {
    (try? json(run))?["error"]?.object?[field]
  }

  @Test("S-151 a press and its release end with 0 and one sentence each")
  func pressAndRelease() async throws {
    try await with { daemon in
      let press = await daemon.run("press")
      #expect(press.status == .done)
      #expect(press.out == "Started. End the recording with: blurtctl release\n")
      #expect(press.err == "")
      let release = await daemon.run("release")
      #expect(release.status == .done)
      #expect(release.out == "Recorded. The text is on its way.\n")
      #expect(daemon.commands.map(\.action.name) == [.press, .release])
      #expect(daemon.commands.map(\.client) == ["blurtctl", "blurtctl"])
    }
  }

  @Test("S-134 a one-shot press has no lease; S-126 it carries the time after which it must not start anything")
  func pressFields() async throws {
    try await with { daemon in
      let before = MonotonicClock.sinceBoot()
      _ = await daemon.run("press")
      let command = try #require(daemon.commands.first)
      #expect(command.action == .press(key: nil, lease: .none))
      let deadline = try #require(command.deadline)
      let limit = SessionContract.pressHandshakeTimeout - SessionContract.pressDeadlineMargin
      #expect(deadline >= before + limit - .milliseconds(1))
      #expect(deadline <= MonotonicClock.sinceBoot() + limit)
    }
  }

  @Test("S-151 B-44 busy, not listening and nothing to act on have exit statuses and JSON of their own")
  func refusals() async throws {
    try await with { daemon in
      for verb in ["release", "cancel", "cancel-recording"] {
        let run = await daemon.run("\(verb) --json")
        #expect(run.status == .nothingToActOn)
        #expect(ack("result", run) == "ignored")
        #expect(run.err == "")
        let spoken = await daemon.run(verb)
        #expect(spoken.status == .nothingToActOn)
        #expect(spoken.out == "")
        #expect(spoken.err.hasPrefix("blurtctl: N"))
      }
      #expect(await daemon.run("press").status == .done)
      let busy = await daemon.run("press")
      #expect(busy.status == .busy)
      #expect(busy.err.contains("already running"))
      #expect(await ack("phase", daemon.run("press --json")) == "recording")
    }
    try await with(FakeDaemon.Script(refusal: (.notListening, .apiKeyMissing))) { daemon in
      let run = await daemon.run("press")
      #expect(run.status == .notListening)
      #expect(run.err == "blurtctl: \(FailureReason.apiKeyMissing.text)\n")
      #expect(await ack("reason", daemon.run("press --json")) == "apiKeyMissing")
      #expect(await daemon.run("toggle").status == .notListening)
      #expect(await daemon.run("hold").status == .notListening)
    }
    try await with(FakeDaemon.Script(refusal: (.notOwner, nil))) { daemon in
      #expect(await daemon.run("press").status == .notOwner)
    }
    try await with(FakeDaemon.Script(refusal: (.failed, .badRequest))) { daemon in
      #expect(await daemon.run("press").status == .failed)
    }
  }

  @Test("S-151 into a pipe an answer is its JSON line; with --quiet there is nothing at all")
  func pipes() async throws {
    try await with { daemon in
      #expect(await ack("result", daemon.run("press", terminal: false)) == "started")
      let busy = await daemon.run("press", terminal: false)
      #expect(ack("result", busy) == "busy")
      #expect(busy.err.hasPrefix("blurtctl: "))
      for line in [
        "press", "release", "status", "last", "version", "release --wait", "recent", "spool", "retry --wait", "terms",
        "settings", "styles export", "reset --yes", "completion zsh", "press --socket /nowhere",
      ] {
        let run = await daemon.run("\(line) --quiet")
        #expect(run.out == "" && run.err == "", "\(line)")
      }
    }
  }

  @Test("B-45 --wait returns when the dictation has ended and prints its text, bare or as JSON")
  func wait() async throws {
    try await with { daemon in
      _ = await daemon.run("press")
      let run = await daemon.run("release --wait", terminal: false)
      #expect(run.status == .done)
      #expect(run.out == "Hello there.\n")
      _ = await daemon.run("press")
      let outcome = try json(await daemon.run("release --wait --json"))
      #expect(
        outcome["outcome"]
          == .object([
            "dictation": 2, "engine": "offline", "phase": "pasted", "text": "Hello there.",
          ]))
      // One question, about the dictation that the release ended, and no events.
      #expect(daemon.commands.suffix(2).map(\.action) == [.release, .wait(.dictation(2))])
      // A toggle that starts waits for nothing, one that ends does.
      #expect(await daemon.run("toggle --wait").out == "Started. End the recording with: blurtctl release\n")
      #expect(await daemon.run("toggle --wait").out == "Hello there.\n")
    }
  }

  @Test("B-45 --wait on a dictation without a word returns at once, with 0 and no text")
  func waitForNothing() async throws {
    try await with(FakeDaemon.Script(text: "", end: PhaseEvent(phase: .idle))) { daemon in
      _ = await daemon.run("press")
      let run = await daemon.run("release --wait")
      #expect(run.status == .done)
      #expect(run.out == "")
      #expect(run.err == "Nothing was said.\n")
      _ = await daemon.run("press")
      let outcome = try json(await daemon.run("release --wait --json"))["outcome"]?.object
      #expect(outcome?["text"] == nil && outcome?["phase"] == "idle")
    }
  }

  @Test("B-44 --wait with nothing to release does not wait")
  func waitWhileIdle() async throws {
    try await with { daemon in
      let run = await daemon.run("release --wait", terminal: false)
      #expect(run.status == .nothingToActOn)
      #expect(run.out == "")
      #expect(run.err == "blurtctl: Nothing is being recorded.\n")
    }
  }

  @Test("S-151 --wait on a dictation that fails ends with 1 and says why; a text that could not be pasted is printed")
  func waitForFailure() async throws {
    let failed = PhaseEvent(phase: .failed, errorKind: "sttFailed", message: "Transcription failed. Try again.")
    for (text, out) in [("", ""), ("Words.", "Words.\n")] {
      try await with(FakeDaemon.Script(text: text, end: failed)) { daemon in
        _ = await daemon.run("press")
        let run = await daemon.run("release --wait", terminal: false)
        #expect(run.status == .failed)
        #expect(run.out == out)
        #expect(run.err == "blurtctl: Transcription failed. Try again.\n")
        _ = await daemon.run("press")
        let json = await daemon.run("release --wait --json")
        #expect(json.status == .failed)
        let outcome = try self.json(json)["outcome"]?.object
        #expect(outcome?["errorKind"] == "sttFailed" && outcome?["text"] == (text.isEmpty ? nil : .string(text)))
      }
    }
  }

  @Test(
    "S-151 B-34 without a daemon every command ends with 6 and says how to start Blurt",
    arguments: CommandTable.Verb.allCases)
  func noDaemon(_ verb: CommandTable.Verb) async throws {
    let folder = SocketFolder()
    let file = folder.file("a.wav")
    try Data().write(to: URL(fileURLWithPath: file))
    let operands = verb.entry.operands.map { operand in
      if case .words(let words) = operand.kind { return words[0] }
      return operand.kind == .file ? file : "x"
    }
    var line = ([verb.rawValue] + operands).joined(separator: " ")
    if verb.options.contains(.yes) { line += " --yes" }
    let run = await FakeDaemon.run(line, socket: folder.socket)
    guard verb != .version && verb != .completion else {
      #expect(run.status == .done)
      return
    }
    // It says itself what it sees.
    guard verb != .doctor else { return }
    #expect(run.status == .noDaemon)
    #expect(run.out == "")
    #expect(run.err.contains(" Start Blurt: "))
    let json = await FakeDaemon.run("\(line) --json", socket: folder.socket)
    #expect(json.status == .noDaemon)
    #expect(error("reason", json) == "noDaemon")
    #expect(json.err == "")
  }

  @Test("B-37 without a runtime folder the program says so, with 6")
  func noRuntimeFolder() async {
    let run = await FakeDaemon.run("press", socket: nil)
    #expect(run.status == .noDaemon)
    #expect(run.err.contains("XDG_RUNTIME_DIR"))
  }

  @Test("S-109 S-126 Y-124 a daemon that hangs is given up after 1.2 s with 6; when it goes on, nothing records")
  func hangingDaemon() async throws {
    let folder = SocketFolder()
    // As a stopped daemon: the kernel connects, nobody reads.
    let listener = try UnixSocket.listen(at: folder.socket).release()
    let start = ContinuousClock.now
    let run = await FakeDaemon.run("press", socket: folder.socket)
    #expect(run.status == .noDaemon)
    #expect(run.err.contains("Start Blurt"))
    #expect(ContinuousClock.now - start >= SessionContract.pressHandshakeTimeout)
    let handler = StubControlHandler()
    let server = try ControlServer(socket: .activated(listener), handler: handler)
    defer { server.stop() }
    let client = try ControlClient(path: folder.socket)
    _ = try client.ask(ClientCommand(id: "1", .status), until: nil)
    #expect(handler.commands.map(\.action) == [.status])
  }

  @Test("S-109 an answer that does not come within the handshake ends with 6")
  func silentDaemon() async throws {
    try await with(FakeDaemon.Script(isSilent: true)) { daemon in
      #expect(await daemon.run("status").status == .noDaemon)
    }
  }

  @Test("S-151 status in words and as the daemon's line")
  func status() async throws {
    try await with { daemon in
      let run = await daemon.run("status")
      #expect(run.status == .done)
      #expect(
        run.out == """
          blurtd           \(ProductVersion.current), protocol 1
          phase            idle
          engine           offline
          trigger key      KEY_RIGHTCTRL, not ready. Install the udev rule.
          recordings kept  2, 1 of them interrupted

          """)
      #expect(await ack("status", daemon.run("status --json"))?.object?["engine"] == "offline")
    }
  }

  @Test("S-151 status wraps its rows under their column and says nothing twice")
  func statusFits() async throws {
    var status = DaemonStatus()
    (status.listening, status.reason) = (false, .noKey)
    status.message = FailureReason.noKey.text
    status.microphone = PartStatus(ready: false, hint: "Install the udev rule.")
    try await with(FakeDaemon.Script(status: status)) { daemon in
      let run = await daemon.run("status", width: 60)
      #expect(
        run.out.contains(
          """
          listening        no. No readable keyboard has the trigger
                           key: install the udev rule, or join the
                           group input.

          """))
      #expect(run.out.contains("\nmicrophone       not ready\n"))
      #expect(!run.out.contains("\nnote"))
      for line in run.out.split(separator: "\n") { #expect(line.count <= 60) }
    }
    // The same with another remedy is the same: the note, which knows more, stands once.
    status.message = "No readable keyboard has the trigger key: plug one in."
    try await with(FakeDaemon.Script(status: status)) { daemon in
      let run = await daemon.run("status", width: 200)
      #expect(run.out.contains("\nlistening        no. No readable keyboard has the trigger key: plug one in.\n"))
      #expect(!run.out.contains("\nnote") && !run.out.contains("group input"))
    }
  }

  @Test("S-129 S-120 status names the owner of the running dictation, and the window where it is not open")
  func ownerAndWindow() async throws {
    var status = DaemonStatus()
    (status.listening, status.reason, status.window, status.owner) = (false, .suspended, .interrupted, "client")
    try await with(FakeDaemon.Script(status: status)) { daemon in
      let run = await daemon.run("status")
      #expect(run.out.contains("\nlistening        no. The computer is going to sleep"))
      #expect(run.out.contains("\nwindow           interrupted\nowner            client\n"))
    }
    (status.listening, status.window, status.owner) = (true, .open, nil)
    try await with(FakeDaemon.Script(status: status)) { daemon in
      let run = await daemon.run("status")
      #expect(run.out.contains("\nlistening        yes\n"))
      #expect(!run.out.contains("window") && !run.out.contains("owner"))
    }
  }

  @Test("S-151 last prints the bare text, also into a pipe; without one it ends with 7")
  func last() async throws {
    try await with { daemon in
      for terminal in [true, false] {
        let run = await daemon.run("last", terminal: terminal)
        #expect(run.status == .done && run.out == "Hello there.\n" && run.err == "")
      }
      #expect(await ack("text", daemon.run("last --json")) == "Hello there.")
    }
    try await with(FakeDaemon.Script(text: "")) { daemon in
      let run = await daemon.run("last", terminal: false)
      #expect(run.status == .nothingToActOn && run.out == "" && run.err == "blurtctl: There is no text yet.\n")
    }
  }

  @Test("S-151 transcribe sends an absolute path and prints the text; a missing file never reaches the daemon")
  func transcribe() async throws {
    try await with { daemon in
      let file = daemon.folder.file("a.wav")
      try Data().write(to: URL(fileURLWithPath: file))
      let run = await daemon.run("transcribe \(file)", terminal: false)
      #expect(run.status == .done && run.out == "Hello there.\n")
      #expect(daemon.commands.map(\.action) == [.status, .transcribe(path: file)])
      let missing = await daemon.run("transcribe nowhere.wav")
      #expect(missing.status == .usage)
      #expect(
        missing.err == "blurtctl: nowhere.wav: No such file or directory. Give a readable WAV, FLAC or Ogg file.\n")
      #expect(daemon.commands.count == 2)
      let bad = daemon.folder.file("bad.wav")
      try Data().write(to: URL(fileURLWithPath: bad))
      let refused = await daemon.run("transcribe \(bad)")
      #expect(refused.status == .failed && refused.err == "blurtctl: bad.wav is not a WAV file.\n")
    }
  }

  @Test("B-42 watch shows the phases and ends once, with 6, when the daemon goes away")
  func watch() async throws {
    for terminal in [true, false] {
      let daemon = try FakeDaemon()
      let watching = Gate()
      async let run = daemon.run("watch --results", terminal: terminal, onOut: { watching.open() })
      await watching.pass()
      let client = try ControlClient(path: daemon.folder.socket)
      _ = try client.ask(ClientCommand(id: "1", .press(key: nil, lease: false)), until: nil)
      _ = try client.ask(ClientCommand(id: "2", .release), until: nil)
      // The last phase has gone out when a later answer has.
      _ = try client.ask(ClientCommand(id: "3", .status), until: nil)
      daemon.stop()
      let result = await run
      #expect(result.status == .noDaemon)
      #expect(result.err.contains("went away"))
      let lines = result.out.split(separator: "\n").map(String.init)
      if terminal {
        #expect(
          lines == [
            "Ready.", "The microphone is coming up.", "Recording.", "Transcribing.", "Text from offline: Hello there.",
            "Inserting.", "Inserted.",
          ])
      } else {
        #expect(lines.first == #"{"event":"phase","phase":"idle"}"#)
        #expect(lines.count == 8)
        for line in lines { #expect(throws: Never.self) { try JSONReader.read(Array(line.utf8)) } }
      }
    }
  }

  @Test("S-151 version needs no daemon")
  func version() async throws {
    for line in ["version", "--version"] {
      let run = await FakeDaemon.run(line, socket: nil)
      #expect(run.status == .done && run.out == "blurtctl \(ProductVersion.current), protocol 1\n")
    }
    let version = try json(await FakeDaemon.run("version --json", socket: nil))
    #expect(version["protocol"] == 1)
  }

  @Test("P-60 an identity that cannot be is wrong usage, and is named")
  func badIdentity() {
    let out = Box("")
    let err = Box("")
    let console = Console(
      out: { text in out.update { $0 += text } }, err: { text in err.update { $0 += text } }, outIsTerminal: true,
      errIsTerminal: true, input: -1, inputIsTerminal: false, outDescriptor: nil, width: { 80 }, wallTime: { 0 },
      signals: { nil }, environment: { ["BLURT_IDENTITY": "No!", "XDG_RUNTIME_DIR": "/nowhere"][$0] })
    #expect(Program(console: console).run(["status"]) == .usage)
    #expect(err.value.hasPrefix("blurtctl: BLURT_IDENTITY is \"No!\"") && err.value.hasSuffix("\n"))
    #expect(out.value == "")
    #expect(Program(console: console).run(["version"]) == .done)
  }

  @Test("S-151 wrong usage ends with 2 and sends nothing")
  func usage() async throws {
    try await with { daemon in
      for line in ["", "dance", "press --wait", "transcribe", "press --json --quiet"] {
        let run = await daemon.run(line)
        #expect(run.status == .usage && run.out == "" && run.err.hasSuffix("--help\".\n"), "\(line)")
      }
      #expect(await daemon.run("dance").err.hasSuffix("Try \"blurtctl --help\".\n"))
      #expect(await daemon.run("press --wait").err.hasSuffix("Try \"blurtctl press --help\".\n"))
      #expect(await daemon.run("spool dance").err.hasSuffix("Try \"blurtctl spool --help\".\n"))
      for line in ["dance --json", "--json press --wait"] {
        let run = await daemon.run(line)
        #expect(run.status == .usage && run.err.hasPrefix("blurtctl: "))
        #expect(error("reason", run) == "badRequest", "\(line)")
      }
      #expect(daemon.commands.isEmpty)
      let help = await daemon.run("--help")
      #expect(help.status == .done && help.out == HelpText.text(for: .everything))
    }
  }
}
