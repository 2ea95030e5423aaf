package import BlurtEngine

/// What the settings say of the listening window.
package struct ListeningWishes: Hashable, Sendable {
  /// Whether presses are to be answered.
  package var isWanted: Bool
  /// How long after the last word the window closes; nil: never.
  package var lifetime: Duration?

  /// Longer ones count as this: ten years.
  private static let longestMinutes = 5_256_000.0

  package init(isWanted: Bool = true, lifetime: Duration? = nil) {
    self.isWanted = isWanted
    self.lifetime = lifetime
  }

  package init(_ settings: Settings) {
    let minutes = min(settings.listeningMinutes, Self.longestMinutes)
    self.init(isWanted: settings.listens, lifetime: minutes > 0 ? .seconds(minutes * 60) : nil)
  }
}
