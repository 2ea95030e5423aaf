import BlurtContract
import BlurtEngine
import BlurtIPC
import BlurtTestSupport
import Glibc
import Synchronization

@testable import BlurtDaemon

/// A daemon in this process: the real server, router, hub and session, with fakes where devices and engines would be.
final class ReplayDaemon: Sendable {
  /// An engine that answers when it is told.
  final class Engine: TranscriberProtocol {
    private let answer = Box("")
    private let failure = Box<BlurtError?>(nil)
    private let gate = Gate()

    func say(_ text: String) {
      answer.value = text
      gate.open()
    }

    func fail(_ error: BlurtError) {
      failure.value = error
      gate.open()
    }

    func transcribe(_ feed: AudioFeed, sampleRate: Int, context: TranscriptionContext?) async throws -> Transcript {
      for await _ in feed.frames {}
      try await gate.passOrCancel()
      if let error = failure.value { throw error }
      return Transcript(text: answer.value, engine: .assemblyai)
    }
  }

  let folder = SocketFolder()
  let engine = Engine()
  let rig: SessionRig
  let hub = EventHub()
  private let files = Box<[String: String]>([:])
  private let seat = FakeSeat()
  private let wishes = Box(ListeningWishes())
  private let listening: ListeningControl
  /// Each connection stands for a process of its own.
  private let presence = PresenceBoard(startOf: { _ in nil })
  private let liveGate = Box(Gate())
  /// Whether the API key survives a reset.
  private let survivor = Box(false)
  private let pasteGate = Gate()
  /// The last phase that the server was told.
  private let told = Box(PipelinePhase.idle)
  private let server: ControlServer
  private let observer: Task<Void, Never>

  init() throws {
    let (hub, engine, files, survivor) = (hub, engine, files, survivor)
    let rig = SessionRig { dependencies in
      dependencies.transcriber = engine
      dependencies.onDelivery = { hub.delivered($0) }
      dependencies.onEnd = { hub.ended($0, $1) }
    }
    self.rig = rig
    rig.microphone.script { [liveGate] in $0.startGate = liveGate.value }
    rig.injector.script { [pasteGate] in $0.gate = pasteGate }
    let (session, wishes) = (rig.session, wishes)
    listening = ListeningControl(
      .init(
        wishes: { wishes.value }, seat: seat,
        tearDown: { [told] done in
          // One order of events, that a conversation can be written down in.
          Self.waitUntil { told.value.isTerminal }
          done()
        }, cancel: { session.submit(.cancel) },
        pause: { session.submit(.cancelRecording) }, publish: { hub.listening($0) }))
    listening.start()
    let router = CommandRouter(
      session: rig.session,
      services: [
        .doctor: DoctorCommand(
          Doctor([
            .keyboard { nil },
            .microphone(
              device: { "default" }, isBusy: { false }, open: { _ in nil },
              record: { MicrophoneTrial(device: $0, loudest: -23, byteCount: 32_000) }),
          ])),
        .last: LastCommand(hub.last),
        .presence: PresenceCommand(presence),
        .reset: ResetCommand(
          steps: [
            .removing("settings") { () async throws(InstallReset.Survivor) in nil },
            .removing("apiKey") { () async throws(InstallReset.Survivor) in
              if survivor.value { throw InstallReset.Survivor("The API key cannot be removed: rm api-key") }
              return nil
            },
            .informing("permissions") { "The udev rule stays." },
          ], phase: { [session = rig.session] in session.phaseChange }),
        .status: StatusCommand { DaemonStatus() },
        .transcribe: TranscribeCommand { path throws(FileTranscription.Failure) in
          guard let text = files.value[path] else { throw .file("There is no file \(path).") }
          return Transcript(text: text, engine: .assemblyai)
        },
      ], presence: presence, listening: listening)
    let initial = rig.session.phaseChange
    server = try ControlServer(
      socket: .path(folder.socket), handler: router, current: EventTranslation.event(initial),
      listening: listening.current)
    hub.attach(server: server)
    observer = Task { [session = rig.session, told, listening] in
      for await change in session.phaseStream() where change != initial {
        hub.phase(change)
        listening.phaseChanged(change.phase)
        told.value = change.phase
      }
    }
  }

  func stop() {
    server.stop()
    observer.cancel()
    liveGate.value.open()
    pasteGate.open()
    engine.say("")
  }

  /// A client that the conversation does not show.
  private static let otherClient = ClientIdentity(connection: .max, processID: 0, userID: 0)

  private static func waitUntil(_ condition: () -> Bool) {
    let deadline = ContinuousClock.now + .seconds(20)
    while !condition(), ContinuousClock.now < deadline { usleep(1_000) }
  }

  /// What a transcript's `!` does; false for a word that nobody knows.
  func happen(_ word: String, _ rest: String) -> Bool {
    switch word {
    case "press": rig.session.submit(.press(key: nil))
    case "release": rig.session.submit(.release)
    case "tap":
      rig.microphone.script {
        $0.startGate = nil
        $0.byteCount = 0
      }
      rig.session.submit(.press(key: nil))
      rig.session.submit(.release)
    case "live":
      // A press is acknowledged before it has reached the microphone.
      let gate = liveGate.value
      Self.waitUntil { gate.reachedCount > 0 }
      let next = Gate()
      rig.microphone.script { $0.startGate = next }
      liveGate.value = next
      gate.open()
      // The next line of a conversation is said when the microphone is up.
      Self.waitUntil { told.value == .recording }
    case "text": engine.say(rest)
    case "pasted": pasteGate.open()
    case "no" where rest == "key": rig.blocker.value = .apiKeyMissing
    case "no" where rest == "target": rig.injector.script { $0.error = BlurtError.noEditableTarget }
    case "survivor": survivor.value = true
    case "broken":
      engine.fail(.sttFailed(underlying: UnderlyingError(domain: .http, code: 500, message: "The service is down.")))
    case "window":
      wishes.value.isWanted = rest == "on"
      listening.settingsChanged()
    case "seat": seat.become(FailureReason(rawValue: rest).map { .inactive($0) } ?? .active)
    case "other": _ = presence.set(onScreen: rest == "on screen", by: Self.otherClient)
    case "level": hub.level(Float(rest) ?? 0)
    case "file":
      let parts = rest.split(separator: " ", maxSplits: 1).map(String.init)
      files.update { $0[parts[0]] = parts.count > 1 ? parts[1] : "" }
    default: return false
    }
    return true
  }
}
