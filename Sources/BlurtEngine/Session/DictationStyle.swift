/// How the text of one trigger key is to be rewritten.
public struct DictationStyle: Sendable, Hashable {
  /// The display name; nil for base styling, or while rewriting is off (S-94).
  public let name: String?
  /// What the service is told (C-86); nil for nothing beyond the base.
  public let instructions: String?

  public init(name: String?, instructions: String?) {
    self.name = name
    self.instructions = instructions
  }
}
