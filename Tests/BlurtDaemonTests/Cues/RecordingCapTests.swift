import BlurtEngine
import BlurtTestSupport
import Testing

@testable import BlurtDaemon

@Suite(.timeLimit(.minutes(1))) struct RecordingCapTests {
  private let heard = Box<[String]>([])

  /// A session whose phases go to the cues and to a list, as they do in the daemon.
  private func follow(_ rig: SessionRig) -> (phases: Box<[PhaseChange]>, task: Task<Void, Never>) {
    let signals = RecordingSignals(
      clock: rig.clock, onBegan: { [heard] in heard.append("start \($0 ?? 0)") },
      onEnded: { [heard] in heard.append("stop \($0 ?? 0)") })
    let phases = Box<[PhaseChange]>([])
    let stream = rig.session.phaseStream()
    let task = Task {
      for await change in stream {
        signals.phaseChanged(change)
        phases.append(change)
      }
    }
    return (phases, task)
  }

  @Test(
    "B-113 S-68 a key that is held past the cap: one request with all of the sound, one paste, one stop cue, and its release later does nothing"
  )
  func heldPastTheCap() async throws {
    let rig = SessionRig()
    let transcribing = Gate()
    rig.transcriber.script { $0.gate = transcribing }
    let following = follow(rig)
    defer { following.task.cancel() }
    let number = await rig.startRecording()
    await rig.clock.waitForSleeper(until: RecordingEdges.patience)
    await rig.clock.waitForSleeper(until: SyncSTTLimits.autoReleaseAfter)
    rig.clock.advance(by: RecordingEdges.patience)
    try #require(await eventually { heard.value == ["start \(number)"] })
    rig.microphone.capture(byteCount: 64_000)
    rig.clock.advance(by: SyncSTTLimits.autoReleaseAfter - RecordingEdges.patience)
    await rig.probe.wait(for: .transcribing, of: number)
    // The key goes up while the words are on their way, and once more when they have come.
    #expect(await rig.session.release() == .ignored)
    transcribing.open()
    #expect(await rig.probe.waitForEnd(of: number) == .pasted)
    #expect(await rig.session.release() == .ignored)
    #expect(rig.microphone.openCount == 1 && rig.microphone.stopCount == 1 && !rig.microphone.isOpen)
    #expect(rig.transcriber.calls.count == 1)
    // What was said before the cap is all there.
    #expect(rig.transcriber.heardByteCount == 6_400 + 64_000)
    #expect(rig.injector.inserts.count == 1)
    #expect(rig.deliveries.value.count == 1)
    #expect(rig.failures.value.isEmpty)
    try #require(await eventually { following.phases.value.last?.phase == .pasted })
    #expect(heard.value == ["start \(number)", "stop \(number)"])
    // What a watcher is told: each phase once.
    let told = following.phases.value.filter { $0.dictation == number }.map(\.phase)
    #expect(told == [.connecting, .recording, .transcribing, .injecting, .pasted])
  }

  @Test("B-113 the next press after a recording that met its cap has a whole cap of its own")
  func nextPress() async throws {
    let rig = SessionRig()
    let first = await rig.startRecording()
    await rig.clock.waitForSleeper(until: SyncSTTLimits.autoReleaseAfter)
    rig.clock.advance(by: SyncSTTLimits.autoReleaseAfter)
    #expect(await rig.probe.waitForEnd(of: first) == .pasted)
    let second = await rig.startRecording()
    await rig.clock.waitForSleeper(until: SyncSTTLimits.autoReleaseAfter * 2)
    rig.clock.advance(by: SyncSTTLimits.autoReleaseAfter - .milliseconds(1))
    #expect(rig.session.phaseChange == PhaseChange(phase: .recording, dictation: second))
    #expect(await rig.session.release() == .done)
    #expect(await rig.probe.waitForEnd(of: second) == .pasted)
    #expect(rig.transcriber.calls.count == 2 && rig.injector.inserts.count == 2)
  }
}
