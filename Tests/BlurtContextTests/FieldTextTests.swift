import BlurtEngine
import Testing

@testable import BlurtContext

@Suite("FieldText") struct FieldTextTests {
  @Test("C-93 only the slice before the caret is asked for, never the whole document")
  func slice() {
    #expect(FieldText.start(before: 100_000) == 100_000 - 1_280)
    #expect(FieldText.start(before: 40) == 0)
    #expect(FieldText.start(before: 0) == 0)
    #expect(FieldText.end(ofSelectionFrom: 10, to: 20) == 20)
    #expect(FieldText.end(ofSelectionFrom: 10, to: 100_000) == 1_290)
  }

  @Test("C-89 a caret beyond the end is the end, one at the start stays there, and no caret gives no text")
  func caret() {
    #expect(FieldText.end(caret: 5, count: 9, selectionStart: nil) == 5)
    #expect(FieldText.end(caret: 50, count: 9, selectionStart: nil) == 9)
    #expect(FieldText.end(caret: 0, count: 9, selectionStart: nil) == 0)
    #expect(FieldText.end(caret: -1, count: 9, selectionStart: nil) == nil)
    #expect(FieldText.end(caret: 0, count: -1, selectionStart: nil) == nil)
  }

  @Test("C-82 a selection is replaced by a paste, so the text before it counts, wherever the caret is")
  func selection() {
    #expect(FieldText.end(caret: 9, count: 9, selectionStart: 4) == 4)
    #expect(FieldText.end(caret: 4, count: 9, selectionStart: 4) == 4)
  }

  @Test("C-82 the last 320 characters count, in characters as people see them")
  func limit() throws {
    for character in ["a", "é", "e\u{301}", "😀", "👩‍👩‍👧‍👦", "\r\n", "🇫🇷"] {
      let text = "x" + String(repeating: character, count: 400)
      let prior = try #require(FieldText.prior(text, isWhole: true))
      #expect(prior == String(repeating: character, count: 320))
      #expect(prior.unicodeScalars.elementsEqual(String(repeating: character, count: 320).unicodeScalars))
    }
  }

  @Test("C-89 a character that the slice has cut in two is left out, a whole text keeps its first one")
  func cutCharacter() {
    #expect(FieldText.prior("\u{FFFD}bc", isWhole: false) == "c")
    #expect(FieldText.prior("\u{301}bc", isWhole: false) == "bc")
    #expect(FieldText.prior("abc", isWhole: true) == "abc")
    #expect(FieldText.prior("\u{FFFD}bc", isWhole: true) == "\u{FFFD}bc")
  }

  @Test("C-91 objects without text of their own are not an empty field")
  func objects() {
    #expect(FieldText.prior("\u{FFFC}", isWhole: true) == nil)
    #expect(FieldText.prior("\u{FFFC}\n\u{FFFC}", isWhole: true) == nil)
    #expect(FieldText.prior("see \u{FFFC}", isWhole: true) == "see \u{FFFC}")
    #expect(FieldText.prior(" \n", isWhole: true) == " \n")
  }
}
