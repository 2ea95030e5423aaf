import BlurtContract
import Testing

@Suite struct LineFramerTests {
  private func lines(_ framer: inout LineFramer) -> [LineFramer.Item] {
    var items: [LineFramer.Item] = []
    while let item = framer.next() { items.append(item) }
    return items
  }

  @Test("S-146 lines come out whole, however the bytes are cut")
  func anyCut() {
    let text = Array("one\n\ntwo three\r\n{\"a\":1}\nrest".utf8)
    let expected = ["one", "", "two three\r", "{\"a\":1}"].map { LineFramer.Item.line(Array($0.utf8)) }
    for step in 1...text.count {
      var framer = LineFramer(longestLine: 100)
      var items: [LineFramer.Item] = []
      for start in stride(from: 0, to: text.count, by: step) {
        framer.append(text[start..<min(start + step, text.count)])
        items += lines(&framer)
      }
      #expect(items == expected)
      #expect(framer.heldByteCount == 4)
    }
  }

  @Test("S-146 a line of exactly the cap passes; one byte more is refused once, before its newline")
  func cap() {
    var framer = LineFramer(longestLine: 8)
    framer.append(Array("12345678\n12345678".utf8)[...])
    #expect(lines(&framer) == [.line(Array("12345678".utf8))])
    framer.append(Array("9".utf8)[...])
    #expect(lines(&framer) == [.tooLong])
    framer.append(Array("\nmore\n".utf8)[...])
    #expect(lines(&framer) == [])
    #expect(framer.heldByteCount == 0)
  }

  @Test("S-146 a line over the cap is refused even when its newline came with it; lines before it pass")
  func capWithNewline() {
    var framer = LineFramer(longestLine: 4)
    framer.append(Array("abcd\nabcde\nabc\n".utf8)[...])
    #expect(lines(&framer) == [.line(Array("abcd".utf8)), .tooLong])
  }

  @Test("S-146 the bytes held stay within the cap and one read, over a long stream of lines")
  func memory() {
    var framer = LineFramer(longestLine: 1000)
    let line = Array(repeating: UInt8(ascii: "x"), count: 900) + [10]
    var count = 0
    for _ in 0..<2000 {
      framer.append(line[...])
      framer.append(line[..<500])
      count += lines(&framer).count
      framer.append(line[500...])
      count += lines(&framer).count
      #expect(framer.heldByteCount == 0)
    }
    #expect(count == 4000)
  }
}
