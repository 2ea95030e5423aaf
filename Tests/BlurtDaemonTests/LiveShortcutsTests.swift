import BlurtDaemon
import BlurtEngine
import BlurtTestSupport
import Testing

@Suite struct LiveShortcutsTests {
  @Test("P-04 P-46 P-52 a changed shortcut counts for the next text, both ways; without any a text stays as it is")
  func live() {
    let backing = MemorySettings()
    let shortcuts = LiveShortcuts(store: TextShortcutStore(backing: backing))
    #expect(shortcuts.expand("My mail.") == "My mail.")
    for expansion in ["first@example.org", "second@example.org"] {
      backing.put(
        .list([.object(["trigger": .string("my mail"), "expansion": .string(expansion)])]),
        forKey: "BlurtTextShortcuts")
      #expect(shortcuts.expand("My mail.") == expansion)
      #expect(shortcuts.expand("My mail.") == expansion)
      #expect(shortcuts.redact("to \(expansion)") == "to my mail")
    }
    backing.put(.string("rubbish"), forKey: "BlurtTextShortcuts")
    #expect(shortcuts.expand("My mail.") == "My mail.")
  }
}
