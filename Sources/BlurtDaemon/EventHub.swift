internal import BlurtCapture
internal import BlurtContract
internal import BlurtEngine
internal import BlurtIPC
internal import BlurtInjection
internal import BlurtOS
internal import BlurtWayland
internal import Synchronization

/// Takes what the parts report and passes it on: to the watchers, to the journal, to `last`.
///
/// Any thread; never blocks.
final class EventHub: Sendable {
  private struct State {
    var server: ControlServer?
    var onProblemChange: (@Sendable () -> Void)?
    var onMicrophoneLost: (@Sendable () -> Void)?
    var microphoneFault: String?
    var microphoneHasWorked = false
    var dictation: UInt64?
    /// What happened to a dictation before its next phase was seen.
    var pending: [(dictation: UInt64, event: SessionEvent)] = []
  }

  let last = LastText()
  let outcomes = OutcomeWaiters()
  private let state = Mutex(State())

  func attach(server: ControlServer) { state.withLock { $0.server = server } }

  /// Called whenever what is missing may have changed.
  func onProblemChange(_ handler: @escaping @Sendable () -> Void) { state.withLock { $0.onProblemChange = handler } }

  /// Called when the microphone went away while it was recording.
  func onMicrophoneLost(_ handler: @escaping @Sendable () -> Void) { state.withLock { $0.onMicrophoneLost = handler } }

  /// Whether the last press found a microphone that delivers; nil before the first.
  var microphoneIsReady: Bool? {
    state.withLock { state in state.microphoneFault != nil ? false : state.microphoneHasWorked ? true : nil }
  }

  /// Why the last press found no microphone; nil once one worked.
  var microphoneFault: String? { state.withLock { $0.microphoneFault } }

  /// Takes the next step of the phase. What was reported of its dictation meanwhile goes out before it, so that watchers
  /// see one order although reports come from several threads.
  func phase(_ change: PhaseChange) {
    let pending = state.withLock { state in
      state.dictation = change.dictation
      let isNext = change.phase == .injecting || change.phase.isTerminal
      guard isNext, let dictation = change.dictation else { return [SessionEvent]() }
      defer { state.pending.removeAll { $0.dictation <= dictation } }
      return state.pending.filter { $0.dictation <= dictation }.map(\.event)
    }
    for event in pending { broadcast(event) }
    Log.notice("phase", ["phase": change.phase.name, "dictation": change.dictation.map(String.init) ?? ""])
    switch change.phase {
    case .recording: setMicrophoneFault(nil, hasWorked: true)
    case .failed(.audioCaptureFailed(let underlying)): setMicrophoneFault(underlying.message)
    case .idle, .connecting, .transcribing, .injecting, .pasted, .noTarget, .failed, .cancelled: break
    }
    broadcast(.phase(EventTranslation.event(change)))
    if change.phase.isTerminal { problemMayHaveChanged() }
  }

  func delivered(_ delivery: Delivery) {
    last.remember(
      LastText.Entry(dictation: delivery.dictation, text: delivery.text, engine: delivery.engine.rawValue))
    Log.notice(
      "text is on its way",
      [
        "dictation": "\(delivery.dictation)", "engine": delivery.engine.rawValue,
        "fellBackFrom": delivery.fellBackFrom?.rawValue ?? "",
      ])
    hold(.delivery(EventTranslation.event(delivery)), for: delivery.dictation)
  }

  /// Says what a silent end was about (B-18): `idle` alone does not tell a tap from silence.
  func ended(_ dictation: UInt64, _ fate: RecordingFate) {
    let notice: NoticeEvent
    switch fate {
    case .belowFloor:
      notice = NoticeEvent(
        notice: "tooShort", message: "The key was held too briefly; nothing was sent.", dictation: dictation)
    case .blank:
      notice = NoticeEvent(
        notice: "noSpeech", message: "No words were heard. If you did speak: blurtctl retry sends the recording again.",
        dictation: dictation)
    case .delivered, .cancelledByUser, .failed, .recoveryCancelled: return
    }
    hold(.notice(notice), for: dictation)
  }

  /// A kept recording is about to be sent again.
  func retryBegan(_ recording: String) { outcomes.began(recording: recording) }

  /// Its words are there.
  func retried(_ words: RetriedText) {
    last.remember(
      LastText.Entry(dictation: nil, recording: words.recording, text: words.text, engine: words.engine.rawValue))
    Log.notice(
      "a kept recording has its text",
      [
        "recording": words.recording, "engine": words.engine.rawValue,
        "fellBackFrom": words.fellBackFrom?.rawValue ?? "",
      ])
  }

  /// A recording that was sent again has ended.
  func retryEnded(_ recording: String, _ end: RecordingRetries.End) {
    var outcome = DictationOutcome(recording: recording)
    switch end {
    case .words(let words):
      outcome.text = words.text
      outcome.engine = words.engine.rawValue
      outcome.fellBackFrom = words.fellBackFrom?.rawValue
      broadcast(.delivery(EventTranslation.event(words)))
    case .blank:
      outcome.message = "No words were heard in the recording. It is kept."
      broadcast(.notice(NoticeEvent(notice: "noSpeech", message: outcome.message)))
    case .tooShort:
      outcome.message = "The recording is shorter than 0.1 seconds; it was removed."
      broadcast(.notice(NoticeEvent(notice: "tooShort", message: outcome.message)))
    case .failed(let error):
      outcome.errorKind = error.diagnosticName
      outcome.errorCause = error.cause?.rawValue
      outcome.message = error.description
      Log.warning(
        "a kept recording failed again",
        ["recording": recording, "kind": error.diagnosticName, "error": error.description])
      broadcast(.notice(NoticeEvent(notice: "retryFailed", message: error.description)))
    case .stopped: return outcomes.ended(recording: recording, .nothing)
    }
    outcomes.ended(recording: recording, .outcome(outcome))
  }

  private func hold(_ event: SessionEvent, for dictation: UInt64) {
    state.withLock { $0.pending.append((dictation, event)) }
  }

  func failed(_ failure: DictationFailure) {
    Log.warning(
      "a dictation failed",
      [
        "dictation": "\(failure.dictation)", "kind": failure.error.diagnosticName,
        "error": failure.error.description,
      ])
  }

  /// C-32: whether a level would reach a client. Called on the capture thread.
  var levelsAreWatched: Bool { state.withLock { $0.server }?.levelsAreWatched ?? false }

  func level(_ level: Float) {
    broadcast(.level(LevelEvent(level: Double(level), dictation: state.withLock { $0.dictation })))
  }

  func capture(_ notice: CaptureNotice) {
    switch notice {
    case .broughtUp, .resumed, .closeDelayed: break
    case .chosenDeviceAbsent(let device):
      tell("chosenDeviceAbsent", "The chosen microphone \(device) is not there; the default one is used for now.")
    case .sourceChanged(let old, let new):
      let warning = new.isMonitor ? " That is no microphone: it repeats what an output plays." : ""
      // Two of one kind may have the same name for people.
      let (now, before) =
        new.description == old.description ? (new.name, old.name) : (new.description, old.description)
      tell("microphoneChanged", "The sound server records from \(now) now, no longer from \(before).\(warning)")
    case .overrun: tell("overrun", "The machine was too busy to keep up, and some sound was lost.")
    case .deviceLost(let error, _):
      tell("deviceLost", "The microphone went away. What was heard is kept. \(error.message)")
      state.withLock { $0.onMicrophoneLost }?()
    }
  }

  func injection(_ notice: InjectionNotice) {
    Log.warning("a paste left something to say", ["notice": notice.name])
    tell(notice.name, notice.message)
  }

  func injection(_ notice: WaylandNotice) {
    Log.warning("a paste left something to say", ["notice": notice.name])
    tell(notice.name, notice.message)
  }

  /// Takes a step of the listening window.
  func listening(_ event: ListeningEvent) {
    Log.notice(
      "listening window",
      ["state": event.state.rawValue, "reason": event.reason?.rawValue ?? "", "generation": "\(event.generation)"])
    broadcast(.listening(event))
    problemMayHaveChanged()
  }

  func hotkeyChanged() { problemMayHaveChanged() }

  /// The display has come or gone.
  func displayChanged() { problemMayHaveChanged() }

  /// After a reset: another microphone is chosen, and what is missing has changed.
  func installationChanged() {
    setMicrophoneFault(nil)
    problemMayHaveChanged()
  }

  /// A key was stored or removed.
  func keyChanged() { problemMayHaveChanged() }

  /// Settings have changed, by a client or by an edit of the file; without names only what is wrong with the file.
  func settingsChanged(_ names: [String]) {
    if !names.isEmpty {
      Log.notice("settings have changed", ["settings": names.joined(separator: ",")])
      broadcast(.settings(SettingsEvent(settings: names)))
    }
    problemMayHaveChanged()
  }

  private func tell(_ notice: String, _ message: String) {
    let dictation = state.withLock { $0.dictation }
    broadcast(.notice(NoticeEvent(notice: notice, message: message, dictation: dictation)))
  }

  private func setMicrophoneFault(_ fault: String?, hasWorked: Bool = false) {
    state.withLock { state in
      state.microphoneFault = fault
      state.microphoneHasWorked = hasWorked
    }
  }

  private func problemMayHaveChanged() { state.withLock { $0.onProblemChange }?() }

  private func broadcast(_ event: SessionEvent) {
    state.withLock { $0.server }?.broadcast(event)
    outcomes.take(event)
  }
}
