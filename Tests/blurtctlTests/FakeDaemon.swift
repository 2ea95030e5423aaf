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
    /// What `wait` says besides what the phases do.
    var outcomeMessage: String?
    /// What a press is answered with instead of `started`.
    var refusal: (result: CommandResult, reason: FailureReason?)?
    /// Runs when the dictation records.
    var onRecording: @Sendable () -> Void = {}
    /// What the doctor finds.
    var checks: [DoctorCheck] = []
    /// No command is answered.
    var isSilent = false
    /// What `status` says besides.
    var status = DaemonStatus()
    var settings: [SettingEntry] = []
    /// Runs before a setting is written, with how many writes came before: another client may be faster.
    var onWrite: @Sendable (FakeDaemon, Int) -> Void = { _, _ in }
    var recent: [RecentEntry] = []
    var recordings: [RecordingEntry] = []
    /// How a recording that is sent again ends.
    var retried = DictationOutcome(text: "Again.", engine: "offline")
    var steps: [ResetStep] = []
    var keys: [KeyEntry] = []
    /// What is wrong with a change of the keys.
    var keyRefusal: String?
    var devices: [DeviceEntry] = []
    var sounds: [SoundEntry] = []
    /// Why a key is not taken.
    var keyFailure: FailureReason?
    /// How `presence` is answered.
    var presence = CommandResult.done
  }

  /// The time of day for the program.
  static let wallTime = RelativeTime.seconds("2026-11-30T12:00:00Z") ?? 0

  /// What a run of the program left.
  struct Run: Sendable {
    let status: ExitStatus
    let out: String
    let err: String
  }

  private struct State {
    var dictation: UInt64 = 0
    var phase = DictationPhase.idle
    /// How the last dictation ended.
    var outcome: DictationOutcome?
    var settings: [SettingEntry] = []
    var writeCount = 0
    /// Answers to `wait`, until the dictation ends.
    var waiting: [(command: ClientCommand, reply: StubControlHandler.Reply)] = []
  }

  let folder: SocketFolder
  private let script: Script
  private let state = Mutex(State())
  private let made = Mutex<(server: ControlServer, handler: StubControlHandler)?>(nil)

  init(_ script: Script = Script(), folder: SocketFolder = SocketFolder()) throws {
    self.script = script
    self.folder = folder
    state.withLock { $0.settings = script.settings }
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
    let waiting = state.withLock { state in
      state.phase = event.phase
      guard event.phase.isTerminal else { return [] as [(command: ClientCommand, reply: StubControlHandler.Reply)] }
      state.outcome = outcome(event)
      defer { state.waiting = [] }
      return state.waiting
    }
    made.withLock { $0?.server }?.broadcast(.phase(event))
    for (command, reply) in waiting { reply(ack(command, outcome(event))) }
  }

  private func outcome(_ event: PhaseEvent) -> DictationOutcome {
    let text = script.text.isEmpty ? nil : script.text
    return DictationOutcome(
      dictation: event.dictation, phase: event.phase, text: text, engine: text == nil ? nil : "offline",
      errorKind: event.errorKind, message: script.outcomeMessage ?? event.message)
  }

  private func ack(_ command: ClientCommand, _ outcome: DictationOutcome) -> CommandAck {
    var ack = command.ack(.done)
    ack.outcome = outcome
    return ack
  }

  /// Sends an event to every watcher.
  func broadcast(_ event: SessionEvent) { made.withLock { $0?.server }?.broadcast(event) }

  /// Changes a setting as another client would.
  func write(_ setting: String, _ value: JSONValue?) {
    state.withLock { state in
      for index in state.settings.indices where state.settings[index].setting == setting {
        state.settings[index].value = value ?? state.settings[index].defaultValue
        state.settings[index].isSet = value != nil
      }
    }
  }

  /// The value of a setting.
  func value(_ setting: String) -> JSONValue? {
    state.withLock { $0.settings.first { $0.setting == setting }?.value }
  }

  private func write(
    _ setting: String, _ value: JSONValue?, _ expected: JSONValue?, _ command: ClientCommand,
    _ reply: StubControlHandler.Reply
  ) {
    script.onWrite(
      self,
      state.withLock { state in
        defer { state.writeCount += 1 }
        return state.writeCount
      })
    guard let now = self.value(setting) else { return reply(command.ack(.failed, reason: .unknownSetting)) }
    guard expected == nil || expected == now else { return reply(command.ack(.failed, reason: .conflict)) }
    if value == "refused" {
      return reply(command.ack(.failed, reason: .badValue, message: "It takes a number from 0 to 60."))
    }
    write(setting, value)
    read(setting, command, reply)
  }

  /// Entries as the daemon changes them, told apart by their triggers or names alone.
  private func edit(_ change: EntryChange, _ command: ClientCommand, _ reply: StubControlHandler.Reply) {
    script.onWrite(
      self,
      state.withLock { state in
        defer { state.writeCount += 1 }
        return state.writeCount
      })
    func entries(_ value: JSONValue?) -> [JSONValue] { if case .array(let entries)? = value { entries } else { [] } }
    func name(_ entry: JSONValue) -> String {
      entry.string ?? (entry.object?["trigger"] ?? entry.object?["name"])?.string ?? ""
    }
    var now = entries(value(change.setting))
    let named = Set(change.remove + entries(change.put).map(name))
    guard change.expected.map({ Set(entries($0)) == Set(now.filter { named.contains(name($0)) }) }) ?? true else {
      return reply(command.ack(.failed, reason: .conflict))
    }
    now.removeAll { change.remove.contains(name($0)) }
    for entry in entries(change.put) {
      if let index = now.firstIndex(where: { name($0) == name(entry) }) {
        now[index] = entry
      } else {
        now.append(entry)
      }
    }
    write(change.setting, .array(now))
    read(change.setting, command, reply)
  }

  private func read(_ setting: String?, _ command: ClientCommand, _ reply: StubControlHandler.Reply) {
    let entries = state.withLock { $0.settings }.filter { setting == nil || $0.setting == setting }
    guard setting == nil || !entries.isEmpty else { return reply(command.ack(.failed, reason: .unknownSetting)) }
    var ack = command.ack(.done)
    ack.settings = entries
    reply(ack)
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
      var status = script.status
      status.phase = phase
      status.engine = "offline"
      status.hotkey = PartStatus(ready: false, device: "KEY_RIGHTCTRL", hint: "Install the udev rule.")
      status.spool = SpoolStatus(recordings: 2, interrupted: 1)
      reply(command.ack(.done, status: status))
    case .last:
      reply(script.text.isEmpty ? command.ack(.ignored) : command.ack(.done, text: script.text, engine: "offline"))
    case .transcribe(let path, _):
      reply(
        path.hasSuffix("bad.wav")
          ? command.ack(.failed, reason: .badFile, message: "bad.wav is not a WAV file.")
          : command.ack(.done, text: script.text, engine: "offline"))
    case .wait(let target):
      if case .recording = target { return reply(ack(command, script.retried)) }
      let ended = state.withLock { state -> DictationOutcome? in
        if state.phase.isTerminal { return state.outcome }
        state.waiting.append((command, reply))
        return nil
      }
      if let ended { reply(ack(command, ended)) }
    case .presence: reply(command.ack(script.presence))
    case .recent(let count):
      var ack = command.ack(.done)
      ack.recent = Array(script.recent.prefix(count ?? 3))
      reply(ack)
    case .spool:
      var ack = command.ack(.done)
      ack.recordings = script.recordings
      reply(ack)
    case .retry(let recording, _):
      guard !script.recordings.isEmpty else { return reply(command.ack(.ignored, message: "No recording is kept.")) }
      guard let found = script.recordings.first(where: { recording == nil || $0.id == recording }) else {
        return reply(command.ack(.failed, reason: .unknownRecording))
      }
      var ack = command.ack(.started)
      ack.recording = found.id
      reply(ack)
    case .discard(let recording):
      let isUnknown = recording == "nope"
      reply(isUnknown ? command.ack(.failed, reason: .unknownRecording) : command.ack(.done))
    case .settings(let setting): read(setting, command, reply)
    case .set(let setting, let value, let expected): write(setting, value, expected, command, reply)
    case .unset(let setting, let expected): write(setting, nil, expected, command, reply)
    case .keys:
      var ack = command.ack(.done)
      ack.keys = script.keys
      reply(ack)
    case .setKey(let change):
      if let refusal = script.keyRefusal { return reply(command.ack(.failed, reason: .badValue, message: refusal)) }
      var ack = command.ack(.done)
      ack.keys = script.keys.filter { change.key == nil ? $0.choice != "off" : $0.key == change.key }
      reply(ack)
    case .edit(let change): edit(change, command, reply)
    case .reset:
      var ack = command.ack(.done)
      ack.steps = script.steps
      reply(ack)
    case .devices:
      var ack = command.ack(.done)
      ack.devices = script.devices
      reply(ack)
    case .sounds:
      var ack = command.ack(.done)
      ack.sounds = script.sounds
      reply(ack)
    case .playSound(let pack, _):
      reply(pack == "none" ? command.ack(.ignored, message: "The pack none is silent.") : command.ack(.done))
    case .apiKey(let engine, _):
      var ack = script.keyFailure.map { command.ack(.failed, reason: $0) } ?? command.ack(.done)
      ack.apiKey = APIKeyStatus(engine: engine ?? "assemblyai", connected: true, display: "••••1234", source: "file")
      reply(ack)
    case .setApiKey(let key, let engine):
      var ack = script.keyFailure.map { command.ack(.failed, reason: $0) } ?? command.ack(.done)
      ack.apiKey = APIKeyStatus(
        engine: engine ?? "assemblyai", connected: true, display: "••••" + key.revealed.suffix(4), source: "file")
      reply(ack)
    case .clearApiKey(let engine):
      var ack = command.ack(.done)
      ack.apiKey = APIKeyStatus(engine: engine ?? "assemblyai", connected: false, display: "not connected")
      reply(ack)
    case .doctor:
      var ack = command.ack(.done)
      ack.checks = script.checks
      reply(ack)
    case .watch: reply(command.ack(.done))
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
    _ line: String, terminal: Bool = true, input: Int32 = -1, asks: Bool = false, signals: Int32? = nil,
    width: Int = 80, reader: Int32? = nil, onOut: @escaping @Sendable () -> Void = {}
  ) async -> Run {
    await run(
      line.split(separator: " ").map(String.init), terminal: terminal, input: input, asks: asks, signals: signals,
      width: width, reader: reader, onOut: onOut)
  }

  /// The same with arguments that may hold blanks.
  func run(
    _ arguments: [String], terminal: Bool = true, input: Int32 = -1, asks: Bool = false, signals: Int32? = nil,
    width: Int = 80, reader: Int32? = nil, onOut: @escaping @Sendable () -> Void = {}
  ) async -> Run {
    await Self.run(
      arguments, socket: folder.socket, terminal: terminal, input: input, asks: asks, signals: signals, width: width,
      reader: reader, onOut: { _ in onOut() })
  }

  static func run(
    _ line: String, socket: String?, terminal: Bool = true, input: Int32 = -1, signals: Int32? = nil,
    reader: Int32? = nil, onOut: @escaping @Sendable (String) -> Void = { _ in }
  ) async -> Run {
    await run(
      line.split(separator: " ").map(String.init), socket: socket, terminal: terminal, input: input, signals: signals,
      reader: reader, onOut: onOut)
  }

  /// `asks`: a person sits at the input. `reader`: the descriptor that tells that nobody reads any more.
  static func run(
    _ arguments: [String], socket: String?, terminal: Bool = true, input: Int32 = -1, asks: Bool = false,
    signals: Int32? = nil, width: Int = 80, reader: Int32? = nil,
    onOut: @escaping @Sendable (String) -> Void = { _ in }
  ) async -> Run {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        var out = ""
        var err = ""
        let console = Console(
          out: { text in
            out += text
            onOut(text)
          }, err: { err += $0 }, outIsTerminal: terminal, errIsTerminal: terminal, input: input,
          inputIsTerminal: asks, outDescriptor: reader, width: { width }, wallTime: { wallTime },
          signals: { signals }, environment: { $0 == "BLURT_SOCKET" ? socket : nil })
        let status = Program(console: console).run(arguments)
        continuation.resume(returning: Run(status: status, out: out, err: err))
      }
    }
  }
}
