/// A spoken trigger and the text that takes its place (P-39).
public struct TextShortcut: Sendable, Hashable {
  /// The most user-perceived characters of a trigger.
  public static let triggerLimit = 60
  /// The most user-perceived characters of an expansion.
  public static let expansionLimit = 2_000

  /// What is said.
  public let trigger: String
  /// What is written instead: literal text, blanks and line breaks included.
  public let expansion: String

  public init(trigger: String, expansion: String) {
    self.trigger = trigger
    self.expansion = expansion
  }

  /// What tells this trigger from others: its words of letters and digits, in one case (P-40). Empty where it has none.
  public var matchKey: [String] { SpokenWords(trigger).words.map { String($0.letters) } }
}
