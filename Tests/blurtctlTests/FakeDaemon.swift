import BlurtContract
import BlurtIPC
import BlurtTestSupport
import Foundation
import Synchronization

@testable import blurtctl

/// A daemon that plays dictations through without a microphone, and the program run against it.
final class FakeDaemon: Sendable {
  /// How the dictations go.
  struct Script: Sendable {
    var text = "Hello there."
    var end = PhaseEvent(phase: .pasted)
    /// What a press is answered with instead of `started`.
    var refusal: (result: CommandResult, reason: FailureReason?)?
    /// Runs when the dictation records.
    var onRecording: @Sendable () -> Void = {}
    /// What the doctor finds.
    var checks: [DoctorCheck] = []
    /// No command is answered.
    var isSilent = false
  }

  /// What a run of the program left.
  struct Run: Sendable {
    let status: ExitStatus
    let out: String
    let err: String
  }

  private struct State {
    var dictation: UInt64 = 0
    var phase = DictationPhase.idle
  }

  let folder = SocketFolder()
  private let script: Script
  private let state = Mutex(State())
  private let made = Mutex<(server: ControlServer, handler: StubControlHandler)?>(nil)

  init(_ script: Script = Script()) throws {
    self.script = script
    let handler = StubControlHandler { [weak self] command, reply in self?.answer(command, reply) }
    let server = try ControlServer(socket: .path(folder.socket), handler: handler)
    made.withLock { $0 = (server, handler) }
  }

  var commands: [ClientCommand] { made.withLock { $0?.handler.commands ?? [] } }

  func stop() {
    made.withLock { $0?.server }?.stop()
  }

  private func go(_ event: PhaseEvent, _ dictation: UInt64) {
    var event = event
    event.dictation = dictation
    state.withLock { $0.phase = event.phase }
    made.withLock { $0?.server }?.broadcast(.phase(event))
  }

  private func answer(_ command: ClientCommand, _ reply: @escaping StubControlHandler.Reply) {
    if script.isSilent { return }
    let (phase, dictation) = state.withLock { ($0.phase, $0.dictation) }
    switch command.action {
    case .press: press(command, phase, reply)
    case .toggle where phase.isTerminal: press(command, phase, reply)
    case .release, .toggle:
      guard phase == .recording else { return reply(command.ack(.ignored)) }
      reply(command.ack(.done, dictation: dictation))
      go(PhaseEvent(phase: .transcribing), dictation)
      if !script.text.isEmpty {
        let event = DeliveryEvent(dictation: dictation, engine: "offline", text: script.text)
        made.withLock { $0?.server }?.broadcast(.delivery(event))
        go(PhaseEvent(phase: .injecting), dictation)
      }
      go(script.end, dictation)
    case .cancel, .cancelRecording:
      guard !phase.isTerminal else { return reply(command.ack(.ignored)) }
      reply(command.ack(.done, dictation: dictation))
      go(PhaseEvent(phase: .cancelled), dictation)
    case .status:
      var status = DaemonStatus()
      status.phase = phase
      status.engine = "offline"
      status.hotkey = PartStatus(ready: false, device: "KEY_RIGHTCTRL", hint: "Install the udev rule.")
      status.spool = SpoolStatus(recordings: 2, interrupted: 1)
      reply(command.ack(.done, status: status))
    case .last:
      reply(script.text.isEmpty ? command.ack(.ignored) : command.ack(.done, text: script.text, engine: "offline"))
    case .transcribe(let path):
      reply(
        path.hasSuffix("bad.wav")
          ? command.ack(.failed, reason: .badFile, message: "bad.wav is not a WAV file.")
          : command.ack(.done, text: script.text, engine: "offline"))
    case .doctor:
      var ack = command.ack(.done)
      ack.checks = script.checks
      reply(ack)
    case .watch, .wait, .presence, .recent, .spool, .retry, .discard, .settings, .set, .unset, .reset:
      reply(command.ack(.done))
    }
  }

  private func press(_ command: ClientCommand, _ phase: DictationPhase, _ reply: StubControlHandler.Reply) {
    if let refusal = script.refusal { return reply(command.ack(refusal.result, reason: refusal.reason)) }
    guard phase.isTerminal else { return reply(command.ack(.busy, phase: phase)) }
    let dictation = state.withLock { state in
      state.dictation += 1
      return state.dictation
    }
    go(PhaseEvent(phase: .connecting), dictation)
    reply(command.ack(.started, dictation: dictation))
    go(PhaseEvent(phase: .recording), dictation)
    script.onRecording()
  }

  /// Runs `blurtctl` on a thread of its own, against this daemon's socket.
  func run(
    _ line: String, terminal: Bool = true, input: Int32 = -1, signals: Int32? = nil,
    onOut: @escaping @Sendable () -> Void = {}
  ) async -> Run {
    await Self.run(line, socket: folder.socket, terminal: terminal, input: input, signals: signals, onOut: onOut)
  }

  static func run(
    _ line: String, socket: String?, terminal: Bool = true, input: Int32 = -1, signals: Int32? = nil,
    onOut: @escaping @Sendable () -> Void = {}
  ) async -> Run {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        var out = ""
        var err = ""
        let console = Console(
          out: { text in
            out += text
            onOut()
          }, err: { err += $0 }, outIsTerminal: terminal, errIsTerminal: terminal, input: input,
          signals: { signals }, environment: { $0 == "BLURT_SOCKET" ? socket : nil })
        let status = Program(console: console).run(line.split(separator: " ").map(String.init))
        continuation.resume(returning: Run(status: status, out: out, err: err))
      }
    }
  }
}
