import BlurtEngine
import BlurtTestSupport
import Testing

@Suite("Observers of the phase", .timeLimit(.minutes(1))) struct PhaseObserverTests {
  @Test("S-79 an observer that is cancelled at the moment of a step holds nobody up")
  func cancelledAtAStep() async {
    let rig = SessionRig()
    rig.blocker.value = .apiKeyMissing
    for _ in 0..<1_000 {
      let observer = Task { [session = rig.session] in
        for await _ in session.phaseStream() {}
      }
      await withTaskGroup(of: Void.self) { group in
        group.addTask { rig.session.submit(.press(key: nil)) }
        group.addTask { observer.cancel() }
        group.addTask { rig.session.submit(.press(key: nil)) }
      }
      await observer.value
    }
    #expect(rig.session.phaseChange.dictation == 2_000)
  }

  @Test("S-79 an observer that has gone is told nothing more, the others everything")
  func gone() async {
    let rig = SessionRig()
    let first = Task { [session = rig.session] in
      var count = 0
      for await _ in session.phaseStream() { count += 1 }
      return count
    }
    first.cancel()
    _ = await first.value
    #expect(await rig.dictate() == .pasted)
    #expect(rig.session.phaseChange.phase == .pasted)
  }
}
