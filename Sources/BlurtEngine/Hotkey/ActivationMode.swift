/// How a press of a trigger key is meant (H-03).
public enum ActivationMode: String, Sendable, Hashable, CaseIterable {
  /// A hold dictates while it lasts; a tap starts and the next tap stops.
  case tapOrHold = "TapOrHold"
  /// Every press is a tap, however long it lasts.
  case tap = "Tap"
  /// Every press is a hold, however short it is.
  case hold = "Hold"

  /// Decodes a stored value; unknown and missing ones give `tapOrHold`.
  public init(stored: String?) {
    self = stored.flatMap(Self.init(rawValue:)) ?? .tapOrHold
  }
}
