import BlurtTestSupport
import Testing

@testable import BlurtEngine

@Suite(.timeLimit(.minutes(1))) struct DictationSessionDeliveryTests {
  struct Oddity: Error {}

  static let styled = DictationStyle(name: "Mail", instructions: "Be formal.")

  private func expandingRig() -> SessionRig {
    let rig = SessionRig {
      $0.expandShortcuts = { $0.replacing("btw", with: "by the way") }
      $0.style = { _ in Self.styled }
    }
    rig.transcriber.script { $0.text = " btw, hello \n" }
    return rig
  }

  @Test("S-71 S-76 the expanded text is pasted, with the text before the caret and the window's title")
  func expanded() async {
    let rig = expandingRig()
    #expect(await rig.dictate() == .pasted)
    #expect(rig.log.notes(at: "insert") == ["injecting"])
    #expect(
      rig.injector.inserts == [
        FakeInjector.Insert(
          text: " by the way, hello \n", priorText: "Dear Ada,", windowTitle: "Letter",
          target: CapturedFocus(processID: 42, name: "Editor", windowID: 7, windowClass: "Editor"))
      ])
  }

  @Test("an insert is expected from key-up to the end of the dictation, whatever that is, and never before")
  func expected() async {
    let rig = SessionRig()
    #expect(await rig.dictate() == .pasted)
    let steps = ["injector.expect", "insert", "insert.done", "injector.relax"]
    #expect(rig.log.events.filter(steps.contains) == steps)
    let silent = SessionRig()
    silent.transcriber.script { $0.text = "" }
    #expect(await silent.dictate() == .idle)
    #expect(silent.log.events.filter(steps.contains) == ["injector.expect", "injector.relax"])
    let cancelled = SessionRig()
    await cancelled.session.press()
    await cancelled.session.cancel()
    #expect(cancelled.log.count(of: "injector.expect") == 0)
    #expect(cancelled.log.count(of: "injector.relax") == 1)
  }

  @Test(
    "S-01 S-72 a text that trims to nothing leaves no trace: idle, no log line, no history, no delivery",
    arguments: ["", " ", "\n\t\u{A0}", "gone"])
  func blank(_ text: String) async {
    let rig = SessionRig { $0.expandShortcuts = { $0.replacing("gone", with: " ") } }
    rig.transcriber.script { $0.text = text }
    #expect(await rig.dictate() == .idle)
    #expect(rig.logged.value.isEmpty)
    #expect(rig.deliveries.value.isEmpty)
    #expect(rig.failures.value.isEmpty)
    #expect(rig.log.count(of: "insert") == 0)
    #expect(await rig.session.recentDictations.isEmpty)
    #expect(rig.recording?.fates == [.blank])
  }

  @Test("S-73 the log line has the engine's own words and what was sent")
  func logged() async throws {
    let rig = expandingRig()
    rig.keyTerms.value = ["Ada"]
    await rig.dictate()
    let entry = try #require(rig.logged.value.first)
    #expect(rig.logged.value.count == 1)
    #expect(entry.transcript.text == " btw, hello \n")
    #expect(entry.transcript.sttPrompt == "sent prompt")
    #expect(entry.transcript.keyTerms == ["Ada"])
    #expect(entry.context.appName == "Editor" && entry.context.fieldLabel == "Body")
    #expect(entry.at == SessionRig.now)
  }

  @Test("S-73 without developer mode's hook a dictation is delivered all the same")
  func notLogged() async {
    let rig = SessionRig { $0.onDictationLogged = nil }
    #expect(await rig.dictate() == .pasted)
  }

  @Test("S-74 the ring holds shown and spoken text, the style's name and the injected time")
  func remembered() async {
    let rig = expandingRig()
    let number = rig.session.submit(.press(key: nil))
    rig.session.submit(.release)
    await rig.probe.waitForEnd(of: number)
    #expect(
      await rig.session.recentDictations == [
        RecentDictation(
          id: 1, shownText: " by the way, hello \n", spokenText: " btw, hello \n", style: "Mail", at: SessionRig.now)
      ])
  }

  @Test("S-96 the next request sends what was said, not what was shown")
  func history() async {
    let rig = expandingRig()
    await rig.dictate()
    rig.transcriber.script { $0.text = "second" }
    await rig.dictate()
    await rig.dictate()
    #expect(rig.transcriber.calls.last?.context?.recentTranscripts == [" btw, hello \n", "second"])
  }

  @Test("S-73 S-74 S-75 log, ring, delivery and paste come in this order; the delivery is trimmed and includes itself")
  func order() async throws {
    let rig = expandingRig()
    rig.transcriber.script {
      $0.engine = .offline
      $0.fellBackFrom = .assemblyai
    }
    let number = rig.session.submit(.press(key: nil))
    rig.session.submit(.release)
    await rig.probe.waitForEnd(of: number)
    #expect(
      rig.log.events.filter { ["logged", "delivery", "insert"].contains($0) } == ["logged", "delivery", "insert"])
    #expect(rig.log.notes(at: "delivery") == ["transcribing"])
    let delivery = try #require(rig.deliveries.value.first)
    #expect(delivery.dictation == number)
    #expect(delivery.text == "by the way, hello")
    #expect(delivery.engine == .offline)
    #expect(delivery.fellBackFrom == .assemblyai)
    #expect(delivery.recent.map(\.spokenText) == [" btw, hello \n"])
    #expect(rig.recording?.fates == [.delivered(.offline, fellBackFrom: .assemblyai)])
  }

  @Test("S-07 S-11 S-19 S-20 S-75 S-77 no target is a success of a quieter kind: delivered, and never logged")
  func noTarget() async {
    for error in [BlurtError.noEditableTarget, .targetAppLost] {
      let rig = SessionRig()
      rig.injector.script { $0.error = error }
      #expect(await rig.dictate() == .noTarget)
      #expect(rig.failures.value.isEmpty)
      #expect(rig.deliveries.value.map(\.text) == ["Hello there."])
      #expect(rig.recording?.fates == [.delivered(.assemblyai, fellBackFrom: nil)])
    }
  }

  @Test("S-06 S-11 a paste is a success: never logged as a failure")
  func pasted() async {
    let rig = SessionRig()
    #expect(await rig.dictate() == .pasted)
    #expect(rig.failures.value.isEmpty)
  }

  @Test("S-08 S-16 S-75 S-77 a paste that is not permitted fails; the words were delivered before")
  func notPermitted() async {
    let rig = SessionRig()
    rig.injector.script { $0.error = BlurtError.accessibilityPermissionMissing }
    #expect(await rig.dictate() == .failed(.accessibilityPermissionMissing))
    #expect(await eventually { rig.failures.value.map(\.error) == [.accessibilityPermissionMissing] })
    #expect(rig.deliveries.value.map(\.text) == ["Hello there."])
    #expect(rig.recording?.fates == [.failed(.accessibilityPermissionMissing)])
  }

  @Test("S-23 S-77 any other fault of a paste fails as targetAppLost, not as noTarget")
  func oddPaste() async {
    for error in [Oddity(), CancellationError()] as [any Error] {
      let rig = SessionRig()
      rig.injector.script { $0.error = error }
      #expect(await rig.dictate() == .failed(.targetAppLost))
      #expect(await eventually { rig.failures.value.map(\.error) == [.targetAppLost] })
      #expect(rig.recording?.fates == [.failed(.targetAppLost)])
    }
  }

  @Test("S-08 S-18 S-24 S-75 a request that fails delivers nothing and keeps the recording")
  func requestFails() async {
    let http = BlurtErrorTests.http
    let cases: [(any Error, BlurtError)] = [
      (http, .sttFailed(underlying: http)), (BlurtError.apiKeyMissing, .apiKeyMissing),
      (CancellationError(), .transcription(CancellationError())), (Oddity(), .transcription(Oddity())),
    ]
    for (thrown, shown) in cases {
      let rig = SessionRig()
      rig.transcriber.script { $0.error = thrown }
      #expect(await rig.dictate() == .failed(shown))
      #expect(await eventually { rig.failures.value.map(\.error) == [shown] })
      #expect(rig.deliveries.value.isEmpty)
      #expect(rig.logged.value.isEmpty)
      #expect(rig.recording?.fates == [.failed(shown)])
    }
  }

  @Test("S-78 a secure target is pasted into and never remembered, so never sent")
  func secure() async {
    let rig = SessionRig()
    rig.focus.script { $0.field = FocusedFieldContext(isSecure: true) }
    #expect(await rig.dictate() == .pasted)
    #expect(rig.injector.inserts.count == 1)
    #expect(rig.transcriber.calls.first?.context?.isSecureTarget == true)
    #expect(await rig.session.recentDictations.isEmpty)
    #expect(rig.deliveries.value.map(\.recent) == [[]])
    rig.focus.script { $0 = .init() }
    await rig.dictate()
    #expect(rig.transcriber.calls.last?.context?.recentTranscripts == [])
  }

  @Test("S-78 a read that is still missing when the ring would be written counts as secure")
  func missing() async {
    let field = Gate()
    let rig = SessionRig()
    rig.focus.script { $0.fieldGate = field }
    let number = await rig.startRecording()
    await rig.clock.waitForSleeper(until: .milliseconds(500))
    rig.clock.advance(by: .milliseconds(500))
    await rig.session.release()
    #expect(await rig.probe.waitForEnd(of: number) == .pasted)
    #expect(await rig.session.recentDictations.isEmpty)
    #expect(rig.deliveries.value.map(\.text) == ["Hello there."])
    field.open()
  }

  @Test("S-60 S-78 a late read decides: secure is not remembered")
  func lateSecure() async {
    let field = Gate()
    let transcribe = Gate()
    let rig = SessionRig()
    rig.focus.script {
      $0.fieldGate = field
      $0.field = FocusedFieldContext(isSecure: true)
    }
    rig.transcriber.script { $0.gate = transcribe }
    let number = await rig.startRecording()
    await rig.clock.waitForSleeper(until: .milliseconds(500))
    rig.clock.advance(by: .milliseconds(500))
    await rig.session.release()
    await transcribe.waitUntilReached()
    field.open()
    #expect(await eventually { await rig.session.knownField?.value?.isSecure == true })
    transcribe.open()
    #expect(await rig.probe.waitForEnd(of: number) == .pasted)
    #expect(await rig.session.recentDictations.isEmpty)
  }

  @Test("S-78 a field that tells nothing is not a secure one")
  func untold() async {
    let rig = SessionRig()
    rig.focus.script { $0.field = nil }
    await rig.dictate()
    #expect(await rig.session.recentDictations.count == 1)
  }

  @Test("S-74 S-93 S-96 words that came on another way are remembered like those of a dictation, and sent as context")
  func rememberedOtherwise() async {
    let rig = SessionRig()
    await rig.session.remember(shownText: "best regards", spokenText: "br")
    await rig.dictate()
    let entries = await rig.session.recentDictations
    #expect(entries.map(\.shownText) == ["Hello there.", "best regards"])
    #expect(Set(entries.map(\.id)).count == 2)
    #expect(entries.last?.style == nil && entries.last?.at == SessionRig.now)
    #expect(rig.transcriber.calls.first?.context?.recentTranscripts == ["br"])
    #expect(rig.deliveries.value.first?.recent == entries)
  }

  @Test("S-54 the recording learns its target and the engine that was to speak, then the one that did")
  func notes() async {
    let rig = SessionRig { $0.engine = { .assemblyai } }
    rig.transcriber.script { $0.engine = .offline }
    await rig.dictate()
    #expect(rig.recording?.dictation == 1)
    #expect(rig.recording?.byteCount == 6_400)
    #expect(rig.recording?.notes.map { $0.target?.name } == ["Editor", "Editor"])
    #expect(rig.recording?.notes.map(\.engine) == [.assemblyai, .offline])
    #expect(rig.transcriber.calls.first?.recording?.id == rig.recording?.id)
  }

  @Test("S-75 a host is told once that a dictation has ended, before the last phase is seen, with or without a store")
  func ended() async {
    let rig = SessionRig { $0.recordings = nil }
    let number = rig.session.submit(.press(key: nil))
    rig.session.submit(.release)
    #expect(await rig.probe.waitForEnd(of: number) == .pasted)
    #expect(rig.ends.value == [.init(dictation: number, fate: .delivered(.assemblyai, fellBackFrom: nil))])
    #expect(rig.log.notes(at: "end") == ["injecting"])
  }

  @Test("S-35 without a store nothing is kept, and everything else works")
  func noStore() async {
    let rig = SessionRig { $0.recordings = nil }
    #expect(await rig.dictate() == .pasted)
    #expect(rig.transcriber.calls.first?.recording == nil)
  }
}
