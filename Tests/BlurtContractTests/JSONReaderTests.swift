import BlurtContract
import Testing

@Suite struct JSONReaderTests {
  private func read(_ text: String) throws(JSONError) -> JSONValue { try JSONReader.read(Array(text.utf8)) }

  private func roundTrip(_ text: String) throws -> String { String(decoding: try read(text).line, as: UTF8.self) }

  @Test("S-146 every kind of value is read and written back with sorted keys on one line")
  func values() throws {
    #expect(
      try roundTrip(#" {"b" : [1, -2.5, true, false, null, "x"], "a":{}, "c":[] } "#)
        == #"{"a":{},"b":[1,-2.5,true,false,null,"x"],"c":[]}"#)
    #expect(try read("0") == .integer(0))
    #expect(try read("-0") == .integer(0))
    #expect(try read("9223372036854775807") == .integer(.max))
    #expect(try read("9223372036854775808") == .double(9_223_372_036_854_775_808))
    #expect(try read("1e3") == .double(1000))
    #expect(try read("1E-2") == .double(0.01))
  }

  @Test("S-146 every escape is read; control characters are written as escapes")
  func escapes() throws {
    #expect(try read(#""\"\\\/\b\f\n\r\tA\u00e9\u20AC\ud83d\ude00""#) == .string("\"\\/\u{8}\u{c}\n\r\tAé€😀"))
    #expect(try read("\"日本語 é\"") == .string("日本語 é"))
    #expect(String(decoding: JSONValue.string("a\n\u{1}\u{7f}\"\\é").line, as: UTF8.self) == #""a\n\u0001\u007f\"\\é""#)
  }

  @Test(
    "S-146 what is not JSON by the letter is refused",
    arguments: [
      "", " ", "{", "}", "[", "[1", "[1,]", #"{"a":1,}"#, #"{"a"}"#, #"{"a":}"#, #"{a:1}"#, "{'a':1}", #"{"a":1}x"#,
      #"{"a":1}{"b":2}"#, "01", "+1", "1.", ".5", "1e", "-", "--1", "NaN", "Infinity", "1e999", "tru", "nul", "truex",
      #""abc"#, #""\x""#, #""\u12""#, #""\u12g4""#, #""\ud83d""#, #""\ud83dx""#, #""\ud83d\u0041""#, #""\ude00""#,
      "\"a\tb\"", "\"a\nb\"", "// x\n1", "/* x */1", "\u{feff}{}", "\u{a0}1", "[1 2]", #"{"a":1 "b":2}"#,
    ])
  func refused(_ text: String) {
    #expect(throws: JSONError.self) { try read(text) }
  }

  @Test("S-146 a trailing comma, a byte-order mark, UTF-16 and broken UTF-8 are refused, each at its byte")
  func encodings() {
    #expect(throws: JSONError.syntax(offset: 7)) { try read(#"{"a":1,}"#) }
    #expect(throws: JSONError.syntax(offset: 0)) { try JSONReader.read([0xEF, 0xBB, 0xBF] + Array("{}".utf8)) }
    #expect(throws: JSONError.syntax(offset: 1)) { try JSONReader.read("{}".utf16.flatMap { [UInt8($0 & 255), 0] }) }
    #expect(throws: JSONError.syntax(offset: 0)) {
      try JSONReader.read([0xFF, 0xFE] + "{}".utf16.flatMap { [UInt8($0 & 255), 0] })
    }
    // Cut off, overlong, a surrogate, beyond Unicode.
    for bad: [UInt8] in [[0xC3], [0xC0, 0xAF], [0xED, 0xA0, 0x80], [0xF5, 0x80, 0x80, 0x80], [0x80]] {
      #expect(throws: JSONError.syntax(offset: 1)) { try JSONReader.read([0x22] + bad + [0x22]) }
      #expect(throws: JSONError.self) { try JSONReader.read([0x22] + bad + Array(#"\n""#.utf8)) }
    }
  }

  @Test("S-146 a repeated key is refused at any depth, and named")
  func repeatedKey() {
    #expect(throws: JSONError.repeatedKey("cmd")) { try read(#"{"cmd":"press","cmd":"cancel"}"#) }
    #expect(throws: JSONError.repeatedKey("a")) { try read(#"[{"b":{"a":1,"a":1}}]"#) }
    // The same key by another spelling is the same key.
    #expect(throws: JSONError.repeatedKey("a")) { try read(#"{"a":1,"\u0061":2}"#) }
  }

  @Test("S-146 deep nesting is refused, so that a line cannot exhaust the stack")
  func nesting() throws {
    let deepest = SessionContract.deepestNesting
    let good = String(repeating: "[", count: deepest) + String(repeating: "]", count: deepest)
    #expect(try roundTrip(good) == good)
    #expect(throws: JSONError.tooDeep) { try read("[" + good + "]") }
    #expect(throws: JSONError.tooDeep) { try read(String(repeating: "[", count: 65_536)) }
    #expect(throws: JSONError.tooDeep) { try read(String(repeating: #"{"a":"#, count: 10_000)) }
  }

  @Test("S-146 no single changed byte of a request makes the reader do anything but read or refuse")
  func mutations() {
    let line = Array(#"{"cmd":"press","deadlineMs":123456,"id":"a-1","key":97,"lease":true,"x":[1.5,"\u00e9"]}"#.utf8)
    var read = 0
    for index in line.indices {
      for byte in UInt8.min...UInt8.max {
        var changed = line
        changed[index] = byte
        if let value = try? JSONReader.read(changed) {
          read += 1
          #expect((try? JSONReader.read(value.line)) == value)
        }
      }
      #expect(throws: JSONError.self) { try JSONReader.read(Array(line[..<index])) }
    }
    #expect(read > line.count)
  }

  @Test("an object's members are given with the text that each was read from")
  func members() throws {
    let text = #" { "b" : 12345678901234567890123 , "a":{"x" :[ 1.50, null]}, "\u0063":"\u0064" } "#
    let members = try #require(try JSONReader.readMembers(Array(text.utf8)))
    #expect(members.map(\.key) == ["b", "a", "c"])
    #expect(
      members.map { String(decoding: $0.text, as: UTF8.self) } == [
        "12345678901234567890123", #"{"x" :[ 1.50, null]}"#, #""\u0064""#,
      ])
    #expect(members.last?.value == .string("d"))
    #expect(try JSONReader.readMembers(Array("[1]".utf8))?.count == nil)
    #expect(try JSONReader.readMembers(Array("{}".utf8))?.isEmpty == true)
    #expect(throws: JSONError.self) { try JSONReader.readMembers(Array(#"{"a":1} x"#.utf8)) }
  }

  @Test(
    "a member that is JSON and cannot be held takes nothing from the others",
    arguments: [
      "1e400", "-1e999", #"{"x":{"y":1,"y":2}}"#, "[1e400, {}, [], [[]], 2]",
      String(repeating: "[", count: 40) + "1" + String(repeating: "]", count: 40),
      String(repeating: #"{"a":"#, count: 10_000) + "{}" + String(repeating: "}", count: 10_000),
    ])
  func unheldMembers(text: String) throws {
    let whole = #"{"a":1,"b": \#(text) ,"a":true}"#
    let members = try #require(try JSONReader.readMembers(Array(whole.utf8)))
    #expect(members.map(\.key) == ["a", "b", "a"])
    #expect(members.map(\.value) == [1, nil, true])
    #expect(members[1].text == Array(text.utf8))
    #expect(throws: JSONError.self) { try JSONReader.read(Array(whole.utf8)) }
  }

  @Test(
    "a member that is no JSON makes the whole unreadable, however deep it stands",
    arguments: [
      "1e", "-", "01", "[1,]", #"{"x":1,}"#, "{1:2}", "[1 2]", "[}", "{]", #"{"x"}"#, "tru", "", "[",
      String(repeating: "[", count: 40) + "x" + String(repeating: "]", count: 40),
      String(repeating: "[", count: 40) + "1" + String(repeating: "]", count: 39),
      String(repeating: "[", count: 40) + "1" + String(repeating: "]", count: 41),
      String(repeating: "[", count: 100_000),
    ])
  func brokenMembers(text: String) {
    #expect(throws: JSONError.self) { try JSONReader.readMembers(Array(#"{"a":1,"b":\#(text),"c":2}"#.utf8)) }
  }
}
