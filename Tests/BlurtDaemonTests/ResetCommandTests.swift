import BlurtContract
import BlurtEngine
import BlurtIPC
import BlurtTestSupport
import Testing

@testable import BlurtDaemon

@Suite("ResetCommand", .timeLimit(.minutes(1))) struct ResetCommandTests {
  private let rig = SessionRig()
  private let ran = Box<[String]>([])
  private let client = ClientIdentity(connection: 1, processID: 1, userID: 0)

  private func step(_ name: String, gate: Gate? = nil, survivor: String? = nil) -> InstallReset.Step {
    .removing(name) { [ran] () async throws(InstallReset.Survivor) in
      await gate?.pass()
      ran.append(name)
      if let survivor { throw InstallReset.Survivor(survivor) }
      return nil
    }
  }

  private func command(_ steps: [InstallReset.Step], afterwards: @escaping @Sendable () -> Void = {}) -> ResetCommand {
    ResetCommand(steps: steps, phase: { [session = rig.session] in session.phaseChange }, afterwards: afterwards)
  }

  private func ask(_ reset: ResetCommand) async -> CommandAck {
    await withCheckedContinuation { continuation in
      reset.handle(ClientCommand(id: "r", .reset), from: client) { continuation.resume(returning: $0) }
    }
  }

  @Test("P-65 P-66 a clean reset is done, with what was removed and what the user may want to undo")
  func clean() async {
    let afterwards = Box(0)
    let reset = command([step("settings"), .informing("permissions") { "A rule." }, step("logs")]) {
      afterwards.update { $0 += 1 }
    }
    let ack = await ask(reset)
    #expect(ack.id == "r" && ack.result == .done && ack.reason == nil)
    #expect(ack.message?.isEmpty == false)
    #expect(
      ack.steps == [
        ResetStep("settings", .removed), ResetStep("permissions", .information, "A rule."), ResetStep("logs", .removed),
      ])
    #expect(afterwards.value == 1)
    #expect(await ask(reset).result == .done)
    #expect(ran.value == ["settings", "logs", "settings", "logs"])
  }

  @Test("P-65 Y-80 Y-82 what survives is named in the answer, and the steps after it were carried out")
  func survivors() async {
    let reset = command([
      step("settings", survivor: "It is a folder."), step("apiKey", survivor: "Unset it."), step("logs"),
    ])
    let ack = await ask(reset)
    #expect(ack.result == .failed)
    #expect(ack.message?.contains("settings, apiKey") == true)
    #expect(
      ack.steps == [
        ResetStep("settings", .failed, "It is a folder."), ResetStep("apiKey", .failed, "Unset it."),
        ResetStep("logs", .removed),
      ])
    #expect(ran.value == ["settings", "apiKey", "logs"])
  }

  @Test("P-61 while a dictation runs nothing is touched", arguments: [false, true])
  func busy(released: Bool) async {
    let reset = command([step("settings")])
    let gate = Gate()
    rig.transcriber.script { $0.gate = gate }
    let dictation = await rig.startRecording()
    if released { await rig.session.release() }
    let ack = await ask(reset)
    #expect(ack.result == .busy)
    #expect(ack.dictation == dictation)
    #expect(ack.phase == (released ? .transcribing : .recording))
    #expect(ran.value == [])
    gate.open()
    if !released { await rig.session.release() }
    #expect(await rig.probe.waitForEnd(of: dictation) == .pasted)
    #expect(await ask(reset).result == .done)
  }

  @Test("P-65 a second reset while one runs is busy, and does nothing twice")
  func overlapping() async {
    let gate = Gate()
    let reset = command([step("settings", gate: gate)])
    let first = Task { await ask(reset) }
    await gate.waitUntilReached()
    let second = await ask(reset)
    #expect(second.result == .busy && second.message?.isEmpty == false)
    gate.open()
    #expect(await first.value.result == .done)
    #expect(ran.value == ["settings"])
  }

  @Test("a press during a reset is not held up by it")
  func pressMeanwhile() async {
    let gate = Gate()
    let reset = command([step("settings", gate: gate)])
    let answer = Task { await ask(reset) }
    await gate.waitUntilReached()
    #expect(await rig.dictate() == .pasted)
    gate.open()
    #expect(await answer.value.result == .done)
  }

  @Test("P-65 after a reset the texts are forgotten: there is no last one, and none goes into a later request")
  func texts() async {
    let hub = EventHub()
    let rig = SessionRig { $0.onDelivery = { hub.delivered($0) } }
    await rig.dictate()
    #expect(hub.last.current != nil)
    #expect(await rig.session.recentDictations.count == 1)
    let report = await InstallReset(steps: [
      ResetSteps.texts {
        hub.last.forget()
        await rig.session.forgetRecent()
      }
    ]).run()
    #expect(report.alert == nil)
    #expect(hub.last.current == nil)
    #expect(await rig.session.recentDictations.isEmpty)
    await rig.dictate()
    #expect(rig.transcriber.calls.last?.context?.recentTranscripts == [])
    #expect(hub.last.current != nil)
  }
}
