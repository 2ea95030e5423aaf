import BlurtContract
import BlurtIPC
import BlurtOS
import BlurtTestSupport
import Foundation
import Testing

/// `protocol/examples/dictate.py` and the lines of shell and Python in the reference, run against a server.
@Suite(.timeLimit(.minutes(1))) struct ExampleClientTests {
  struct Run: Sendable {
    let status: Int32
    let out: String
    let err: String
  }

  /// A daemon that dictates without a microphone.
  private final class Dictating: Sendable {
    let rig: ServerRig

    init(
      phases: [DictationPhase] = [.connecting, .recording], outcome: DictationOutcome? = nil,
      press: (result: CommandResult, reason: FailureReason?) = (.started, nil), isSilent: Bool = false,
      onRecording: @escaping @Sendable () -> Void = {}
    ) throws {
      let box = Box<ControlServer?>(nil)
      let handler = StubControlHandler { command, reply in
        switch command.action {
        case .status: reply(command.ack(.done, status: DaemonStatus()))
        case .press:
          if isSilent { return }
          guard press.result == .started else {
            return reply(command.ack(press.result, reason: press.reason, message: press.reason?.text))
          }
          reply(command.ack(.started, dictation: 7))
          // A phase of another dictation is none of its business.
          box.value?.broadcast(.phase(PhaseEvent(phase: .failed, dictation: 6)))
          for phase in phases { box.value?.broadcast(.phase(PhaseEvent(phase: phase, dictation: 7))) }
          onRecording()
        case .release: reply(command.ack(.done, dictation: 7))
        case .wait:
          var ack = command.ack(.done)
          ack.outcome =
            outcome ?? DictationOutcome(dictation: 7, phase: .pasted, text: "Hello there.", engine: "offline")
          reply(ack)
        case .cancel, .cancelRecording, .toggle, .watch, .presence, .last, .recent, .transcribe, .spool, .retry,
          .discard, .settings, .set, .unset, .reset, .keys, .setKey, .edit, .devices, .sounds, .playSound, .apiKey,
          .setApiKey, .clearApiKey, .doctor:
          reply(command.ack(.done))
        }
      }
      rig = try ServerRig(handler: handler)
      box.value = rig.server
    }

    var commands: [ClientCommand] { rig.handler.commands }
    func stop() { rig.server.stop() }
  }

  /// Runs a program on a thread of its own. `input` is what it reads; nil leaves its input open and empty.
  private func run(_ arguments: [String], socket: String, input: String? = nil) async throws -> Run {
    try await Blocking.run(name: "example") {
      let process = Process()
      process.executableURL = URL(filePath: "/usr/bin/env")
      process.arguments = arguments
      process.environment = [
        "PATH": "/usr/bin:/bin", "BLURT_SOCKET": socket, "PYTHONDONTWRITEBYTECODE": "1",
        // The folder of the socket's folder: the reference's lines add the rest.
        "XDG_RUNTIME_DIR": URL(filePath: socket).deletingLastPathComponent().deletingLastPathComponent().path,
      ]
      let (out, err, entry) = (Pipe(), Pipe(), Pipe())
      process.standardOutput = out
      process.standardError = err
      process.standardInput = entry
      do {
        try process.run()
        if let input {
          try entry.fileHandleForWriting.write(contentsOf: Data(input.utf8))
          try entry.fileHandleForWriting.close()
        }
      } catch {
        return Run(status: -1, out: "", err: "\(error)")
      }
      // Both are a few lines, less than a pipe holds.
      let said = out.fileHandleForReading.readDataToEndOfFile()
      let complained = err.fileHandleForReading.readDataToEndOfFile()
      process.waitUntilExit()
      return Run(
        status: process.terminationStatus, out: String(decoding: said, as: UTF8.self),
        err: String(decoding: complained, as: UTF8.self))
    }
  }

  private func dictate(_ daemon: Dictating, _ arguments: [String] = [], input: String? = "\n") async throws -> Run {
    let program = ProtocolTranscript.root() + "/protocol/examples/dictate.py"
    return try await run(
      ["/usr/bin/python3", program] + arguments, socket: daemon.rig.folder.socket, input: input)
  }

  @Test("S-147 the example dictates: it presses with a lease and a deadline, releases on Enter, waits, prints the text")
  func dictates() async throws {
    let daemon = try Dictating()
    defer { daemon.stop() }
    let before = MonotonicClock.sinceBoot()
    let run = try await dictate(daemon)
    #expect(run.out == "Hello there.\n")
    #expect(run.status == 0, "\(run.err)")
    let commands = daemon.commands
    // The server answers a watch by itself.
    try #require(commands.map(\.action.name) == [.status, .press, .release, .wait])
    #expect(commands[1].action == .press(key: nil, lease: .connection))
    let deadline = try #require(commands[1].deadline)
    #expect(deadline > before)
    #expect(
      deadline
        <= MonotonicClock.sinceBoot() + SessionContract.pressHandshakeTimeout - SessionContract.pressDeadlineMargin)
    #expect(commands[3].action == .wait(.dictation(7)))
    #expect(commands.allSatisfy { $0.client == "dictate.py" })
  }

  @Test("S-147 the example ends the recording by itself after the seconds it was given")
  func seconds() async throws {
    let daemon = try Dictating()
    defer { daemon.stop() }
    let run = try await dictate(daemon, ["--seconds", "0.1"], input: nil)
    #expect(run.status == 0 && run.out == "Hello there.\n", "\(run.err)")
  }

  @Test("S-147 the example prints what was said though the paste failed, and says that it did")
  func noTarget() async throws {
    let outcome = DictationOutcome(dictation: 7, phase: .noTarget, text: "Hello there.", message: "On the clipboard.")
    let daemon = try Dictating(outcome: outcome)
    defer { daemon.stop() }
    let run = try await dictate(daemon)
    #expect(run.status == 0 && run.out == "Hello there.\n")
    #expect(run.err.contains("On the clipboard."))
  }

  @Test("S-128 the example's exit status says why there is no text, and nothing is printed as one")
  func refusals() async throws {
    let cases: [(CommandResult, FailureReason?, Int32)] = [(.busy, nil, 3), (.notListening, .seatInactive, 4)]
    for (result, reason, status) in cases {
      let daemon = try Dictating(press: (result, reason))
      defer { daemon.stop() }
      let run = try await dictate(daemon)
      #expect(run.status == status && run.out.isEmpty)
      #expect(run.err.contains(reason?.text ?? "busy"), "\(run.err)")
      #expect(!daemon.commands.map(\.action.name).contains(.release))
    }
    let failed = DictationOutcome(dictation: 7, phase: .failed, errorKind: "sttFailed", message: "It failed.")
    let daemon = try Dictating(phases: [.connecting, .failed], outcome: failed)
    defer { daemon.stop() }
    let run = try await dictate(daemon)
    #expect(run.status == 1 && run.out.isEmpty && run.err.contains("It failed."))
    #expect(!daemon.commands.map(\.action.name).contains(.release))
  }

  @Test("S-109 the example gives up when there is no daemon, no answer to its press, or the daemon hangs up")
  func gone() async throws {
    let program = ProtocolTranscript.root() + "/protocol/examples/dictate.py"
    let absent = try await run(["/usr/bin/python3", program], socket: "/nowhere/blurtd.sock")
    #expect(absent.status == 6 && absent.err.contains("/nowhere/blurtd.sock"))

    let silent = try Dictating(isSilent: true)
    defer { silent.stop() }
    let unanswered = try await dictate(silent)
    #expect(unanswered.status == 6 && unanswered.err.contains("does not answer"), "\(unanswered.err)")

    let box = Box<Dictating?>(nil)
    // Not on the server's own thread, which it stops.
    let daemon = try Dictating(onRecording: { Thread.detachNewThread { box.value?.stop() } })
    box.value = daemon
    let cut = try await dictate(daemon, ["--seconds", "30"], input: nil)
    #expect(cut.status == 6 && cut.out.isEmpty && cut.err.contains("hung up"), "\(cut.err)")
    box.value = nil
  }

  // MARK: The lines of the reference

  private static func snippets(_ language: String) -> [String] {
    (try? ProtocolReference())?.part("Talking to it in ten lines")?.blocks(language) ?? []
  }

  private static func tool(_ name: String) -> Bool {
    ["/bin/", "/usr/bin/"].contains { FileManager.default.isExecutableFile(atPath: $0 + name) }
  }

  private func answered(_ arguments: [String]) async throws -> (Run, [ClientCommand]) {
    let folder = SocketFolder()
    #expect(mkdir(folder.file("blurt"), 0o700) == 0)
    let handler = StubControlHandler { command, reply in
      reply(command.ack(.done, status: command.action == .status ? DaemonStatus() : nil))
    }
    let socket = folder.file("blurt/blurtd.sock")
    let server = try ControlServer(socket: .path(socket), handler: handler)
    defer { server.stop() }
    return (try await run(arguments, socket: socket, input: ""), handler.commands)
  }

  @Test(
    "S-146 the lines of shell in the reference do what they say",
    .enabled(if: tool("nc") && tool("socat"), "nc and socat are not installed"), arguments: snippets("sh"))
  func shell(_ snippet: String) async throws {
    let (run, commands) = try await answered(["/bin/sh", "-c", snippet])
    #expect(run.status == 0 && run.out.hasPrefix(#"{"ack":{"id":"1","#), "\(run)")
    #expect(commands.count == 1)
  }

  @Test("S-146 the lines of Python in the reference do what they say", arguments: snippets("python"))
  func python(_ snippet: String) async throws {
    let (run, commands) = try await answered(["/usr/bin/python3", "-c", snippet])
    #expect(run.status == 0 && run.out.hasPrefix(#"{"id": "1", "#), "\(run)")
    #expect(commands.map(\.action) == [.status])
  }

  @Test("S-146 the reference has lines to try")
  func thereAreSnippets() {
    #expect(Self.snippets("sh").count == 2)
    #expect(Self.snippets("python").count == 1)
  }
}
