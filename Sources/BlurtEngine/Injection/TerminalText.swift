/// Makes a text safe to paste into a terminal whose program may run each line as it comes.
public enum TerminalText {
  /// Each run of line breaks, with the blanks around it, becomes one space; a tab becomes a space; control bytes go.
  ///
  /// Without bracketed paste a newline is the Enter key, a tab is completion, and ESC can end bracketed paste early.
  public static func sanitized(_ text: String) -> String {
    var result = String.UnicodeScalarView()
    var breakPending = false
    for scalar in text.unicodeScalars {
      if isLineBreak(scalar) {
        while result.last == " " { result.removeLast() }
        breakPending = true
      } else if isTab(scalar) || scalar == " " {
        if !breakPending { result.append(" ") }
      } else if !isControl(scalar) {
        if breakPending { result.append(" ") }
        breakPending = false
        result.append(scalar)
      }
    }
    if breakPending { result.append(" ") }
    return String(result)
  }

  /// LF, VT, FF, CR, NEL, line separator, paragraph separator.
  private static func isLineBreak(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x0a...0x0d, 0x85, 0x2028, 0x2029: true
    default: false
    }
  }

  private static func isTab(_ scalar: Unicode.Scalar) -> Bool { scalar.value == 0x09 }

  /// C0, DEL and C1.
  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value < 0x20 || (0x7f...0x9f).contains(scalar.value)
  }
}
