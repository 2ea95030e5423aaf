package import BlurtContract

/// Whether this user's session is the one in front (Y-131).
package enum SeatState: Hashable, Sendable {
  case active
  /// Asleep, locked or in the background; the reason says which.
  case inactive(FailureReason)

  /// Why presses cannot be answered; nil while in front.
  package var refusal: FailureReason? {
    switch self {
    case .active: nil
    case .inactive(let reason): reason
    }
  }
}
