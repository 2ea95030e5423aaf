import Testing

@testable import blurtctl

@Suite struct TerminalTextTests {
  @Test("Y-102 no control character of a text reaches the terminal; newlines, tabs and other scripts do")
  func safe() {
    #expect(TerminalText.safe("a\u{1B}]0;title\u{07}b\u{9B}31m\u{7F}\r") == "a␛]0;title␇b\u{FFFD}31m␡␍")
    #expect(TerminalText.safe("eins\n\tzwei é 日本語 👩‍👩‍👧") == "eins\n\tzwei é 日本語 👩‍👩‍👧")
    for value in (0...0x9F).compactMap(Unicode.Scalar.init) {
      let text = TerminalText.safe("x\(Character(value))y")
      #expect(
        text.unicodeScalars.allSatisfy {
          $0 == "\n" || $0 == "\t" || !(0...0x1F).contains($0.value) && !(0x7F...0x9F).contains($0.value)
        })
    }
    #expect(TerminalText.line("  two\n\n words\t\u{1B} ") == "two words ␛")
  }

  @Test("Y-102 columns are counted as terminals count them")
  func width() {
    for (text, width) in [
      ("", 0), ("abc", 3), ("é", 1), ("e\u{301}", 1), ("日本", 4), ("👍", 2), ("❤️", 2), ("a\u{200B}", 1),
    ] {
      #expect(TerminalText.width(text) == width, "\(text)")
    }
  }

  @Test("Y-102 a text that is cut says so, and never takes a column too many")
  func cut() {
    #expect(TerminalText.cut("hello", to: 5) == "hello")
    #expect(TerminalText.cut("hello!", to: 5) == "hell…")
    #expect(TerminalText.cut("日本語", to: 5) == "日本…")
    #expect(TerminalText.cut("日本語", to: 4) == "日…")
    #expect(TerminalText.cut("x", to: 0) == "")
    for width in 0..<12 { #expect(TerminalText.width(TerminalText.cut("a日b👍c本d", to: width)) <= width) }
  }

  @Test("Y-102 a table fits into the terminal, and empty columns take no room")
  func table() {
    var table = TextTable()
    table.add(["just now", "", "A long text that does not fit\ninto the line"])
    table.add(["5 minutes ago", "", "Short"])
    #expect(table.text(width: 40) == "just now       A long text that does no…\n5 minutes ago  Short")
    #expect(TextTable().text(width: 40) == "")
    for line in table.text(width: 10).split(separator: "\n") { #expect(TerminalText.width(String(line)) <= 10) }
  }

  @Test("S-95 a time is just now below 60 s and in the future, then in words")
  func relative() {
    let now = RelativeTime.seconds("2026-11-30T12:00:00Z") ?? 0
    for (time, label) in [
      ("2026-11-30T12:00:00Z", "just now"), ("2026-11-30T11:59:01Z", "just now"),
      ("2026-11-30T12:00:09.5Z", "just now"), ("2026-11-30T11:59:00Z", "1 minute ago"),
      ("2026-11-30T11:00:01Z", "59 minutes ago"), ("2026-11-30T11:00:00Z", "1 hour ago"),
      ("2026-11-29T12:00:01Z", "23 hours ago"), ("2026-11-29T12:00:00Z", "yesterday"),
      ("2026-11-28T12:00:00Z", "2 days ago"), ("soon", "soon"), ("2026-13-30T12:00:00Z", "2026-13-30T12:00:00Z"),
    ] {
      #expect(RelativeTime.label(of: time, now: now) == label, "\(time)")
    }
    #expect(RelativeTime.justNowLimit == 60)
    #expect(RelativeTime.label(of: Int64.min, now: Int64.max) == "just now")
  }

  @Test("S-95 ISO 8601 in UTC is read to the second")
  func seconds() {
    for (time, value) in [
      ("1970-01-01T00:00:00Z", 0), ("2000-02-29T00:00:00Z", 951_782_400), ("2026-11-30T05:12:20Z", 1_796_015_540),
      ("2026-11-30T05:12:20.123456Z", 1_796_015_540),
    ] as [(String, Int64)] {
      #expect(RelativeTime.seconds(time) == value, "\(time)")
    }
    for time in [
      "", "Z", "2026-11-30 05:12:20Z", "2026-11-30T05:12:20", "2026-11-30T25:12:20Z", "20261-1-30T05:12:20Z",
      "2026-11-30T05:12:2xZ",
    ] {
      #expect(RelativeTime.seconds(time) == nil, "\(time)")
    }
  }

  @Test("S-151 the nearest word is offered, and none for a word that is far from all")
  func nearest() {
    let names = ["settings", "styles", "shortcuts", "status", "spool"]
    for (word, name) in [
      ("sett", "settings"), ("setings", "settings"), ("stlyes", "styles"), ("shortcut", "shortcuts"),
      ("STATUS", "status"), ("spoool", "spool"), ("statusx", "status"),
    ] {
      #expect(Nearest.match(word, in: names) == name, "\(word)")
    }
    for word in ["", "x", "dance", "zzzzzz"] { #expect(Nearest.match(word, in: names) == nil, "\(word)") }
  }

  @Test("S-151 rows with quotation marks are read and written as in RFC 4180")
  func delimited() throws {
    func fields(_ text: String, _ delimiter: Character) throws -> [[String]] {
      try DelimitedText.rows(text, delimiter: delimiter).map(\.fields)
    }
    let rows = [["sig", "Kind regards,\nAda \"Countess\""], ["a\tb", " x "], ["plain", "text"]]
    for delimiter: Character in ["\t", ","] {
      #expect(try fields(DelimitedText.text(rows, delimiter: delimiter), delimiter) == rows)
    }
    #expect(try fields("a\tb\r\n\r\nc\td", "\t") == [["a", "b"], ["c", "d"]])
    #expect(try fields("5\" nail,x", ",") == [["5\" nail", "x"]])
    #expect(try fields("", ",") == [])
    #expect(try fields("one\ttwo\tthree", "\t") == [["one", "two", "three"]])
    #expect(try DelimitedText.rows("a,\"x\ny\"\r\n\nb,c", delimiter: ",").map(\.line) == [1, 4])
    #expect(throws: DelimitedText.OpenQuotation(line: 2)) { try fields("a,x\nb,\"open\nc", ",") }
  }

  @Test("S-151 a long text is wrapped between words under its own column, a word that is too long stays whole")
  func wrapping() {
    #expect(
      TerminalText.hanging("name  ", "one two three four five", width: 26) == "name  one two three four\n      five")
    #expect(TerminalText.wrap("a /very/long/path b", to: 6) == ["a", "/very/long/path", "b"])
    #expect(TerminalText.wrap("", to: 6) == [""])
    // A narrow terminal still gets 20 columns of text.
    #expect(TerminalText.hanging("name  ", "one two three four", width: 3) == "name  one two three four")
  }
}
