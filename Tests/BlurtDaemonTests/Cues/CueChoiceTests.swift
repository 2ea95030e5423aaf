import BlurtEngine
import BlurtTestSupport
import Testing

@testable import BlurtDaemon

@Suite struct CueChoiceTests {
  @Test("P-12 P-50 an unset and an unknown pack mean the chime, none is silence")
  func pack() {
    func pack(_ id: String?) -> String {
      CueChoice(backing: MemorySettings(id.map { ["BlurtSoundPack": .string($0)] } ?? [:])).pack.id
    }
    #expect(pack(nil) == "chime")
    #expect(pack("brass") == "chime")
    #expect(pack("soft") == "soft")
    #expect(pack("none") == "none")
  }

  @Test("P-13 Y-26 a key with a pack of its own plays it; any other press the chosen one")
  func keys() throws {
    let backing = MemorySettings([
      "BlurtSoundPack": .string("soft"), "BlurtTriggerKeySounds": .object(["97": .string("none")]),
    ])
    let choice = CueChoice(backing: backing)
    #expect(choice.pack(of: nil).id == "soft")
    #expect(choice.pack(of: .default).id == "none")
    let other = try #require(TriggerKey.offered.first { $0 != .default })
    #expect(choice.pack(of: other).id == "soft")
  }
}
