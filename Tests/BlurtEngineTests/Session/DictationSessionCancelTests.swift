import BlurtTestSupport
import Testing

@testable import BlurtEngine

@Suite(.timeLimit(.minutes(1))) struct DictationSessionCancelTests {
  static let stuck = UnderlyingError(domain: .alsa, code: -5, message: "The device does not answer.")

  @Test("S-27 S-36 a cancel in transcribing takes effect inside submit, cancels the request, and nothing is pasted")
  func whileTranscribing() async {
    let gate = Gate()
    let rig = SessionRig()
    rig.transcriber.script { $0.gate = gate }
    let number = await rig.startRecording()
    await rig.session.release()
    await gate.waitUntilReached()
    let cancel = rig.submit(.cancel)
    #expect(rig.session.phaseChange == PhaseChange(phase: .cancelled, dictation: number))
    #expect(cancel.decisions.value == [.done])
    #expect(rig.log.count(of: "upload.cancelled") == 1)
    #expect(await rig.session.cancel() == .ignored)
    #expect(await rig.probe.allPhases(of: number) == [.connecting, .recording, .transcribing, .cancelled])
    #expect(rig.log.count(of: "insert") == 0)
    #expect(rig.deliveries.value.isEmpty)
    #expect(rig.recording?.fates == [.cancelledByUser])
  }

  @Test("S-09 S-36 a cancel in injecting cancels the paste inside submit")
  func whileInjecting() async {
    let gate = Gate()
    let rig = SessionRig()
    rig.injector.script { $0.gate = gate }
    let number = await rig.startRecording()
    await rig.session.release()
    await gate.waitUntilReached()
    rig.session.submit(.cancel)
    #expect(rig.session.phaseChange == PhaseChange(phase: .cancelled, dictation: number))
    #expect(rig.log.count(of: "insert.cancelled") == 1)
    await rig.log.wait(for: "insert.done")
    await rig.session.cancel()
    #expect(rig.injector.inserts.isEmpty)
    #expect(await rig.probe.allPhases(of: number).last == .cancelled)
    #expect(rig.failures.value.isEmpty)
    #expect(rig.recording?.fates == [.cancelledByUser])
  }

  @Test("S-37 S-42 a cancel in connecting reaches the starting microphone inside submit; recording is never published")
  func whileConnecting() async {
    let gate = Gate()
    let rig = SessionRig()
    rig.microphone.script { $0.startGate = gate }
    let number = rig.session.submit(.press(key: nil))
    await gate.waitUntilReached()
    let cancel = rig.submit(.cancel)
    #expect(rig.log.count(of: "mic.start.cancelled") == 1)
    #expect(rig.session.phaseChange == PhaseChange(phase: .cancelled, dictation: number))
    await rig.session.release()
    #expect(cancel.decisions.value == [.done])
    #expect(await rig.probe.allPhases(of: number) == [.connecting, .cancelled])
    #expect(!rig.microphone.isOpen)
    #expect(rig.microphone.openCount == 0)
    #expect(rig.recording?.fates == [.cancelledByUser])
    #expect(rig.failures.value.isEmpty)
  }

  @Test("S-37 S-55 a microphone that cannot be interrupted is closed when it comes up; the user does not wait for it")
  func stubbornMicrophone() async {
    let gate = Gate()
    let rig = SessionRig()
    rig.microphone.script {
      $0.startGate = gate
      $0.ignoresCancellation = true
    }
    let number = rig.session.submit(.press(key: nil))
    await gate.waitUntilReached()
    rig.session.submit(.cancel)
    #expect(rig.session.phaseChange.phase == .cancelled)
    let second = rig.submit(.press(key: nil))
    gate.open()
    await rig.probe.wait(for: .recording, of: second.number)
    #expect(await rig.probe.allPhases(of: number) == [.connecting, .cancelled])
    #expect(
      rig.log.events.filter { $0.hasPrefix("mic.") }
        == ["mic.start", "mic.live", "mic.cancelCapture", "mic.start", "mic.live"])
    await rig.session.cancel()
    #expect(rig.recordings.recordings.map(\.fates) == [[.cancelledByUser], [.cancelledByUser]])
  }

  @Test("S-55 S-56 a microphone that fails after the cancel is not a failure")
  func failsAfterCancel() async {
    let gate = Gate()
    let rig = SessionRig()
    rig.microphone.script {
      $0.startGate = gate
      $0.ignoresCancellation = true
      $0.startError = Self.stuck
    }
    let number = rig.session.submit(.press(key: nil))
    await gate.waitUntilReached()
    rig.session.submit(.cancel)
    gate.open()
    await rig.session.release()
    #expect(await rig.probe.allPhases(of: number) == [.connecting, .cancelled])
    #expect(rig.failures.value.isEmpty)
    #expect(rig.recording?.fates == [.cancelledByUser])
  }

  @Test("S-38 a cancel in recording abandons the upload first, then the capture")
  func whileRecording() async throws {
    let rig = SessionRig()
    let number = await rig.startRecording()
    await rig.log.wait(for: "upload.open")
    let upload = try #require(await rig.session.upload)
    rig.log.observe { upload.isCancelled ? "abandoned" : "open" }
    rig.session.submit(.cancel)
    #expect(rig.session.phaseChange == PhaseChange(phase: .cancelled, dictation: number))
    #expect(rig.log.count(of: "upload.cancelled") == 1)
    await rig.session.release()
    #expect(rig.log.notes(at: "mic.cancelCapture") == ["abandoned"])
    #expect(rig.microphone.stopCount == 0)
    #expect(!rig.microphone.isOpen)
    #expect(rig.recording?.fates == [.cancelledByUser])
  }

  @Test("S-39 a cancel during mic stop pastes nothing")
  func insideMicStop() async {
    let stop = Gate()
    let rig = SessionRig()
    rig.microphone.script { $0.stopGate = stop }
    let number = await rig.startRecording()
    await rig.log.wait(for: "upload.open")
    let release = rig.submit(.release)
    await stop.waitUntilReached()
    let cancel = rig.submit(.cancel)
    #expect(rig.session.phaseChange == PhaseChange(phase: .cancelled, dictation: number))
    #expect(rig.log.count(of: "upload.cancelled") == 1)
    stop.open()
    await rig.session.release()
    #expect(release.decisions.value == [.done])
    #expect(cancel.decisions.value == [.done])
    #expect(await rig.probe.allPhases(of: number) == [.connecting, .recording, .transcribing, .cancelled])
    #expect(rig.microphone.stopCount == 1)
    #expect(rig.microphone.cancelCount == 0)
    #expect(rig.log.count(of: "insert") == 0)
    #expect(rig.deliveries.value.isEmpty)
    #expect(rig.recording?.fates == [.cancelledByUser])
  }

  @Test("S-39 a cancel right behind a release wins, wherever the release stands")
  func behindARelease() async {
    let rig = SessionRig()
    // Never opened: the dictation cannot end before the cancel is submitted, however slow this thread is.
    rig.transcriber.script { $0.gate = Gate() }
    for _ in 0..<200 {
      let number = await rig.startRecording()
      rig.session.submit(.release)
      rig.session.submit(.cancel)
      #expect(rig.session.phaseChange == PhaseChange(phase: .cancelled, dictation: number))
      await rig.session.release()
      #expect(!rig.microphone.isOpen)
    }
    #expect(rig.log.count(of: "insert") == 0)
    #expect(rig.microphone.stopCount + rig.microphone.cancelCount == 200)
    #expect(rig.recordings.recordings.allSatisfy { $0.fates == [.cancelledByUser] })
  }

  @Test(
    "S-40 release and cancel queued during connecting: the cancel wins, the microphone is stopped once",
    arguments: [false, true])
  func bothQueued(isStubborn: Bool) async {
    let gate = Gate()
    let rig = SessionRig()
    rig.microphone.script {
      $0.startGate = gate
      $0.ignoresCancellation = isStubborn
    }
    let number = rig.session.submit(.press(key: nil))
    await gate.waitUntilReached()
    let release = rig.submit(.release)
    let cancel = rig.submit(.cancel)
    gate.open()
    await rig.session.release()
    #expect(await rig.probe.allPhases(of: number) == [.connecting, .cancelled])
    #expect(release.decisions.value == [.ignored])
    #expect(cancel.decisions.value == [.done])
    #expect(rig.microphone.stopCount + rig.microphone.cancelCount == 1)
    #expect(!rig.microphone.isOpen)
    #expect(rig.log.count(of: "insert") == 0)
  }

  @Test("S-27 S-41 S-128 a cancel at rest does nothing and leaves nothing behind")
  func atRest() async {
    let rig = SessionRig()
    #expect(await rig.session.cancel() == .ignored)
    #expect(rig.session.phaseChange.phase == .idle)
    #expect(await rig.dictate() == .pasted)
    #expect(await rig.session.cancel() == .ignored)
    #expect(rig.session.phaseChange.phase == .pasted)
    // Before its press, not after it: whatever the queue does, the press lives.
    rig.session.submit(.cancel)
    let number = await rig.startRecording()
    #expect(rig.session.phaseChange == PhaseChange(phase: .recording, dictation: number))
    await rig.session.cancel()
  }

  @Test("S-42 a cancel reaches a press that is still queued: it ends before the microphone is touched")
  func queuedPress() async {
    let gate = Gate()
    let rig = SessionRig()
    rig.microphone.script {
      $0.startGate = gate
      $0.ignoresCancellation = true
    }
    let first = rig.session.submit(.press(key: nil))
    await gate.waitUntilReached()
    let filler = rig.submit(.cancelRecording)
    let second = rig.submit(.press(key: nil))
    let cancel = rig.submit(.cancel)
    let third = rig.submit(.press(key: nil))
    gate.open()
    await rig.probe.wait(for: .recording, of: third.number)
    #expect(await rig.probe.allPhases(of: first) == [.connecting, .cancelled])
    #expect(await rig.probe.allPhases(of: second.number) == [.connecting, .cancelled])
    #expect(rig.microphone.startCount == 2)
    #expect(filler.decisions.value == [.ignored])
    #expect(second.decisions.value == [.started])
    #expect(cancel.decisions.value == [.done])
    await rig.session.cancel()
    // Each accepted press has its end, also the one that never touched the microphone.
    #expect(rig.ends.value.map(\.dictation) == [first, second.number, third.number])
    #expect(rig.ends.value.allSatisfy { $0.fate == .cancelledByUser })
  }

  @Test("S-36 S-42 release, press and cancel in one breath: no second capture over the first, nothing left open")
  func inOneBreath() async {
    let rig = SessionRig()
    // Never opened: the dictation cannot end before the cancel is submitted, however slow this thread is.
    rig.transcriber.script { $0.gate = Gate() }
    for _ in 0..<200 {
      let first = await rig.startRecording()
      rig.session.submit(.release)
      let second = rig.submit(.press(key: nil))
      rig.session.submit(.cancel)
      await rig.session.release()
      #expect(!rig.microphone.isOpen)
      #expect(rig.session.phaseChange.phase == .cancelled)
      let decisions = second.decisions.value
      #expect(decisions == [.busy] || decisions == [.started])
      if rig.session.phaseChange.dictation != first { #expect(decisions == [.started]) }
    }
    #expect(rig.microphone.startCount == 200)
    #expect(rig.log.count(of: "insert") == 0)
  }

  @Test("S-43 a cancel that aborted a bring-up is spent: the next press is not cancelled")
  func spent() async {
    let gate = Gate()
    let rig = SessionRig()
    rig.microphone.script { $0.startGate = gate }
    rig.session.submit(.press(key: nil))
    await gate.waitUntilReached()
    rig.session.submit(.cancel)
    rig.microphone.script { $0.startGate = nil }
    #expect(await rig.dictate() == .pasted)
  }

  @Test("S-44 a capture that cannot be discarded is logged; the phase stays cancelled")
  func cancelThrows() async {
    let rig = SessionRig()
    rig.microphone.script { $0.cancelError = Self.stuck }
    let number = await rig.startRecording()
    #expect(await rig.session.cancel() == .done)
    #expect(rig.session.phaseChange == PhaseChange(phase: .cancelled, dictation: number))
    #expect(rig.failures.value.map(\.error) == [.audioCaptureFailed(underlying: Self.stuck)])
    #expect(rig.failures.value.map(\.dictation) == [number])
    #expect(rig.recording?.fates == [.cancelledByUser])
    rig.microphone.script { $0.cancelError = nil }
    #expect(await rig.dictate() == .pasted)
  }

  @Test("S-45 a mic stop that throws after a cancel is suppressed")
  func stopThrows() async {
    let stop = Gate()
    let rig = SessionRig()
    rig.microphone.script {
      $0.stopGate = stop
      $0.stopError = Self.stuck
    }
    let number = await rig.startRecording()
    rig.session.submit(.release)
    await stop.waitUntilReached()
    rig.session.submit(.cancel)
    stop.open()
    await rig.session.release()
    #expect(rig.session.phaseChange == PhaseChange(phase: .cancelled, dictation: number))
    #expect(rig.failures.value.isEmpty)
    #expect(rig.recording?.fates == [.cancelledByUser])
  }

  @Test("S-46 an insert that returns after the cancel does not turn it into pasted")
  func insertReturns() async {
    let gate = Gate()
    let rig = SessionRig()
    rig.injector.script {
      $0.gate = gate
      $0.ignoresCancellation = true
    }
    let number = await rig.startRecording()
    await rig.session.release()
    await gate.waitUntilReached()
    await rig.session.cancel()
    gate.open()
    await rig.log.wait(for: "insert.done")
    // A second dictation proves that the first one's end has come and gone.
    #expect(await rig.dictate() == .pasted)
    #expect(rig.injector.inserts.count == 2)
    #expect(await rig.probe.allPhases(of: number) == [.connecting, .recording, .transcribing, .injecting, .cancelled])
    #expect(rig.recording?.fates == [.cancelledByUser])
  }

  @Test("S-46 S-70 an answer, or a fault, that comes after the cancel is ignored entirely", arguments: [false, true])
  func answerReturns(isFault: Bool) async {
    let gate = Gate()
    let rig = SessionRig()
    rig.transcriber.script {
      $0.gate = gate
      $0.ignoresCancellation = true
      $0.error = isFault ? Self.stuck : nil
    }
    let number = await rig.startRecording()
    await rig.session.release()
    await gate.waitUntilReached()
    await rig.session.cancel()
    gate.open()
    await rig.log.wait(for: "upload.done")
    rig.transcriber.script { $0 = .init() }
    #expect(await rig.dictate() == .pasted)
    #expect(await rig.probe.allPhases(of: number) == [.connecting, .recording, .transcribing, .cancelled])
    #expect(rig.failures.value.isEmpty)
    #expect(rig.deliveries.value.count == 1)
    #expect(rig.logged.value.count == 1)
    #expect(await rig.session.recentDictations.count == 1)
    #expect(rig.injector.inserts.count == 1)
  }

  @Test("S-46 an insert that throws after the cancel is not a failure")
  func insertThrows() async {
    let gate = Gate()
    let rig = SessionRig()
    rig.injector.script {
      $0.gate = gate
      $0.ignoresCancellation = true
      $0.error = BlurtError.accessibilityPermissionMissing
    }
    let number = await rig.startRecording()
    await rig.session.release()
    await gate.waitUntilReached()
    await rig.session.cancel()
    gate.open()
    await rig.log.wait(for: "insert.done")
    rig.injector.script { $0 = .init() }
    #expect(await rig.dictate() == .pasted)
    #expect(await rig.probe.allPhases(of: number).last == .cancelled)
    #expect(rig.failures.value.isEmpty)
  }

  @Test("S-47 a recovery cancel behind a queued release does not hurt it")
  func recoveryBehindRelease() async {
    let gate = Gate()
    let rig = SessionRig()
    rig.microphone.script { $0.startGate = gate }
    let number = rig.session.submit(.press(key: nil))
    await gate.waitUntilReached()
    rig.session.submit(.release)
    let recovery = rig.submit(.cancelRecording)
    gate.open()
    #expect(await rig.probe.waitForEnd(of: number) == .pasted)
    #expect(await eventually { recovery.decisions.value == [.ignored] })
    #expect(rig.microphone.cancelCount == 0)
  }

  @Test("S-47 a recovery cancel in transcribing and in injecting has no effect")
  func recoveryTooLate() async {
    let transcribe = Gate()
    let insert = Gate()
    let rig = SessionRig()
    rig.transcriber.script { $0.gate = transcribe }
    rig.injector.script { $0.gate = insert }
    let number = await rig.startRecording()
    await rig.session.release()
    await transcribe.waitUntilReached()
    #expect(await rig.session.cancelRecording() == .ignored)
    transcribe.open()
    await insert.waitUntilReached()
    #expect(await rig.session.cancelRecording() == .ignored)
    insert.open()
    #expect(await rig.probe.waitForEnd(of: number) == .pasted)
    #expect(rig.log.count(of: "upload.cancelled") == 0)
    #expect(rig.injector.inserts.count == 1)
  }

  @Test("S-48 a press that has finished does not disarm the cancel of a newer one")
  func ownHandle() async {
    let gate = Gate()
    let rig = SessionRig()
    _ = await rig.startRecording()
    await rig.session.cancel()
    rig.microphone.script { $0.startGate = gate }
    let second = rig.session.submit(.press(key: nil))
    await gate.waitUntilReached()
    rig.session.submit(.cancel)
    #expect(rig.log.count(of: "mic.start.cancelled") == 1)
    #expect(rig.session.phaseChange == PhaseChange(phase: .cancelled, dictation: second))
    #expect(await rig.session.release() == .ignored)
  }

  @Test("S-36 a hook may cancel: nothing is pasted after it")
  func cancelFromHook() async {
    let session = Box<DictationSession?>(nil)
    let rig = SessionRig { dependencies in
      dependencies.onDelivery = { _ in session.value?.submit(.cancel) }
    }
    session.value = rig.session
    let number = await rig.startRecording()
    await rig.session.release()
    #expect(await rig.probe.waitForEnd(of: number) == .cancelled)
    await rig.session.cancel()
    #expect(rig.log.count(of: "insert") == 0)
    #expect(rig.recording?.fates == [.cancelledByUser])
    session.value = nil
  }

  @Test("S-70 a cancel while shortcuts are expanded stops everything that would follow")
  func cancelWhileExpanding() async {
    let session = Box<DictationSession?>(nil)
    let rig = SessionRig { dependencies in
      dependencies.expandShortcuts = { text in
        session.value?.submit(.cancel)
        return text
      }
    }
    session.value = rig.session
    let number = await rig.startRecording()
    await rig.session.release()
    #expect(await rig.probe.waitForEnd(of: number) == .cancelled)
    await rig.session.cancel()
    #expect(rig.deliveries.value.isEmpty)
    #expect(rig.logged.value.isEmpty)
    #expect(await rig.session.recentDictations.isEmpty)
    #expect(rig.recording?.fates == [.cancelledByUser])
    session.value = nil
  }
}
