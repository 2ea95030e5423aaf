import BlurtTestSupport
import Testing

@testable import BlurtEngine

@Suite struct TextShortcutExpanderTests {
  struct Vector: Sendable, CustomTestStringConvertible {
    let trigger: String
    let text: String
    let result: String

    init(_ trigger: String, _ text: String, _ result: String) {
      self.trigger = trigger
      self.text = text
      self.result = result
    }

    var testDescription: String { "\(trigger) in \(text)" }
  }

  private func expand(_ text: String, _ shortcuts: (String, String)...) -> String {
    TextShortcutExpander(shortcuts.map { TextShortcut(trigger: $0.0, expansion: $0.1) }).expand(text)
  }

  @Test("P-43 without shortcuts, and without a trigger in it, a text stays as it is, byte for byte")
  func untouched() {
    let text = "  Caf\u{65}\u{301}, \r\n“don't” — 1️⃣ 👨‍👩‍👦\t"
    #expect(Array(TextShortcutExpander([]).expand(text).unicodeScalars) == Array(text.unicodeScalars))
    #expect(Array(expand(text, ("mail", "X")).unicodeScalars) == Array(text.unicodeScalars))
    #expect(expand("", ("mail", "X")) == "")
  }

  @Test(
    "P-41 whole words only, whatever their case",
    arguments: [
      Vector("mail", "My MAIL is", "My <X> is"), Vector("MAIL", "a mail b", "a <X> b"),
      Vector("mail", "email mailbox mail2 2mail", "email mailbox mail2 2mail"), Vector("mail", "(mail)", "(<X>)"),
      Vector("mail", "“mail”, mail-box e-mail", "“<X>”, <X>-box e-<X>"), Vector("mail", "mail mail", "<X> <X>"),
      Vector("2", "2 and 22", "<X> and 22"), Vector("v2", "V2!v2", "<X>!<X>"), Vector("mail", "a_mail", "a_<X>"),
      Vector("mail", "👍mail👍", "👍<X>👍"),
    ])
  func wholeWords(_ vector: Vector) {
    #expect(expand(vector.text, (vector.trigger, "<X>")) == vector.result)
  }

  @Test(
    "P-41 letters and digits of any script, composed or not, in any case",
    arguments: [
      Vector("café", "a CAFE\u{301} b", "a <X> b"), Vector("cafe\u{301}", "a Café b", "a <X> b"),
      Vector("cafe", "a café b", "a café b"), Vector("straße", "die STRASSE da", "die <X> da"),
      Vector("strasse", "die Straße da", "die <X> da"), Vector("Straße", "die STRAẞE da", "die <X> da"),
      Vector("istanbul", "in İstanbul da", "in <X> da"), Vector("İSTANBUL", "in istanbul da", "in <X> da"),
      Vector("οδος", "η ΟΔΟΣ μου", "η <X> μου"), Vector("ПОЧТА", "моя почта тут", "моя <X> тут"),
      Vector("住所", "a 住所 b", "a <X> b"), Vector("住所", "私の住所です", "私の住所です"),
      Vector("नमस्ते", "a नमस्ते b", "a <X> b"), Vector("सम", "समय", "समय"), Vector("٣", "a ٣ b", "a <X> b"),
      Vector("fine", "a ﬁne b", "a <X> b"),
    ])
  func scripts(_ vector: Vector) {
    #expect(expand(vector.text, (vector.trigger, "<X>")) == vector.result)
  }

  @Test(
    "P-41 between the words of a trigger any separators or none may stand",
    arguments: [
      Vector("my mail", "To My Mail now", "To <X> now"), Vector("my mail", "to mymail now", "to <X> now"),
      Vector("my mail", "to my-mail now", "to <X> now"), Vector("my mail", "to my \n\t mail now", "to <X> now"),
      Vector("my mail", "to my...mail now", "to <X> now"), Vector("my mail", "to my,mail now", "to <X> now"),
      Vector("my mail", "to my (mail) now", "to <X>) now"), Vector("my mail", "to my — mail now", "to <X> now"),
      Vector("my-mail", "to my mail now", "to <X> now"), Vector("my mail", "to my mails now", "to my mails now"),
      Vector("my mail", "to mymails now", "to mymails now"), Vector("a b c", "x ab c y", "x <X> y"),
      Vector("a b c", "x a bc y", "x <X> y"), Vector("a b c", "x abc y", "x <X> y"),
      Vector("mymail", "to my mail now", "to my mail now"), Vector("ab c", "x a bc y", "x a bc y"),
      Vector("my mail", "my my mail now", "my <X> now"),
    ])
  func separators(_ vector: Vector) {
    #expect(expand(vector.text, (vector.trigger, "<X>")) == vector.result)
  }

  @Test(
    "P-42 never across a sentence break: a mark of . , ! ? ; : and then white space",
    arguments: [".", ",", "!", "?", ";", ":"])
  func sentenceBreak(mark: String) {
    let text = "to my\(mark) mail now"
    #expect(expand(text, ("my mail", "X")) == text)
    #expect(expand("to my\(mark)\nmail now", ("my mail", "X")) == "to my\(mark)\nmail now")
    #expect(expand("to my\(mark)\u{A0}mail now", ("my mail", "X")) == "to my\(mark)\u{A0}mail now")
    #expect(expand("to my\(mark)\r\nmail now", ("my mail", "X")) == "to my\(mark)\r\nmail now")
    #expect(expand("to my-\(mark) mail now", ("my mail", "X")) == "to my-\(mark) mail now")
    #expect(expand("to my\(mark)mail now", ("my mail", "X")) == "to X now")
    #expect(expand("to my \(mark)mail now", ("my mail", "X")) == "to X now")
    #expect(expand("to my\(mark)\" mail now", ("my mail", "X")) == "to X now")
    // The trigger's own words may still be found on either side.
    #expect(expand("to my\(mark) mail now", ("my mail", "X"), ("mail", "Y")) == "to my\(mark) Y now")
  }

  @Test(
    "P-41 an apostrophe separates, but the end of a contraction is no word and leaves none before it",
    arguments: [
      Vector("don't", "I don't know", "I <X> know"), Vector("don't", "I don’t know", "I <X> know"),
      Vector("don't", "I dont know", "I <X> know"), Vector("don", "I don't know don", "I don't know <X>"),
      Vector("acme", "it is Acme's now", "it is <X>'s now"), Vector("acme", "it is Acme’s now", "it is <X>’s now"),
      Vector("t", "don't t now", "don't <X> now"), Vector("re", "we're re now", "we're <X> now"),
      Vector("we", "we'll and we", "we'll and <X>"), Vector("email", "l'email là", "l'<X> là"),
      Vector("brien", "O'Brien is", "O'<X> is"), Vector("s", "x's s y", "x's <X> y"),
      Vector("what's up", "and whats up now", "and <X> now"), Vector("mail", "'mail' is", "'<X>' is"),
    ])
  func apostrophes(_ vector: Vector) {
    #expect(expand(vector.text, (vector.trigger, "<X>")) == vector.result)
  }

  @Test("P-43 the longest trigger wins, whatever the order of the list")
  func longest() {
    #expect(expand("to my mail box now", ("my", "1"), ("my mail", "2"), ("my mail box", "3")) == "to 3 now")
    #expect(expand("to my mail box now", ("my mail box", "3"), ("my mail", "2"), ("my", "1")) == "to 3 now")
    #expect(expand("to my mail bag now", ("my mail box", "3"), ("my mail", "2"), ("my", "1")) == "to 2 bag now")
    #expect(expand("to my post now", ("my mail box", "3"), ("my mail", "2"), ("my", "1")) == "to 1 post now")
    // Same letters: the one with more words is the longer trigger.
    #expect(expand("to mymail now", ("mymail", "1"), ("my mail", "2")) == "to 2 now")
    #expect(expand("to my mail now", ("mymail", "1"), ("my mail", "2")) == "to 2 now")
    // The one that takes more of the text, not the one that is written with more separators.
    #expect(expand("x abcd e y", ("a b c d", "1"), ("abcd e", "2")) == "x 2 y")
  }

  @Test("P-43 one pass: what was put in is not expanded again, and nothing is found across its edge")
  func onePass() {
    #expect(expand("say a now", ("a", "b"), ("b", "c")) == "say b now")
    #expect(expand("say a a now", ("a", "a a")) == "say a a a a now")
    #expect(expand("x a b y", ("a", "q"), ("q b", "wrong")) == "x q b y")
    #expect(expand("x a y", ("a", "$1 \\0 {a}\n")) == "x $1 \\0 {a}\n y")
  }

  @Test("P-43 the leftmost match comes first; the next is looked for behind it")
  func leftmost() {
    #expect(expand("x a b c y", ("a b", "1"), ("b c", "2")) == "x 1 c y")
    #expect(expand("x a b c d y", ("a b", "1"), ("b c d", "2"), ("c d", "3")) == "x 1 3 y")
  }

  private static let whole: [(text: String, result: String)] = [
    ("My mail.", "a@b.c"), ("my mail", "a@b.c"), (" My mail!  ", " a@b.c  "), ("\nMy mail?\n", "\na@b.c\n"),
    ("My mail . ", "a@b.c "), ("my mail…", "a@b.c"), ("My mail...", "a@b.c"), ("My mail。", "a@b.c"),
    ("My-mail;", "a@b.c"), ("MYMAIL,", "a@b.c"), ("my mail\u{A0}!\u{A0}", "a@b.c\u{A0}"),
    // Not a trigger alone: the marks stay.
    ("“My mail.”", "“a@b.c.”"), (".my mail.", ".a@b.c."), ("My mail. My mail.", "a@b.c. a@b.c."),
    ("To my mail.", "To a@b.c."), ("my mail)", "a@b.c)"), ("My. Mail.", "My. Mail."),
  ]

  @Test(
    "P-44 a transcript that is one trigger alone becomes the bare expansion, white space kept", arguments: whole)
  func wholeTranscript(text: String, result: String) {
    #expect(expand(text, ("my mail", "a@b.c")) == result)
  }

  @Test("P-44 the expansion of a whole transcript is literal as well")
  func wholeLiteral() {
    #expect(expand("Sig.", ("sig", "\nAnn.\n"), ("ann", "wrong")) == "\nAnn.\n")
    #expect(expand("My mail box.", ("my mail", "1"), ("my mail box", "2")) == "2")
    #expect(expand("My mail box.", ("my mail", "1")) == "1 box.")
  }

  @Test("P-40 shortcuts that cannot be used do nothing here either")
  func unusable() {
    #expect(expand("a b", ("…", "x"), ("a", " "), ("b", "1"), ("B", "2")) == "a 1")
  }

  // MARK: Work

  @Test("P-39 P-43 with 200 shortcuts the work grows with the text, not with its square or with the shortcuts")
  func work() {
    var random = SeededGenerator(seed: 7)
    let letters = Array("abcdefghijklmnopqrstuvwxyz")
    func word() -> String {
      String((0..<Int.random(in: 2...9, using: &random)).map { _ in letters.randomElement(using: &random) ?? "a" })
    }
    let shortcuts = (0..<200).map { TextShortcut(trigger: "\(word()) \(word()) \($0)", expansion: "x") }
    let expander = TextShortcutExpander(shortcuts)
    let words = (0..<10_000).map { _ in word() }
    func steps(_ count: Int) -> Int {
      var steps = 0
      _ = expander.expand(words.prefix(count).joined(separator: " "), stepCount: &steps)
      return steps
    }
    let (some, all) = (steps(1_000), steps(10_000))
    // Two searches among 200 sorted triggers: 8 looks each, a few letters a look.
    #expect(all < 10_000 * 60)
    #expect(all < some * 12)
  }

  @Test("P-39 P-43 the worst triggers cost a bounded number of letters a word")
  func worstCase() {
    // All alike to their last letters, and a text that is the beginning of each of them at every word.
    let spaced = Array(repeating: "a", count: 28).joined(separator: " ")
    let shortcuts = (0..<200).map { TextShortcut(trigger: spaced + " b\($0)", expansion: "x") }
    let expander = TextShortcutExpander(shortcuts)
    #expect(TextShortcutStore.normalise(shortcuts).count == 200)
    func steps(_ count: Int) -> Int {
      var steps = 0
      _ = expander.expand(Array(repeating: "a", count: count).joined(separator: " "), stepCount: &steps)
      return steps
    }
    #expect(steps(3_000) < steps(300) * 12)
    #expect(steps(3_000) < 3_000 * 60 * 18)
  }

  @Test("P-41 P-43 the engine finds what a plain search finds, in random texts over random shortcuts")
  func fuzz() {
    var random = SeededGenerator(seed: 42)
    let parts = ["a", "b", "ab", "ba", "c"]
    let gaps = [" ", "-", ". ", "  ", ",", "'"]
    for round in 0..<2_000 {
      let shortcuts = (0..<Int.random(in: 1...6, using: &random)).map { index in
        TextShortcut(
          trigger: (0..<Int.random(in: 1...3, using: &random)).map { _ in parts.randomElement(using: &random) ?? "" }
            .joined(separator: " "), expansion: "<\(index)>")
      }
      var text = "x"
      for _ in 0..<Int.random(in: 1...8, using: &random) {
        text += (gaps.randomElement(using: &random) ?? "") + (parts.randomElement(using: &random) ?? "")
      }
      let usable = TextShortcutStore.normalise(shortcuts)
      #expect(TextShortcutExpander(shortcuts).expand(text) == Self.plainly(text, usable), "round \(round): \(text)")
    }
  }

  /// The rules word for word: at each word, every trigger, every number of words.
  private static func plainly(_ text: String, _ shortcuts: [TextShortcut]) -> String {
    let words = SpokenWords(text).words
    var (result, written, index) = ("", text.startIndex, 0)
    while index < words.count {
      var best: (letters: Int, words: Int, count: Int, expansion: String)?
      for shortcut in shortcuts {
        for count in 1...(words.count - index) {
          let run = words[index..<(index + count)]
          guard !run.dropFirst().contains(where: \.startsSentence) else { break }
          let said = run.map { String($0.letters) }
          guard said.joined() == shortcut.matchKey.joined() else { continue }
          func ends(_ words: [String]) -> Set<Int> {
            Set(words.reduce(into: [0]) { $0.append(($0.last ?? 0) + $1.count) })
          }
          guard ends(said).isSubset(of: ends(shortcut.matchKey)) else { continue }
          let found = (said.joined().count, shortcut.matchKey.count, count, shortcut.expansion)
          if let best, (best.letters, best.words) >= (found.0, found.1) { continue }
          best = found
        }
      }
      guard let best else {
        index += 1
        continue
      }
      result += String(text[written..<words[index].range.lowerBound]) + best.expansion
      written = words[index + best.count - 1].range.upperBound
      index += best.count
    }
    return result + String(text[written...])
  }
}
