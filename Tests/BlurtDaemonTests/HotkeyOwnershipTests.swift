import BlurtDaemon
import BlurtEngine
import Testing

@Suite("HotkeyOwnership") struct HotkeyOwnershipTests {
  private func owning(gesture: UInt64, dictation: UInt64) -> HotkeyOwnership {
    var ownership = HotkeyOwnership()
    ownership.began(gesture: gesture)
    _ = ownership.numbered(gesture: gesture, dictation: dictation)
    return ownership
  }

  @Test("H-49 H-84 a gesture acts on the dictation it started and names it")
  func acts() {
    let ownership = owning(gesture: 1, dictation: 10)
    #expect(ownership.acts(gesture: 1, command: .release) == .submit(.release, target: 10))
    #expect(ownership.acts(gesture: 1, command: .cancel) == .submit(.cancel, target: 10))
  }

  @Test("H-84 a gesture whose press was dropped as busy can end nobody's dictation, and its router is put back")
  func busy() {
    var ownership = owning(gesture: 1, dictation: 10)
    #expect(ownership.refused(gesture: 1) == .reset(gesture: 1))
    #expect(ownership.acts(gesture: 1, command: .release) == nil)
    #expect(ownership.acts(gesture: 1, command: .cancelRecording) == nil)
  }

  @Test("H-47 a dictation that ends without the key puts its gesture's router back")
  func ended() {
    var ownership = owning(gesture: 1, dictation: 10)
    #expect(ownership.ended(dictation: 10) == .reset(gesture: 1))
    #expect(ownership.acts(gesture: 1, command: .release) == nil)
    #expect(ownership.ended(dictation: 10) == nil)
  }

  @Test("H-85 the end of a dictation spares the gesture of the next one")
  func spares() {
    var ownership = owning(gesture: 1, dictation: 10)
    ownership.began(gesture: 2)
    _ = ownership.numbered(gesture: 2, dictation: 12)
    #expect(ownership.ended(dictation: 10) == nil)
    #expect(ownership.acts(gesture: 2, command: .release) == .submit(.release, target: 12))
    #expect(ownership.acts(gesture: 1, command: .release) == nil)
  }

  @Test("H-83 the end of a script's dictation leaves the hotkey's own alone")
  func foreign() {
    var ownership = owning(gesture: 1, dictation: 10)
    #expect(ownership.ended(dictation: 9) == nil)
    #expect(ownership.acts(gesture: 1, command: .release) == .submit(.release, target: 10))
  }

  @Test("H-47 a dictation that failed before its number was known still puts the router back")
  func endedFirst() {
    var ownership = HotkeyOwnership()
    ownership.began(gesture: 1)
    #expect(ownership.ended(dictation: 10) == nil)
    #expect(ownership.numbered(gesture: 1, dictation: 10) == .reset(gesture: 1))
    #expect(ownership.acts(gesture: 1, command: .release) == nil)
  }
}
