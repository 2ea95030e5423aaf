import BlurtContract
import BlurtEngine
import BlurtTestSupport
import FoundationEssentials
import Testing

@testable import BlurtDaemon

private let sound = (0..<6_400).map { UInt8(truncatingIfNeeded: $0 * 31) }
private let down = UnderlyingError(domain: .http, code: 503, message: "down")

@Suite("RecordingRetries", .timeLimit(.minutes(1))) struct RecordingRetriesTests {
  private let folder = SocketFolder()
  private let now = Box(Date(timeIntervalSince1970: 1_800_000_000))
  private let transcriber = FakeTranscriber()
  private let named = FakeTranscriber()
  private let blocker = Box<BlurtError?>(nil)
  private let started = Box<[String]>([])
  private let words = Box<[RetriedText]>([])
  private let ends = Box<[String: RecordingRetries.End]>([:])

  private func open(_ change: (inout SpoolSettings) -> Void = { _ in }) -> RecordingSpool {
    var settings = SpoolSettings()
    change(&settings)
    return RecordingSpool(
      directory: folder.file("spool"), settings: { [settings] in settings }, now: { [now] in now.value })
  }

  private func retries(
    _ spool: RecordingSpool, _ engine: (any TranscriberProtocol)? = nil,
    _ change: (inout RecordingRetries.Hooks) -> Void = { _ in }
  ) -> RecordingRetries {
    var hooks = RecordingRetries.Hooks()
    hooks.onStart = { [started] in started.append($0) }
    hooks.onWords = { [words] in words.append($0) }
    hooks.onEnd = { [ends] id, end in ends.update { $0[id] = end } }
    change(&hooks)
    return RecordingRetries(
      spool: spool,
      whole: WholeTranscription(
        transcriber: engine ?? transcriber, readinessCheck: { [blocker] in blocker.value }, keyTerms: { ["Ada"] }),
      named: { [named] kind in
        WholeTranscription(
          transcriber: named, readinessCheck: { kind == .command ? EngineChoice.commandIsNotSet : nil },
          keyTerms: { ["Bob"] })
      }, hooks: hooks)
  }

  @discardableResult
  private func record(
    _ spool: RecordingSpool, _ fate: RecordingFate = .failed(.sttFailed(underlying: down)), _ bytes: [UInt8] = sound
  ) throws -> String {
    let recording = try #require(spool.begin(dictation: 7))
    bytes.withUnsafeBytes { recording.append($0) }
    recording.close(fate)
    now.update { $0 += 1 }
    return recording.id
  }

  private func end(of id: String) async -> RecordingRetries.End? {
    #expect(await eventually { ends.value[id] != nil })
    return ends.update { $0.removeValue(forKey: id) }
  }

  @Test("B-115 with an engine that is named the recording goes to that one, whatever the present one lacks")
  func named() async throws {
    let spool = open()
    let id = try record(spool)
    blocker.value = .apiKeyMissing
    named.script { $0.text = "by name" }
    let retries = retries(spool)
    #expect(retries.start(id, engine: .command) == .refused(EngineChoice.commandIsNotSet))
    #expect(retries.start(id, engine: .openai) == .started(id))
    guard case .words(let words)? = await end(of: id) else {
      Issue.record("no words")
      return
    }
    #expect(words.text == "by name" && transcriber.calls.isEmpty)
    #expect(named.calls.count == 1 && named.calls.first?.context?.keyTerms == ["Bob"])
    #expect(spool.list().isEmpty)
  }

  @Test("B-115 the whole sound goes to the present engine; with its words handed over the recording goes")
  func words() async throws {
    let spool = open()
    let older = try record(spool)
    let id = try record(spool)
    let retries = retries(spool) { $0.expandShortcuts = { $0 + " Bye. " } }
    #expect(retries.start(nil) == .started(id))
    #expect(started.value == [id])
    let text = RetriedText(
      recording: id, text: "Hello there. Bye.", shownText: "Hello there. Bye. ", spokenText: "Hello there.",
      engine: .assemblyai, fellBackFrom: nil)
    #expect(await end(of: id) == .words(text))
    #expect(words.value == [text])
    #expect(transcriber.heardByteCount == sound.count)
    let call = try #require(transcriber.calls.first)
    #expect(call.context?.keyTerms == ["Ada"] && call.sampleRate == 16_000)
    #expect(call.recording?.id == id && call.recording?.byteCount == sound.count)
    #expect(spool.list().map(\.id) == [older])
    retries.stop()
  }

  @Test("no word is lost between the two: the recording is there until the words have been handed over")
  func handedOver() async throws {
    let spool = open()
    let id = try record(spool)
    let gate = Gate()
    let retries = retries(spool) { $0.onWords = { _ in await gate.pass() } }
    _ = retries.start(id)
    await gate.waitUntilReached()
    #expect(spool.record(id) != nil)
    #expect(!spool.remove(id))
    gate.open()
    _ = await end(of: id)
    #expect(spool.record(id) == nil)
    retries.stop()
  }

  @Test("T-88 a recording that fails again stays with its new error, and can be sent once more")
  func failsAgain() async throws {
    let spool = open()
    let id = try record(spool, .recoveryCancelled)
    let retries = retries(spool)
    transcriber.script { $0.error = down }
    #expect(retries.start(id) == .started(id))
    #expect(await end(of: id) == .failed(.sttFailed(underlying: down)))
    // One attempt, never by itself a second one.
    #expect(transcriber.calls.count == 1)
    let kept = try #require(spool.record(id))
    #expect(kept.state == .failed && kept.errorKind == "sttFailed" && kept.byteCount == sound.count)
    #expect(kept.errorMessage == "\(BlurtError.sttFailed(underlying: down))")
    transcriber.script { $0.error = nil }
    #expect(retries.start(id) == .started(id))
    guard case .words = await end(of: id) else {
      Issue.record("no words came")
      return
    }
    retries.stop()
  }

  @Test("where no words are heard the recording stays, as blank")
  func blank() async throws {
    let spool = open()
    let id = try record(spool)
    let retries = retries(spool)
    transcriber.script { $0.text = " \n" }
    _ = retries.start(id)
    #expect(await end(of: id) == .blank)
    let kept = try #require(spool.record(id))
    #expect(kept.state == .blank && kept.errorKind == nil && words.value == [])
    retries.stop()
  }

  @Test("S-64 T-90 a recording under the floor was an accident: it goes")
  func belowFloor() async throws {
    let spool = open()
    let id = try record(spool, .recoveryCancelled, Array(sound[..<1_600]))
    let retries = retries(spool)
    transcriber.script { $0.error = ClipBelowFloor() }
    _ = retries.start(id)
    #expect(await end(of: id) == .tooShort)
    #expect(spool.list() == [])
    retries.stop()
  }

  @Test("two who send the same one: one job; another waits for its turn")
  func onlyOnce() async throws {
    let spool = open()
    let first = try record(spool)
    let second = try record(spool)
    let gate = Gate()
    transcriber.script { $0.gate = gate }
    let retries = retries(spool)
    #expect(retries.start(second) == .started(second))
    #expect(retries.start(second) == .underWay(second))
    // The newest that is not in progress.
    #expect(retries.start(nil) == .started(first))
    #expect(retries.start(nil) == .underWay(second))
    await gate.waitUntilReached()
    #expect(transcriber.calls.count == 1)
    gate.open()
    for id in [first, second] {
      guard case .words = await end(of: id) else {
        Issue.record("no words came of \(id)")
        continue
      }
    }
    #expect(transcriber.calls.count == 2)
    #expect(retries.start(nil) == .nothingKept)
    #expect(retries.start(first) == .unknown)
    retries.stop()
  }

  @Test("what is being recorded now is not sent", arguments: [true, false])
  func recordedNow(byName: Bool) throws {
    let spool = open()
    let recording = try #require(spool.begin(dictation: 1))
    sound.withUnsafeBytes { recording.append($0) }
    let retries = retries(spool)
    #expect(retries.start(byName ? recording.id : nil) == (byName ? .notEnded(recording.id) : .nothingKept))
    #expect(transcriber.calls.isEmpty)
    recording.close(.cancelledByUser)
    retries.stop()
  }

  @Test("S-50 without an engine it is refused at once, and the recording is free again")
  func noEngine() throws {
    let spool = open()
    let id = try record(spool)
    blocker.value = .apiKeyMissing
    let retries = retries(spool)
    #expect(retries.start(id) == .refused(.apiKeyMissing))
    #expect(started.value == [])
    #expect(!spool.isInProgress(id))
    retries.stop()
  }

  @Test("a name that is no identifier reaches no file", arguments: ["../../etc/passwd", "", "20270115T080000.000Z"])
  func unknown(id: String) {
    let retries = retries(open())
    #expect(retries.start(id) == .unknown)
    retries.stop()
  }

  @Test("no bound, no delivery and no want of room removes a recording that is sent or waits for its turn")
  func boundsSpareIt() async throws {
    let spool = open { $0.maximumCount = 2 }
    let fallback = try record(spool, .delivered(.offline, fellBackFrom: .assemblyai))
    let failed = try record(spool)
    let gate = Gate()
    transcriber.script { $0.gate = gate }
    let retries = retries(spool)
    _ = retries.start(fallback)
    _ = retries.start(failed)
    now.update { $0 += 48 * 3_600 }
    // A dictation runs meanwhile, and one after it.
    try record(spool, .delivered(.assemblyai, fellBackFrom: nil))
    try record(spool, .blank)
    #expect(!spool.giveWay(to: "another"))
    #expect(spool.record(fallback) != nil && spool.record(failed) != nil)
    #expect(!spool.remove(failed))
    gate.open()
    for id in [fallback, failed] {
      guard case .words = await end(of: id) else {
        Issue.record("no words came of \(id)")
        continue
      }
    }
    retries.stop()
  }

  @Test("T-88 a transport failure falls back as in a dictation; the audio stays until the next delivery")
  func fallsBack() async throws {
    let spool = open()
    let id = try record(spool, .failed(.sttFailed(underlying: down)))
    transcriber.script { $0.error = down }
    let offline = FakeTranscriber()
    offline.script { $0.engine = .offline }
    let engine = FallbackTranscriber(primary: transcriber, kind: .assemblyai) { offline }
    let retries = retries(spool, engine)
    _ = retries.start(id)
    guard case .words(let text) = await end(of: id) else {
      Issue.record("no words came")
      return
    }
    #expect(text.engine == .offline && text.fellBackFrom == .assemblyai)
    #expect(offline.calls.first?.recording?.audioPath == spool.audioPath(id))
    let kept = try #require(spool.record(id))
    #expect(kept.state == .delivered && kept.engine == "offline" && kept.fellBackFrom == "assemblyai")
    #expect(kept.errorKind == nil)
    // It failed for good later: what was delivered stays delivered, and goes with the next delivery.
    offline.script { $0.error = down }
    _ = retries.start(id)
    #expect(await end(of: id) == .failed(.sttFailed(underlying: down)))
    #expect(spool.record(id)?.state == .delivered)
    try record(spool, .delivered(.assemblyai, fellBackFrom: nil))
    #expect(spool.list() == [])
    retries.stop()
  }

  @Test("B-115 what a dead daemon was writing is sent after the next start, whole samples only")
  func afterDeath() async throws {
    let first = open()
    let id = try record(first, .blank)
    // Killed in the middle of a sample, before the record could say anything.
    try Data(sound + [7]).write(to: URL(filePath: first.audioPath(id)))
    try FileManager.default.removeItem(atPath: first.folder.recordPath(id))
    let spool = open()
    #expect(spool.interruptedAtStart.map(\.id) == [id])
    #expect(spool.interruptedCount == 1)
    let retries = retries(spool)
    #expect(retries.start(nil) == .started(id))
    _ = await end(of: id)
    #expect(transcriber.heardByteCount == sound.count)
    #expect(spool.interruptedCount == 0)
    retries.stop()
  }

  @Test("a daemon that stops leaves what it was sending, and what waited, as it was")
  func stopped() async throws {
    let first = open()
    let waiting = try record(first, .blank)
    let id = try record(first, .recoveryCancelled)
    let gate = Gate()
    transcriber.script { $0.gate = gate }
    let retries = retries(first)
    _ = retries.start(id)
    _ = retries.start(waiting)
    await gate.waitUntilReached()
    retries.stop()
    #expect(await end(of: id) == .stopped)
    #expect(await eventually { !first.isInProgress(waiting) })
    let spool = open()
    #expect(spool.interruptedAtStart == [])
    #expect(spool.list().map(\.state) == [.recoveryCancelled, .blank])
  }

  @Test("another process that sends or writes a recording is seen by its lock")
  func otherProcess() throws {
    let spool = open()
    let id = try record(spool)
    // A second spool on the same folder stands for a second process.
    let other = open()
    let held = try #require(other.reopen(id))
    #expect(spool.reopen(id) == nil && spool.isInProgress(id) && !spool.remove(id))
    held.close(.recoveryCancelled)
    held.close(.belowFloor)
    #expect(spool.reopen(id) != nil)
    #expect(!spool.isInProgress(id))
  }

  @Test("a sound that cannot be read is a failure that says so, and nothing is lost by it")
  func unreadable() async throws {
    let spool = open()
    let id = try record(spool)
    let retries = retries(spool)
    let gate = Gate()
    transcriber.script { $0.gate = gate }
    let before = try record(spool)
    _ = retries.start(before)
    await gate.waitUntilReached()
    _ = retries.start(id)
    try FileManager.default.removeItem(atPath: spool.audioPath(id))
    gate.open()
    guard case .failed(let error) = await end(of: id) else {
      Issue.record("it did not fail")
      return
    }
    #expect(error.diagnosticName == "sttFailed" && error.description.contains(id))
    retries.stop()
  }
}
