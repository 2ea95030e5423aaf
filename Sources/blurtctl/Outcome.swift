internal import BlurtContract

/// How a dictation went, gathered from the events of a watcher: what `hold` waits for.
struct Outcome {
  /// Which dictation; nil takes whichever ends next.
  private let dictation: UInt64?
  private var delivery: DeliveryEvent?
  private var last: PhaseEvent?

  init(dictation: UInt64?) { self.dictation = dictation }

  /// Takes an event. Those of other dictations change nothing.
  mutating func take(_ event: SessionEvent) {
    switch event {
    case .delivery(let event) where isMine(event.dictation): delivery = event
    case .phase(let event) where isMine(event.dictation) && event.phase.isTerminal && last == nil: last = event
    case .phase, .delivery, .level, .notice, .listening, .settings: break
    }
  }

  private func isMine(_ other: UInt64?) -> Bool { dictation == nil || other == dictation }

  /// The outcome, once the terminal phase has come.
  var end: DictationOutcome? {
    guard let last else { return nil }
    return DictationOutcome(
      dictation: last.dictation ?? dictation, phase: last.phase, text: delivery?.text, engine: delivery?.engine,
      fellBackFrom: delivery?.fellBackFrom, errorKind: last.errorKind, errorCause: last.errorCause,
      message: last.message ?? (last.phase == .noTarget ? last.label : nil))
  }
}
