import BlurtEngine
import BlurtTestSupport
import Testing

@Suite struct SoundPackStoreTests {
  private static let bell = SoundPack(id: "bell", label: "Bell", group: "Plain")
  private static let catalogue = SoundPackCatalog(
    voices: [SoundPack(id: "wood", label: "Wood", group: "Plain"), bell], defaultID: "wood")

  @Test("P-12 P-50 unset, unknown and of the wrong type mean the catalogue's default")
  func reading() {
    func id(_ value: SettingValue?) -> String {
      SoundPackStore(backing: MemorySettings(value.map { ["BlurtSoundPack": $0] } ?? [:])).pack(in: Self.catalogue).id
    }
    #expect(id(nil) == "wood")
    #expect(id(.string("gone")) == "wood")
    #expect(id(.number(1)) == "wood")
    #expect(id(.string("bell")) == "bell")
    #expect(id(.string("none")) == "none")
  }

  @Test("P-12 the chosen pack is stored by its id")
  func writing() throws {
    let backing = MemorySettings()
    try SoundPackStore(backing: backing).choose(Self.bell)
    #expect(backing.all == ["BlurtSoundPack": .string("bell")])
  }

  @Test("P-12 what a person hands in is refused with the packs that there are")
  func handedIn() {
    #expect(SoundPackStore.normalise(.string(" bell ")).value == .string("bell"))
    #expect(SoundPackStore.normalise(.string("none"), catalogue: Self.catalogue).value == .string("none"))
    #expect(
      SoundPackStore.normalise(.string("x"), catalogue: Self.catalogue).sentence
        == "there is no sound pack \"x\"; allowed are none, wood, bell")
    #expect(SoundPackStore.normalise(.string(" ")).sentence != nil)
    #expect(SoundPackStore.normalise(.bool(true)).sentence != nil)
  }
}
