import BlurtEngine
import BlurtTestSupport
import Testing

@testable import BlurtDaemon

@Suite(.timeLimit(.minutes(1))) struct RecordingSignalsTests {
  private let clock = TestClock()
  private let heard = Box<[String]>([])

  private func signals() -> RecordingSignals {
    RecordingSignals(
      clock: clock, onBegan: { [heard] in heard.append("start \($0 ?? 0)") },
      onEnded: { [heard] in heard.append("stop \($0 ?? 0)") })
  }

  private func go(_ phase: PipelinePhase, _ signals: RecordingSignals) {
    signals.phaseChanged(PhaseChange(phase: phase, dictation: 3))
  }

  @Test("S-86 Y-27 a recording is told of when it has lasted 150 ms, and its end at once")
  func recording() async {
    let signals = signals()
    go(.connecting, signals)
    go(.recording, signals)
    await clock.waitForSleepers(1)
    #expect(clock.deadlines == [.milliseconds(150)])
    clock.advance(by: .milliseconds(149))
    #expect(heard.value == [])
    clock.advance(by: .milliseconds(1))
    #expect(await eventually { heard.value == ["start 3"] })
    go(.transcribing, signals)
    #expect(heard.value == ["start 3", "stop 3"])
  }

  @Test("H-51 S-87 a shortcut leaves no timer behind and is not told of")
  func shortcut() async {
    let signals = signals()
    go(.recording, signals)
    await clock.waitForSleepers(1)
    go(.cancelled, signals)
    #expect(await eventually { clock.sleeperCount == 0 })
    clock.advance(by: .seconds(1))
    #expect(heard.value == [])
  }
}
