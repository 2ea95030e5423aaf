package import BlurtContract
package import BlurtEngine
package import BlurtIPC
internal import BlurtOS
internal import Synchronization

/// `reset`: takes the installation back to its first start while the daemon runs (P-61…P-67).
package final class ResetCommand: CommandService {
  private let reset: InstallReset
  private let phase: @Sendable () -> PhaseChange
  private let afterwards: @Sendable () -> Void
  private let isRunning = Atomic<Bool>(false)

  /// - Parameters:
  ///   - steps: In the order in which they run. They must not block.
  ///   - phase: Where the dictation stands: nothing is taken away from one that runs.
  ///   - afterwards: Called after each reset, before it is answered; must not block.
  package init(
    steps: [InstallReset.Step], phase: @escaping @Sendable () -> PhaseChange,
    afterwards: @escaping @Sendable () -> Void = {}
  ) {
    reset = InstallReset(steps: steps)
    self.phase = phase
    self.afterwards = afterwards
  }

  package func handle(
    _ command: ClientCommand, from client: ClientIdentity, reply: @escaping @Sendable (CommandAck) -> Void
  ) {
    let change = phase()
    guard change.phase.isTerminal else {
      return reply(
        command.ack(.busy, dictation: change.dictation, phase: EventTranslation.phase(change.phase)))
    }
    guard !isRunning.exchange(true, ordering: .acquiringAndReleasing) else {
      return reply(command.ack(.busy, message: "A reset is running already: wait for it."))
    }
    Task.detached { [self] in
      let report = await reset.run()
      isRunning.store(false, ordering: .releasing)
      afterwards()
      reply(Self.answer(to: command, report))
    }
  }

  private static func answer(to command: ClientCommand, _ report: InstallReset.Report) -> CommandAck {
    let alert = report.alert
    Log.notice("reset", ["survivors": report.survivors.joined(separator: ",")])
    var ack = command.ack(
      alert == nil ? .done : .failed, reason: alert == nil ? nil : .fault,
      message: alert ?? "Blurt is as after its installation.")
    ack.steps = report.findings.map { finding in
      switch finding.outcome {
      case .removed(let remark): ResetStep(finding.step, .removed, remark)
      case .survived(let message): ResetStep(finding.step, .failed, message)
      case .information(let message): ResetStep(finding.step, .information, message)
      }
    }
    return ack
  }
}
