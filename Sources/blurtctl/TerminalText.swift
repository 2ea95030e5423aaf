/// Text made fit for a terminal: no control sequences from what others wrote, and no wider than the line.
enum TerminalText {
  /// The text with every control character shown by a symbol of its own, so that nothing that was dictated, and no title
  /// of a window, can drive the terminal. Newlines and tabs stay.
  static func safe(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: { isControl($0) && $0 != "\n" && $0 != "\t" }) else { return text }
    var safe = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      safe.append(scalar == "\n" || scalar == "\t" ? scalar : shown(scalar))
    }
    return String(safe)
  }

  /// The text on one line: safe, with every run of white space as one space.
  static func line(_ text: String) -> String {
    safe(text).split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }

  /// The text cut to so many columns, the last of them an ellipsis if something is missing.
  static func cut(_ text: String, to width: Int) -> String {
    guard self.width(text) > width else { return text }
    guard width > 0 else { return "" }
    var left = width - 1
    var kept = ""
    for character in text {
      left -= self.width(character)
      if left < 0 { break }
      kept.append(character)
    }
    return kept + "…"
  }

  /// The text on lines of at most so many columns, ended between words. A word that is longer has a line of its own and
  /// stays whole, so that a path can be copied.
  static func wrap(_ text: String, to width: Int) -> [String] {
    var lines: [String] = []
    var line = ""
    for word in self.line(text).split(separator: " ") {
      if !line.isEmpty, self.width(line) + 1 + self.width(String(word)) > width {
        lines.append(line)
        line = ""
      }
      line += (line.isEmpty ? "" : " ") + word
    }
    return lines + [line]
  }

  /// The text behind a prefix, its further lines under its first one. Of a very narrow line it takes 20 columns all the
  /// same.
  static func hanging(_ prefix: String, _ text: String, width: Int) -> String {
    let indent = self.width(prefix)
    let lines = wrap(text, to: max(width - indent, 20))
    return prefix + lines.joined(separator: "\n" + String(repeating: " ", count: indent))
  }

  /// How many columns the text takes.
  static func width(_ text: String) -> Int {
    text.utf8.count == text.unicodeScalars.count ? text.utf8.count : text.reduce(0) { $0 + width($1) }
  }

  private static func width(_ character: Character) -> Int {
    guard let first = character.unicodeScalars.first else { return 0 }
    // An emoji that is asked for by a variation selector is wide, whatever its first scalar is.
    if character.unicodeScalars.contains("\u{FE0F}") { return 2 }
    switch first.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: return 0
    default: return isWide(first.value) ? 2 : 1
    }
  }

  /// East Asian wide and full-width blocks, and emoji (Unicode Standard Annex 11, by blocks).
  private static func isWide(_ value: UInt32) -> Bool {
    switch value {
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF,
      0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F680...0x1F6FF, 0x1F900...0x1FAFF,
      0x20000...0x3FFFD:
      true
    default: false
    }
  }

  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
  }

  private static func shown(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
    switch scalar.value {
    // The block of control pictures has them in the same order.
    case 0..<0x20: Unicode.Scalar(0x2400 + scalar.value) ?? "\u{FFFD}"
    case 0x7F: "\u{2421}"
    case 0x80...0x9F: "\u{FFFD}"
    default: scalar
    }
  }
}
