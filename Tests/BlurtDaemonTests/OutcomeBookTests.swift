import BlurtContract
import Testing

@testable import BlurtDaemon

@Suite struct OutcomeBookTests {
  private func phase(_ phase: DictationPhase, _ dictation: UInt64, errorKind: String? = nil) -> SessionEvent {
    .phase(PhaseEvent(phase: phase, dictation: dictation, errorKind: errorKind, message: errorKind.map { "\($0)." }))
  }

  private func delivery(_ text: String, _ dictation: UInt64) -> SessionEvent {
    .delivery(DeliveryEvent(dictation: dictation, engine: "offline", fellBackFrom: "assemblyai", text: text))
  }

  private func pasted(_ text: String, _ dictation: UInt64) -> OutcomeBook.Answer {
    .outcome(
      DictationOutcome(
        dictation: dictation, phase: .pasted, text: text, engine: "offline", fellBackFrom: "assemblyai"))
  }

  @Test("B-45 who waits while it runs is told at its end, with the words that were delivered before")
  func waits() {
    var book = OutcomeBook()
    #expect(book.take(phase(.recording, 1)) == [])
    #expect(book.wait(10, for: .newest, newest: 1) == nil)
    #expect(book.wait(11, for: .dictation(1), newest: 1) == nil)
    #expect(book.take(delivery("Hello.", 1)) == [])
    #expect(book.take(phase(.injecting, 1)) == [])
    #expect(
      book.take(phase(.pasted, 1)) == [
        .init(waiter: 10, answer: pasted("Hello.", 1)), .init(waiter: 11, answer: pasted("Hello.", 1)),
      ])
    #expect(book.waiterCount == 0)
    #expect(book.take(phase(.connecting, 2)) == [])
    #expect(book.wait(12, for: .dictation(1), newest: 2) == pasted("Hello.", 1))
  }

  @Test("B-45 while idle the last outcome is told at once")
  func atOnce() {
    var book = OutcomeBook()
    _ = book.take(phase(.injecting, 3))
    _ = book.take(delivery("Hello.", 3))
    _ = book.take(phase(.pasted, 3))
    for waiter in 0..<3 { #expect(book.wait(UInt64(waiter), for: .newest, newest: 3) == pasted("Hello.", 3)) }
  }

  @Test(
    "B-45 an empty result is an outcome like any other, and says why there are no words",
    arguments: [
      "noSpeech", "tooShort",
    ])
  func empty(notice: String) {
    var book = OutcomeBook()
    _ = book.take(phase(.transcribing, 1))
    #expect(book.wait(1, for: .newest, newest: 1) == nil)
    _ = book.take(.notice(NoticeEvent(notice: notice, message: "why", dictation: 1)))
    let outcome = DictationOutcome(dictation: 1, phase: .idle, message: "why")
    #expect(book.take(phase(.idle, 1)) == [.init(waiter: 1, answer: .outcome(outcome))])
  }

  @Test("S-75 a failed paste has the words and the error; S-46 a cancelled dictation has none")
  func failedPaste() {
    var book = OutcomeBook()
    _ = book.take(phase(.transcribing, 1))
    _ = book.take(delivery("Hello.", 1))
    _ = book.take(phase(.failed, 1, errorKind: "targetAppLost"))
    #expect(
      book.wait(1, for: .newest, newest: 1)
        == .outcome(
          DictationOutcome(
            dictation: 1, phase: .failed, text: "Hello.", engine: "offline", fellBackFrom: "assemblyai",
            errorKind: "targetAppLost", message: "targetAppLost.")))
    _ = book.take(phase(.transcribing, 2))
    _ = book.take(delivery("Never mind.", 2))
    _ = book.take(phase(.cancelled, 2))
    #expect(book.wait(1, for: .newest, newest: 2) == .outcome(DictationOutcome(dictation: 2, phase: .cancelled)))
  }

  @Test("words and remarks of one dictation never show up in the outcome of another")
  func noMixing() {
    var book = OutcomeBook()
    _ = book.take(phase(.transcribing, 1))
    _ = book.take(delivery("Hello.", 1))
    _ = book.take(.notice(NoticeEvent(notice: "noSpeech", message: "why", dictation: 1)))
    _ = book.take(phase(.recording, 2))
    _ = book.take(delivery("Too late.", 1))
    _ = book.take(.notice(NoticeEvent(notice: "noSpeech", message: "why", dictation: 1)))
    _ = book.take(.notice(NoticeEvent(notice: "overrun", message: "other", dictation: 2)))
    _ = book.take(phase(.idle, 2))
    #expect(book.wait(1, for: .newest, newest: 2) == .outcome(DictationOutcome(dictation: 2, phase: .idle)))
  }

  @Test("the session may be ahead of the events: a wait for its newest dictation is not answered with an older one")
  func sessionAhead() {
    var book = OutcomeBook()
    _ = book.take(phase(.pasted, 1))
    #expect(book.wait(1, for: .newest, newest: 4) == nil)
    // A number between two dictations, of a release, is found to be none when the next phase comes.
    #expect(book.wait(2, for: .dictation(2), newest: 4) == nil)
    #expect(book.take(phase(.connecting, 4)) == [.init(waiter: 2, answer: .nothing)])
    #expect(
      book.take(phase(.cancelled, 4))
        == [.init(waiter: 1, answer: .outcome(DictationOutcome(dictation: 4, phase: .cancelled)))])
  }

  @Test("what never was, is not yet, or is forgotten has no outcome")
  func nothing() {
    var book = OutcomeBook()
    #expect(book.wait(1, for: .newest, newest: nil) == .nothing)
    #expect(book.wait(1, for: .dictation(1), newest: nil) == .nothing)
    #expect(book.wait(1, for: .recording("r"), newest: nil) == .nothing)
    let count = UInt64(SessionContract.rememberedOutcomeCount)
    for dictation in 1...count + 1 { _ = book.take(phase(.pasted, dictation)) }
    #expect(book.wait(1, for: .dictation(1), newest: count + 1) == .nothing)
    #expect(book.wait(1, for: .dictation(2), newest: count + 1) != .nothing)
    #expect(book.wait(1, for: .dictation(count + 2), newest: count + 1) == .nothing)
    #expect(book.wait(1, for: .dictation(.max), newest: count + 1) == .nothing)
    #expect(book.waiterCount == 0)
  }

  @Test("a recording that is sent again is waited for from its start, and its newest end is remembered")
  func recording() {
    var book = OutcomeBook()
    let failed = OutcomeBook.Answer.outcome(DictationOutcome(recording: "r", errorKind: "sttFailed"))
    let words = OutcomeBook.Answer.outcome(DictationOutcome(recording: "r", text: "Hello."))
    book.began(recording: "r")
    #expect(book.wait(1, for: .recording("r"), newest: nil) == nil)
    #expect(book.wait(2, for: .recording("s"), newest: nil) == .nothing)
    #expect(book.ended(recording: "r", failed) == [.init(waiter: 1, answer: failed)])
    #expect(book.wait(3, for: .recording("r"), newest: nil) == failed)
    book.began(recording: "r")
    #expect(book.wait(4, for: .recording("r"), newest: nil) == nil)
    #expect(book.ended(recording: "r", words) == [.init(waiter: 4, answer: words)])
    #expect(book.wait(5, for: .recording("r"), newest: nil) == words)
    book.began(recording: "t")
    #expect(book.ended(recording: "t", .nothing) == [])
    #expect(book.wait(6, for: .recording("t"), newest: nil) == .nothing)
    #expect(book.wait(7, for: .newest, newest: nil) == .nothing)
  }

  @Test("a reset forgets what was said, not how it ended")
  func forgetTexts() {
    var book = OutcomeBook()
    _ = book.take(phase(.injecting, 1))
    _ = book.take(delivery("Hello.", 1))
    _ = book.take(phase(.pasted, 1))
    book.began(recording: "r")
    _ = book.ended(recording: "r", .outcome(DictationOutcome(recording: "r", text: "Hello.")))
    book.forgetTexts()
    for target in [WaitTarget.newest, .recording("r")] {
      guard case .outcome(let outcome)? = book.wait(1, for: target, newest: 1) else {
        Issue.record("the outcome is gone")
        continue
      }
      #expect(outcome.text == nil)
    }
  }

  @Test("who has gone is told nothing")
  func forget() {
    var book = OutcomeBook()
    _ = book.take(phase(.recording, 1))
    for waiter in 1...3 { #expect(book.wait(UInt64(waiter), for: .newest, newest: 1) == nil) }
    book.forget([1, 3])
    #expect(book.take(phase(.pasted, 1)).map(\.waiter) == [2])
  }
}
