import BlurtContract
import BlurtDaemon
import BlurtTestSupport

/// A listening window between a seat, settings and a clock of the test's own.
final class ListeningRig: Sendable {
  let seat: FakeSeat
  let wishes: Box<ListeningWishes>
  let clock = TestClock()
  /// Each step as `state` or `state reason`, and what was done to the dictation, in order.
  let log = Box<[String]>([])
  let events = Box<[ListeningEvent]>([])
  /// What waits for its end, where `holds` is set.
  let bringUps = Box<[@Sendable (FailureReason?) -> Void]>([])
  let tearDowns = Box<[@Sendable () -> Void]>([])
  let holds = Box(false)
  /// Ends a live recording, where there is a session.
  let onPause = Box<@Sendable () -> Void>({})
  let control: ListeningControl

  init(seat: SeatState = .active, wishes: ListeningWishes = ListeningWishes()) {
    let seat = FakeSeat(seat)
    let wishes = Box(wishes)
    self.seat = seat
    self.wishes = wishes
    let (log, events, holds, bringUps, tearDowns, onPause) = (log, events, holds, bringUps, tearDowns, onPause)
    control = ListeningControl(
      .init(
        wishes: { wishes.value }, seat: seat,
        bringUp: { done in if holds.value { bringUps.append(done) } else { done(nil) } },
        tearDown: { done in if holds.value { tearDowns.append(done) } else { done() } },
        pause: {
          log.append("pause")
          onPause.value()
        },
        publish: { event in
          events.append(event)
          log.append(event.state.rawValue + (event.reason.map { " \($0)" } ?? ""))
        }, clock: clock))
  }

  /// Changes the settings and says so.
  func set(isWanted: Bool, lifetime: Duration? = nil) {
    wishes.value = ListeningWishes(isWanted: isWanted, lifetime: lifetime)
    control.settingsChanged()
  }

  /// What was logged since the last call.
  func logged() -> [String] {
    log.update { log in
      defer { log = [] }
      return log
    }
  }
}
