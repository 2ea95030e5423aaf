import BlurtTestSupport
import Testing

@testable import BlurtExecutor

@Suite(.timeLimit(.minutes(1))) struct JobPoolTests {
  @Test("every job runs once, whichever thread it comes from")
  func everyJob() async throws {
    let ran = Box([Int](repeating: 0, count: 4_000))
    let pool = try JobPool<Int>(name: "test-pool", threadCount: 2) { job in ran.update { $0[job] += 1 } }
    await withTaskGroup(of: Void.self) { group in
      for part in 0..<4 {
        group.addTask { for number in 0..<1_000 { pool.add(part * 1_000 + number, .ordinary) } }
      }
    }
    pool.stop()
    #expect(ran.value == [Int](repeating: 1, count: 4_000))
  }

  @Test("while one job takes its time, another runs beside it")
  func beside() throws {
    let first = Parking()
    let second = Parking()
    let pool = try JobPool<@Sendable () -> Void>(name: "test-pool", threadCount: 2) { $0() }
    // Each waits for the other: with one thread this would never end.
    pool.add(
      {
        first.call()
        second.wait()
      }, .ordinary)
    pool.add(
      {
        second.call()
        first.wait()
      }, .ordinary)
    pool.stop()
  }

  @Test("a job that comes while a thread falls asleep is not left lying")
  func noLostWakeup() throws {
    let done = Parking()
    let pool = try JobPool<Int>(name: "test-pool", threadCount: 2) { _ in done.call() }
    for number in 0..<20_000 {
      pool.add(number, .ordinary)
      done.wait()
    }
    pool.stop()
  }

  @Test("of jobs that wait the urgent one is next")
  func urgency() throws {
    let gate = Parking()
    let order = Box<[Int]>([])
    let pool = try JobPool<Int>(name: "test-pool", threadCount: 1) { job in
      if job == 0 { gate.wait() } else { order.append(job) }
    }
    pool.add(0, .high)
    pool.add(3, .low)
    pool.add(2, .ordinary)
    pool.add(1, .high)
    gate.call()
    pool.stop()
    #expect(order.value == [1, 2, 3])
  }
}
