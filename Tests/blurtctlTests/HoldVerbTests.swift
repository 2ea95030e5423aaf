import BlurtContract
import BlurtIPC
import BlurtOS
import BlurtTestSupport
import Foundation
import Synchronization
import Testing

@testable import blurtctl

@Suite(.timeLimit(.minutes(1))) struct HoldVerbTests {
  private func with(_ script: FakeDaemon.Script, _ body: (FakeDaemon) async throws -> Void) async throws {
    let daemon = try FakeDaemon(script)
    defer { daemon.stop() }
    try await body(daemon)
  }

  private func names(_ daemon: FakeDaemon) -> [ClientCommand.Name] { daemon.commands.map(\.action.name) }

  @Test("Y-151 hold presses with a lease, releases at the end of input, and prints the text alone")
  func endOfInput() async throws {
    let input = Channel()
    try await with(FakeDaemon.Script(onRecording: { input.end() })) { daemon in
      let run = await daemon.run("hold", terminal: false, input: input.reading)
      #expect(run.status == .done)
      #expect(run.out == "Hello there.\n")
      #expect(run.err == "")
      #expect(
        daemon.commands.map(\.action) == [
          .press(key: nil, lease: .heartbeat(HoldVerb.lease)), .release, .wait(.dictation(1)),
        ])
      #expect(daemon.commands.first?.deadline != nil)
    }
  }

  @Test("Y-151 hold releases at Enter, not at other input, and shows the phases to a person on the error output")
  func enter() async throws {
    let input = Channel()
    input.send("some keys")
    try await with(FakeDaemon.Script(onRecording: { input.send("more\n") })) { daemon in
      let run = await daemon.run("hold", input: input.reading)
      #expect(run.status == .done)
      #expect(run.out == "Hello there.\n")
      #expect(run.err == "The microphone is coming up.\nSpeak now.\nTranscribing.\nInserting.\n")
      #expect(names(daemon) == [.press, .release, .wait])
    }
  }

  @Test("S-151 hold says why there is no text, and its JSON is the outcome that wait tells")
  func noText() async throws {
    let message = "The recording was too short."
    for line in ["hold", "hold --json"] {
      let input = Channel()
      let script = FakeDaemon.Script(
        text: "", end: PhaseEvent(phase: .idle), outcomeMessage: message, onRecording: { input.end() })
      try await with(script) { daemon in
        let run = await daemon.run(line, terminal: false, input: input.reading)
        #expect(run.status == .done)
        #expect(run.err == (line == "hold" ? message + "\n" : ""))
        #expect(
          run.out
            == (line == "hold"
              ? "" : #"{"outcome":{"dictation":1,"message":"The recording was too short.","phase":"idle"}}"# + "\n"))
      }
    }
  }

  @Test("Y-151 a signal that came during the bring-up still releases after it")
  func earlySignal() async throws {
    let input = Channel()
    let signals = Channel()
    signals.send("TERM")
    try await with(FakeDaemon.Script()) { daemon in
      let run = await daemon.run("hold", terminal: false, input: input.reading, signals: signals.reading)
      #expect(run.status == .done)
      #expect(run.out == "Hello there.\n")
      #expect(names(daemon) == [.press, .release, .wait])
    }
  }

  @Test("Y-151 a second signal cancels")
  func secondSignal() async throws {
    let signals = Channel()
    let handler = Mutex<[String]>([])
    let folder = SocketFolder()
    let server = Mutex<ControlServer?>(nil)
    let stub = StubControlHandler { command, reply in
      let count = handler.withLock {
        $0.append(command.action.name.rawValue)
        return $0.count
      }
      if command.action == .cancel {
        reply(command.ack(.done, dictation: 1))
        server.withLock { $0 }?.broadcast(.phase(PhaseEvent(phase: .cancelled, dictation: 1)))
      } else {
        reply(command.ack(count == 1 ? .started : .done, dictation: 1))
        // The release is answered and its transcription hangs; the next signal comes.
        signals.send("INT")
      }
    }
    server.withLock { $0 = try? ControlServer(socket: .path(folder.socket), handler: stub) }
    defer { server.withLock { $0 }?.stop() }
    let run = await FakeDaemon.run(
      "hold", socket: folder.socket, terminal: false, input: Channel().reading, signals: signals.reading)
    #expect(handler.withLock { $0 } == ["press", "release", "cancel", "wait"])
    #expect(run.status == .done)
    #expect(run.out == "")
    #expect(run.err == "Cancelled.\n")
  }

  @Test("S-151 hold ends by itself when the dictation does, with 1 when it failed")
  func endedElsewhere() async throws {
    let input = Channel()
    let message = "Audio could not be captured. Plug the microphone in."
    let server = Mutex<ControlServer?>(nil)
    let folder = SocketFolder()
    let stub = StubControlHandler { command, reply in
      reply(command.ack(.started, dictation: 4))
      let event = PhaseEvent(phase: .failed, dictation: 4, errorKind: "audioCaptureFailed", message: message)
      server.withLock { $0 }?.broadcast(.phase(event))
    }
    server.withLock { $0 = try? ControlServer(socket: .path(folder.socket), handler: stub) }
    defer { server.withLock { $0 }?.stop() }
    let run = await FakeDaemon.run("hold", socket: folder.socket, terminal: false, input: input.reading)
    #expect(run.status == .failed)
    #expect(run.err == "blurtctl: \(message)\n")
    #expect(stub.commands.map(\.action.name) == [.press, .wait])
  }

  @Test("S-151 hold is busy with 3 when another dictation runs, and does not end that one")
  func busy() async throws {
    let input = Channel()
    try await with(FakeDaemon.Script()) { daemon in
      _ = await daemon.run("press")
      let run = await daemon.run("hold", terminal: false, input: input.reading)
      #expect(run.status == .busy)
      #expect(names(daemon) == [.press, .press])
    }
  }

  @Test("S-132 hold gives signs of life well within its lease while it records, and none after the release")
  func heartbeat() async throws {
    #expect(SessionContract.leaseHeartbeat.contains(HoldVerb.lease))
    #expect(HoldVerb.heartbeat * 3 <= HoldVerb.lease)
    let input = Channel()
    let folder = SocketFolder()
    let stub = StubControlHandler { command, reply in
      switch command.action {
      case .presence:
        reply(command.ack(.ignored))
        input.end()
      case .press: reply(command.ack(.started, dictation: 1))
      default: reply(command.ack(.done, dictation: 1))
      }
    }
    let server = try ControlServer(socket: .path(folder.socket), handler: stub)
    defer { server.stop() }
    async let run = FakeDaemon.run("hold", socket: folder.socket, terminal: false, input: input.reading)
    #expect(await eventually { stub.commands.contains { $0.action == .release } })
    server.broadcast(.phase(PhaseEvent(phase: .pasted, dictation: 1)))
    #expect(await run.status == .done)
    #expect(
      stub.commands.map(\.action) == [
        .press(key: nil, lease: .heartbeat(HoldVerb.lease)), .presence(onScreen: false), .release, .wait(.dictation(1)),
      ])
  }

  @Test("S-132 nothing is due after the release but its answer")
  func dueTimes() {
    var holding = Holding(outcome: Outcome(dictation: 1), input: 0, signals: 7, heartbeatDue: .seconds(2))
    #expect(holding.due == .seconds(2))
    #expect(holding.watched == [7, 0])
    holding.asked("1", until: .seconds(9))
    #expect(holding.due == .seconds(9))
    #expect(holding.watched == [7])
    holding.answered()
    #expect(holding.due == nil)
  }

  @Test("S-133 hold ends with 6 when the daemon dies; its own end closes the connection that the lease hangs on")
  func death() async throws {
    let input = Channel()
    let recording = Gate()
    let daemon = try FakeDaemon(FakeDaemon.Script(onRecording: { recording.open() }))
    async let run = daemon.run("hold", terminal: false, input: input.reading)
    await recording.pass()
    daemon.stop()
    let result = await run
    #expect(result.status == .noDaemon)
    #expect(result.err.contains("went away"))
  }
}
