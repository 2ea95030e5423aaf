/// The phase of a session and the order of its commands: all that must be decided at once, on whichever thread asks.
///
/// A value without a clock or a task. The session keeps it under a lock, so that a cancel and a press that finds nothing
/// before it take effect inside `submit`, and a step that comes too late finds out by its own return value. Each command
/// gets a number; a cancel concerns exactly the presses with smaller ones. Nothing has to be consumed, so no request can
/// outlive its dictation (S-41, S-43).
struct SessionLedger: Sendable {
  /// What the arrival of a command settled already.
  enum Arrival: Sendable, Hashable {
    /// Its turn in the queue will decide.
    case queued
    /// A press that is accepted: the phase is `connecting`. Its turn brings the microphone up.
    case started
    /// A press that the readiness check refuses (S-50).
    case refused(BlurtError)
    /// A press that cannot be accepted, whatever is still running: dropped (S-32).
    case busy
    /// A cancel that has taken effect; its turn tears the capture down (S-36, S-42).
    case cancelled
    /// A cancel whose dictation has ended: there is nothing to do.
    case nothing
  }

  private(set) var phase: PipelinePhase = .idle
  /// The number of the press that the phase belongs to; nil before the first.
  private(set) var dictation: UInt64?

  private var lastNumber: UInt64 = 0
  private var lastCancel: UInt64 = 0
  /// Cancels up to this number ended a press that stood before them in the queue.
  private var honouredCancel: UInt64 = 0
  /// The end of the dictation is decided and no cancel can win any more, though the phase is not published yet.
  private var isSealed = false
  /// Cancels of presses that wait for their turn, by the numbers of both.
  private var awaitedCancels: [(press: UInt64, cancel: UInt64)] = []
  /// The last press that waits, or waited, for its turn to be decided.
  private var lastWaitingPress: UInt64 = 0
  /// The last queued command that is no press: one that could end a dictation before it.
  private var lastEnder: UInt64 = 0
  private var lastFinished: UInt64 = 0
  private var changes: [PhaseChange] = []

  /// Whether a press would be accepted or refused, whatever still waits or runs: the phase is terminal, and no press
  /// stands before it in the queue.
  ///
  /// It may then be decided without waiting for its turn. What waits concerns a dictation that is over, so that it can
  /// change the phase no more; closing its microphone is all that is left.
  var isOpenToPress: Bool { phase.isTerminal && lastWaitingPress <= lastSettled }

  /// Numbers a command and settles what can be settled without waiting for its turn.
  ///
  /// A cancel with a target concerns that dictation alone, also one whose press still waits. Other commands have theirs
  /// looked at when their turn comes.
  mutating func arrive(_ command: SessionCommand, target: UInt64? = nil) -> (number: UInt64, arrival: Arrival) {
    let number = takeNumber()
    if case .cancel = command, let target { return (number, arriveCancel(number, of: target)) }
    switch command {
    case .press:
      if isCertainlyBusy { return (number, .busy) }
      lastWaitingPress = number
      return (number, .queued)
    case .release, .cancelRecording:
      lastEnder = number
      return (number, .queued)
    case .cancel:
      lastEnder = number
      lastCancel = number
      if phase.isTerminal || isSealed { return (number, .queued) }
      enter(.cancelled, dictation)
      return (number, .cancelled)
    }
  }

  private mutating func arriveCancel(_ number: UInt64, of target: UInt64) -> Arrival {
    let present = dictation ?? 0
    guard target > present || (target == present && !phase.isTerminal && !isSealed) else { return .nothing }
    lastEnder = number
    if target > present {
      awaitedCancels.append((target, number))
      return .queued
    }
    enter(.cancelled, dictation)
    return .cancelled
  }

  /// Numbers a press and decides it at once by what the readiness check said. Only while `isOpenToPress`.
  mutating func arrivePress(blocker: BlurtError?) -> (number: UInt64, arrival: Arrival) {
    let number = takeNumber()
    if let blocker {
      refuse(number, blocker)
      return (number, .refused(blocker))
    }
    claim(number)
    return (number, .started)
  }

  /// A command whose turn came is through.
  mutating func finish(_ number: UInt64) { lastFinished = number }

  /// S-50: a press was refused before anything was touched.
  mutating func refuse(_ number: UInt64, _ blocker: BlurtError) { enter(.failed(blocker), number) }

  /// S-51: the phase becomes `connecting`; false when a cancel that came after the press has ended it at once.
  ///
  /// For a terminal phase only.
  @discardableResult
  mutating func claim(_ number: UInt64) -> Bool {
    isSealed = false
    enter(.connecting, number)
    let cancel = awaitedCancels.reduce(lastCancel) { $1.press == number ? max($0, $1.cancel) : $0 }
    awaitedCancels.removeAll { $0.press <= number }
    guard cancel > number else { return true }
    honouredCancel = cancel
    enter(.cancelled, number)
    return false
  }

  /// Whether that dictation stands in that phase, so that no cancel has won.
  func stands(_ number: UInt64, in phase: PipelinePhase) -> Bool {
    dictation == number && self.phase == phase && !isSealed
  }

  /// One step forward; false when a cancel has won.
  mutating func advance(_ number: UInt64, from: PipelinePhase, to next: PipelinePhase) -> Bool {
    guard stands(number, in: from) else { return false }
    enter(next, number)
    return true
  }

  /// Decides the end of a dictation without publishing it yet; false when a cancel has won.
  mutating func seal(_ number: UInt64, from: PipelinePhase) -> Bool {
    guard stands(number, in: from) else { return false }
    isSealed = true
    return true
  }

  /// Publishes the end that was sealed.
  mutating func conclude(_ number: UInt64, as end: PipelinePhase) {
    isSealed = false
    enter(end, number)
  }

  /// Whether a cancel whose turn has come ended a press that stood before it in the queue.
  func honoured(_ cancel: UInt64) -> Bool { cancel <= honouredCancel }

  /// The steps since the last call, in order.
  mutating func takeChanges() -> [PhaseChange] {
    defer { changes = [] }
    return changes
  }

  /// A dictation is live and nothing that is queued or running could end it before a new press has its turn.
  private var isCertainlyBusy: Bool { !phase.isTerminal && lastEnder <= lastSettled }

  /// Commands up to this number have no say any more: they are through, or an accepted press came after them.
  private var lastSettled: UInt64 { max(lastFinished, dictation ?? 0) }

  private mutating func takeNumber() -> UInt64 {
    lastNumber += 1
    return lastNumber
  }

  /// The only writer of the phase (S-12).
  private mutating func enter(_ phase: PipelinePhase, _ dictation: UInt64?) {
    self.phase = phase
    self.dictation = dictation
    changes.append(PhaseChange(phase: phase, dictation: dictation))
  }
}
