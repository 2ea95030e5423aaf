package import BlurtContract
internal import BlurtExecutor
internal import Synchronization

/// Asks every probe at once and gives their answers in the order of the list.
package struct Doctor: Sendable {
  /// How long a probe may take; a link that does not answer is a fault of its own. A recording of the microphone, its
  /// bring-up included, stays under it.
  package static let patience: Duration = .seconds(8)

  private let probes: [DoctorProbe]
  private let clock: any Clock<Duration>

  package init(_ probes: [DoctorProbe], clock: any Clock<Duration> = TaskClock()) {
    self.probes = probes
    self.clock = clock
  }

  package func examine(record: Bool) async -> [DoctorCheck] {
    await withTaskGroup(of: (Int, DoctorCheck).self) { group in
      for (index, probe) in probes.enumerated() { group.addTask { (index, await answer(of: probe, record: record)) } }
      var checks: [(Int, DoctorCheck)] = []
      for await check in group { checks.append(check) }
      return checks.sorted { $0.0 < $1.0 }.map(\.1)
    }
  }

  /// The answer, or that there was none in time. The probe that hangs is left behind: it may block in a C library.
  private func answer(of probe: DoctorProbe, record: Bool) async -> DoctorCheck {
    let (answers, answer) = AsyncStream.makeStream(of: DoctorCheck.self, bufferingPolicy: .bufferingOldest(1))
    let looking = Task.detached {
      answer.yield(await probe.look(record))
      answer.finish()
    }
    let timer = Task.detached { [clock] in
      do { try await clock.sleep(for: Self.patience) } catch { return }
      answer.finish()
    }
    var found: DoctorCheck?
    for await check in answers where found == nil { found = check }
    timer.cancel()
    looking.cancel()
    return found
      ?? DoctorCheck(
        probe.name, .failed, "It did not answer within \(Int(Self.patience / .seconds(1))) seconds.",
        remedy: "systemctl --user restart blurtd")
  }
}
