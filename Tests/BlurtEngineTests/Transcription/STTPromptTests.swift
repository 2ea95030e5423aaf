import BlurtEngine
import Testing

@Suite struct STTPromptTests {
  private func prompt(_ history: [String], _ prior: String? = nil) -> String {
    STTPrompt.make(history: history, priorText: prior)
  }

  private func text(_ count: Int, _ scalar: String = "x") -> String { String(repeating: scalar, count: count) }

  @Test("T-45 nothing said and nothing there is nothing to send")
  func empty() {
    #expect(prompt([]) == "")
    #expect(prompt([" ", "\n"], " \t") == "")
  }

  @Test("T-46 T-38 what ends the prior text is not said twice, and the prior text stays whole")
  func dedupeOne() { #expect(prompt(["a", "b"], "x b") == "a\nx b") }

  @Test("T-47 T-38 deduplication goes on to the entry before, past the white space between them")
  func dedupeAll() { #expect(prompt(["a", "b"], "a b") == "a b") }

  @Test("T-48 T-38 T-39 deduplication stops at the first mismatch; order is oldest first, prior text last")
  func dedupeNone() { #expect(prompt(["a", "b"], "a c") == "a\nb\na c") }

  @Test("T-49 T-40 an entry whose separator does not fit is dropped whole, and nothing older is tried")
  func tooLongByOne() {
    #expect(prompt([text(4_095)], "y") == "y")
    #expect(prompt([text(4_094)], "y") == text(4_094) + "\ny")
    #expect(prompt(["a", text(4_095)], "y") == "y")
  }

  @Test("T-50 T-41 the newest entry alone is cut to its last 4,096 scalars")
  func longPrior() {
    #expect(prompt(["a"], "y" + text(4_999)) == text(4_096))
    #expect(prompt([text(5_000)]) == text(4_096))
  }

  @Test("T-51 a prior text that fills the cap leaves no room")
  func fullPrior() { #expect(prompt(["a"], text(4_096)) == text(4_096)) }

  @Test("T-37 every entry is trimmed and blank ones are dropped")
  func trimming() { #expect(prompt([" a ", "  ", "b\n"], "\tc ") == "a\nb\nc") }

  @Test("T-42 the cap counts Unicode scalars, neither bytes nor characters")
  func scalars() {
    #expect(prompt([], text(4_096, "é")).unicodeScalars.count == 4_096)
    // Five scalars each: 4,100 in all.
    let family = text(820, "👨‍👩‍👦")
    #expect(family.unicodeScalars.count == 4_100)
    #expect(prompt([], family).unicodeScalars.count == 4_096)
    #expect(prompt([text(2, "👨‍👩‍👦")], text(4_085)).unicodeScalars.count == 4_096)
    #expect(prompt([text(2, "👨‍👩‍👦")], text(4_086)) == text(4_086))
  }

  @Test("T-43 any number of entries")
  func manyEntries() {
    let entries = (0..<120).map { "entry \($0)" }
    #expect(prompt(entries) == entries.joined(separator: "\n"))
  }

  @Test("T-44 T-39 the prompt is the entries and nothing else")
  func content() { #expect(prompt(["um, one"], "two") == "um, one\ntwo") }
}
