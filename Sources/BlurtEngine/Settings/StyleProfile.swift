/// One way of rewriting that the user has described (P-31).
public struct StyleProfile: Sendable, Hashable, Identifiable {
  /// The most user-perceived characters of a name.
  public static let nameLimit = 24
  /// What a blank name becomes.
  public static let fallbackName = "Style"
  /// The most user-perceived characters of an id.
  public static let idLimit = 64

  /// Unique among the profiles, and stable.
  public let id: String
  public let name: String
  /// What the service is told beside the base instruction; blank for nothing (P-34).
  public let instructions: String

  public init(id: String, name: String, instructions: String) {
    self.id = id
    self.name = name
    self.instructions = instructions
  }

  /// The profile as it is stored and used: trimmed, with a name, cut to the limits at whole characters (P-30, P-31).
  public var normalised: StyleProfile {
    let name = name.trimmingWhitespace().prefix(Self.nameLimit).trimmedNonEmpty ?? Self.fallbackName
    let instructions = instructions.trimmingWhitespace().prefix(maxUTF8Bytes: CleanupInstruction.styleByteLimit)
    return StyleProfile(id: id.trimmingWhitespace(), name: name, instructions: instructions.trimmingWhitespace())
  }
}
