import BlurtEngine
import Testing

@Suite("InsertionSeparator")
struct InsertionSeparatorTests {
  private static let editor = InsertionSeparator.Window(processID: 7, title: "notes.txt")

  private func remembering(_ text: String, in window: InsertionSeparator.Window) -> InsertionSeparator {
    var separator = InsertionSeparator()
    separator.remember(text, in: window)
    return separator
  }

  @Test("C-59a a word before the caret gets one space")
  func word() {
    #expect(InsertionSeparator().finalText("There", after: "Hi.", in: Self.editor) == " There")
  }

  @Test("C-59b a space before the caret gets none")
  func space() {
    #expect(InsertionSeparator().finalText("There", after: "Hi. ", in: Self.editor) == "There")
  }

  @Test("C-56 C-59c an empty field that was readable outranks the last insert")
  func emptyField() {
    let separator = remembering("Hi.", in: Self.editor)
    #expect(separator.finalText("There", after: "", in: Self.editor) == "There")
  }

  @Test("C-56 C-59d an unreadable field takes the last insert of the same window")
  func unreadable() {
    let separator = remembering("Hi.", in: Self.editor)
    #expect(separator.finalText("There", after: nil, in: Self.editor) == " There")
  }

  @Test(
    "C-57 C-59e another title or another process is another window",
    arguments: [
      InsertionSeparator.Window(processID: 7, title: "other.txt"),
      InsertionSeparator.Window(processID: 8, title: "notes.txt"),
    ])
  func otherWindow(_ window: InsertionSeparator.Window) {
    #expect(remembering("Hi.", in: Self.editor).finalText("There", after: nil, in: window) == "There")
  }

  @Test("C-57 C-59f two missing titles, or two missing processes, are not equal")
  func missing() {
    let untitled = InsertionSeparator.Window(processID: 7, title: nil)
    #expect(remembering("Hi.", in: untitled).finalText("There", after: nil, in: untitled) == "There")
    let nobody = InsertionSeparator.Window(processID: nil, title: "notes.txt")
    #expect(remembering("Hi.", in: nobody).finalText("There", after: nil, in: nobody) == "There")
    #expect(remembering("Hi.", in: .unknown).finalText("There", after: nil, in: .unknown) == "There")
  }

  @Test("C-57 a window that names no process is known by its number, one that names it by that alone")
  func anonymous() {
    func window(_ processID: Int32?, _ windowID: UInt64?) -> InsertionSeparator.Window {
      InsertionSeparator.Window(processID: processID, title: "notes.txt", windowID: windowID)
    }
    func follows(_ window: InsertionSeparator.Window, _ last: InsertionSeparator.Window) -> Bool {
      remembering("Hi.", in: last).finalText("There", after: nil, in: window) == " There"
    }
    #expect(follows(window(nil, 5), window(nil, 5)))
    #expect(!follows(window(nil, 6), window(nil, 5)))
    #expect(!follows(window(nil, nil), window(nil, 5)))
    #expect(!follows(window(nil, nil), window(nil, nil)))
    #expect(!follows(window(7, 5), window(nil, 5)))
    #expect(!follows(window(nil, 5), window(7, 5)))
    #expect(follows(window(7, 6), window(7, 5)))
    let untitled = InsertionSeparator.Window(processID: nil, title: nil, windowID: 5)
    #expect(!follows(untitled, untitled))
  }

  @Test(
    "C-57 the mark of a document that is not saved makes no other title",
    arguments: [
      ("notes.txt", "*notes.txt"), ("*notes.txt (~) - gedit", "notes.txt (~) - gedit"), ("● notes", "notes"),
      ("notes.txt — Kate", "notes.txt * — Kate"), ("*", "*"),
    ])
  func marked(_ titles: (String, String)) {
    let (last, now) = (
      InsertionSeparator.Window(processID: 7, title: titles.0), InsertionSeparator.Window(processID: 7, title: titles.1)
    )
    #expect(remembering("Hi.", in: last).finalText("There", after: nil, in: now) == " There")
  }

  @Test("C-57 titles that are more than a mark apart, or nothing but marks, are two")
  func markedOthers() {
    for (last, now) in [("*notes.txt", "*other.txt"), ("*", "•"), ("notes 1", "notes1")] {
      let separator = remembering("Hi.", in: .init(processID: 7, title: last))
      #expect(separator.finalText("There", after: nil, in: .init(processID: 7, title: now)) == "There")
    }
  }

  @Test("C-57 a missing title is remembered as unknown and hides the insert before it")
  func unknownHides() {
    var separator = remembering("Hi.", in: Self.editor)
    separator.remember("Ho.", in: InsertionSeparator.Window(processID: 7, title: nil))
    #expect(separator.finalText("There", after: nil, in: Self.editor) == "There")
  }

  @Test("C-59g a text that begins with white space stays as it is", arguments: ["\nThere", " There", "\u{a0}There"])
  func textBegins(_ text: String) {
    #expect(InsertionSeparator().finalText(text, after: "Hi.", in: Self.editor) == text)
  }

  @Test(
    "C-59 C-59h any Unicode white space before the caret counts",
    arguments: [" ", "\t", "\n", "\r", "\r\n", "\u{a0}", "\u{2028}", "\u{3000}"])
  func whiteSpace(_ blank: String) {
    #expect(InsertionSeparator().finalText("There", after: "Hi." + blank, in: Self.editor) == "There")
  }

  @Test("C-59 punctuation is not looked at")
  func punctuation() {
    #expect(InsertionSeparator().finalText("There", after: "(", in: Self.editor) == " There")
    #expect(InsertionSeparator().finalText(".", after: "Hi", in: Self.editor) == " .")
  }

  @Test("C-58 nothing is put in front of an empty text, and nothing after an empty basis")
  func empty() {
    #expect(InsertionSeparator().finalText("", after: "Hi.", in: Self.editor) == "")
    #expect(InsertionSeparator().finalText("There", after: nil, in: Self.editor) == "There")
  }

  @Test("C-58 a space that carries an accent is not white space")
  func accentedSpace() {
    #expect(InsertionSeparator().finalText("There", after: "Hi \u{301}", in: Self.editor) == " There")
  }

  @Test("C-46 each successful paste replaces what is remembered, also for another window")
  func replaced() {
    var separator = remembering("Hi.", in: Self.editor)
    separator.remember("Ho ", in: InsertionSeparator.Window(processID: 9, title: "chat"))
    #expect(separator.finalText("There", after: nil, in: Self.editor) == "There")
    separator.remember("Ho.", in: Self.editor)
    #expect(separator.finalText("There", after: nil, in: Self.editor) == " There")
  }
}
