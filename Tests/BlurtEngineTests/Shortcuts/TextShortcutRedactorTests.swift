import BlurtEngine
import BlurtTestSupport
import Testing

@Suite struct TextShortcutRedactorTests {
  private func redact(_ text: String, _ shortcuts: (String, String)...) -> String {
    TextShortcutRedactor(shortcuts.map { TextShortcut(trigger: $0.0, expansion: $0.1) }).redact(text)
  }

  @Test("P-52 each literal expansion becomes its trigger, with its case, wherever it stands")
  func literal() {
    #expect(redact("Write to a@b.c or a@b.c!", ("my mail", "a@b.c")) == "Write to my mail or my mail!")
    #expect(redact("Write to A@B.C", ("my mail", "a@b.c")) == "Write to A@B.C")
    #expect(redact("xa@b.cx", ("my mail", "a@b.c")) == "xmy mailx")
    #expect(redact("a@b.c", ("my mail", "a@b.c")) == "my mail")
    #expect(redact("", ("my mail", "a@b.c")) == "")
    #expect(redact("a@b.c", ("…", "a@b.c")) == "a@b.c")
    #expect(TextShortcutRedactor([]).redact("a@b.c") == "a@b.c")
  }

  @Test("P-52 an expansion is known without the white space around it, which stays in the text")
  func trimmed() {
    #expect(redact("Bye,\nAnn Lee and", ("sig", "\nAnn Lee\n")) == "Bye,\nsig and")
  }

  @Test("P-52 the longest goes first, so that no part of it is left")
  func longest() {
    #expect(redact("x one two three y", ("1", "two"), ("2", "one two three")) == "x 2 y")
    #expect(redact("x one two y", ("1", "two"), ("2", "one two three")) == "x one 1 y")
    #expect(redact("abcde", ("1", "abc"), ("2", "bcde")) == "a2")
  }

  @Test("P-52 a trigger that was put in is not searched again")
  func once() {
    #expect(redact("x secret y", ("word", "secret"), ("w", "word")) == "x word y")
    #expect(redact("x foo bar y", ("foo", "foo bar"), ("f", "foo")) == "x foo y")
  }

  @Test("P-52 at the very start an expansion without its head is known from four characters on")
  func clipped() {
    let shortcut = ("home", "12 Long Street")
    #expect(redact("2 Long Street, thanks", shortcut) == "home, thanks")
    #expect(redact("reet, thanks", shortcut) == "home, thanks")
    #expect(redact("reet", shortcut) == "home")
    #expect(redact("eet, thanks", shortcut) == "eet, thanks")
    #expect(redact("Oh reet, thanks", shortcut) == "Oh reet, thanks")
    #expect(redact("reet 12 Long Street", shortcut) == "home home")
    #expect(TextShortcutRedactor.shortestTail == 4)
    #expect(redact("abc", ("x", "abcd")) == "abc")
    // Characters are what people see.
    #expect(redact("👨‍👩‍👦👨‍👩‍👦👨‍👩‍👦👨‍👩‍👦!", ("family", "a👨‍👩‍👦👨‍👩‍👦👨‍👩‍👦👨‍👩‍👦")) == "family!")
    #expect(redact("👨‍👩‍👦👨‍👩‍👦👨‍👩‍👦!", ("family", "ab👨‍👩‍👦👨‍👩‍👦👨‍👩‍👦")) == "👨‍👩‍👦👨‍👩‍👦👨‍👩‍👦!")
  }

  @Test("P-52 at the start the longest is taken, whole or clipped, and shorter ones inside do not spoil it")
  func clippedAgainstWhole() {
    #expect(redact("ecret one!", ("a", "top secret one"), ("b", "one")) == "a!")
    #expect(redact("one two three!", ("a", "zero one two"), ("b", "one two three")) == "b!")
    #expect(redact("one two!", ("a", "zero one two"), ("b", "one")) == "a!")
    #expect(redact("cdef", ("long", "abcdef"), ("short", "bcdef")) == "long")
  }

  @Test("P-45 P-52 whatever the text, no expansion is left in what came from the field")
  func fuzz() {
    var random = SeededGenerator(seed: 3)
    let shortcuts = [
      TextShortcut(trigger: "one", expansion: "abab"), TextShortcut(trigger: "two", expansion: "babba"),
      TextShortcut(trigger: "three", expansion: "aab"),
    ]
    let redactor = TextShortcutRedactor(shortcuts)
    for _ in 0..<2_000 {
      let text = String(
        (0..<Int.random(in: 0...30, using: &random)).map { _ in Bool.random(using: &random) ? "a" : "b" })
      let redacted = redactor.redact(text)
      for shortcut in shortcuts { #expect(!redacted.contains(shortcut.expansion), "\(text)") }
    }
  }
}
