import BlurtEngine
import BlurtTestSupport
import Testing

@Suite("A cancel while the key is down", .timeLimit(.minutes(1))) struct CancelWhileHeldTests {
  @Test("B-47 hold, cancel, release: nothing is pasted, and the next hold works, twenty times over")
  func repeated() async {
    let rig = SessionRig()
    for _ in 0..<20 {
      let number = await rig.startRecording()
      #expect(await rig.session.cancel() == .done)
      // The finger goes up later.
      #expect(await rig.session.release() == .ignored)
      #expect(await rig.probe.allPhases(of: number).last == .cancelled)
      #expect(!rig.microphone.isOpen)
      #expect(await rig.dictate() == .pasted)
    }
    #expect(rig.log.count(of: "insert") == 20)
    #expect(rig.failures.value.isEmpty)
  }
}
