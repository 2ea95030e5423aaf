import BlurtOS
import BlurtTestSupport
import Testing

@testable import BlurtExecutor

@Suite(.timeLimit(.minutes(1))) struct TaskTimerTests {
  private static func nanoseconds(_ time: Duration) -> Int64 { Int64(time / .nanoseconds(1)) }

  @Test("entries are handed on once each, on both clocks, none before its time; those of one clock in their order")
  func order() throws {
    let (seen, done) = (Box<[(number: Int, at: Duration)]>([]), Parking())
    let timer = try TaskTimer<Int>(name: "test-timer") { number in
      seen.append((number, MonotonicClock.now()))
      done.call()
    }
    let (began, boot) = (MonotonicClock.now(), MonotonicClock.sinceBoot())
    timer.schedule(60, at: Self.nanoseconds(boot + .milliseconds(60)), countingSuspend: true)
    timer.schedule(31, at: Self.nanoseconds(began + .milliseconds(31)), countingSuspend: false)
    timer.schedule(21, at: Self.nanoseconds(began + .milliseconds(21)), countingSuspend: false)
    timer.schedule(10, after: Self.nanoseconds(.milliseconds(10)))
    for _ in 1...4 { done.wait() }
    timer.stop()
    let order = seen.value
    #expect(order.map(\.number).filter { $0 % 10 == 0 } == [10, 60])
    #expect(order.map(\.number).filter { $0 % 10 == 1 } == [21, 31])
    for entry in order { #expect(entry.at - began >= .milliseconds(entry.number)) }
  }

  @Test("a time that has passed is handed on at once, and one at the end of time does no harm")
  func extremes() throws {
    let done = Parking()
    let timer = try TaskTimer<Int>(name: "test-timer") { _ in done.call() }
    timer.schedule(0, after: .max)
    timer.schedule(1, at: .max, countingSuspend: false)
    timer.schedule(2, at: 0, countingSuspend: true)
    timer.schedule(3, at: -5, countingSuspend: false)
    timer.schedule(4, after: 0)
    for _ in 2...4 { done.wait() }
    timer.stop()
  }

  @Test("what is cancelled is gone at once, is never handed on, and holds up nothing that waits")
  func cancelled() throws {
    let (seen, done) = (Box<[Int]>([]), Parking())
    let timer = try TaskTimer<Int>(name: "test-timer") { number in
      seen.append(number)
      done.call()
    }
    let first = timer.schedule(1, after: Self.nanoseconds(.milliseconds(30)))
    let other = timer.schedule(2, at: Self.nanoseconds(MonotonicClock.now() + .seconds(3_600)), countingSuspend: false)
    timer.schedule(3, after: Self.nanoseconds(.milliseconds(40)))
    let last = timer.schedule(4, after: Self.nanoseconds(.seconds(3_600)))
    #expect(timer.count == 4)
    for ticket in [first, other, last, last] { timer.cancel(ticket) }
    #expect(timer.count == 1)
    done.wait()
    #expect(timer.count == 0)
    timer.stop()
    #expect(seen.value == [3])
  }
}
