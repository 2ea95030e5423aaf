internal import AssemblyAI
internal import BlurtCapture
internal import BlurtContext
internal import BlurtCues
internal import BlurtEngine
internal import BlurtExecutor
internal import BlurtHotkey
internal import BlurtInjection
internal import BlurtOS
internal import BlurtOffline
internal import BlurtSeat
internal import Glibc

extension Daemon {
  /// The links of the chain from key to text, in the order in which they are passed.
  static func doctor(
    paths: DaemonPaths, environment: [String: String], settings: Settings, settingsFile: SettingsFile,
    keys: APIKeys, engines: Engines, transport: any HTTPTransport, spool: RecordingSpool, session: DictationSession,
    hotkey: @escaping @Sendable () -> HotkeyStatus?, display: @escaping @Sendable () async -> DisplayStatus,
    seat: @escaping @Sendable () -> SeatReport?, fieldReader: FieldContextReader, cues: CuePlayer,
    devices: CaptureDevices, pack: @escaping @Sendable () -> SoundPack
  ) -> Doctor {
    let program = offlineProgram(environment: environment)
    return Doctor(
      [
        .settings(
          path: paths.settingsFile, isThere: { settingsFile.isThere }, complaints: { settingsFile.complaints },
          problem: { settingsFile.problem }),
        .session(seat),
        .keyboard(hotkey),
        .triggerKeys { settingsFile },
        .microphone(
          device: { settings.microphone }, isBusy: { !session.phaseChange.phase.isTerminal },
          open: { await MicrophoneProbe.look(at: devices.pcmName(of: $0)) },
          isAbsent: { device in
            if devices.resolve(device) == .absent { return true }
            guard ServerSource.name(inPCM: device) != nil else { return false }
            // PipeWire opens its default source in the place of one that is gone: only the list tells.
            let sources = try? await Blocking.run(name: "blurt-sources") { serverSources(environment: environment) }
            return SoundServerSources.isMissing(device, in: sources ?? [])
          },
          record: { device in
            // One of its own: the session's would be taken from a press.
            try await MicrophoneTrial.make(
              device: device, microphone: MicCapture(device: { devices.pcmName(of: device) }, clock: TaskClock()))
          }),
        .engine(engines),
        .apiKey(
          reading: { await keys.service.asking() }, problem: { keys.service.problem?.description }, file: paths.keyFile,
          isNeeded: { settings.engine == .assemblyai || (settings.engine == nil && engines.current == nil) }),
        .openAIServer(
          isChosen: { settings.engine == .openai }, address: { settings.openAIOrigin },
          ask: { await OpenAIServerCheck.look(at: $0, transport: transport, userAgent: Engines.userAgent()) }),
        .commandProgram(isChosen: { settings.engine == .command }, command: { settings.engineCommand }) {
          CommandTranscriber.find($0, environment: environment)
        },
        .keyTerms(engine: { engines.current }, terms: { settings.keyTerms }),
        .offlineEngine(
          folder: { OfflineInstallation.find(environment: environment)?.folder },
          programIsThere: { access(program, X_OK) == 0 }, program: program,
          isNeeded: { settings.engine == .offline || (settings.engine == nil && engines.current == nil) }),
        .soundFiles {
          let version = try? await Blocking.run(name: "blurt-file") { () -> Result<String, SoundFault> in
            Result { () throws(SoundFault) -> String in try SoundDecoder(program: program).version() }
          }
          return version ?? .failure(.notStarted)
        },
        .display(display) { environment["WAYLAND_DISPLAY"]?.isEmpty == false },
        .context(isOn: { settings.readsFieldContext }, availability: { await fieldReader.availability() }),
        .sounds(pack: pack) {
          do throws(Errno) {
            return try await Blocking.run(name: "blurt-cue-probe") { cues.failureToOpen() }
          } catch {
            return nil
          }
        },
        .media(isOn: { settings.pausesMedia }, program: { MediaPauser.program(environment) }),
        .recordings(folder: paths.spool, isKept: { settings.keepsAudio }, list: { spool.list() }),
        .privacy { engines.current },
      ], clock: TaskClock())
  }
}
