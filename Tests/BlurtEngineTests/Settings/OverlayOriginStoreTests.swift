import BlurtEngine
import BlurtTestSupport
import Testing

@Suite struct OverlayOriginStoreTests {
  private let x = "BlurtOverlayCustomOriginX"
  private let y = "BlurtOverlayCustomOriginY"

  private func origin(_ values: [String: SettingValue]) -> OverlayPlacement.Point? {
    OverlayOriginStore(backing: MemorySettings(values)).origin
  }

  @Test("P-19 S-92 only both numbers together are a place, and 0, 0 is one")
  func reading() {
    #expect(origin([:]) == nil)
    #expect(origin([x: .number(1)]) == nil)
    #expect(origin([y: .number(1)]) == nil)
    #expect(origin([x: .number(0), y: .number(0)]) == .init(x: 0, y: 0))
    #expect(origin([x: .number(-1.5), y: .number(2)]) == .init(x: -1.5, y: 2))
  }

  @Test("P-07 P-19 a number that is none counts as missing")
  func wrongTypes() {
    for value in SettingFixtures.wrongTypes + [.number(.infinity), .number(.nan)] where value != .number(3) {
      #expect(origin([x: value, y: .number(1)]) == nil)
      #expect(origin([x: .number(1), y: value]) == nil)
    }
  }

  @Test("P-19 a place is stored as a pair and forgotten as a pair")
  func writing() throws {
    let backing = MemorySettings()
    let store = OverlayOriginStore(backing: backing)
    try store.save(.init(x: 4, y: 5))
    #expect(backing.all == [x: .number(4), y: .number(5)])
    try store.save(nil)
    #expect(backing.all.isEmpty)
  }

  @Test("P-19 where the second number cannot be stored the first is put back")
  func failing() throws {
    let backing = MemorySettings([x: .number(1), y: .number(2)])
    backing.failing.value = [y]
    #expect(throws: MemorySettings.Refusal.self) { try OverlayOriginStore(backing: backing).save(.init(x: 8, y: 9)) }
    #expect(backing.all == [x: .number(1), y: .number(2)])
  }

  @Test("P-19 a person's number is taken, anything else is refused")
  func handedIn() {
    #expect(OverlayOriginStore.normalise(.number(-3)).value == .number(-3))
    #expect(OverlayOriginStore.normalise(.number(.nan)).sentence != nil)
    #expect(OverlayOriginStore.normalise(.string("3")).sentence?.contains("pixels") == true)
  }
}
