import BlurtTestSupport
import Testing

@testable import BlurtEngine

@Suite(.timeLimit(.minutes(1))) struct DictationSessionUploadTests {
  static let unplugged = UnderlyingError(domain: .alsa, code: -19, message: "The device is gone.")

  @Test("S-58 the request opens while the key is held, as soon as the field is known, and gets the frames of before")
  func opensWhileHeld() async {
    let field = Gate()
    let rig = SessionRig()
    rig.focus.script { $0.fieldGate = field }
    let number = await rig.startRecording()
    await rig.clock.waitForSleeper(until: .milliseconds(500))
    #expect(rig.transcriber.calls.isEmpty)
    rig.microphone.capture(byteCount: 640)
    field.open()
    await rig.log.wait(for: "upload.open")
    #expect(rig.session.phaseChange == PhaseChange(phase: .recording, dictation: number))
    #expect(rig.transcriber.calls.first?.context?.priorText == "Dear Ada,")
    await rig.session.release()
    await rig.probe.waitForEnd(of: number)
    #expect(rig.transcriber.heardByteCount == 7_040)
    #expect(rig.transcriber.calls.count == 1)
  }

  @Test("S-58 S-59 S-153 after 500 ms the request opens with what the press knew; neither actor nor release waits")
  func budget() async throws {
    #expect(DictationSession.contextWaitBudget == .milliseconds(500))
    let field = Gate()
    let rig = SessionRig { $0.style = { _ in DictationStyle(name: "Mail", instructions: "Be formal.") } }
    rig.keyTerms.value = ["Ada"]
    await rig.dictate()
    rig.focus.script { $0.fieldGate = field }
    let number = await rig.startRecording()
    await rig.clock.waitForSleeper(until: .milliseconds(500))
    #expect(await rig.session.release() == .done)
    #expect(rig.session.phaseChange == PhaseChange(phase: .transcribing, dictation: number))
    rig.clock.advance(by: .milliseconds(499))
    #expect(rig.transcriber.calls.count == 1)
    rig.clock.advance(by: .milliseconds(1))
    #expect(await rig.probe.waitForEnd(of: number) == .pasted)
    let context = try #require(rig.transcriber.calls.last?.context)
    #expect(context.keyTerms == ["Ada"])
    #expect(context.recentTranscripts == ["Hello there."])
    #expect(context.styleInstructions == "Be formal.")
    #expect(context.appName == "Editor")
    #expect(context.priorText == nil && context.windowTitle == nil && !context.isSecureTarget)
    #expect(rig.transcriber.heardByteCount == 12_800)
    field.open()
  }

  @Test("S-60 a field that is read after the budget still serves the paste and the log")
  func lateField() async throws {
    let field = Gate()
    let transcribe = Gate()
    let rig = SessionRig()
    rig.focus.script { $0.fieldGate = field }
    rig.transcriber.script { $0.gate = transcribe }
    let number = await rig.startRecording()
    await rig.clock.waitForSleeper(until: .milliseconds(500))
    rig.clock.advance(by: .milliseconds(500))
    await rig.log.wait(for: "upload.open")
    #expect(rig.transcriber.calls.first?.context?.priorText == nil)
    await rig.session.release()
    field.open()
    #expect(await eventually { await rig.session.knownField?.value != nil })
    transcribe.open()
    #expect(await rig.probe.waitForEnd(of: number) == .pasted)
    let insert = try #require(rig.injector.inserts.first)
    #expect(insert.priorText == "Dear Ada,")
    #expect(insert.windowTitle == "Letter")
    #expect(rig.logged.value.first?.context.windowTitle == "Letter")
    #expect(await rig.session.recentDictations.count == 1)
  }

  @Test("S-61 a context without anything in it is passed as none")
  func emptyContext() async {
    let rig = SessionRig()
    rig.focus.script {
      $0.target = nil
      $0.field = nil
    }
    await rig.dictate()
    #expect(rig.transcriber.calls.map { $0.context == nil } == [true])
    // The history of the first dictation alone keeps the second context alive.
    await rig.dictate()
    #expect(rig.transcriber.calls.last?.context == TranscriptionContext(recentTranscripts: ["Hello there."]))
  }

  @Test("S-61 key terms alone, and a secure flag alone, keep a context alive")
  func aliveContext() async {
    let terms = SessionRig()
    terms.focus.script {
      $0.target = nil
      $0.field = nil
    }
    terms.keyTerms.value = ["Ada"]
    await terms.dictate()
    #expect(terms.transcriber.calls.map(\.context) == [TranscriptionContext(keyTerms: ["Ada"])])

    let secure = SessionRig()
    secure.focus.script {
      $0.target = nil
      $0.field = FocusedFieldContext(isSecure: true)
    }
    await secure.dictate()
    #expect(secure.transcriber.calls.map(\.context) == [TranscriptionContext(isSecureTarget: true)])
  }

  @Test("S-04 S-62 at a release the timer goes first, then the phase, then the microphone")
  func releaseOrder() async {
    let stop = Gate()
    let rig = SessionRig()
    rig.microphone.script { $0.stopGate = stop }
    let number = await rig.startRecording()
    await rig.clock.waitForSleeper(until: SyncSTTLimits.autoReleaseAfter)
    rig.session.submit(.release)
    await stop.waitUntilReached()
    #expect(rig.log.notes(at: "mic.stop") == ["transcribing"])
    #expect(!rig.clock.deadlines.contains(SyncSTTLimits.autoReleaseAfter))
    #expect(rig.session.phaseChange == PhaseChange(phase: .transcribing, dictation: number))
    stop.open()
    #expect(await rig.probe.waitForEnd(of: number) == .pasted)
  }

  @Test("S-17 S-63 a mic stop that throws abandons the upload and fails")
  func stopThrows() async {
    let rig = SessionRig()
    rig.microphone.script { $0.stopError = Self.unplugged }
    rig.transcriber.script { $0.gate = Gate() }
    let number = await rig.startRecording()
    await rig.log.wait(for: "upload.open")
    await rig.session.release()
    let failure = BlurtError.audioCaptureFailed(underlying: Self.unplugged)
    #expect(rig.session.phaseChange == PhaseChange(phase: .failed(failure), dictation: number))
    #expect(rig.log.count(of: "upload.cancelled") == 1)
    #expect(rig.failures.value.map(\.error) == [failure])
    #expect(rig.recording?.fates == [.failed(failure)])
  }

  @Test("S-01 S-64 under 3,200 bytes the upload is abandoned and the phase is idle, silently", arguments: [0, 3_198])
  func belowFloor(byteCount: Int) async {
    let rig = SessionRig()
    rig.microphone.script { $0.byteCount = byteCount }
    rig.transcriber.script { $0.gate = Gate() }
    let number = await rig.startRecording()
    await rig.log.wait(for: "upload.open")
    await rig.session.release()
    #expect(rig.session.phaseChange == PhaseChange(phase: .idle, dictation: number))
    #expect(rig.log.count(of: "upload.cancelled") == 1)
    #expect(rig.failures.value.isEmpty)
    #expect(rig.deliveries.value.isEmpty)
    #expect(rig.recording?.fates == [.belowFloor])
  }

  @Test("S-64 exactly 3,200 bytes are transcribed")
  func atTheFloor() async {
    let rig = SessionRig()
    rig.microphone.script { $0.byteCount = 3_200 }
    #expect(await rig.dictate() == .pasted)
  }

  @Test("S-64 a clip under the floor does not overwrite cancelled")
  func belowFloorCancelled() async {
    let stop = Gate()
    let rig = SessionRig()
    rig.microphone.script {
      $0.stopGate = stop
      $0.byteCount = 10
    }
    let number = await rig.startRecording()
    rig.session.submit(.release)
    await stop.waitUntilReached()
    rig.session.submit(.cancel)
    stop.open()
    await rig.session.release()
    #expect(await rig.probe.allPhases(of: number) == [.connecting, .recording, .transcribing, .cancelled])
  }

  @Test("S-01 S-65 a producer that refuses a short body ends in idle as well")
  func producerBelowFloor() async {
    let rig = SessionRig()
    rig.transcriber.script { $0.error = ClipBelowFloor() }
    #expect(await rig.dictate() == .idle)
    #expect(rig.failures.value.isEmpty)
    #expect(rig.deliveries.value.isEmpty)
    #expect(rig.recording?.fates == [.belowFloor])
  }

  @Test("S-66 a request that will not end does not touch the next utterance's")
  func lingeringUpload() async {
    let gate = Gate()
    let rig = SessionRig()
    rig.transcriber.script {
      $0.gate = gate
      $0.ignoresCancellation = true
    }
    _ = await rig.startRecording()
    await rig.session.release()
    await gate.waitUntilReached()
    await rig.session.cancel()
    rig.transcriber.script { $0 = .init() }
    let second = await rig.startRecording()
    await rig.log.wait(for: "upload.open", count: 2)
    gate.open()
    await rig.log.wait(for: "upload.done")
    await rig.session.release()
    #expect(await rig.probe.waitForEnd(of: second) == .pasted)
    #expect(rig.log.count(of: "upload.cancelled") == 1)
    #expect(rig.injector.inserts.count == 1)
  }

  @Test("S-18 S-67 a recording without a request fails instead of hanging, and is kept")
  func uploadNeverStarted() async {
    let rig = SessionRig()
    rig.focus.script { $0.fieldGate = Gate(isOpen: true) }
    let number = await rig.startRecording()
    await rig.session.abandonUpload()
    await rig.session.release()
    #expect(await rig.probe.waitForEnd(of: number) == .failed(.uploadNeverStarted))
    #expect(rig.recording?.fates == [.failed(.uploadNeverStarted)])
    #expect(BlurtError.uploadNeverStarted.underlying?.domain == .transcription)
    #expect(await rig.dictate() == .pasted)
  }

  @Test("S-67 a cancel wins over a request that never started")
  func uploadNeverStartedCancelled() async {
    let stop = Gate()
    let rig = SessionRig()
    rig.microphone.script { $0.stopGate = stop }
    let number = await rig.startRecording()
    await rig.session.abandonUpload()
    rig.session.submit(.release)
    await stop.waitUntilReached()
    rig.session.submit(.cancel)
    stop.open()
    await rig.session.release()
    #expect(rig.session.phaseChange == PhaseChange(phase: .cancelled, dictation: number))
    #expect(rig.failures.value.isEmpty)
  }

  @Test("S-68 B-116 a key held for 1,195 s is released by itself and yields its text")
  func autoRelease() async {
    #expect(SyncSTTLimits.autoReleaseAfter == .seconds(1_195))
    let rig = SessionRig()
    let number = await rig.startRecording()
    await rig.clock.waitForSleeper(until: .seconds(1_195))
    rig.clock.advance(by: .seconds(1_194))
    #expect(rig.session.phaseChange.phase == .recording)
    rig.clock.advance(by: .seconds(1))
    #expect(await rig.probe.waitForEnd(of: number) == .pasted)
    // The key goes up much later.
    #expect(await rig.session.release() == .ignored)
    #expect(rig.injector.inserts.count == 1)
  }

  @Test("S-68 a timer that fires too late does not end the next dictation")
  func lateTimer() async {
    let rig = SessionRig()
    let first = await rig.startRecording()
    await rig.session.cancel()
    let second = await rig.startRecording()
    rig.session.autoRelease(first)
    // Behind it in the queue: there is still a recording to recover.
    #expect(await rig.session.cancelRecording() == .done)
    #expect(rig.microphone.stopCount == 0)

    let third = await rig.startRecording()
    rig.session.autoRelease(third)
    #expect(await rig.probe.waitForEnd(of: third) == .pasted)
    #expect(await rig.probe.allPhases(of: second).last == .cancelled)
  }

  @Test("S-68 the timer is gone after a release, a cancel and a recovery cancel, and a new press has its own")
  func timerIsGone() async {
    let rig = SessionRig()
    let ends: [@Sendable (DictationSession) async -> CommandDecision] = [
      { await $0.release() }, { await $0.cancel() }, { await $0.cancelRecording() },
    ]
    for end in ends {
      let number = await rig.startRecording()
      let deadline = rig.clock.now.offset + SyncSTTLimits.autoReleaseAfter
      await rig.clock.waitForSleeper(until: deadline)
      #expect(await rig.session.isAutoReleaseArmed)
      #expect(await end(rig.session) == .done)
      #expect(await !rig.session.isAutoReleaseArmed)
      #expect(!rig.clock.deadlines.contains(deadline))
      await rig.probe.waitForEnd(of: number)
      rig.clock.advance(by: .seconds(600))
    }
  }

  @Test("S-69 two minutes and more are one request: the streaming cap is not the session's business")
  func longRecording() async {
    let rig = SessionRig()
    rig.microphone.script { $0.byteCount = 4_000_000 }
    #expect(await rig.dictate() == .pasted)
    #expect(rig.transcriber.calls.count == 1)
    #expect(rig.transcriber.heardByteCount == 4_000_000)
  }

  @Test("S-26 a device that vanishes in mid-recording keeps its words: the release still ends it")
  func deviceVanishes() async {
    let rig = SessionRig()
    let number = await rig.startRecording()
    rig.microphone.vanish()
    await rig.log.wait(for: "upload.ended")
    #expect(rig.session.phaseChange == PhaseChange(phase: .recording, dictation: number))
    await rig.session.release()
    #expect(await rig.probe.waitForEnd(of: number) == .pasted)
  }

  @Test("S-18 S-24 an early failure of the request surfaces at the release, not before")
  func earlyFailure() async {
    let rig = SessionRig()
    rig.transcriber.script { $0.error = BlurtError.apiKeyMissing }
    let number = await rig.startRecording()
    rig.microphone.vanish()
    await rig.log.wait(for: "upload.done")
    #expect(rig.session.phaseChange == PhaseChange(phase: .recording, dictation: number))
    await rig.session.release()
    #expect(await rig.probe.waitForEnd(of: number) == .failed(.apiKeyMissing))
  }

  @Test(
    "B-126 after a 429 or a 503 in the middle of an upload the release ends it, and the next press records",
    arguments: [429, 503])
  func refusedMidStream(status: Int) async {
    let rig = SessionRig()
    let failure = UnderlyingError(domain: .http, code: status, message: "m")
    rig.transcriber.script { $0.error = failure }
    let number = await rig.startRecording()
    rig.microphone.vanish()
    await rig.log.wait(for: "upload.done")
    await rig.session.release()
    // No clock is advanced: nothing is waited for.
    #expect(await rig.probe.waitForEnd(of: number) == .failed(.sttFailed(underlying: failure)))
    rig.transcriber.script { $0.error = nil }
    let next = await rig.startRecording()
    #expect(next > number)
    await rig.session.release()
    #expect(await rig.probe.waitForEnd(of: next) == .pasted)
  }
}
