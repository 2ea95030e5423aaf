/// A text on its way to the user, told to the delivery hook before it is pasted (S-75).
public struct Delivery: Sendable, Hashable {
  /// The number of the press.
  public let dictation: UInt64
  /// The expanded text, trimmed.
  public let text: String
  /// The engine that spoke.
  public let engine: EngineKind
  /// The engine that should have spoken and failed; nil when there was no fallback.
  public let fellBackFrom: EngineKind?
  /// The recent dictations, newest first, this one included unless its target was secure.
  public let recent: [RecentDictation]

  public init(
    dictation: UInt64, text: String, engine: EngineKind, fellBackFrom: EngineKind?, recent: [RecentDictation]
  ) {
    self.dictation = dictation
    self.text = text
    self.engine = engine
    self.fellBackFrom = fellBackFrom
    self.recent = recent
  }
}
