import BlurtEngine
import FoundationEssentials
import Testing

struct TriggerKeyCodeTests {
  private static let header = "/usr/include/linux/input-event-codes.h"

  @Test(
    "H-62 B-21 the codes of all trigger keys are those of the kernel's header",
    .enabled(if: FileManager.default.fileExists(atPath: header), "the kernel's headers are not installed"))
  func codes() throws {
    let lines = try String(contentsOfFile: Self.header, encoding: .utf8).split(separator: "\n")
    var codes: [String: Int] = [:]
    for line in lines {
      let words = line.split(whereSeparator: \.isWhitespace)
      guard words.count >= 3, words[0] == "#define" else { continue }
      let number = words[2].hasPrefix("0x") ? Int(words[2].dropFirst(2), radix: 16) : Int(words[2])
      codes[String(words[1])] = number
    }
    #expect(codes.count > 500)
    for key in TriggerKey.writingKeys + TriggerKey.clickButtons { #expect(codes[key.name] == key.code, "\(key.name)") }
    for key in TriggerKey.all {
      // A header older than the key does not name it.
      if let code = codes[key.name] { #expect(code == key.code, "\(key.name)") }
    }
    #expect(codes["KEY_RIGHTCTRL"] == TriggerKey.default.code)
  }
}
