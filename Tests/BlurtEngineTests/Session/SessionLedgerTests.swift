import Testing

@testable import BlurtEngine

@Suite struct SessionLedgerTests {
  /// A ledger whose first press has been claimed.
  private func claimed() -> (ledger: SessionLedger, number: UInt64) {
    var ledger = SessionLedger()
    let (number, _) = ledger.arrive(.press(key: nil))
    ledger.begin(.press(key: nil))
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
    ledger.finish()
    #expect(ledger.arrive(.press(key: nil)).arrival == .busy)
    #expect(ledger.advance(number, from: .connecting, to: .recording) == true)
    #expect(ledger.arrive(.press(key: nil)).arrival == .busy)
  }

  @Test(
    "S-29 a press behind a command that may end the dictation waits for its turn",
    arguments: [SessionCommand.release, .cancelRecording])
  func waitsForItsTurn(_ command: SessionCommand) {
    var (ledger, _) = claimed()
    ledger.finish()
    #expect(ledger.arrive(command).arrival == .queued)
    #expect(ledger.arrive(.press(key: nil)).arrival == .queued)
    ledger.begin(command)
    ledger.begin(.press(key: nil))
    ledger.begin(command)
    #expect(ledger.arrive(.press(key: nil)).arrival == .queued)
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
    let (cancelled, arrival) = ledger.arrive(.cancel)
    #expect(arrival == .cancelled)
    #expect(ledger.honoured(cancelled))
  }

  @Test("S-43 a cancel that ended one press does not reach the next")
  func consumed() {
    var (ledger, first) = claimed()
    let (cancel, arrival) = ledger.arrive(.cancel)
    #expect(arrival == .cancelled)
    #expect(ledger.honoured(cancel))
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
