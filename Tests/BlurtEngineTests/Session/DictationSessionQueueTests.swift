import BlurtTestSupport
import Testing

@testable import BlurtEngine

@Suite(.timeLimit(.minutes(1))) struct DictationSessionQueueTests {
  @Test("S-29 a press behind a release waits until the microphone has stopped")
  func oneAfterTheOther() async {
    let stop = Gate()
    let rig = SessionRig()
    rig.microphone.script {
      $0.stopGate = stop
      $0.byteCount = 100
    }
    _ = await rig.startRecording()
    rig.session.submit(.release)
    await stop.waitUntilReached()
    let second = rig.submit(.press(key: nil))
    #expect(rig.microphone.startCount == 1)
    #expect(second.decisions.value.isEmpty)
    stop.open()
    await rig.probe.wait(for: .recording, of: second.number)
    #expect(second.decisions.value == [.started])
    #expect(rig.log.events.filter { $0.hasPrefix("mic.st") } == ["mic.start", "mic.stop", "mic.start"])
    await rig.session.cancel()
  }

  @Test("S-30 a thousand presses and recovery cancels from one thread keep their order: none passes the press it means")
  func recoveryOrder() async {
    let rig = SessionRig()
    let decisions = Box<[CommandDecision]>([])
    var presses: [UInt64] = []
    for _ in 0..<1_000 {
      presses.append(rig.session.submit(.press(key: nil)) { decisions.append($0) })
      rig.session.submit(.cancelRecording) { decisions.append($0) }
    }
    await rig.session.release()
    let expectedDecisions = (0..<1_000).flatMap { _ in [CommandDecision.started, .done] }
    #expect(decisions.value == expectedDecisions)
    #expect(rig.microphone.openCount == 1_000)
    #expect(rig.microphone.cancelCount == 1_000)
    #expect(!rig.microphone.isOpen)
    await rig.probe.wait(forChanges: 3_001)
    let expectedChanges = presses.flatMap { number in
      [PipelinePhase.connecting, .recording, .cancelled].map { PhaseChange(phase: $0, dictation: number) }
    }
    #expect(Array(rig.probe.changes.dropFirst()) == expectedChanges)
    #expect(rig.transcriber.calls.count <= 1_000)
    #expect(rig.injector.inserts.isEmpty)
  }

  @Test("S-29 S-30 S-42 a thousand presses and cancels from one thread leave no recording and keep their order")
  func cancelOrder() async {
    let rig = SessionRig()
    let decisions = Box<[UInt64: [CommandDecision]]>([:])
    var presses: [UInt64] = []
    for round in 0..<1_000 {
      let number = rig.session.submit(.press(key: nil)) { decision in
        decisions.update { $0[UInt64(round * 2 + 1), default: []].append(decision) }
      }
      presses.append(number)
      rig.session.submit(.cancel) { decision in
        decisions.update { $0[UInt64(round * 2 + 2), default: []].append(decision) }
      }
    }
    #expect(presses == Array(stride(from: 1, to: 2_000, by: 2)))
    #expect(await rig.session.release() == .ignored)
    #expect(rig.session.phaseChange == PhaseChange(phase: .cancelled, dictation: 1_999))
    #expect(!rig.microphone.isOpen)
    #expect(rig.microphone.openCount <= rig.microphone.cancelCount)
    for (index, number) in presses.enumerated() {
      #expect(decisions.value[number] == [.started], "press \(index)")
      #expect(decisions.value[number + 1] == [.done], "cancel \(index)")
    }
    await rig.probe.wait(forChanges: 2_001)
    let order = rig.probe.changes.compactMap(\.dictation)
    #expect(order == order.sorted())
    for number in presses {
      let phases = await rig.probe.allPhases(of: number)
      #expect(phases.first == .connecting && phases.last == .cancelled && phases.count <= 3)
    }
    #expect(rig.recordings.recordings.allSatisfy { $0.fates == [.cancelledByUser] })
    #expect(rig.injector.inserts.isEmpty)
    #expect(rig.failures.value.isEmpty)
  }

  @Test("S-31 session and injector are deallocatable after use, and the stream of phases ends with the session")
  func deallocation() async {
    weak var weakSession: DictationSession?
    weak var weakInjector: FakeInjector?
    let probe: PhaseProbe
    do {
      let injector = FakeInjector()
      let session = DictationSession(
        .init(microphone: FakeMicrophone(), transcriber: FakeTranscriber(), injector: injector))
      (weakSession, weakInjector) = (session, injector)
      probe = PhaseProbe(session.phaseStream())
      let number = session.submit(.press(key: nil))
      session.submit(.release)
      #expect(await probe.waitForEnd(of: number) == .pasted)
    }
    await probe.waitForTermination()
    let session = WeakReference(weakSession)
    let held = WeakReference(weakInjector)
    #expect(await eventually { session.isGone && held.isGone })
    withExtendedLifetime(probe) {}
  }

  @Test("S-31 a session that goes while it records closes the microphone, keeps the words, answers what is queued")
  func droppedWhileRecording() async {
    let start = Gate()
    let log = EventLog()
    let microphone = FakeMicrophone(log: log)
    let recordings = FakeRecordingStore()
    let press = Box<[CommandDecision]>([])
    let release = Box<[CommandDecision]>([])
    microphone.script { $0.startGate = start }
    do {
      let session = DictationSession(
        .init(
          microphone: microphone, transcriber: FakeTranscriber(), injector: FakeInjector(), recordings: recordings,
          clock: TestClock()))
      session.submit(.press(key: nil)) { press.append($0) }
      await start.waitUntilReached()
      session.submit(.release) { release.append($0) }
    }
    start.open()
    await log.wait(for: "mic.cancelCapture")
    #expect(await eventually { release.value == [.ignored] })
    #expect(press.value == [.started])
    #expect(await eventually { recordings.recordings.map(\.fates) == [[.recoveryCancelled]] })
    #expect(!microphone.isOpen)
  }

  @Test("S-33 a release during connecting waits behind the press and ends the new recording")
  func releaseWhileConnecting() async {
    let start = Gate()
    let rig = SessionRig()
    rig.microphone.script { $0.startGate = start }
    let number = rig.session.submit(.press(key: nil))
    await start.waitUntilReached()
    let release = rig.submit(.release)
    #expect(release.decisions.value.isEmpty)
    start.open()
    #expect(await rig.probe.waitForEnd(of: number) == .pasted)
    #expect(release.decisions.value == [.done])
    #expect(rig.microphone.stopCount == 1)
  }

  @Test("S-26 S-34 S-128 a release outside recording is a silent no-op")
  func strayRelease() async {
    let transcribe = Gate()
    let rig = SessionRig()
    rig.transcriber.script { $0.gate = transcribe }
    #expect(await rig.session.release() == .ignored)
    #expect(rig.session.phaseChange.phase == .idle)
    let number = await rig.startRecording()
    #expect(await rig.session.release() == .done)
    #expect(await rig.session.release() == .ignored)
    transcribe.open()
    #expect(await rig.probe.waitForEnd(of: number) == .pasted)
    #expect(await rig.session.release() == .ignored)
    #expect(rig.microphone.stopCount == 1)
    #expect(rig.failures.value.isEmpty)
  }

  @Test("S-28 a recovery cancel tears a live capture down and keeps its recording")
  func cancelRecording() async throws {
    let rig = SessionRig()
    let number = await rig.startRecording()
    await rig.log.wait(for: "upload.open")
    #expect(await rig.session.cancelRecording() == .done)
    #expect(await rig.probe.allPhases(of: number).last == .cancelled)
    #expect(!rig.microphone.isOpen)
    #expect(rig.recording?.fates == [.recoveryCancelled])
    let upload = try #require(rig.log.events.firstIndex(of: "upload.cancelled"))
    let capture = try #require(rig.log.events.firstIndex(of: "mic.cancelCapture"))
    #expect(upload < capture)
    #expect(await rig.dictate() == .pasted)
  }

  @Test("S-28 S-34 S-128 a recovery cancel at rest has nothing to act on")
  func strayCancelRecording() async {
    let rig = SessionRig()
    #expect(await rig.session.cancelRecording() == .ignored)
    #expect(rig.session.phaseChange.phase == .idle)
    #expect(await rig.dictate() == .pasted)
  }

  @Test("S-35 whatever ends a dictation, the next press works")
  func recovers() async {
    struct Refusal: Error {}
    let rig = SessionRig()
    let ends: [(PipelinePhase, @Sendable (SessionRig) -> Void)] = [
      (.failed(.capture(Refusal())), { $0.microphone.script { $0.startError = Refusal() } }),
      (.failed(.capture(Refusal())), { $0.microphone.script { $0.stopError = Refusal() } }),
      (.idle, { $0.microphone.script { $0.byteCount = 10 } }),
      (.idle, { $0.transcriber.script { $0.text = " \n" } }),
      (.failed(.transcription(Refusal())), { $0.transcriber.script { $0.error = Refusal() } }),
      (.noTarget, { $0.injector.script { $0.error = BlurtError.noEditableTarget } }),
      (.failed(.targetAppLost), { $0.injector.script { $0.error = Refusal() } }),
      (.failed(.apiKeyMissing), { $0.blocker.value = .apiKeyMissing }),
    ]
    for (end, prepare) in ends {
      prepare(rig)
      #expect(await rig.dictate() == end)
      rig.microphone.script { $0 = .init() }
      rig.transcriber.script { $0 = .init() }
      rig.injector.script { $0 = .init() }
      rig.blocker.value = nil
      #expect(await rig.dictate() == .pasted)
    }
  }

  @Test("S-79 every observer gets the present phase first, then each transition; leaving disturbs nobody")
  func observers() async {
    let rig = SessionRig()
    let number = await rig.startRecording()
    let late = PhaseProbe(rig.session.phaseStream())
    do {
      let leaving = PhaseProbe(rig.session.phaseStream())
      await leaving.wait(forChanges: 1)
    }
    await rig.session.release()
    await rig.probe.waitForEnd(of: number)
    await late.waitForEnd(of: number)
    #expect(late.phases == [.recording, .transcribing, .injecting, .pasted])
    #expect(rig.probe.phases == [.idle, .connecting, .recording, .transcribing, .injecting, .pasted])
  }

  @Test("S-12 one failure: every observer sees it once, and it is logged once")
  func oneFailure() async {
    let rig = SessionRig()
    let second = PhaseProbe(rig.session.phaseStream())
    rig.transcriber.script { $0.error = BlurtErrorTests.http }
    let number = rig.session.submit(.press(key: nil))
    rig.session.submit(.release)
    let failed = PipelinePhase.failed(.sttFailed(underlying: BlurtErrorTests.http))
    #expect(await rig.probe.waitForEnd(of: number) == failed)
    #expect(await second.waitForEnd(of: number) == failed)
    #expect(rig.probe.phases == second.phases)
    #expect(rig.probe.phases.count(where: { $0 == failed }) == 1)
    #expect(await eventually { rig.failures.value.count == 1 })
    #expect(rig.failures.value.first?.context?.appName == "Editor")
  }
}

/// A weak reference that may be asked from any task.
private final class WeakReference: Sendable {
  // Written once, before it is shared; a weak load is atomic.
  private nonisolated(unsafe) weak var object: AnyObject?

  init(_ object: AnyObject?) { self.object = object }

  var isGone: Bool { object == nil }
}
