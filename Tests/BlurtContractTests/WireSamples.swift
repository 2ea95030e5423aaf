import BlurtContract

/// One value of each type of the wire with every field filled, so that nothing the coder can write goes unseen.
enum WireSamples {
  /// All fields of each command, in as many commands as it takes.
  static let commands: [ClientCommand] = [
    ClientCommand(id: "1", .press(key: 97, lease: .connection), client: "gui", deadline: .milliseconds(12_345)),
    ClientCommand(id: "2", .press(key: 97, lease: .heartbeat(.seconds(2))), client: "gui", deadline: .seconds(1)),
    ClientCommand(
      id: "33",
      .press(
        key: nil, lease: .none,
        context: PressContext(before: "Dear Anna,", selected: "a", label: "Body", title: "Letter", isSecure: true)),
      client: "gui"),
    ClientCommand(id: "3", .release, client: "gui"),
    ClientCommand(id: "4", .cancel, client: "gui"),
    ClientCommand(id: "5", .cancelRecording, client: "gui"),
    ClientCommand(id: "6", .toggle, client: "gui", deadline: .milliseconds(12_345)),
    ClientCommand(id: "7", .watch(WatchOptions(levels: true, results: true)), client: "gui"),
    ClientCommand(id: "8", .wait(.dictation(3)), client: "gui"),
    ClientCommand(id: "9", .wait(.recording("r1")), client: "gui"),
    ClientCommand(id: "10", .presence(onScreen: false), client: "gui"),
    ClientCommand(id: "11", .status, client: "gui"),
    ClientCommand(id: "12", .last, client: "gui"),
    ClientCommand(id: "13", .recent(count: 5), client: "gui"),
    ClientCommand(id: "14", .transcribe(path: "/a b.wav", engine: "openai"), client: "gui"),
    ClientCommand(id: "15", .spool, client: "gui"),
    ClientCommand(id: "16", .retry(recording: "r1", engine: "offline"), client: "gui"),
    ClientCommand(id: "17", .discard(recording: "r1"), client: "gui"),
    ClientCommand(id: "18", .discard(recording: nil), client: "gui"),
    ClientCommand(id: "19", .settings(setting: "BlurtKeyTerms"), client: "gui"),
    ClientCommand(id: "20", .set(setting: "BlurtKeyTerms", value: "a, b", expected: .null), client: "gui"),
    ClientCommand(id: "21", .unset(setting: "BlurtKeyTerms", expected: "a, b"), client: "gui"),
    ClientCommand(
      id: "26",
      .edit(
        EntryChange(
          setting: "BlurtTextShortcuts", put: .array([.object(["trigger": "a", "expansion": "b"])]), remove: ["c"],
          expected: .array([]))), client: "gui"),
    ClientCommand(id: "22", .reset, client: "gui"),
    ClientCommand(id: "23", .keys(key: "KEY_F13"), client: "gui"),
    ClientCommand(
      id: "24",
      .setKey(
        KeyChange(key: "KEY_F13", choice: "dictate", style: "mail", activation: "Hold", isBound: true, isOnly: true)),
      client: "gui"),
    ClientCommand(id: "25", .doctor(record: true), client: "gui"),
    ClientCommand(id: "27", .devices, client: "gui"),
    ClientCommand(id: "28", .sounds, client: "gui"),
    ClientCommand(id: "29", .playSound(pack: "soft", cue: "stop"), client: "gui"),
    ClientCommand(id: "30", .apiKey(engine: "openai", check: true), client: "gui"),
    ClientCommand(id: "31", .setApiKey(key: WireSecret("k"), engine: "openai"), client: "gui"),
    ClientCommand(id: "32", .clearApiKey(engine: "openai"), client: "gui"),
  ]

  static let ack: CommandAck = {
    var ack = CommandAck(
      id: "7", result: .notListening, reason: .apiKeyMissing, message: "m", dictation: 9, errorKind: "apiKeyMissing",
      phase: .recording, text: "t", engine: "offline", status: status)
    ack.errorCause = "key"
    ack.outcome = outcome
    ack.recording = "r1"
    ack.recent = [recentEntry]
    ack.recordings = [recordingEntry]
    ack.settings = [settingEntry]
    ack.keys = [keyEntry]
    ack.checks = [doctorCheck]
    ack.steps = [resetStep]
    ack.devices = [deviceEntry]
    ack.sounds = [soundEntry]
    ack.apiKey = apiKey
    return ack
  }()

  static let status: DaemonStatus = {
    var status = DaemonStatus()
    status.processID = 42
    status.phase = .recording
    status.dictation = 3
    status.listening = false
    status.reason = .seatInactive
    status.window = .interrupted
    status.owner = "client"
    status.message = "m"
    status.engine = "offline"
    status.fallbackEngine = "none"
    status.apiKey = false
    status.apiKeyDisplay = "••••1234"
    status.ready = false
    status.stayLocal = true
    status.hotkey = part
    status.microphone = part
    status.display = part
    status.spool = spool
    return status
  }()

  static let part = PartStatus(ready: false, device: "KEY_RIGHTCTRL", hint: "h")
  static let spool = SpoolStatus(recordings: 2, interrupted: 1, folder: "/run/spool")
  static let outcome = DictationOutcome(
    dictation: 3, recording: "r1", phase: .failed, text: "t", engine: "offline", fellBackFrom: "assemblyai",
    errorKind: "sttFailed", errorCause: "server", message: "m")
  static let recentEntry = RecentEntry(id: 1, text: "t", style: "Formal", at: "2026-01-02T03:04:05Z")
  static let recordingEntry = RecordingEntry(
    id: "r1", state: "failed", startedAt: "2026-01-02T03:04:05Z", durationMilliseconds: 1500, byteCount: 48_000,
    isComplete: true, path: "/run/spool/r1.pcm", target: "gedit", engine: "assemblyai", errorKind: "sttFailed",
    errorCause: "server", message: "m")
  static let settingEntry = SettingEntry(
    setting: "BlurtSoundVolume", type: "number", value: .double(0.5), defaultValue: .null, isSet: true, summary: "s",
    choices: ["a"], minimum: 0, maximum: 1, unit: "u", hasEntries: true, limits: ["entries": 3], problem: "p")
  static let keyEntry = KeyEntry(
    key: "KEY_F13", code: 183, label: "F13", choice: "dictate", style: "mail", styleName: "Mail", activation: "Hold",
    isBound: true, isOffered: false, warnings: ["w"])
  static let doctorCheck = DoctorCheck("keyboard", .failed, "m", remedy: "r")
  static let deviceEntry = DeviceEntry(
    device: "card:PCH,0", label: "l", transport: "builtIn", pcm: "hw:CARD=PCH,DEV=0", isDefault: true, isChosen: true,
    isMonitor: true, isPresent: true)
  static let soundEntry = SoundEntry(
    pack: "soft", label: "l", group: "g", isChosen: true, isDefault: true,
    cues: [SoundEntry.Cue(cue: "stop", durationMilliseconds: 160, peakDBFS: -21.5, frequency: 329.63)])
  static let apiKey = APIKeyStatus(
    engine: "openai", connected: true, display: "••••1234", source: "file", verdict: "valid")
  static let resetStep = ResetStep("logs", .failed, "m")

  static let events: [SessionEvent] = [
    .phase(
      PhaseEvent(
        phase: .failed, dictation: 2, overlay: "error", status: "idle", label: "l", dwell: 1.6, errorKind: "sttFailed",
        errorCause: "tls", message: "m")),
    .level(LevelEvent(level: 0.25, dictation: 2)),
    .delivery(
      DeliveryEvent(dictation: 2, engine: "offline", fellBackFrom: "assemblyai", text: "é", recording: "r1")),
    .notice(NoticeEvent(notice: "tooShort", message: "m", dictation: 2)),
    .listening(ListeningEvent(state: .interrupted, reason: .suspended, message: "m", generation: 2)),
    .settings(SettingsEvent(settings: ["BlurtKeyTerms"])),
  ]

  static let readiness = ReadinessRecord(
    state: .closed, reason: .stopping, generation: 3, publishedAt: .milliseconds(12_345), processID: 42)

  static let error = WireError(.invalidLine, "m")

  /// The names of the fields of a value that hold nothing, also in what it is made of.
  static func emptyFields(_ value: Any) -> [String] {
    let mirror = Mirror(reflecting: value)
    switch mirror.displayStyle {
    case .struct?: break
    // An event is a case with its contents.
    case .enum?, .collection?: return mirror.children.flatMap { emptyFields($0.value) }
    default: return []
    }
    return mirror.children.flatMap { child -> [String] in
      let field = Mirror(reflecting: child.value)
      if field.displayStyle == .optional && field.children.isEmpty { return [child.label ?? "?"] }
      let inner = field.displayStyle == .optional ? field.children.first?.value ?? child.value : child.value
      return emptyFields(inner)
    }
  }
}
