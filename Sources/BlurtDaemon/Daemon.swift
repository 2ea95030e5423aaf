internal import AssemblyAI
internal import BlurtCapture
internal import BlurtContext
internal import BlurtContract
internal import BlurtCues
internal import BlurtEngine
internal import BlurtExecutor
internal import BlurtHTTP
internal import BlurtHotkey
internal import BlurtIPC
internal import BlurtInjection
internal import BlurtOS
internal import BlurtOffline
internal import BlurtSeat
internal import FoundationEssentials
internal import Glibc
internal import Synchronization

/// The composition root: makes every part, connects them, and takes them down in reverse order.
package final class Daemon: Sendable {
  /// Why a start failed, with the exit status that tells a service manager whether to try again.
  package struct StartFailure: Error, Sendable {
    package let message: String
    package let exitStatus: Int32
  }

  /// `EX_CONFIG`: trying again cannot cure it.
  package static let configurationExitStatus: Int32 = 78
  /// How long a stop waits for words that are on their way.
  package static let stopPatience: Duration = .seconds(5)
  /// How long a stop waits for the microphone to close.
  private static let closePatience: Duration = .seconds(2)
  /// How long a stop waits for players that are to play on.
  private static let mediaPatience: Duration = .seconds(1)
  /// How long a stop waits for lines of developer mode. All of them together stay under the unit's TimeoutStopSec.
  private static let logPatience: Duration = .seconds(1)

  private let session: DictationSession
  private let injector: DesktopInjector
  private let transport: CurlTransport
  private let engines: Engines
  private let tap: DictationKeyTap?
  private let server: ControlServer
  private let observer: Task<Void, Never>
  private let levels: Task<Void, Never>
  private let settingsChanges: Task<Void, Never>
  private let notifier: ServiceNotifier
  private let report: StatusReport
  private let developerLog: DeveloperLog
  private let listening: ListeningControl
  private let retries: RecordingRetries
  private let settingsFile: SettingsFile
  private let cues: CuePlayer
  private let media: MediaPauser
  private let folderLock: Mutex<FileLock?>
  private let seat: SessionSeat

  /// Starts everything. When it returns, the socket answers and the service manager knows.
  package init(
    options: DaemonOptions, environment: [String: String], activatedSocket: Int32?
  ) throws(StartFailure) {
    let paths: DaemonPaths
    do throws(DaemonPaths.Problem) {
      paths = try DaemonPaths(environment: environment, socketOverride: options.socket)
    } catch {
      throw StartFailure(message: error.description, exitStatus: Self.configurationExitStatus)
    }
    // Before anything in the folder is touched: recordings, copies and the record belong to one daemon (B-49).
    folderLock = Mutex(try Self.takeFolder(paths))
    notifier = ServiceNotifier(environment: environment)
    let settingsFile = SettingsFile(path: paths.settingsFile)
    self.settingsFile = settingsFile
    Self.migrateTriggerKey(settingsFile, marker: paths.triggerKeyMarker)
    let settings = Settings(backing: settingsFile)
    let shortcuts = LiveShortcuts(store: TextShortcutStore(backing: settingsFile))
    let key = APIKeySource(environment: environment, folder: paths.configFolder)
    let openAIKey = APIKeySource(environment: environment, folder: paths.configFolder, names: .openai())
    let hub = EventHub()
    let developerLog = DeveloperLog(
      folder: paths.logFolder, home: environment["HOME"], isOn: { settings.developerMode })
    self.developerLog = developerLog
    let spoolSettings: @Sendable () -> SpoolSettings = { SpoolSettings(settings) }
    let spool = RecordingSpool(directory: paths.spool, settings: spoolSettings)
    let copies = RecordingSpool(directory: paths.copies, settings: spoolSettings)
    // Left by a daemon that died; the user has the files they were made of.
    for left in copies.interruptedAtStart { copies.remove(left.id) }
    do throws(Errno) {
      transport = try CurlTransport()
    } catch {
      throw StartFailure(message: "The network thread cannot be set up: \(error).", exitStatus: 1)
    }
    let offline = OfflineTranscriber(
      installation: { OfflineInstallation.find(environment: environment) },
      program: Self.offlineProgram(environment: environment), temporaryFolder: paths.runtimeFolder + "/offline",
      idleMinutes: { settings.offlineIdleMinutes }, clock: TaskClock())
    let gate = OfflineGate(
      installation: { OfflineInstallation.find(environment: environment) },
      program: Self.offlineProgram(environment: environment), idleMinutes: { settings.offlineIdleMinutes },
      clock: TaskClock())
    let baseURLOverride = environment["BLURT_BASE_URL"].flatMap { $0.isEmpty ? nil : $0 }
    let engines = Engines(
      settings: settings, key: key, openAIKey: openAIKey, baseURLOverride: baseURLOverride, transport: transport,
      environment: environment, offline: offline, gate: gate,
      installation: { OfflineInstallation.find(environment: environment) },
      redactPriorText: { shortcuts.redact($0) }, settingsGeneration: { settingsFile.generation },
      settingsProblem: { settingsFile.problem }, settingsAreFinal: { settingsFile.isFinal })
    self.engines = engines
    let keys = Self.keys(
      service: key, openai: openAIKey, settings: settings, baseURLOverride: baseURLOverride, transport: transport,
      hub: hub)

    let devices = CaptureDevices()
    let microphone = MicCapture(
      device: { devices.pcmName(of: settings.microphone) }, clock: TaskClock(),
      wantsLevels: { hub.levelsAreWatched }, onNotice: { hub.capture($0) })
    let seat = SessionSeat(environment: environment)
    self.seat = seat
    let modifiers = ModifierWait()
    let binding = TriggerBinding(settings: settings)
    let userManager = UserManager(environment: environment)
    let fieldReader = FieldContextReader(environment: environment)
    let fieldGate = FieldGate()
    let injector: DesktopInjector
    do {
      let wayland = try Self.wayland(
        environment: environment, rules: { WindowClassRules(chords: settings.pasteChords) }, modifiers: modifiers,
        seat: seat, hub: hub, onUnread: { spool.deliveryIsUnread($0) })
      let x11 = try KeyInjector(
        displayName: { Self.variable("DISPLAY") },
        sessionDisplay: { userManager?.environment().flatMap { DisplayAddress(environment: $0) } },
        rules: { WindowClassRules(chords: settings.pasteChords) },
        triggerKeyCode: { binding.heldKeyCode },
        waitForModifiersReleased: { await modifiers.wait(atMost: $0) }, isInFront: { seat.state == .active },
        hidesFromHistories: { settings.hidesFromHistories },
        takesNoText: { target in
          await fieldGate.isClosed(to: target) { await fieldReader.read($0, title: $1, wantsDetails: $2) }
        },
        onNotice: { hub.injection($0) }, onUnread: { spool.deliveryIsUnread($0) },
        onStatus: { hub.displayChanged() }, clock: TaskClock())
      injector = DesktopInjector(x11: x11, wayland: wayland)
    } catch {
      seat.stop()
      throw StartFailure(message: "The X thread cannot be started: \(error).", exitStatus: 1)
    }
    self.injector = injector
    let transcriber = SelectingTranscriber { try engines.transcriber() }
    let session = DictationSession(
      .init(
        microphone: microphone, transcriber: transcriber, injector: injector,
        focus: FocusContext.capture(
          window: injector.focus, isOn: { settings.readsFieldContext }, wantsDetails: { settings.developerMode },
          gate: fieldGate,
          read: { await fieldReader.read($0, title: $1, wantsDetails: $2) }),
        recordings: spool,
        readinessCheck: {
          engines.askForKeys()
          return engines.blocker
        }, keyTerms: { settings.keyTerms }, style: { settings.dictationStyle(ofKey: $0) },
        engine: { engines.current }, expandShortcuts: { shortcuts.expand($0) }, clock: TaskClock(),
        onDelivery: { hub.delivered($0) }, onEnd: { hub.ended($0, $1) },
        onFailure: { failure in
          hub.failed(failure)
          developerLog.append(DeveloperLogLine(failure))
        },
        onDictationLogged: { entry in developerLog.append(DeveloperLogLine(entry)) }))
    self.session = session

    // The microphone ended the recording, not the user: what was heard is wanted at once, and nobody is to go on talking
    // to a device that is gone (B-100, B-107). Nothing to do where no recording runs.
    hub.onMicrophoneLost { session.submit(.release) }
    // Sleep waits until the microphone is closed and the recording says so (Y-133).
    seat.beforeSleep { await session.cancelRecording() }

    let record = ReadinessPublisher(path: paths.readinessRecord)
    let listening = ListeningControl(
      .init(
        wishes: { ListeningWishes(settings) }, settingsGeneration: { settingsFile.generation },
        withOneLook: { settingsFile.withOneLook($0) }, seat: seat, pause: { session.submit(.cancelRecording) },
        publish: { event in
          // The record first: who acts on the event may look at it.
          record.publish(event)
          hub.listening(event)
        }, clock: TaskClock()))
    self.listening = listening
    let cues = CuePlayer()
    self.cues = cues
    let media = MediaPauser(isOn: { settings.pausesMedia }, environment: environment)
    self.media = media
    let choice = CueChoice(backing: settingsFile)
    // Before the socket answers: the press that started the daemon is not to be refused.
    listening.start()
    let owners = OwnershipTable()
    let presence = PresenceBoard()
    let signals = Self.signals(cues: cues, media: media) { dictation in
      let isByKey = dictation.map { number in owners.update { $0.owner(of: number) } } == .key
      return choice.pack(of: isByKey ? binding.heldKeyCode.flatMap(TriggerKey.init(code:)) : nil)
    }
    let bridge = HotkeyBridge(
      session: session, listening: listening, onPress: { binding.pressed($0) }, onStatus: { _ in hub.hotkeyChanged() })
    let report = StatusReport(
      phase: { session.phaseChange }, engines: engines, settings: settings, key: key, spool: spool,
      spoolFolder: paths.spool, hotkey: { bridge.status }, triggerKey: { binding.bindings.dictationKey },
      display: { injector.status }, microphoneFault: { hub.microphoneFault },
      microphoneIsReady: { hub.microphoneIsReady },
      microphoneIsAbsent: { devices.resolve($0) == .absent }, settingsProblem: { settingsFile.complaint },
      listening: { listening.current }, owner: { dictation in owners.update { $0.owner(of: dictation) } })
    self.report = report
    let whole = WholeTranscription(
      transcriber: transcriber, readinessCheck: { engines.blocker }, keyTerms: { settings.keyTerms })
    let named = { @Sendable (engine: EngineKind) in
      WholeTranscription(
        transcriber: SelectingTranscriber { try engines.transcriber(engine) },
        readinessCheck: { engines.blocker(of: engine) }, keyTerms: { settings.keyTerms })
    }
    let files = FileTranscription(
      whole: whole, named: named, recordings: copies,
      decoder: SoundDecoder(program: Self.offlineProgram(environment: environment)))
    let retries = Self.retries(
      of: spool, whole, named: named, expandShortcuts: { shortcuts.expand($0) }, session: session, hub: hub)
    self.retries = retries
    let doctor = Self.doctor(
      paths: paths, environment: environment, settings: settings, settingsFile: settingsFile, keys: keys,
      engines: engines, transport: transport, spool: spool, session: session, hotkey: { bridge.status },
      display: { await injector.freshStatus() }, seat: { seat.report }, fieldReader: fieldReader, cues: cues,
      devices: devices, pack: { choice.pack })
    let reset = Self.reset(
      paths: paths, settingsFile: settingsFile, keys: keys, developerLog: developerLog,
      spools: [spool, copies], session: session, hub: hub,
      listening: {
        listening.settingsChanged()
        record.renew()
      })
    let settingsCommand = SettingsCommand(settingsFile) {
      listening.settingsChanged()
      listening.openAgain()
    }
    let keyCommand = APIKeyCommand(keys)
    let soundsCommand = SoundsCommand(
      chosen: { choice.pack }, phase: { session.phaseChange }, preview: { cues.preview($0, done: $1) })
    let router = CommandRouter(
      session: session,
      services: [
        .apiKey: keyCommand, .setApiKey: keyCommand, .clearApiKey: keyCommand,
        .devices: DevicesCommand(
          Self.deviceList(devices, environment: environment, chosen: { settings.microphone })),
        .discard: DiscardCommand(spool),
        .doctor: DoctorCommand(doctor),
        .last: LastCommand(hub.last),
        .presence: PresenceCommand(presence),
        .recent: RecentCommand { await session.recentDictations },
        .reset: reset,
        .retry: RetryCommand(retries),
        .spool: SpoolCommand(spool),
        .sounds: soundsCommand, .playSound: soundsCommand,
        .settings: settingsCommand, .set: settingsCommand, .unset: settingsCommand, .edit: settingsCommand,
        .keys: settingsCommand, .setKey: settingsCommand,
        .status: StatusCommand { report.make() },
        .transcribe: TranscribeCommand { path, engine throws(FileTranscription.Failure) in
          try await files.transcribe(path, engine: engine)
        },
        .wait: WaitCommand(hub.outcomes) { session.phaseChange.dictation },
      ], owners: owners, presence: presence, listening: listening)
    let initial = session.phaseChange
    do throws(ControlServerError) {
      server = try ControlServer(
        socket: activatedSocket.map(ControlSocket.activated) ?? .path(paths.socket), handler: router,
        current: EventTranslation.event(initial), listening: listening.current,
        standingNotices: { EventTranslation.standingNotices(interruptedCount: spool.interruptedCount) },
        heartbeat: { record.renew() })
    } catch {
      seat.stop()
      injector.stop()
      throw StartFailure(
        message: error.description, exitStatus: error.isConfiguration ? Self.configurationExitStatus : 1)
    }
    hub.attach(server: server)
    // No other daemon lives, so the record is ours. A step that came before the server could be told is told now.
    record.begin()
    server.broadcast(.listening(listening.current))
    // Only now: a second daemon must not answer the key before it learns that another one does (B-49).
    tap = Self.startHotkey(binding.activations, bridge: bridge)
    bridge.attach(tap)
    modifiers.attach(tap)
    let keyPause = HotkeyPause(tap) { seat.pause }
    seat.onChange {
      keyPause.update()
      // A session that has come to the front may have brought its display.
      injector.connectIfPossible()
    }
    keyPause.update()
    binding.attach(isDictating: { !session.phaseChange.phase.isTerminal }, rebind: { [tap] in tap?.rebind($0) })
    // Through a stream: who learns of a change while it reads a setting may be in the middle of anything.
    let (changes, change) = AsyncStream.makeStream(of: [String].self)
    settingsFile.onChange { change.yield($0) }
    settingsChanges = Task.detached {
      // The first dictation finds it loaded; until its idle time is over.
      await engines.loadOffline()
      for await names in changes {
        hub.settingsChanged(names)
        listening.settingsChanged()
        binding.update()
        await engines.loadOffline()
      }
    }
    do throws(Errno) {
      try settingsFile.startWatching()
    } catch {
      Log.warning("changes of the settings file are seen at the next press only", ["reason": "\(error)"])
    }
    // One observer, so that every client, the hotkey and the journal see one order (S-79).
    let notifier = notifier
    observer = Task.detached {
      for await change in session.phaseStream() {
        // The server knows the present phase already: a watcher must not see it twice.
        if change != initial { hub.phase(change) }
        listening.phaseChanged(change.phase)
        signals.phaseChanged(change)
        if change.phase.isTerminal, let dictation = change.dictation { bridge.dictationEnded(dictation) }
        if change.phase.isTerminal { binding.update() }
      }
    }
    levels = Task.detached { for await level in microphone.levels { hub.level(level) } }
    let setup = SetupWatch(report.setup)
    hub.onProblemChange {
      let line = report.line()
      notifier.status(line)
      if setup.hasLostGrant(report.setup) { Log.warning("something that worked is gone", ["status": line]) }
    }
    injector.connectIfPossible()
    Task.detached { await microphone.warmUp() }
    key.askIfOpen()
    openAIKey.askIfOpen()
    let interrupted = spool.interruptedAtStart
    if !interrupted.isEmpty {
      Log.warning("recordings of a daemon that died were found", ["count": "\(interrupted.count)"])
    }
    Log.notice("ready", ["socket": paths.socket, "engine": engines.current?.rawValue ?? "none"])
    notifier.ready(status: report.line())
  }

  /// H-54: once in the life of an installation, before anything reads the key.
  private static func migrateTriggerKey(_ settings: SettingsFile, marker: String?) {
    guard let marker else { return }
    do {
      let stale = try TriggerKeyMigration.run(
        backing: settings, isMarked: { access(marker, F_OK) == 0 },
        mark: {
          try PrivateFile.makeFolder(PrivateFile.split(marker).folder)
          try PrivateFile.replace(marker, with: [], isDurable: false)
        })
      if let stale {
        Log.notice("a stored trigger key meant another one before; it is right Ctrl now", ["code": "\(stale)"])
      }
    } catch {
      Log.warning("stored trigger keys of earlier versions are left as they are", ["reason": "\(error)"])
    }
  }

  /// The keys with what checks them. A change shows at once where the program tells how it is.
  private static func keys(
    service: APIKeySource, openai: APIKeySource, settings: Settings, baseURLOverride: String?,
    transport: CurlTransport, hub: EventHub
  ) -> APIKeys {
    let userAgent = Engines.userAgent()
    // T-09: another host than dictations go to; but where a test plays the service, it plays this as well.
    let url =
      baseURLOverride.map { Engines.baseURL(settings: settings, override: $0) + APIKeyValidator.path }
      ?? APIKeyValidator.url
    let ofService = APIKeyValidator(transport: transport, userAgent: userAgent, url: url)
    let ofOpenAI = OpenAIKeyValidator(transport: transport, userAgent: userAgent) { settings.openAIOrigin }
    return APIKeys(
      service: service, openai: openai, validateService: { await ofService.validate($0) },
      validateOpenAI: { await ofOpenAI.validate($0) }, onChange: { hub.keyChanged() })
  }

  private static func takeFolder(_ paths: DaemonPaths) throws(StartFailure) -> FileLock {
    do throws(FileLockError) {
      return try FileLock.takePatiently(at: paths.folderLock)
    } catch {
      switch error {
      case .held(let processID):
        let who = processID.map { "Another blurtd (process \($0))" } ?? "Another program"
        throw StartFailure(
          message: "\(who) holds \(paths.folderLock): stop it first, or give this blurtd a folder of its own with "
            + "BLURT_IDENTITY.", exitStatus: 1)
      case .system(let error):
        throw StartFailure(
          message: "\(paths.runtimeFolder) cannot be used (\(error)).", exitStatus: Self.configurationExitStatus)
      }
    }
  }

  /// Ends everything in reverse order of the start: no new commands, then the words on their way, then the devices.
  package func stop() async {
    notifier.stopping()
    // The record says closed before the socket goes.
    listening.stop()
    await Self.offPool { [seat, tap, server, settingsFile] in
      seat.stop()
      settingsFile.stopWatching()
      tap?.stop()
      server.stop()
    }
    retries.stop()
    await endCapture()
    await waitForWords()
    observer.cancel()
    cues.stop()
    // Also where the observer has not come to the end of the recording yet.
    media.recordingEnded()
    await media.settle(atMost: Self.mediaPatience)
    levels.cancel()
    settingsChanges.cancel()
    await settingsChanges.value
    await Self.offPool { [injector, transport] in
      injector.stop()
      transport.stop()
    }
    await engines.offline.stop()
    await engines.gate.stop()
    await developerLog.settle(atMost: Self.logPatience)
    if let lock = folderLock.withLock({ $0.take() }) { lock.unlock() }
    Log.notice("stopped")
  }

  /// What becomes of the words of recordings that are sent again.
  static func retries(
    of spool: RecordingSpool, _ whole: WholeTranscription,
    named: @escaping @Sendable (EngineKind) -> WholeTranscription,
    expandShortcuts: @escaping @Sendable (String) -> String = { $0 }, session: DictationSession, hub: EventHub
  ) -> RecordingRetries {
    var hooks = RecordingRetries.Hooks()
    hooks.expandShortcuts = expandShortcuts
    hooks.onStart = { hub.retryBegan($0) }
    hooks.onWords = { words in
      await session.remember(shownText: words.shownText, spokenText: words.spokenText)
      hub.retried(words)
    }
    hooks.onEnd = { hub.retryEnded($0, $1) }
    return RecordingRetries(spool: spool, whole: whole, named: named, hooks: hooks)
  }

  /// Ends a recording and keeps it; returns once the microphone is closed and the record says so, within bounds.
  private func endCapture() async {
    let (ended, signal) = AsyncStream.makeStream(of: Void.self)
    let ending = Task.detached { [session] in
      await session.cancelRecording()
      signal.finish()
    }
    let timer = Task.detached {
      try? await TaskClock().sleep(for: Self.closePatience)
      signal.finish()
    }
    for await _ in ended {}
    timer.cancel()
    ending.cancel()
  }

  /// Joins threads on one of its own: those that are joined may need Swift's shared pool to come to their end.
  private static func offPool(_ body: @escaping @Sendable () -> Void) async {
    do throws(Errno) { try await Blocking.run(name: "blurt-stop", body) } catch { body() }
  }

  /// Words that are being transcribed or pasted get a moment to arrive; the recording is kept if they do not.
  private func waitForWords() async {
    let session = session
    await withTaskGroup(of: Void.self) { group in
      group.addTask { for await change in session.phaseStream() where change.phase.isTerminal { return } }
      group.addTask { try? await TaskClock().sleep(for: Self.stopPatience) }
      await group.next()
      group.cancelAll()
    }
  }

  private static func startHotkey(
    _ activations: [TriggerKeyActivation], bridge: HotkeyBridge
  ) -> DictationKeyTap? {
    do throws(EvdevError) {
      return try DictationKeyTap(activations: activations) { bridge.handle($0) }
    } catch {
      Log.error("the hotkey cannot be watched; blurtctl works", ["error": "\(error)"])
      return nil
    }
  }

  /// `blurt-offline` beside this program, or where the environment says.
  static func offlineProgram(environment: [String: String]) -> String {
    if let program = environment["BLURT_OFFLINE_PROGRAM"], !program.isEmpty { return program }
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let length = readlink("/proc/self/exe", &buffer, buffer.count)
    let own = length > 0 ? String(decoding: buffer[..<length].map(UInt8.init(bitPattern:)), as: UTF8.self) : ""
    return own.split(separator: "/").dropLast().reduce("") { $0 + "/" + $1 } + "/blurt-offline"
  }

  private static func variable(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
  }
}
