import BlurtEngine
import BlurtTestSupport
import Testing

@Suite("InstallReset", .timeLimit(.minutes(1))) struct InstallResetTests {
  private let ran = Box<[String]>([])

  private func step(_ name: String, _ survivor: String? = nil) -> InstallReset.Step {
    .removing(name) { [ran] () async throws(InstallReset.Survivor) in
      ran.append(name)
      if let survivor { throw InstallReset.Survivor(survivor) }
      return nil
    }
  }

  @Test(
    "P-61 P-62 P-63 P-64 P-65 steps run once each, in their order, and after a clean reset there is nothing to show")
  func clean() async {
    let report = await InstallReset(steps: ["settings", "apiKey", "logs"].map { step($0) }).run()
    #expect(ran.value == ["settings", "apiKey", "logs"])
    #expect(report.findings.map(\.step) == ran.value)
    #expect(report.findings.allSatisfy { $0.outcome == .removed(nil) })
    #expect(report.survivors == [])
    #expect(report.alert == nil)
  }

  @Test("P-65 Y-80 no step stops a later one, whichever fails", arguments: 0..<8)
  func failures(mask: Int) async {
    let names = ["settings", "apiKey", "logs"]
    let steps = names.enumerated().map { step($1, mask & (1 << $0) == 0 ? nil : "\($1) stays") }
    let report = await InstallReset(steps: steps).run()
    #expect(ran.value == names)
    let survivors = names.enumerated().filter { mask & (1 << $0.offset) != 0 }.map(\.element)
    #expect(report.survivors == survivors)
    for name in survivors {
      #expect(report.alert?.contains(name) == true)
      #expect(report.findings.contains { $0.step == name && $0.outcome == .survived("\(name) stays") })
    }
    #expect((report.alert == nil) == survivors.isEmpty)
  }

  @Test("P-66 Y-78 what only the user can undo is information, never a failure; with nothing to tell it is no step")
  func information() async {
    let report = await InstallReset(steps: [
      .informing("permissions") { "You are in a group." }, .informing("nothing") { nil }, step("logs"),
    ]).run()
    #expect(report.findings.map(\.step) == ["permissions", "logs"])
    #expect(report.findings.first?.outcome == .information("You are in a group."))
    #expect(report.alert == nil)
  }

  @Test("P-67 a reset reaches what its steps reach: here a key in memory, and nothing else")
  func injected() async {
    let key = Box<String?>("in memory")
    let reset = InstallReset(steps: [
      .removing("apiKey") { () async throws(InstallReset.Survivor) in
        key.value = nil
        return nil
      }
    ])
    #expect(await reset.run().findings.map(\.step) == ["apiKey"])
    #expect(key.value == nil)
    #expect(await InstallReset(steps: []).run().findings == [])
  }

  @Test("P-65 a caller that gives up does not leave a reset half done")
  func cancelled() async {
    let gate = Gate()
    let first = InstallReset.Step.removing("settings") { () async throws(InstallReset.Survivor) in
      await gate.pass()
      return nil
    }
    let last = step("logs")
    let running = Task { await InstallReset(steps: [first, last]).run() }
    await gate.waitUntilReached()
    running.cancel()
    gate.open()
    #expect(await running.value.findings.map(\.step) == ["settings", "logs"])
  }
}
