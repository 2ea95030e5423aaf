import BlurtEngine
import BlurtTestSupport
import Testing

@Suite struct TriggerKeySoundStoreTests {
  private static let wood = SoundPack(id: "wood", label: "Wood", group: "Plain")
  private static let bell = SoundPack(id: "bell", label: "Bell", group: "Plain")
  private static let catalogue = SoundPackCatalog(voices: [wood, bell], defaultID: "wood")

  private func pack(_ value: SettingValue?, _ key: TriggerKey) -> SoundPack {
    TriggerKeySoundStore(backing: MemorySettings(value.map { ["BlurtTriggerKeySounds": $0] } ?? [:]))
      .pack(of: key, in: Self.catalogue, otherwise: Self.wood)
  }

  @Test("P-13 a key without a pack of its own, or with one that is gone, plays its action's")
  func reading() {
    #expect(pack(nil, .default) == Self.wood)
    let value = SettingValue.object(["97": .string("bell"), "100": .string("none"), "56": .string("gone")])
    #expect(pack(value, .default) == Self.bell)
    #expect(pack(value, .rightAlt) == .silent)
    #expect(pack(value, .leftAlt) == Self.wood)
    #expect(pack(value, .leftMeta) == Self.wood)
  }

  @Test("P-07 a value that cannot be read is none and is not written over")
  func undecodable() {
    for value in SettingFixtures.wrongTypes + [.object(["97": .string(" ")])] where value != .string("x") {
      let backing = MemorySettings(["BlurtTriggerKeySounds": value])
      #expect(TriggerKeySoundStore(backing: backing).packIDs.isEmpty, "\(value)")
      #expect(backing.all["BlurtTriggerKeySounds"] == value)
    }
  }

  @Test("P-06 P-13 a pack is stored by the key's code and taken away again")
  func writing() throws {
    let backing = MemorySettings()
    let store = TriggerKeySoundStore(backing: backing)
    try store.setPackID(" bell ", of: .default)
    try store.setPackID("wood", of: .rightAlt)
    #expect(backing.all["BlurtTriggerKeySounds"] == .object(["97": .string("bell"), "100": .string("wood")]))
    try store.setPackID(nil, of: .default)
    #expect(store.packIDs == [.rightAlt: "wood"])
  }

  @Test("P-13 what a person hands in is refused by the key's name, with the packs that there are")
  func handedIn() {
    func normalise(_ id: SettingValue, _ catalogue: SoundPackCatalog? = nil) -> Result<SettingValue, SettingRefusal> {
      TriggerKeySoundStore.normalise(.object(["KEY_RIGHTCTRL": id]), catalogue: catalogue)
    }
    #expect(normalise(.string(" bell "), Self.catalogue).value == .object(["97": .string("bell")]))
    #expect(normalise(.string("any")).value == .object(["97": .string("any")]))
    #expect(
      normalise(.string("any"), Self.catalogue).sentence
        == "Right Ctrl has the sound pack \"any\"; allowed are none, wood, bell")
    #expect(normalise(.number(1)).sentence?.contains("Right Ctrl") == true)
    #expect(TriggerKeySoundStore.normalise(.list([])).sentence?.contains("object") == true)
  }

  @Test("P-07 H-54 of a stored value with a key that is gone the rest counts, of one that cannot be read nothing")
  func salvage() {
    let stored = SettingValue.object(["97": .string("bell"), "30": .string("bell")])
    #expect(TriggerKeySoundStore.normalise(stored).sentence != nil)
    #expect(TriggerKeySoundStore.salvage(stored) == .object(["97": .string("bell")]))
    #expect(TriggerKeySoundStore.salvage(.list([])) == nil)
  }
}
