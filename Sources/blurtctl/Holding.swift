/// Where a `hold` stands.
struct Holding {
  var outcome: Outcome
  /// Nil once the end of input says nothing any more.
  var input: Int32?
  let signals: Int32?
  private(set) var isReleased = false
  /// The release or cancel that has no answer yet, and until when it may have none.
  private(set) var openCommand: String?
  private(set) var answerDue: Duration?

  init(outcome: Outcome, input: Int32, signals: Int32?) {
    self.outcome = outcome
    self.input = input
    self.signals = signals
  }

  var watched: [Int32] { [signals, input].compactMap { $0 } }

  mutating func asked(_ id: String, until due: Duration) {
    isReleased = true
    input = nil
    openCommand = id
    answerDue = due
  }

  mutating func answered() {
    openCommand = nil
    answerDue = nil
  }
}
