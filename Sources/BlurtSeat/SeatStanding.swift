/// Whether the user sits in front of the session that is watched.
package enum SeatStanding: String, Sendable, Hashable {
  case active
  /// A screen locker is in front.
  case locked
  /// Another session has the screen, or this one is being closed.
  case inBackground
  /// The machine goes to sleep, or sleeps.
  case asleep
}
