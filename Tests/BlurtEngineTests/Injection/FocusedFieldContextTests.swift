import BlurtEngine
import Testing

@Suite("FocusedFieldContext") struct FocusedFieldContextTests {
  @Test("C-80 C-81 C-82 C-83 each text is cut to its limit, the one before the caret from its beginning")
  func limits() {
    let long = "a" + String(repeating: "é", count: 500) + "z"
    let field = FocusedFieldContext(windowTitle: long, fieldLabel: long, priorText: long, selectedText: long).bounded
    #expect(field.windowTitle == "a" + String(repeating: "é", count: 119))
    #expect(field.fieldLabel == "a" + String(repeating: "é", count: 79))
    #expect(field.priorText == String(repeating: "é", count: 319) + "z")
    #expect(field.selectedText == "a" + String(repeating: "é", count: 319))
  }

  @Test("C-82 the text before the caret stays raw, white space and line ends included")
  func raw() {
    let text = "  Dear Anna,\r\n\r\n\te\u{301} 👩‍👩‍👧‍👦 "
    let prior = FocusedFieldContext(priorText: text).bounded.priorText
    #expect(prior?.unicodeScalars.elementsEqual(text.unicodeScalars) == true)
  }

  @Test("C-87 C-88 of a secure field no text is left, only its window")
  func secure() {
    let field = FocusedFieldContext(
      windowTitle: "Log in", fieldLabel: "Password", priorText: "hunter2", selectedText: "hunter2", isSecure: true,
      isEditable: true)
    #expect(field.bounded == FocusedFieldContext(windowTitle: "Log in", isSecure: true, isEditable: true))
  }

  @Test("C-90 C-91 what nobody can see is an empty text, white space is a text, and unreadable stays unreadable")
  func invisible() {
    for text in ["", "\u{200B}", "\u{FEFF}\u{200D}", "\u{2060}\u{00AD}"] {
      #expect(FocusedFieldContext(priorText: text).bounded.priorText == "")
    }
    #expect(FocusedFieldContext(priorText: " \u{200B}").bounded.priorText == " \u{200B}")
    #expect(FocusedFieldContext().bounded == FocusedFieldContext())
    #expect(FocusedFieldContext(fieldLabel: "", selectedText: "").bounded == FocusedFieldContext())
  }
}
