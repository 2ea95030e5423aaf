internal import BlurtCapture
internal import BlurtContract
internal import BlurtEngine
internal import BlurtIPC
internal import BlurtInjection
internal import BlurtOS
internal import Synchronization

/// Takes what the parts report and passes it on: to the watchers, to the journal, to `last`.
///
/// Any thread; never blocks.
final class EventHub: Sendable {
  private struct State {
    var server: ControlServer?
    var onProblemChange: (@Sendable () -> Void)?
    var microphoneFault: String?
    var dictation: UInt64?
  }

  let last = LastText()
  private let state = Mutex(State())

  func attach(server: ControlServer) { state.withLock { $0.server = server } }

  /// Called whenever what is missing may have changed.
  func onProblemChange(_ handler: @escaping @Sendable () -> Void) { state.withLock { $0.onProblemChange = handler } }

  /// Why the last press found no microphone; nil once one worked.
  var microphoneFault: String? { state.withLock { $0.microphoneFault } }

  func phase(_ change: PhaseChange) {
    state.withLock { $0.dictation = change.dictation }
    Log.notice("phase", ["phase": change.phase.name, "dictation": change.dictation.map(String.init) ?? ""])
    switch change.phase {
    case .recording: setMicrophoneFault(nil)
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
    broadcast(.delivery(EventTranslation.event(delivery)))
  }

  func failed(_ failure: DictationFailure) {
    Log.warning(
      "a dictation failed",
      [
        "dictation": "\(failure.dictation)", "kind": failure.error.diagnosticName,
        "error": failure.error.description,
      ])
  }

  func level(_ level: Float) {
    broadcast(.level(LevelEvent(level: Double(level), dictation: state.withLock { $0.dictation })))
  }

  func capture(_ notice: CaptureNotice) {
    switch notice {
    case .broughtUp, .resumed, .closeDelayed: break
    case .chosenDeviceAbsent(let device):
      tell("chosenDeviceAbsent", "The chosen microphone \(device) is not there; the default one is used for now.")
    case .overrun: tell("overrun", "The machine was too busy to keep up, and some sound was lost.")
    case .deviceLost(let error, _):
      tell("deviceLost", "The microphone went away. What was heard is kept. \(error.message)")
    }
  }

  func injection(_ notice: InjectionNotice) {
    Log.warning("a paste left something to say", ["notice": notice.name])
    tell(notice.name, notice.message)
  }

  func hotkeyChanged() { problemMayHaveChanged() }

  private func tell(_ notice: String, _ message: String) {
    let dictation = state.withLock { $0.dictation }
    broadcast(.notice(NoticeEvent(notice: notice, message: message, dictation: dictation)))
  }

  private func setMicrophoneFault(_ fault: String?) { state.withLock { $0.microphoneFault = fault } }

  private func problemMayHaveChanged() { state.withLock { $0.onProblemChange }?() }

  private func broadcast(_ event: SessionEvent) { state.withLock { $0.server }?.broadcast(event) }
}
