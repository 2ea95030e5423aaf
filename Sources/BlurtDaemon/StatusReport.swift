package import BlurtContract
package import BlurtEngine
package import BlurtHotkey
package import BlurtInjection
internal import Glibc

/// Puts the answer to `status` together from what the parts say of themselves. Any thread; nothing is opened or tried.
package struct StatusReport: Sendable {
  package let phase: @Sendable () -> PhaseChange
  package let engines: Engines
  package let settings: Settings
  package let key: APIKeySource
  package let spool: RecordingSpool
  package let spoolFolder: String
  package let hotkey: @Sendable () -> HotkeyStatus?
  /// The bound key; nil where none dictates.
  package let triggerKey: @Sendable () -> TriggerKey?
  package let display: @Sendable () -> DisplayStatus
  package let microphoneFault: @Sendable () -> String?
  package let microphoneIsReady: @Sendable () -> Bool?
  /// Whether the chosen microphone is known to be away.
  package var microphoneIsAbsent: @Sendable (String) -> Bool = { _ in false }
  package let settingsProblem: @Sendable () -> String?
  package let listening: @Sendable () -> ListeningEvent
  /// Who owns a dictation.
  package let owner: @Sendable (UInt64) -> SessionOwnership.Owner

  package func make() -> DaemonStatus {
    var status = DaemonStatus()
    let change = phase()
    let records = spool.list()
    let blocker = engines.blocker
    status.processID = Int(getpid())
    status.phase = EventTranslation.phase(change.phase)
    status.dictation = change.dictation
    let window = listening()
    status.window = window.state
    status.listening = blocker == nil && window.state == .open
    status.reason = window.reason ?? blocker.map(EventTranslation.reason)
    if !change.phase.isTerminal { status.owner = change.dictation.map { owner($0).name } }
    status.engine = engines.current?.rawValue
    status.fallbackEngine = engines.fallback?.rawValue
    let apiKey = key.current
    status.apiKey = apiKey != nil
    status.apiKeyDisplay = apiKey.map { APIKeyDisplay(key: $0).text }
    status.stayLocal = settings.staysLocal
    status.hotkey = hotkeyPart
    let microphone = settings.microphone
    let hint = microphoneFault() ?? (microphoneIsAbsent(microphone) ? DoctorProbe.absentMicrophone(microphone) : nil)
    status.microphone = PartStatus(ready: microphoneIsReady(), device: microphone, hint: hint)
    let screen = display()
    status.display = PartStatus(ready: screen.canPaste, device: nil, hint: screen.canPaste ? nil : screen.message)
    status.spool = SpoolStatus(
      recordings: records.count, interrupted: records.filter { $0.state == .interrupted }.count,
      folder: spoolFolder)
    // What has not been tried yet is neither there nor missing.
    if status.microphone?.ready != nil || blocker != nil {
      status.ready = setup(blocker: blocker, screen: screen).isReady
    }
    status.message = firstProblem(blocker: blocker, screen: screen)
    return status
  }

  /// One line for people and for the service manager: what is missing, or that nothing is (Y-129).
  package func line() -> String {
    let screen = display()
    return firstProblem(blocker: engines.blocker, screen: screen)
      ?? "Ready; engine \(engines.current?.rawValue ?? "none")"
  }

  /// What is known to be granted now (P-80): a display that nobody has looked for yet is not, so that to find none is no loss.
  package var setup: SetupState {
    let screen = display()
    var known = setup(blocker: engines.blocker, screen: screen)
    if case .unknown = screen { known.granted.remove(.paste) }
    return known
  }

  /// What is granted now (P-78, P-82). A microphone that nobody has tried counts as granted: nothing is known against it.
  private func setup(blocker: BlurtError?, screen: DisplayStatus) -> SetupState {
    var granted: Set<SetupState.Grant> = []
    if microphoneIsReady() != false { granted.insert(.microphone) }
    // A display is looked at when it is first used.
    if case .unknown = screen { granted.insert(.paste) } else if screen.canPaste { granted.insert(.paste) }
    if hotkey()?.isReady == true { granted.insert(.hotkey) }
    return SetupState(granted: granted, hasEngine: blocker == nil)
  }

  private var hotkeyPart: PartStatus {
    guard let hotkey = hotkey() else {
      return PartStatus(ready: false, hint: "The hotkey could not be started; the journal says why.")
    }
    return PartStatus(ready: hotkey.isReady, device: triggerKey()?.name, hint: hotkey.hint)
  }

  private func firstProblem(blocker: BlurtError?, screen: DisplayStatus) -> String? {
    let window = listening()
    if window.state != .open, let message = window.message { return message }
    if let blocker { return EventTranslation.sentence(refusal: blocker) }
    if let problem = settingsProblem() { return problem }
    if let problem = key.problem, [nil, .assemblyai].contains(settings.engine) { return problem.description }
    if let fault = microphoneFault() { return fault }
    if case .unknown = screen {} else if !screen.canPaste { return screen.message }
    return hotkeyPart.ready == true ? nil : hotkeyPart.hint
  }
}
