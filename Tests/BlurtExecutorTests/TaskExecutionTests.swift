import BlurtOS
import Glibc
import Testing

@testable import BlurtExecutor

/// What the process of the tests was started with decides whether these can run: the executor is that of the whole process.
@Suite(
  .timeLimit(.minutes(1)),
  .enabled(
    if: getenv("BLURT_TEST_EXECUTOR").map { String(cString: $0) } == "own",
    "BLURT_TEST_EXECUTOR=own has all tests run on the executor"))
struct TaskExecutionTests {
  /// The name of the thread that calls.
  private static var thread: String {
    let name = try? FileDescriptor.open("/proc/thread-self/comm", O_RDONLY).read(upTo: 16)
    return String(decoding: name ?? [], as: UTF8.self)
  }

  private static var isOurs: Bool { thread.hasPrefix("blurt-task-") }

  private actor Counter {
    private(set) var value = 0
    private(set) var isOurs = true
    func increment() {
      value += 1
      isOurs = isOurs && TaskExecutionTests.isOurs
    }
  }

  @Test("tasks of every priority, children and actors run on the executor's threads")
  func everyKind() async {
    #expect(Self.isOurs)
    for priority: TaskPriority in [.background, .utility, .medium, .high] {
      #expect(await Task.detached(priority: priority) { Self.isOurs }.value)
    }
    let counter = Counter()
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<1_000 { group.addTask { await counter.increment() } }
    }
    #expect(await counter.value == 1_000)
    #expect(await counter.isOurs)
  }

  @Test("a task sleeps on either clock, by a duration or to an instant, not less than asked, and wakes on the executor")
  func sleeping() async throws {
    let length = Duration.milliseconds(15)
    func check(_ sleep: () async throws -> Void) async rethrows {
      let began = ContinuousClock.now
      try await sleep()
      #expect(ContinuousClock.now - began >= length)
      #expect(Self.isOurs)
    }
    try await check { try await Task.sleep(for: length) }
    try await check { try await Task.sleep(nanoseconds: 15_000_000) }
    try await check { try await Task.sleep(for: length, tolerance: .milliseconds(1), clock: .suspending) }
    try await check { try await ContinuousClock().sleep(until: .now + length, tolerance: nil) }
    try await check { try await SuspendingClock().sleep(until: .now + length, tolerance: nil) }
    let clock: any Clock<Duration> = ContinuousClock()
    try await check { try await clock.sleep(for: length) }
  }

  @Test("a sleep that is cancelled ends at once")
  func cancelled() async {
    let sleeper = Task { try await Task.sleep(for: .seconds(3_600)) }
    sleeper.cancel()
    await #expect(throws: CancellationError.self) { try await sleeper.value }
  }

  @Test("a second installation changes nothing")
  func again() async throws {
    #expect(try TaskExecution.install())
    #expect(await Task.detached { Self.isOurs }.value)
  }

  @Test("a cancelled sleep leaves nothing in the timer, before it begins, in the middle or at its end")
  func cancelledSleeps() async {
    let before = TaskExecution.sleeperCount
    let clock = TaskClock()
    for round in 0..<300 {
      let sleeper = Task { try await clock.sleep(for: .seconds(100_000)) }
      if round % 3 > 0 { await Task.yield() }
      if round % 3 > 1 { while TaskExecution.sleeperCount == before { await Task.yield() } }
      sleeper.cancel()
      await #expect(throws: CancellationError.self) { try await sleeper.value }
    }
    #expect(TaskExecution.sleeperCount <= before)
  }
}
