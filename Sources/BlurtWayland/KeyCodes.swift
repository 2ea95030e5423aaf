internal import BlurtEngine
internal import CEvdev

/// The kernel's codes of the keys that a paste chord may have.
enum KeyCodes {
  /// What the keyboard has: Escape to the navigation keys, and Super, which lies behind them. The kernel drops what it has
  /// not, without a word: a chord would lose that key.
  static let all = Array(KEY_ESC...KEY_DELETE) + [KEY_LEFTMETA]

  private static let rows: [(String, Int32)] = [("qwertyuiop", KEY_Q), ("asdfghjkl", KEY_A), ("zxcvbnm", KEY_Z)]

  static func code(of modifier: PasteChord.Modifier) -> Int32 {
    switch modifier {
    case .control: KEY_LEFTCTRL
    case .shift: KEY_LEFTSHIFT
    case .alt: KEY_LEFTALT
    case .super: KEY_LEFTMETA
    }
  }

  /// The key of an X keysym name; nil for one that has no place of its own here.
  static func code(of key: String) -> Int32? {
    if key == "Insert" { return KEY_INSERT }
    if key.count == 1, let letter = key.first {
      for (row, first) in rows {
        if let place = Array(row).firstIndex(of: letter) { return first + Int32(place) }
      }
    }
    if key.hasPrefix("F"), let number = Int32(key.dropFirst()) {
      if (1...10).contains(number) { return KEY_F1 + number - 1 }
      if (11...12).contains(number) { return KEY_F11 + number - 11 }
    }
    return nil
  }
}
