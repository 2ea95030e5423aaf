public import FoundationEssentials

/// One remembered dictation (S-93…S-96). In memory only.
public struct RecentDictation: Sendable, Hashable, Identifiable {
  /// Unique in this process and stable (S-94).
  public let id: UInt64
  /// What the user saw: the expanded text.
  public let shownText: String
  /// What was said: the engine's own text, before shortcuts were expanded. This is what a later request sends (S-96).
  public let spokenText: String
  /// The style's display name; nil for base styling.
  public let style: String?
  public let at: Date

  public init(id: UInt64, shownText: String, spokenText: String, style: String?, at: Date) {
    self.id = id
    self.shownText = shownText
    self.spokenText = spokenText
    self.style = style
    self.at = at
  }
}
