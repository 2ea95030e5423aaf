import AssemblyAI
import BlurtCapture
import BlurtContract
import BlurtCues
import BlurtEngine
import BlurtIPC
import BlurtTestSupport
import FoundationEssentials
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
    private let known = Box<[String: String]>([:])

    /// In that recording these words will be heard, at once.
    func know(_ recording: String, _ words: String) { known.update { $0[recording] = words } }

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
      if let words = feed.recording.flatMap({ known.value[$0.id] }) {
        return Transcript(text: words, engine: .assemblyai)
      }
      try await gate.passOrCancel()
      if let error = failure.value { throw error }
      return Transcript(text: answer.value, engine: .assemblyai)
    }
  }

  let folder = SocketFolder()
  let engine = Engine()
  let rig: SessionRig
  let hub = EventHub()
  /// On the morning of the recordings that transcripts name.
  let spool: RecordingSpool
  private let files = Box<[String: String]>([:])
  private let seat = FakeSeat()
  private let wishes = Box(ListeningWishes())
  private let listening: ListeningControl
  /// Each connection stands for a process of its own.
  private let presence = PresenceBoard(startOf: { _ in nil })
  private let liveGate = Box(Gate())
  /// Whether the API key survives a reset.
  private let survivor = Box(false)
  /// Whether the service that checks keys is out of reach.
  private let isOffline = Box(false)
  private let pasteGate = Gate()
  /// Whether the microphone on USB is plugged in, and whether sounds can be played.
  private let (isPlugged, hasSpeaker) = (Box(true), Box(true))
  /// The last phase that the server was told.
  private let told = Box(PipelinePhase.idle)
  private let retries: RecordingRetries
  private let server: ControlServer
  private let observer: Task<Void, Never>

  init() throws {
    let (hub, engine, files, survivor, isOffline) = (hub, engine, files, survivor, isOffline)
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
        },
        pause: { session.submit(.cancelRecording) }, publish: { hub.listening($0) }))
    listening.start()
    let spool = RecordingSpool(
      directory: folder.file("spool"), now: { Date(timeIntervalSince1970: 1_769_854_560) })
    self.spool = spool
    let retries = Daemon.retries(
      of: spool,
      WholeTranscription(
        transcriber: engine, readinessCheck: { [blocker = rig.blocker] in blocker.value }, keyTerms: { [] }),
      named: { _ in WholeTranscription(transcriber: engine, readinessCheck: { nil }, keyTerms: { [] }) },
      session: session, hub: hub)
    self.retries = retries
    let settingsFile = SettingsFile(path: folder.file("settings.json"))
    settingsFile.onChange { if !$0.isEmpty { hub.settingsChanged($0) } }
    let settings = SettingsCommand(settingsFile)
    let (isPlugged, hasSpeaker) = (isPlugged, hasSpeaker)
    let sounds = SoundsCommand(
      chosen: { CueChoice(backing: settingsFile).pack }, phase: { session.phaseChange },
      preview: { _, done in
        done(hasSpeaker.value ? .played : .failed(CueError(-ENOENT, call: "snd_pcm_open", pcm: "default")))
      })
    let keyCommand = APIKeyCommand(Self.keys(folder.path, isOffline: isOffline))
    let router = CommandRouter(
      session: rig.session,
      services: [
        .devices: DevicesCommand(
          DeviceList(
            devices: { Self.devices.filter { isPlugged.value || $0.transport != .usb } },
            chosen: { Settings(backing: settingsFile).microphone },
            resolve: { name in
              guard name.hasPrefix("usb:") else { return .pcm(name) }
              return isPlugged.value ? .present(pcm: "hw:CARD=Device,DEV=0") : .absent
            })),
        .sounds: sounds, .playSound: sounds,
        .discard: DiscardCommand(spool),
        .doctor: DoctorCommand(
          Doctor([
            .keyboard { nil },
            .microphone(
              device: { "default" }, isBusy: { false }, open: { _ in .opens },
              record: { MicrophoneTrial(device: $0, loudest: -23, byteCount: 32_000) }),
          ])),
        .last: LastCommand(hub.last),
        .presence: PresenceCommand(presence),
        .recent: RecentCommand { await session.recentDictations },
        .reset: ResetCommand(
          steps: [
            .removing("settings") { () async throws(InstallReset.Survivor) in nil },
            .removing("apiKey") { () async throws(InstallReset.Survivor) in
              if survivor.value { throw InstallReset.Survivor("The API key cannot be removed: rm api-key") }
              return nil
            },
            .informing("permissions") { "The udev rule stays." },
          ], phase: { [session = rig.session] in session.phaseChange }),
        .retry: RetryCommand(retries),
        .spool: SpoolCommand(spool),
        .settings: settings, .set: settings, .unset: settings, .edit: settings, .keys: settings, .setKey: settings,
        .status: StatusCommand { DaemonStatus() },
        .apiKey: keyCommand, .setApiKey: keyCommand, .clearApiKey: keyCommand,
        .transcribe: TranscribeCommand { path, engine throws(FileTranscription.Failure) in
          guard let text = files.value[path] else { throw .file("There is no file \(path).") }
          return Transcript(text: text, engine: engine ?? .assemblyai)
        },
        .wait: WaitCommand(hub.outcomes) { session.phaseChange.dictation },
      ], presence: presence, listening: listening)
    let initial = rig.session.phaseChange
    server = try ControlServer(
      socket: .path(folder.socket), handler: router, current: EventTranslation.event(initial),
      listening: listening.current,
      standingNotices: { EventTranslation.standingNotices(interruptedCount: spool.interruptedCount) })
    hub.attach(server: server)
    observer = Task { [session = rig.session, told, listening] in
      for await change in session.phaseStream() where change != initial {
        hub.phase(change)
        listening.phaseChanged(change.phase)
        told.value = change.phase
      }
    }
  }

  /// Keys in private files; the service takes those that begin with `right`.
  private static func keys(_ folder: String, isOffline: Box<Bool>) -> APIKeys {
    let validate: @Sendable (String) async -> APIKeyValidator.Verdict = { key in
      isOffline.value ? .unreachable : key.hasPrefix("right") ? .valid : .invalid
    }
    return APIKeys(
      service: APIKeySource(environment: [:], folder: folder),
      openai: APIKeySource(environment: [:], folder: folder, names: .openai()), validateService: validate,
      validateOpenAI: validate, onChange: {})
  }

  func stop() {
    server.stop()
    retries.stop()
    observer.cancel()
    liveGate.value.open()
    pasteGate.open()
    engine.say("")
  }

  /// A client that the conversation does not show.
  private static let otherClient = ClientIdentity(connection: .max, processID: 0, userID: 0)

  private static let devices = [
    CaptureDevice(name: "default", label: "The system's default", pcm: "default", isDefault: true),
    CaptureDevice(
      name: "usb:0d8c:0014:A1@0000:00:14.0-2,0", label: "USB Audio Device", pcm: "hw:CARD=Device,DEV=0", transport: .usb
    ),
    CaptureDevice(
      name: "pulse:DEVICE=speakers.monitor", label: "Monitor of Speakers", pcm: "pulse:DEVICE=speakers.monitor",
      transport: .virtual, isMonitor: true),
  ]

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
    case "offline": isOffline.value = true
    case "online": isOffline.value = false
    case "unwritable": mkdir(folder.file("api-key"), 0o700)
    case "folder":
      // A file that can be neither used nor moved aside.
      let path = folder.file("settings.json")
      unlink(path)
      mkdir(path, 0o700)
    case "unplug": isPlugged.value = false
    case "no" where rest == "speaker": hasSpeaker.value = false
    case "broken":
      engine.fail(.sttFailed(underlying: UnderlyingError(domain: .http, code: 500, message: "The service is down.")))
    case "window":
      wishes.value.isWanted = rest == "on"
      listening.settingsChanged()
    case "seat": seat.become(FailureReason(rawValue: rest).map { .inactive($0) } ?? .active)
    case "other": _ = presence.set(onScreen: rest == "on screen", by: Self.otherClient)
    case "level": hub.level(Float(rest) ?? 0)
    case "kept": return keep(rest)
    case "file":
      let parts = rest.split(separator: " ", maxSplits: 1).map(String.init)
      files.update { $0[parts[0]] = parts.count > 1 ? parts[1] : "" }
    default: return false
    }
    return true
  }

  /// A kept recording of 0.2 s: `ID STATE`, and the words that are in it.
  private func keep(_ rest: String) -> Bool {
    let parts = rest.split(separator: " ", maxSplits: 2).map(String.init)
    guard parts.count >= 2, let startedAt = SpoolID.date(of: parts[0]),
      let state = SpoolRecord.State(rawValue: parts[1])
    else { return false }
    var record = SpoolRecord(
      id: parts[0], dictation: 0,
      startedAt: Date(timeIntervalSince1970: startedAt.timeIntervalSince1970.rounded(.down)), state: state)
    record.byteCount = 6_400
    if parts.count > 2 { engine.know(parts[0], parts[2]) }
    do {
      try Data(repeating: 1, count: record.byteCount).write(to: URL(filePath: spool.audioPath(record.id)))
      try spool.folder.write(record)
    } catch {
      return false
    }
    return true
  }
}
