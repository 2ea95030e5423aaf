/// Where a `hold` stands. Times are on the monotonic clock.
struct Holding {
  var outcome: Outcome
  /// Nil once the end of input says nothing any more.
  var input: Int32?
  let signals: Int32?
  /// When the next sign of life is due; nil once the lease no longer matters.
  var heartbeatDue: Duration?
  private(set) var isReleased = false
  /// The release or cancel that has no answer yet, and until when it may have none.
  private(set) var openCommand: String?
  private var answerDue: Duration?

  init(outcome: Outcome, input: Int32, signals: Int32?, heartbeatDue: Duration) {
    self.outcome = outcome
    self.input = input
    self.signals = signals
    self.heartbeatDue = heartbeatDue
  }

  var watched: [Int32] { [signals, input].compactMap { $0 } }

  /// How long nothing may happen. Before the release only a heartbeat is due, after it only an answer.
  var due: Duration? { heartbeatDue ?? answerDue }

  mutating func asked(_ id: String, until due: Duration) {
    isReleased = true
    input = nil
    heartbeatDue = nil
    openCommand = id
    answerDue = due
  }

  mutating func answered() {
    openCommand = nil
    answerDue = nil
  }
}
