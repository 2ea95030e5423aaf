internal import CEvdev

/// Reduces evdev events to what the hotkey may know (H-68…H-72).
///
/// Codes of other keys end here: they are compared and dropped. Of the modifiers one bit each is kept, for the question
/// whether any of them is down.
package struct KeyEventFilter: Sendable, Hashable {
  /// The codes that are reported by name.
  package var boundKeys: Set<Int>
  private var modifierBits: UInt8 = 0

  package init(boundKeys: Set<Int>) { self.boundKeys = boundKeys }

  /// A Ctrl, Shift, Alt or Super key of this device is down.
  package var modifiersAreHeld: Bool { modifierBits != 0 }

  /// Takes one event; nil where it means nothing to the hotkey.
  package mutating func take(type: Int, code: Int, value: Int) -> KeyInput? {
    guard type == Int(EV_KEY), value == 0 || value == 1 else { return nil }
    noteModifier(code, isDown: value == 1)
    if boundKeys.contains(code) { return .boundKey(code: code, isDown: value == 1) }
    guard value == 1 else { return nil }
    if Self.pointerButtons.contains(code) { return .pointer }
    return Self.isKey(code) ? .otherKey : nil
  }

  /// Takes the true state of all keys; returns the bound ones that are down.
  package mutating func takeSnapshot(_ bits: KeyBits) -> Set<Int> {
    modifierBits = 0
    for code in Self.modifiers where bits.contains(code) { noteModifier(code, isDown: true) }
    return boundKeys.filter(bits.contains)
  }

  /// Whether a device with these keys is worth opening (H-77): it has a bound key or a button to click with.
  package static func isRelevant(_ bits: KeyBits, boundKeys: Set<Int>) -> Bool {
    boundKeys.contains(where: bits.contains) || pointerButtons.contains(where: bits.contains)
  }

  /// The codes that the kernel shall deliver; the touches and tools of a touchpad are not among them (H-72).
  package static func wantedCodes(boundKeys: Set<Int>) -> KeyBits {
    var wanted = KeyBits()
    for code in 0..<KeyBits.count where isKey(code) || pointerButtons.contains(code) || boundKeys.contains(code) {
      wanted.insert(code)
    }
    return wanted
  }

  /// BTN_LEFT…BTN_TASK.
  private static let pointerButtons = Int(BTN_LEFT)...Int(BTN_TASK)

  private static let modifiers = [
    KEY_LEFTCTRL, KEY_LEFTSHIFT, KEY_LEFTALT, KEY_LEFTMETA, KEY_RIGHTCTRL, KEY_RIGHTSHIFT, KEY_RIGHTALT, KEY_RIGHTMETA,
  ].map(Int.init)

  /// A key and not a button: below BTN_MISC or from KEY_OK on.
  private static func isKey(_ code: Int) -> Bool { code < Int(BTN_MISC) || code >= Int(KEY_OK) }

  private mutating func noteModifier(_ code: Int, isDown: Bool) {
    guard let index = Self.modifiers.firstIndex(of: code) else { return }
    if isDown { modifierBits |= 1 << index } else { modifierBits &= ~(1 << index) }
  }
}
