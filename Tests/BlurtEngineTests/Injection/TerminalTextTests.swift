import BlurtEngine
import Testing

@Suite("TerminalText")
struct TerminalTextTests {
  @Test(
    "B-86 each run of line breaks becomes one space",
    arguments: [
      ("ls\nrm -rf x", "ls rm -rf x"), ("a\r\nb", "a b"), ("a\n\n\nb", "a b"), ("a \n b", "a b"), ("a\u{2028}b", "a b"),
      ("a\u{85}b", "a b"), ("a\u{0b}b\u{0c}c", "a b c"), ("end\n", "end "), ("\nstart", " start"),
    ])
  func lineBreaks(_ text: String, _ expected: String) {
    #expect(TerminalText.sanitized(text) == expected)
  }

  @Test("B-86 control bytes go, so that bracketed paste cannot be left")
  func controls() {
    #expect(TerminalText.sanitized("a\u{1b}[201~b") == "a[201~b")
    #expect(TerminalText.sanitized("a\u{9b}201~b") == "a201~b")
    #expect(TerminalText.sanitized("a\u{03}\u{04}\u{7f}\u{00}b") == "ab")
    #expect(TerminalText.sanitized("a\u{1b}\nb") == "a b")
  }

  @Test("B-86 no scalar of the result is a control or a line break, whatever goes in")
  func nothingLeft() {
    let everything = String(String.UnicodeScalarView((0...0x2100).compactMap(Unicode.Scalar.init)))
    let result = TerminalText.sanitized(everything)
    #expect(
      result.unicodeScalars.allSatisfy {
        $0.properties.generalCategory != .control && ![0x2028, 0x2029].contains($0.value)
      })
    #expect(result.contains("é"))
  }

  @Test("a tab becomes a space, and ordinary text stays as it is")
  func ordinary() {
    #expect(TerminalText.sanitized("a\tb") == "a b")
    #expect(TerminalText.sanitized(" Spaß  ø 漢字 e\u{301} 🩻") == " Spaß  ø 漢字 e\u{301} 🩻")
    #expect(TerminalText.sanitized("") == "")
  }
}
