import BlurtEngine
import BlurtTestSupport
import Testing

@Suite struct TriggerKeyMigrationTests {
  private let isMarked = Box(false)

  private func run(_ backing: MemorySettings) throws -> Int? {
    try TriggerKeyMigration.run(
      backing: backing, isMarked: { isMarked.value }, mark: { [isMarked] in isMarked.value = true })
  }

  @Test("H-54 a stale code becomes the default once; whoever binds that key later keeps it", arguments: [63, 54, 58])
  func once(code: Int) throws {
    let backing = MemorySettings(["BlurtTriggerKeyCode": .number(Double(code))])
    #expect(try run(backing) == code)
    #expect(backing.all["BlurtTriggerKeyCode"] == .number(97))
    #expect(isMarked.value)
    backing.put(.number(Double(code)), forKey: "BlurtTriggerKeyCode")
    #expect(try run(backing) == nil)
    #expect(backing.all["BlurtTriggerKeyCode"] == .number(Double(code)))
  }

  @Test("H-54 a first start without a stored key marks, so that F5 can be bound from then on")
  func firstStart() throws {
    let backing = MemorySettings()
    #expect(try run(backing) == nil)
    #expect(isMarked.value && backing.writes.value == [])
  }

  @Test("H-54 keys that were offered, names that a person wrote, and what is no key stay as they are")
  func others() throws {
    for value in [.number(97), .number(100), .number(183), .string("KEY_F5"), .number(63.5), .bool(true)]
      as [SettingValue]
    {
      isMarked.value = false
      let backing = MemorySettings(["BlurtTriggerKeyCode": value])
      #expect(try run(backing) == nil)
      #expect(backing.writes.value == [])
    }
  }

  @Test("H-54 where it cannot be marked nothing is rewritten: it would be done again at each start")
  func notMarked() {
    let backing = MemorySettings(["BlurtTriggerKeyCode": .number(63)])
    #expect(throws: MemorySettings.Refusal.self) {
      try TriggerKeyMigration.run(backing: backing, isMarked: { false }, mark: { throw MemorySettings.Refusal() })
    }
    #expect(backing.writes.value == [])
  }
}
