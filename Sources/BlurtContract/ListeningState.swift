/// Where the listening window stands (S-136…S-145): whether the daemon answers a press.
package enum ListeningState: String, Sendable, Hashable, CaseIterable {
  /// Nothing is held; a press is refused.
  case closed
  /// The devices are coming up.
  case opening
  /// A press is answered.
  case open
  /// Suspended for a while: sleep, another seat.
  case interrupted
  /// The devices are let go.
  case closing
}
