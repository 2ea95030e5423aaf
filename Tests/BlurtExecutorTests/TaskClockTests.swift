import BlurtExecutor
import BlurtTestSupport
import Testing

/// With `BLURT_TEST_EXECUTOR=own` on the executor's timer, else on the runtime's.
@Suite(.timeLimit(.minutes(1))) struct TaskClockTests {
  private let clock = TaskClock()

  @Test("a sleeper wakes at its deadline or later")
  func sleeps() async throws {
    let began = clock.now
    try await clock.sleep(for: .milliseconds(15))
    #expect(clock.now - began >= .milliseconds(15))
    let deadline = clock.now + .milliseconds(10)
    try await clock.sleep(until: deadline, tolerance: .milliseconds(5))
    #expect(clock.now >= deadline)
    try await clock.sleep(until: began, tolerance: nil)
  }

  @Test("a sleep that is cancelled, before it begins or in the middle, ends at once")
  func cancelled() async {
    for _ in 0..<200 {
      let sleeper = Task { [clock] in try await clock.sleep(for: .seconds(3_600)) }
      if Bool.random() { await Task.yield() }
      sleeper.cancel()
      await #expect(throws: CancellationError.self) { try await sleeper.value }
    }
  }
}
