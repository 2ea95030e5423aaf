import BlurtTestSupport
import Testing

@testable import BlurtEngine

/// A field that comes with its press (C-96).
@Suite("DictationSession with a given field", .timeLimit(.minutes(1))) struct DictationSessionContextTests {
  private func dictate(_ rig: SessionRig, _ field: FocusedFieldContext?) async -> PipelinePhase? {
    let number = rig.session.submit(.press(key: nil, field: field))
    rig.session.submit(.release)
    return await rig.probe.waitForEnd(of: number)
  }

  @Test("C-96 Y-14 a field that comes with the press is the one that counts, and no other is asked for")
  func given() async throws {
    let rig = SessionRig()
    #expect(await dictate(rig, FocusedFieldContext(windowTitle: "Mail", priorText: "Dear Bob,")) == .pasted)
    #expect(rig.transcriber.calls.first?.context?.priorText == "Dear Bob,")
    let insert = try #require(rig.injector.inserts.first)
    #expect(insert.priorText == "Dear Bob,")
    #expect(insert.windowTitle == "Mail")
    #expect(rig.log.events.contains("focus.target"))
    #expect(!rig.log.events.contains("focus.field"))
    // The next press without one asks again.
    await rig.dictate()
    #expect(rig.transcriber.calls.last?.context?.priorText == "Dear Ada,")
  }

  @Test("C-96 a request with a given field does not wait for the window")
  func doesNotWait() async {
    let target = Gate()
    let rig = SessionRig()
    rig.focus.script { $0.targetGate = target }
    #expect(await dictate(rig, FocusedFieldContext(priorText: "")) == .pasted)
    #expect(rig.clock.sleeperCount == 0 || rig.transcriber.calls.count == 1)
    target.open()
  }

  @Test("C-96 S-78 a field that is given as secure has no text and is never remembered, so never sent")
  func secure() async {
    let rig = SessionRig()
    let field = FocusedFieldContext(
      fieldLabel: "Password", priorText: "hunter2", selectedText: "hunter2", isSecure: true)
    #expect(await dictate(rig, field) == .pasted)
    #expect(rig.transcriber.calls.map(\.context?.priorText) == [nil])
    #expect(rig.transcriber.calls.first?.context?.selectedText == nil)
    #expect(rig.transcriber.calls.first?.context?.isSecureTarget == true)
    #expect(rig.logged.value.map(\.context.fieldLabel) == [nil])
    #expect(await rig.session.recentDictations.isEmpty)
    await rig.dictate()
    #expect(rig.transcriber.calls.last?.context?.recentTranscripts == [])
  }
}
