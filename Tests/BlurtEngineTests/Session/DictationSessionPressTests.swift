import BlurtTestSupport
import Testing

@testable import BlurtEngine

@Suite(.timeLimit(.minutes(1))) struct DictationSessionPressTests {
  static let busyDevice = UnderlyingError(domain: .alsa, code: -16, message: "The device is busy.")

  @Test("S-01 a session starts idle, before any press")
  func start() async {
    let rig = SessionRig()
    #expect(await rig.session.phase == .idle)
    #expect(rig.session.phaseChange == PhaseChange(phase: .idle, dictation: nil))
    #expect(rig.log.events.isEmpty)
  }

  @Test("S-02 S-03 S-04 S-05 S-06 S-25 S-26 a dictation walks through every phase, in order, and is pasted")
  func wholeDictation() async {
    let rig = SessionRig()
    let press = rig.submit(.press(key: 97))
    await rig.probe.wait(for: .recording, of: press.number)
    let release = rig.submit(.release)
    await rig.probe.waitForEnd(of: press.number)
    #expect(rig.probe.phases == [.idle, .connecting, .recording, .transcribing, .injecting, .pasted])
    #expect(await rig.probe.allPhases(of: press.number).count == 5)
    #expect(rig.injector.inserts.map(\.text) == ["Hello there."])
    #expect(press.decisions.value == [.started])
    #expect(release.decisions.value == [.done])
    #expect(!rig.microphone.isOpen)
  }

  @Test("S-32 S-49 S-125 a press in any phase that is not terminal is dropped; the microphone starts once")
  func secondPress() async {
    let start = Gate()
    let transcribe = Gate()
    let insert = Gate()
    let rig = SessionRig()
    rig.microphone.script { $0.startGate = start }
    rig.transcriber.script { $0.gate = transcribe }
    rig.injector.script { $0.gate = insert }

    func pressAgain() async -> CommandDecision { await rig.session.press() }
    let number = rig.session.submit(.press(key: nil))
    await start.waitUntilReached()
    #expect(await pressAgain() == .busy)
    start.open()
    await rig.probe.wait(for: .recording, of: number)
    #expect(await pressAgain() == .busy)
    await rig.session.release()
    #expect(await pressAgain() == .busy)
    transcribe.open()
    await insert.waitUntilReached()
    #expect(await pressAgain() == .busy)
    insert.open()
    #expect(await rig.probe.waitForEnd(of: number) == .pasted)
    #expect(rig.microphone.startCount == 1)
    #expect(rig.injector.inserts.count == 1)
    #expect(rig.probe.changes.allSatisfy { $0.dictation == nil || $0.dictation == number })
  }

  @Test("S-08 S-15 S-50 S-104 a refused press touches nothing, is logged once without context, and is asked again")
  func refused() async {
    let rig = SessionRig()
    rig.blocker.value = .apiKeyMissing
    let refused = rig.submit(.press(key: nil))
    #expect(await rig.probe.waitForEnd(of: refused.number) == .failed(.apiKeyMissing))
    #expect(await rig.probe.allPhases(of: refused.number) == [.failed(.apiKeyMissing)])
    #expect(await eventually { refused.decisions.value == [.refused(.apiKeyMissing)] })
    #expect(rig.log.events == ["readiness"])
    #expect(
      rig.failures.value == [
        DictationFailure(error: .apiKeyMissing, dictation: refused.number, context: nil, at: SessionRig.now)
      ])

    rig.blocker.value = nil
    #expect(await rig.dictate() == .pasted)
    #expect(rig.log.count(of: "readiness") == 2)
    #expect(rig.failures.value.count == 1)
  }

  @Test("S-51 S-123 S-124 a press at rest is answered inside submit, before an observer or the microphone is woken")
  func answeredAtOnce() async {
    let rig = SessionRig()
    let seen = Box<[String]>([])
    let number = rig.session.submit(.press(key: nil)) { [rig] decision in
      // The observer's stream is filled after this; the microphone's turn comes after this.
      seen.append("\(decision) \(rig.session.phaseChange.phase) \(rig.log.events)")
    }
    #expect(seen.value == [#"started connecting ["readiness"]"#])
    await rig.probe.wait(for: .recording, of: number)
    #expect(seen.value.count == 1)
    #expect(rig.log.count(of: "readiness") == 1)
    await rig.session.cancel()
  }

  @Test("S-50 S-104 a press at rest that is refused is answered and logged inside submit")
  func refusedAtOnce() async {
    let rig = SessionRig()
    rig.blocker.value = .apiKeyMissing
    let refused = rig.submit(.press(key: nil))
    #expect(refused.decisions.value == [.refused(.apiKeyMissing)])
    #expect(rig.failures.value.map(\.dictation) == [refused.number])
    #expect(await rig.session.press() == .refused(.apiKeyMissing))
    #expect(await rig.probe.allPhases(of: refused.number) == [.failed(.apiKeyMissing)])
    #expect(rig.microphone.startCount == 0)
  }

  @Test("S-29 S-124 a press behind a cancel is answered at once; the microphone comes up when the old one is closed")
  func behindATeardown() async {
    let close = Gate()
    let rig = SessionRig()
    rig.microphone.script { $0.cancelGate = close }
    _ = await rig.startRecording()
    rig.session.submit(.cancel)
    await close.waitUntilReached()
    let second = rig.submit(.press(key: nil))
    #expect(second.decisions.value == [.started])
    #expect(rig.session.phaseChange == PhaseChange(phase: .connecting, dictation: second.number))
    let third = rig.submit(.press(key: nil))
    #expect(third.decisions.value == [.busy])
    #expect(rig.microphone.startCount == 1)
    close.open()
    await rig.probe.wait(for: .recording, of: second.number)
    #expect(
      rig.log.events.filter { $0.hasPrefix("mic.") }
        == ["mic.start", "mic.live", "mic.cancelCapture", "mic.start", "mic.live"])
    await rig.session.cancel()
  }

  @Test("S-30 S-79 a command that another thread submits while a press is answered keeps its place behind it")
  func handedOnByAnother() async {
    let rig = SessionRig()
    let release = Box<[CommandDecision]>([])
    let number = rig.session.submit(.press(key: nil)) { [rig] _ in
      // As another thread would, at the worst moment: numbered, answered, and not handed on yet.
      rig.session.submit(.release) { release.append($0) }
    }
    #expect(await rig.probe.waitForEnd(of: number) == .pasted)
    #expect(release.value == [.done])
    #expect(
      await rig.probe.allPhases(of: number) == [.connecting, .recording, .transcribing, .injecting, .pasted])
  }

  @Test("S-36 S-42 a cancel while a press is answered ends it: connecting is seen first, the microphone stays shut")
  func cancelledWhileAnswered() async {
    let rig = SessionRig()
    let number = rig.session.submit(.press(key: nil)) { [rig] _ in rig.session.submit(.cancel) }
    #expect(rig.session.phaseChange == PhaseChange(phase: .cancelled, dictation: number))
    await rig.session.release()
    #expect(await rig.probe.allPhases(of: number) == [.connecting, .cancelled])
    #expect(rig.microphone.startCount == 0)
    #expect(rig.ends.value == [SessionRig.End(dictation: number, fate: .cancelledByUser)])
  }

  @Test("S-79 an observer that comes while a press is answered sees each phase once")
  func observedWhileAnswered() async {
    let rig = SessionRig()
    let probe = Box<PhaseProbe?>(nil)
    let number = rig.session.submit(.press(key: nil)) { [rig] _ in
      probe.value = PhaseProbe(rig.session.phaseStream())
    }
    await probe.value?.wait(for: .recording, of: number)
    #expect(probe.value?.phases == [.connecting, .recording])
    await rig.probe.wait(for: .recording, of: number)
    #expect(rig.probe.phases(of: number) == [.connecting, .recording])
    await rig.session.cancel()
  }

  @Test("S-32 S-50 of presses from many threads at rest one starts, the others are busy, and each is decided once")
  func stampede() async {
    let rig = SessionRig()
    for _ in 0..<50 {
      let decisions = Box<[CommandDecision]>([])
      await withTaskGroup { group in
        for _ in 0..<8 {
          group.addTask { _ = rig.session.submit(.press(key: nil)) { decisions.append($0) } }
        }
      }
      await rig.session.cancel()
      #expect(decisions.value.count == 8)
      #expect(decisions.value.count { $0 == .started } == 1)
      #expect(decisions.value.count { $0 == .busy } == 7)
      await rig.session.release()
    }
    #expect(!rig.microphone.isOpen)
  }

  @Test("S-02 S-51 S-124 connecting is claimed, and the press acked, before the microphone or the network is touched")
  func claimedFirst() async {
    let rig = SessionRig()
    let gate = Gate()
    rig.microphone.script { $0.startGate = gate }
    let phaseAtDecision = Box<[String]>([])
    let number = rig.session.submit(.press(key: nil)) { [session = rig.session] decision in
      phaseAtDecision.append("\(decision) in \(session.phaseChange.phase.name)")
    }
    await gate.waitUntilReached()
    await rig.log.wait(for: "warmUp")
    #expect(phaseAtDecision.value == ["started in connecting"])
    #expect(rig.log.events.first == "readiness")
    for event in ["recording.begin", "mic.start", "warmUp"] {
      #expect(rig.log.notes(at: event) == ["connecting"], "\(event)")
    }
    gate.open()
    await rig.probe.wait(for: .recording, of: number)
    await rig.session.cancel()
  }

  @Test("S-52 a warm-up that hangs holds up nothing")
  func warmUpHangs() async {
    let gate = Gate()
    let rig = SessionRig()
    rig.transcriber.script { $0.warmUpGate = gate }
    #expect(await rig.dictate() == .pasted)
    #expect(await rig.dictate() == .pasted)
    #expect(rig.log.count(of: "warmUp") == 2)
    gate.open()
  }

  @Test("S-53 the microphone starts while the focus is still asked, and the other way round")
  func concurrent() async {
    let target = Gate()
    let start = Gate()
    let rig = SessionRig()
    rig.focus.script { $0.targetGate = target }
    let first = await rig.startRecording()
    #expect(rig.log.count(of: "injector.target Editor") == 0)
    target.open()
    await rig.log.wait(for: "injector.target Editor")
    await rig.session.cancel()
    #expect(await rig.probe.allPhases(of: first).last == .cancelled)

    rig.microphone.script { $0.startGate = start }
    let second = rig.session.submit(.press(key: nil))
    await start.waitUntilReached()
    await rig.log.wait(for: "injector.target Editor", count: 2)
    #expect(rig.session.phaseChange == PhaseChange(phase: .connecting, dictation: second))
    start.open()
    await rig.probe.wait(for: .recording, of: second)
    await rig.session.cancel()
  }

  @Test("S-25 S-54 each press reads target, key terms, history and the style of its key anew")
  func context() async throws {
    let rig = SessionRig {
      $0.style = { key in key == 97 ? DictationStyle(name: "Mail", instructions: "Be formal.") : nil }
    }
    rig.keyTerms.value = ["Ada"]
    #expect(await rig.dictate(key: 97) == .pasted)
    rig.keyTerms.value = ["Grace"]
    rig.focus.script { $0.target = CapturedFocus(processID: 1, name: "Terminal") }
    #expect(await rig.dictate() == .pasted)

    let contexts = rig.transcriber.calls.compactMap(\.context)
    try #require(contexts.count == 2)
    #expect(contexts.map(\.appName) == ["Editor", "Terminal"])
    #expect(contexts.map(\.keyTerms) == [["Ada"], ["Grace"]])
    #expect(contexts.map(\.styleInstructions) == ["Be formal.", nil])
    #expect(contexts.map(\.recentTranscripts) == [[], ["Hello there."]])
    #expect(contexts.map(\.priorText) == ["Dear Ada,", "Dear Ada,"])
    #expect(rig.injector.inserts.map { $0.target?.name } == ["Editor", "Terminal"])
    #expect(rig.transcriber.calls.map(\.sampleRate) == [16_000, 16_000])
  }

  @Test("S-54 S-153 a hung field read blocks neither its own press nor the next")
  func hungField() async {
    let gate = Gate()
    let rig = SessionRig()
    rig.focus.script { $0.fieldGate = gate }
    let first = await rig.startRecording()
    await rig.session.cancel()
    #expect(await rig.probe.allPhases(of: first) == [.connecting, .recording, .cancelled])
    let second = await rig.startRecording()
    await rig.session.cancel()
    #expect(await rig.probe.allPhases(of: second) == [.connecting, .recording, .cancelled])
    gate.open()
  }

  @Test("S-54 a hung question for the target blocks no dictation; the text goes where the focus is")
  func hungTarget() async {
    let gate = Gate()
    let rig = SessionRig()
    rig.focus.script { $0.targetGate = gate }
    let number = await rig.startRecording()
    await rig.clock.waitForSleeper(until: DictationSession.contextWaitBudget)
    rig.clock.advance(by: DictationSession.contextWaitBudget)
    await rig.session.release()
    #expect(await rig.probe.waitForEnd(of: number) == .pasted)
    #expect(rig.injector.inserts.map(\.target) == [nil])
    gate.open()
  }

  @Test("S-54 a target that is learned too late does not become the target of the next press")
  func lateTarget() async {
    let gate = Gate()
    let rig = SessionRig()
    rig.focus.script { $0.targetGate = gate }
    _ = await rig.startRecording()
    await rig.session.cancel()
    rig.focus.script {
      $0.targetGate = nil
      $0.target = CapturedFocus(processID: 2, name: "Second")
    }
    _ = await rig.startRecording()
    await rig.log.wait(for: "focus.field")
    gate.open()
    // The first worker asks for its field only after it has tried to set its target.
    await rig.log.wait(for: "focus.field", count: 2)
    #expect(rig.injector.target?.name == "Second")
    #expect(rig.log.count(of: "injector.target Editor") == 0)
    await rig.session.cancel()
  }

  @Test("S-08 S-17 S-22 S-35 S-56 a microphone that fails ends the press in audioCaptureFailed; the next press works")
  func captureFails() async {
    let rig = SessionRig()
    rig.microphone.script { $0.startError = Self.busyDevice }
    let number = rig.session.submit(.press(key: nil))
    rig.session.submit(.release)
    let failure = BlurtError.audioCaptureFailed(underlying: Self.busyDevice)
    #expect(await rig.probe.waitForEnd(of: number) == .failed(failure))
    #expect(await rig.probe.allPhases(of: number) == [.connecting, .failed(failure)])
    #expect(await eventually { rig.failures.value.map(\.error) == [failure] })
    #expect(rig.transcriber.calls.isEmpty)

    rig.microphone.script { $0.startError = nil }
    #expect(await rig.dictate() == .pasted)
    #expect(rig.failures.value.count == 1)
  }

  @Test("S-09 S-56 a microphone that ends its start by a cancellation is cancelled, not failed, and not logged")
  func captureCancelsItself() async {
    let rig = SessionRig()
    rig.microphone.script { $0.startError = CancellationError() }
    let number = rig.session.submit(.press(key: nil))
    #expect(await rig.probe.waitForEnd(of: number) == .cancelled)
    #expect(await rig.session.release() == .ignored)
    #expect(rig.failures.value.isEmpty)
    #expect(rig.recording?.fates == [.cancelledByUser])
  }

  @Test("S-57 S-58 once frames flow: recording, then the request, then the timer")
  func afterTheStart() async {
    let rig = SessionRig()
    let number = rig.session.submit(.press(key: nil))
    await rig.log.wait(for: "upload.open")
    #expect(rig.log.notes(at: "mic.live") == ["connecting"])
    #expect(rig.log.notes(at: "upload.open") == ["recording"])
    await rig.clock.waitForSleeper(until: SyncSTTLimits.autoReleaseAfter)
    #expect(await rig.session.isAutoReleaseArmed)
    #expect(rig.session.phaseChange == PhaseChange(phase: .recording, dictation: number))
    await rig.session.cancel()
  }

  @Test("S-152 with stubbed seams a press is pasted within 500 ms")
  func quick() async {
    let rig = SessionRig()
    await rig.dictate()
    // The best of a few: on a loaded machine one may wait for its turn on a core.
    var best = Duration.seconds(60)
    for _ in 0..<5 {
      let start = ContinuousClock.now
      #expect(await rig.dictate() == .pasted)
      best = min(best, ContinuousClock.now - start)
    }
    #expect(best < .milliseconds(500))
  }

  @Test("S-154 every wait and every time stamp comes from outside")
  func injectedTime() async {
    let gate = Gate()
    let rig = SessionRig()
    rig.focus.script { $0.fieldGate = gate }
    let number = await rig.startRecording()
    await rig.clock.waitForSleepers(2)
    #expect(rig.clock.deadlines == [.milliseconds(500), .seconds(1_195)])
    gate.open()
    await rig.session.release()
    await rig.probe.waitForEnd(of: number)
    #expect(await eventually { rig.clock.sleeperCount == 0 })
    #expect(rig.logged.value.map(\.at) == [SessionRig.now])
    #expect(await rig.session.recentDictations.map(\.at) == [SessionRig.now])
  }
}
