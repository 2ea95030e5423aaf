/// The numbers of the seat's watch; each is in DESIGN.md's table.
package struct SeatLimits: Sendable {
  /// How long one call to the bus may take. A stop waits for a call that is under way.
  package var call: Duration = .seconds(2)
  /// How long a connection may take to come up.
  package var connection: Duration = .seconds(5)
  /// How long a session that was asked to lock counts as locked before its locker says so. Lockers that never say so are
  /// not to end all dictation.
  package var lockGrace: Duration = .seconds(10)
  /// The longest that sleep is held up for a recording to be closed. logind itself waits 5 s (InhibitDelayMaxSec).
  package var sleepHold: Duration = .seconds(2)
  /// The pauses between tries to reach a bus or a logind that went away. After the last one the seat counts as active
  /// until somebody says otherwise.
  package var retryPauses: [Duration] = [1, 2, 4, 8, 16, 32, 60].map { .seconds($0) }

  package init() {}
}
