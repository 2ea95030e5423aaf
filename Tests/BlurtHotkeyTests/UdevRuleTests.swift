import FoundationEssentials
import Testing

struct UdevRuleTests {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "systemd")

  private func rules() throws -> (name: String, lines: [String]) {
    let names = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path).filter { $0.hasSuffix(".rules") }
    let name = try #require(names.first)
    let text = try String(contentsOf: Self.folder.appending(path: name), encoding: .utf8)
    return (name, text.split(separator: "\n").map(String.init).filter { !$0.hasPrefix("#") })
  }

  @Test("B-30 the rule's number lies between the one that names devices and the one that carries out uaccess")
  func number() throws {
    let number = try #require(Int(try rules().name.prefix(2)))
    #expect(number > 60 && number < 73)
  }

  @Test("B-30 B-22 keyboards, consumer controls and pointers are tagged; no group or mode is changed")
  func tags() throws {
    let lines = try rules().lines
    for kind in ["KEYBOARD", "KEY", "MOUSE", "TOUCHPAD", "POINTINGSTICK"] {
      #expect(lines.contains("ENV{ID_INPUT_\(kind)}==\"1\", TAG+=\"uaccess\""))
    }
    #expect(!lines.contains { $0.contains("MODE") || $0.contains("GROUP") })
    #expect(lines.last == "LABEL=\"blurt_end\"")
  }
}
