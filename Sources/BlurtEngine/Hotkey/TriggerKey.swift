/// A key that may dictate: its evdev code, its evdev name and the words to show for it.
///
/// Six lone modifiers are offered (H-62…H-67). Further keys that write nothing are accepted when they are named (B-21,
/// B-32), with a caution where somebody else acts on them too. Keys that write, delete or move the cursor and the buttons
/// of every click are not: `refusal(of:)` says why.
public struct TriggerKey: Sendable, Hashable {
  /// The evdev code: what is stored and what travels in `SessionCommand.press`.
  public let code: Int
  /// The name of the code in `linux/input-event-codes.h`.
  public let name: String
  /// The words to show to people.
  public let label: String
  /// Why this key may get in the user's way; nil where it does not.
  public let caution: String?

  init(_ code: Int, _ name: String, _ label: String, caution: String? = nil) {
    self.code = code
    self.name = name
    self.label = label
    self.caution = caution
  }

  /// The key with that evdev code; nil if it cannot dictate.
  public init?(code: Int) {
    guard let key = Self.byCode[code] else { return nil }
    self = key
  }

  /// Reads what a person wrote: a code (`97`), a name (`KEY_RIGHTCTRL`, also `rightctrl`) or a label (`Right Ctrl`), in
  /// any case; nil if it is none of a key that can dictate.
  ///
  /// For checking input. A nil here should be answered with `refusal(of:)`; a stored value is decoded with
  /// `init(stored:)`, which never fails.
  public init?(_ text: String) {
    if let code = Int(text) {
      self.init(code: code)
      return
    }
    guard
      let key = Self.all.first(where: { Self.isName(text, of: $0.name) || Self.folded(text) == Self.folded($0.label) })
    else { return nil }
    self = key
  }

  /// Decodes a stored code or name; unknown and missing ones give the default (H-53). The one rule for every reader.
  public init(stored text: String?) {
    self = text.flatMap(Self.init(_:)) ?? .default
  }

  /// Decodes a stored code; unknown and missing ones give the default (H-53).
  public init(storedCode code: Int?) {
    self = code.flatMap(Self.init(code:)) ?? .default
  }

  private static let byCode = Dictionary(all.map { ($0.code, $0) }, uniquingKeysWith: { first, _ in first })

  /// Whether a person's word is that evdev name. The prefix may be left out; where it is there, it tells `KEY_BACK` from
  /// `BTN_BACK`.
  static func isName(_ text: String, of name: String) -> Bool {
    prefixes.contains { text.uppercased().hasPrefix($0) } ? text.uppercased() == name : folded(text) == folded(name)
  }

  private static let prefixes = ["KEY_", "BTN_"]

  /// A name without what people leave out: its prefix, blanks, hyphens, its case.
  static func folded(_ text: String) -> String {
    var text = text.uppercased()
    if prefixes.contains(where: text.hasPrefix) { text = String(text.dropFirst(4)) }
    return text.lowercased().filter { !" -_".contains($0) }
  }
}
