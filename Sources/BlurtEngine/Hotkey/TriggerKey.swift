/// A key that may dictate: its evdev code, its evdev name and the words to show for it.
///
/// Six lone modifiers are offered (H-62…H-67). A few further keys that rarely type anything are accepted when they are
/// named in the settings. Letters, digits and mouse buttons are not: the focused program would see them as well.
public struct TriggerKey: Sendable, Hashable {
  /// The evdev code: what is stored and what travels in `SessionCommand.press`.
  public let code: Int
  /// The name of the code in `linux/input-event-codes.h`.
  public let name: String
  /// The words to show to people.
  public let label: String
  /// Why this key may get in the user's way; nil where it does not.
  public let caution: String?

  private init(_ code: Int, _ name: String, _ label: String, caution: String? = nil) {
    self.code = code
    self.name = name
    self.label = label
    self.caution = caution
  }

  /// H-62: the default. Rare alone and present on most boards.
  public static let rightControl = TriggerKey(97, "KEY_RIGHTCTRL", "Right Ctrl")
  /// H-63: AltGr on many layouts.
  public static let rightAlt = TriggerKey(
    100, "KEY_RIGHTALT", "Right Alt",
    caution: "On layouts with AltGr, typing a third-level character starts and cancels a dictation.")
  /// H-64.
  public static let leftAlt = TriggerKey(56, "KEY_LEFTALT", "Left Alt")
  /// H-65.
  public static let leftControl = TriggerKey(
    29, "KEY_LEFTCTRL", "Left Ctrl",
    caution: "Left Ctrl is part of very many shortcuts; each one starts and cancels a dictation.")
  /// H-66.
  public static let rightMeta = TriggerKey(
    126, "KEY_RIGHTMETA", "Right Super", caution: "Many desktops act when Super is tapped.")
  /// H-67.
  public static let leftMeta = TriggerKey(
    125, "KEY_LEFTMETA", "Left Super", caution: "The desktop opens its launcher when Super is tapped.")

  /// What an unknown or missing stored value means (H-53).
  public static let `default` = rightControl

  /// The keys to choose from, in the order in which they are shown.
  public static let offered = [rightControl, rightAlt, leftAlt, leftControl, rightMeta, leftMeta]

  /// Keys that work when the settings name them; many have no keysym under X.
  public static let alsoAccepted: [TriggerKey] =
    (13...24).map { TriggerKey(183 + $0 - 13, "KEY_F\($0)", "F\($0)") } + [
      TriggerKey(70, "KEY_SCROLLLOCK", "Scroll Lock"),
      TriggerKey(119, "KEY_PAUSE", "Pause"),
      TriggerKey(127, "KEY_COMPOSE", "Menu"),
      TriggerKey(148, "KEY_PROG1", "Program 1"),
      TriggerKey(149, "KEY_PROG2", "Program 2"),
      TriggerKey(202, "KEY_PROG3", "Program 3"),
      TriggerKey(203, "KEY_PROG4", "Program 4"),
      TriggerKey(248, "KEY_MICMUTE", "Microphone Mute"),
      TriggerKey(582, "KEY_VOICECOMMAND", "Voice Command"),
      TriggerKey(583, "KEY_ASSISTANT", "Assistant"),
      TriggerKey(586, "KEY_DICTATE", "Dictate"),
    ]

  /// The key with that evdev code; nil if it cannot dictate.
  public init?(code: Int) {
    guard let key = (Self.offered + Self.alsoAccepted).first(where: { $0.code == code }) else { return nil }
    self = key
  }

  /// Reads what a person wrote: a code (`97`) or a name (`KEY_RIGHTCTRL`, also `rightctrl`); nil if it is neither.
  ///
  /// For checking input. A nil here should be answered with the word that was wrong; a stored value is decoded with
  /// `init(stored:)`, which never fails.
  public init?(_ text: String) {
    if let code = Int(text) {
      self.init(code: code)
      return
    }
    let upper = text.uppercased()
    let name = upper.hasPrefix("KEY_") ? upper : "KEY_" + upper
    guard let key = (Self.offered + Self.alsoAccepted).first(where: { $0.name == name }) else { return nil }
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
}
