package import BlurtContract

/// How the last dictations, and the recordings that were sent again, have ended, and who waits to learn it.
///
/// Pure: fed with the events of the daemon in their one order, so a delivery before the phase that ends its dictation.
/// `OutcomeWaiters` carries the answers out.
package struct OutcomeBook: Sendable {
  /// What somebody who asks, or has waited, is told.
  package enum Answer: Sendable, Hashable {
    case outcome(DictationOutcome)
    /// There is no such dictation, or its outcome is forgotten.
    case nothing
  }

  /// An answer to one who has waited.
  package struct Due: Sendable, Hashable {
    package let waiter: UInt64
    package let answer: Answer
  }

  private enum Target: Hashable {
    case dictation(UInt64)
    case recording(String)
  }

  /// Each list oldest first.
  private var dictations: [DictationOutcome] = []
  private var recordings: [DictationOutcome] = []
  /// The newest dictation of which a phase was seen; 0 before the first.
  private var current: UInt64 = 0
  private var delivery: DeliveryEvent?
  /// Why `current` has no words.
  private var remark: String?
  private var sending: Set<String> = []
  private var waiters: [UInt64: Target] = [:]

  package init() {}

  /// Takes the next event and returns what is due after it.
  package mutating func take(_ event: SessionEvent) -> [Due] {
    switch event {
    case .phase(let phase): return take(phase)
    case .delivery(let delivery):
      if delivery.dictation == current { self.delivery = delivery }
    case .notice(let notice):
      if notice.dictation == current, notice.notice == "noSpeech" || notice.notice == "tooShort" {
        remark = notice.message
      }
    case .level, .listening, .settings: break
    }
    return []
  }

  private mutating func take(_ phase: PhaseEvent) -> [Due] {
    guard let dictation = phase.dictation, dictation >= current else { return [] }
    if dictation > current {
      current = dictation
      delivery = nil
      remark = nil
    }
    var due: [Due] = []
    if phase.phase.isTerminal {
      let outcome = outcome(of: dictation, phase)
      Self.remember(outcome, in: &dictations)
      due = settle(.outcome(outcome)) { $0 == .dictation(dictation) }
    }
    // Who still waits for an older number waits for none: what it named was no dictation.
    return due
      + settle(.nothing) { if case .dictation(let number) = $0 { number < dictation } else { false } }
  }

  private func outcome(of dictation: UInt64, _ phase: PhaseEvent) -> DictationOutcome {
    var outcome = DictationOutcome(
      dictation: dictation, phase: phase.phase, errorKind: phase.errorKind, errorCause: phase.errorCause,
      message: phase.message)
    switch phase.phase {
    case .pasted, .noTarget, .failed:
      outcome.text = delivery?.text
      outcome.engine = delivery?.engine
      outcome.fellBackFrom = delivery?.fellBackFrom
    case .idle: outcome.message = outcome.message ?? remark
    // The user did not want the words any more.
    case .cancelled: break
    case .connecting, .recording, .transcribing, .injecting: break
    }
    return outcome
  }

  /// A kept recording is about to be sent again; how it ended before is no longer of interest.
  package mutating func began(recording: String) {
    sending.insert(recording)
    recordings.removeAll { $0.recording == recording }
  }

  /// A recording that was sent again has ended that way; `nothing` where nobody will ever know.
  package mutating func ended(recording: String, _ answer: Answer) -> [Due] {
    sending.remove(recording)
    if case .outcome(let outcome) = answer { Self.remember(outcome, in: &recordings) }
    return settle(answer) { $0 == .recording(recording) }
  }

  /// Answers at once, or notes the waiter and returns nil.
  ///
  /// `newest` is the newest dictation of the session, whose phases may still be on their way here; nil before the first.
  package mutating func wait(_ waiter: UInt64, for target: WaitTarget, newest: UInt64?) -> Answer? {
    switch target {
    case .newest:
      guard let newest else { return .nothing }
      return wait(waiter, for: newest, newest: newest)
    case .dictation(let number): return wait(waiter, for: number, newest: newest ?? 0)
    case .recording(let id):
      if let known = recordings.last(where: { $0.recording == id }) { return .outcome(known) }
      guard sending.contains(id) else { return .nothing }
      waiters[waiter] = .recording(id)
      return nil
    }
  }

  private mutating func wait(_ waiter: UInt64, for dictation: UInt64, newest: UInt64) -> Answer? {
    if let known = dictations.last(where: { $0.dictation == dictation }) { return .outcome(known) }
    guard dictation >= current, dictation <= newest else { return .nothing }
    waiters[waiter] = .dictation(dictation)
    return nil
  }

  /// Nobody wants these answers any more.
  package mutating func forget(_ gone: some Sequence<UInt64>) {
    for waiter in gone { waiters[waiter] = nil }
  }

  /// What was said is forgotten; how it ended is not.
  package mutating func forgetTexts() {
    for index in dictations.indices { dictations[index].text = nil }
    for index in recordings.indices { recordings[index].text = nil }
  }

  /// How many wait.
  package var waiterCount: Int { waiters.count }

  private mutating func settle(_ answer: Answer, _ isMeant: (Target) -> Bool) -> [Due] {
    let meant = waiters.filter { isMeant($0.value) }.keys.sorted()
    forget(meant)
    return meant.map { Due(waiter: $0, answer: answer) }
  }

  private static func remember(_ outcome: DictationOutcome, in list: inout [DictationOutcome]) {
    list.removeAll { $0.dictation == outcome.dictation && $0.recording == outcome.recording }
    list.append(outcome)
    if list.count > SessionContract.rememberedOutcomeCount { list.removeFirst() }
  }
}
