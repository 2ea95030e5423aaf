import Testing

@testable import BlurtEngine

@Suite struct CleanupInstructionTests {
  @Test("T-58 T-59 the base and the bridge leave at least 200 bytes for a style")
  func sizes() {
    #expect(CleanupInstruction.base.utf8.count == 1_123)
    #expect(CleanupInstruction.bridge.utf8.count == 105)
    #expect(CleanupInstruction.styleByteLimit == 820)
    #expect(CleanupInstruction.styleByteLimit >= 200)
  }

  @Test("T-55 a blank style sends the base alone", arguments: [nil, "", " \n"])
  func blankStyle(style: String?) {
    #expect(CleanupInstruction.sendable(style: style) == CleanupInstruction.base)
  }

  @Test("T-55 T-57 a style follows the base and the bridge, once and trimmed")
  func style() {
    #expect(
      CleanupInstruction.sendable(style: " Be brief. ")
        == CleanupInstruction.base + CleanupInstruction.bridge + "Be brief.")
  }

  @Test("T-55 a long style loses whole characters from its end, and the instruction stays under the cap")
  func longStyle() throws {
    let budget = CleanupInstruction.styleByteLimit
    let family = "👨‍👩‍👦"
    let style = String(repeating: "a", count: budget - family.utf8.count + 1) + family
    let sent = try #require(CleanupInstruction.sendable(style: style))
    #expect(sent.hasSuffix("aaa"))
    #expect(sent.utf8.count == 2_048 - family.utf8.count + 1)
    let exact = try #require(CleanupInstruction.sendable(style: String(repeating: "a", count: budget + 9)))
    #expect(exact.utf8.count == 2_048)
  }

  @Test("T-56 base and bridge over the cap send the base; a base over the cap sends nothing")
  func overCap() {
    let full = String(repeating: "b", count: 2_048)
    #expect(CleanupInstruction.sendable(style: "s", base: full, bridge: "-") == full)
    #expect(CleanupInstruction.sendable(style: "s", base: String(full.dropLast(2)), bridge: "-") != nil)
    #expect(
      CleanupInstruction.sendable(style: "s", base: String(full.dropLast(2)), bridge: "-")?.hasSuffix("-s") == true)
    #expect(CleanupInstruction.sendable(style: nil, base: full + "b", bridge: "-") == nil)
    #expect(CleanupInstruction.sendable(style: "s", base: full + "b", bridge: "-") == nil)
  }

  @Test("T-55 T-58 a beginning of limited bytes cuts no character")
  func prefixes() {
    #expect("añb".prefix(maxUTF8Bytes: 2) == "a")
    #expect("añb".prefix(maxUTF8Bytes: 3) == "añ")
    #expect("añb".prefix(maxUTF8Bytes: 9) == "añb")
    #expect("👨‍👩‍👦".prefix(maxUTF8Bytes: 17) == "")
    #expect("a".prefix(maxUTF8Bytes: 0) == "")
    #expect("a".prefix(maxUTF8Bytes: -1) == "")
  }
}
