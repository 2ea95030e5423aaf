import Testing

@testable import BlurtEngine

@Suite struct SessionLedgerTests {
  /// A ledger whose first press has been claimed.
  private func claimed() -> (ledger: SessionLedger, number: UInt64) {
    var ledger = SessionLedger()
    let (number, _) = ledger.arrive(.press(key: nil))
    #expect(ledger.claim(number) == true)
    return (ledger, number)
  }

  @Test("S-12 each step is reported once and in order")
  func changes() {
    var (ledger, number) = claimed()
    #expect(ledger.advance(number, from: .connecting, to: .recording) == true)
    #expect(ledger.takeChanges().map(\.phase) == [.connecting, .recording])
    #expect(ledger.takeChanges() == [])
  }

  @Test("S-32 a press that nothing could let in is refused on arrival, without a place in the queue")
  func certainlyBusy() {
    var (ledger, number) = claimed()
    #expect(ledger.arrive(.press(key: nil)).arrival == .busy)
    ledger.finish(number)
    #expect(ledger.arrive(.press(key: nil)).arrival == .busy)
    #expect(ledger.advance(number, from: .connecting, to: .recording) == true)
    #expect(ledger.arrive(.press(key: nil)).arrival == .busy)
  }

  @Test(
    "S-29 a press behind a command that may end the dictation waits for its turn",
    arguments: [SessionCommand.release, .cancelRecording])
  func waitsForItsTurn(_ command: SessionCommand) {
    var (ledger, number) = claimed()
    ledger.finish(number)
    let (ender, arrival) = ledger.arrive(command)
    #expect(arrival == .queued)
    #expect(ledger.arrive(.press(key: nil)).arrival == .queued)
    #expect(!ledger.isOpenToPress)
    // It is through and has ended nothing.
    ledger.finish(ender)
    #expect(ledger.arrive(.press(key: nil)).arrival == .busy)
  }

  @Test("S-49 S-124 a press at rest is decided on arrival; the next one is busy, whatever waits from before")
  func decidedOnArrival() {
    var ledger = SessionLedger()
    #expect(ledger.isOpenToPress)
    _ = ledger.arrive(.release)
    _ = ledger.arrive(.cancel)
    #expect(ledger.isOpenToPress)
    let (press, arrival) = ledger.arrivePress(blocker: nil)
    #expect(arrival == .started)
    #expect(!ledger.isOpenToPress)
    #expect(ledger.stands(press, in: .connecting))
    #expect(ledger.arrive(.press(key: nil)).arrival == .busy)
    // What is behind it may end it.
    _ = ledger.arrive(.release)
    #expect(ledger.arrive(.press(key: nil)).arrival == .queued)
    #expect(ledger.takeChanges().map(\.phase) == [.connecting])
  }

  @Test("S-50 a press that is refused on arrival leaves the session open to the next")
  func refusedOnArrival() {
    var ledger = SessionLedger()
    let (number, arrival) = ledger.arrivePress(blocker: .apiKeyMissing)
    #expect(arrival == .refused(.apiKeyMissing))
    #expect(ledger.takeChanges() == [PhaseChange(phase: .failed(.apiKeyMissing), dictation: number)])
    #expect(ledger.isOpenToPress)
  }

  @Test("S-29 no press is decided before one that came earlier")
  func inOrder() {
    var (ledger, first) = claimed()
    let (release, _) = ledger.arrive(.release)
    let (waiting, _) = ledger.arrive(.press(key: nil))
    #expect(ledger.arrive(.cancel).arrival == .cancelled)
    ledger.finish(first)
    ledger.finish(release)
    #expect(ledger.phase.isTerminal)
    #expect(!ledger.isOpenToPress)
    // Its turn has come: a cancel behind it ends it at once.
    #expect(ledger.claim(waiting) == false)
    #expect(ledger.isOpenToPress)
  }

  @Test("S-41 a cancel that came before a press which is decided on arrival has no part in that press's own cancel")
  func cancelBeforeAndAfter() {
    var ledger = SessionLedger()
    let (before, _) = ledger.arrive(.cancel)
    let (press, _) = ledger.arrivePress(blocker: nil)
    #expect(ledger.arrive(.cancel).arrival == .cancelled)
    #expect(!ledger.honoured(before))
    #expect(!ledger.stands(press, in: .connecting))
  }

  @Test("S-41 a cancel at rest leaves nothing for a later press")
  func cancelAtRest() {
    var ledger = SessionLedger()
    let (cancel, arrival) = ledger.arrive(.cancel)
    #expect(arrival == .queued)
    let (press, _) = ledger.arrive(.press(key: nil))
    #expect(!ledger.honoured(cancel))
    #expect(ledger.claim(press) == true)
    #expect(ledger.phase == .connecting)
  }

  @Test("S-42 a cancel that came after a queued press ends it when it is claimed")
  func cancelBehindQueuedPress() {
    var ledger = SessionLedger()
    let (press, _) = ledger.arrive(.press(key: nil))
    let (cancel, _) = ledger.arrive(.cancel)
    let (later, _) = ledger.arrive(.press(key: nil))
    #expect(ledger.claim(press) == false)
    #expect(ledger.takeChanges().map(\.phase) == [.connecting, .cancelled])
    #expect(ledger.honoured(cancel))
    #expect(ledger.claim(later) == true)
    #expect(ledger.arrive(.cancel).arrival == .cancelled)
  }

  @Test("S-43 a cancel that ended one press does not reach the next")
  func consumed() {
    var (ledger, first) = claimed()
    #expect(ledger.arrive(.cancel).arrival == .cancelled)
    #expect(ledger.advance(first, from: .connecting, to: .recording) == false)
    let (second, _) = ledger.arrive(.press(key: nil))
    #expect(ledger.claim(second) == true)
    #expect(ledger.advance(second, from: .connecting, to: .recording) == true)
  }

  @Test("S-46 no step follows a cancel, and none of an earlier dictation follows a later press")
  func nothingAfterTheEnd() {
    var (ledger, first) = claimed()
    _ = ledger.arrive(.cancel)
    #expect(ledger.advance(first, from: .connecting, to: .recording) == false)
    #expect(ledger.phase == .cancelled)
    let (second, _) = ledger.arrive(.press(key: nil))
    #expect(ledger.claim(second) == true)
    #expect(ledger.advance(first, from: .connecting, to: .recording) == false)
    #expect(ledger.seal(first, from: .connecting) == false)
  }

  @Test("S-46 an end that is decided cannot be cancelled any more, and is not yet seen")
  func sealed() {
    var (ledger, number) = claimed()
    #expect(ledger.seal(number, from: .connecting) == true)
    #expect(ledger.phase == .connecting)
    let (cancel, arrival) = ledger.arrive(.cancel)
    #expect(arrival == .queued)
    #expect(ledger.seal(number, from: .connecting) == false)
    ledger.conclude(number, as: .pasted)
    #expect(ledger.phase == .pasted)
    #expect(!ledger.honoured(cancel))
  }
}
