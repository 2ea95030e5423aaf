/// What one trigger key does (H-55).
public enum TriggerKeyChoice: Sendable, Hashable {
  /// Nothing. Any key may be off, the bound one as well.
  case off
  /// It dictates, with the style of that id; nil for the base. The bound key's style is the active one instead (H-59).
  case dictate(style: String?)
  /// It reads the selection aloud.
  case readAloud
  /// It asks about the selection.
  case ask

  /// Whether a press of the key dictates.
  public var dictates: Bool {
    switch self {
    case .dictate: true
    case .off, .readAloud, .ask: false
    }
  }

  /// Whether both are the same action, whatever the style.
  public func isSameAction(as other: TriggerKeyChoice) -> Bool {
    switch (self, other) {
    case (.dictate, .dictate), (.readAloud, .readAloud), (.ask, .ask), (.off, .off): true
    case (.dictate, _), (.readAloud, _), (.ask, _), (.off, _): false
    }
  }
}
