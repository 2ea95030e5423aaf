import BlurtTestSupport
import Testing

@testable import BlurtEngine

@Suite(.timeLimit(.minutes(1))) struct FocusReadingTests {
  @Test("S-58 a field that is known already is not waited for")
  func known() async {
    let clock = TestClock()
    let reading = FocusReading()
    reading.publish(field: nil)
    await reading.waitForField(atMost: .milliseconds(500), on: clock)
    #expect(clock.sleeperCount == 0)
    #expect(reading.field == .given(nil))
  }

  @Test("S-58 S-60 the wait ends with the field, and its timer with it")
  func published() async {
    let clock = TestClock()
    let reading = FocusReading()
    let wait = Task { await reading.waitForField(atMost: .milliseconds(500), on: clock) }
    await clock.waitForSleepers(1)
    reading.publish(field: FocusedFieldContext(windowTitle: "Letter"))
    await wait.value
    #expect(await eventually { clock.sleeperCount == 0 })
    #expect(reading.field.value?.windowTitle == "Letter")
  }

  @Test("S-58 S-60 the wait ends with the budget, and a later field is still published")
  func budget() async {
    let clock = TestClock()
    let reading = FocusReading()
    let wait = Task { await reading.waitForField(atMost: .milliseconds(500), on: clock) }
    await clock.waitForSleeper(until: .milliseconds(500))
    clock.advance(by: .milliseconds(500))
    await wait.value
    #expect(reading.field == .outstanding)
    reading.publish(field: nil)
    #expect(reading.field == .given(nil))
  }

  @Test("S-58 the wait ends with its task")
  func cancelled() async {
    let clock = TestClock()
    let reading = FocusReading()
    let wait = Task { await reading.waitForField(atMost: .milliseconds(500), on: clock) }
    await clock.waitForSleepers(1)
    wait.cancel()
    await wait.value
    #expect(reading.field == .outstanding)
    #expect(reading.target == .outstanding)
  }
}
