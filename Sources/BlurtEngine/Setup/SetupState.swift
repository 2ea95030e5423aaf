/// What the program needs before the first word can be dictated (P-78, P-80, P-82).
public struct SetupState: Sendable, Hashable {
  /// What a person must grant on Linux (P-82). The text before the caret is optional and not among them.
  public enum Grant: Sendable, Hashable, CaseIterable {
    /// The capture device can be opened.
    case microphone
    /// There is a display with XTest.
    case paste
    /// A readable keyboard has the trigger key.
    case hotkey
  }

  public var granted: Set<Grant>
  /// A key, or an engine that needs none.
  public var hasEngine: Bool

  public init(granted: Set<Grant>, hasEngine: Bool) {
    self.granted = granted
    self.hasEngine = hasEngine
  }

  public var isFullyGranted: Bool { granted.isSuperset(of: Grant.allCases) }

  /// P-78. The trigger key is not part of it: it has a default.
  public var isReady: Bool { isFullyGranted && hasEngine }

  /// P-80: everything was granted before, and something is not now. An edge, not a state.
  public func lostGrant(since earlier: SetupState) -> Bool { earlier.isFullyGranted && !isFullyGranted }
}
