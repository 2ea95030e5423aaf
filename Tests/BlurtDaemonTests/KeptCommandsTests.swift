import BlurtContract
import BlurtEngine
import BlurtIPC
import BlurtOS
import BlurtTestSupport
import FoundationEssentials
import Testing

@testable import BlurtDaemon

/// The commands about outcomes and kept recordings, as a client meets them.
@Suite("Commands about kept words", .timeLimit(.minutes(1))) final class KeptCommandsTests {
  private let rig: SessionRig
  private let hub = EventHub()
  private let folder = SocketFolder()
  private let spool: RecordingSpool
  private let retries: RecordingRetries
  private let observer: Task<Void, Never>
  private let client = ClientIdentity(connection: 1, processID: 1, userID: 0)

  init() {
    let hub = hub
    let spool = RecordingSpool(directory: folder.file("spool"))
    let rig = SessionRig { dependencies in
      dependencies.recordings = spool
      dependencies.onDelivery = { hub.delivered($0) }
      dependencies.onEnd = { hub.ended($0, $1) }
    }
    self.rig = rig
    self.spool = spool
    retries = Daemon.retries(
      of: spool,
      WholeTranscription(
        transcriber: rig.transcriber, readinessCheck: { [blocker = rig.blocker] in blocker.value }, keyTerms: { [] }),
      named: { [transcriber = rig.transcriber] _ in
        WholeTranscription(transcriber: transcriber, readinessCheck: { nil }, keyTerms: { [] })
      },
      session: rig.session, hub: hub)
    observer = Task { [session = rig.session] in
      for await change in session.phaseStream() where change.dictation != nil { hub.phase(change) }
    }
  }

  deinit {
    observer.cancel()
    retries.stop()
  }

  private func ask(_ action: ClientCommand.Action) async -> CommandAck {
    let session = rig.session
    let services: [ClientCommand.Name: any CommandService] = [
      .last: LastCommand(hub.last), .wait: WaitCommand(hub.outcomes) { session.phaseChange.dictation },
      .recent: RecentCommand { await session.recentDictations }, .spool: SpoolCommand(spool),
      .retry: RetryCommand(retries), .discard: DiscardCommand(spool),
    ]
    let command = ClientCommand(id: "x", action)
    return await withCheckedContinuation { continuation in
      guard let service = services[action.name] else { return continuation.resume(returning: command.ack(.failed)) }
      service.handle(command, from: client) { continuation.resume(returning: $0) }
    }
  }

  @Test("B-51 S-75 every paste fails: wait, last and recent have the words, and the recording is kept")
  func pasteFails() async {
    rig.injector.script { $0.error = BlurtError.accessibilityPermissionMissing }
    let dictation = rig.session.submit(.press(key: nil))
    rig.session.submit(.release)
    await rig.probe.waitForEnd(of: dictation)
    let outcome = await ask(.wait(.dictation(dictation))).outcome
    #expect(outcome?.phase == .failed)
    #expect(outcome?.text == "Hello there.")
    #expect(outcome?.errorKind == "accessibilityPermissionMissing")
    #expect(outcome?.message?.isEmpty == false)
    #expect(await ask(.last).text == "Hello there.")
    #expect(await ask(.recent(count: nil)).recent?.map(\.text) == ["Hello there."])
    #expect(await ask(.spool).recordings?.map(\.state) == ["failed"])
  }

  @Test("S-93 S-94 S-96 a recording that is sent again: its words are in last, in recent and in the next request")
  func retried() async {
    rig.transcriber.script { $0.error = UnderlyingError(domain: .http, code: 401, message: "no") }
    await rig.dictate()
    #expect(await ask(.last).result == .ignored)
    let id = spool.list().first?.id
    rig.transcriber.script { $0.error = nil }
    let started = await ask(.retry(recording: nil))
    #expect(started.result == .started)
    #expect(started.recording == id)
    let outcome = await ask(.wait(.recording(id ?? ""))).outcome
    #expect(outcome == DictationOutcome(recording: id, text: "Hello there.", engine: "assemblyai"))
    let last = await ask(.last)
    #expect(last.text == "Hello there." && last.recording == id && last.dictation == nil)
    let recent = await ask(.recent(count: nil)).recent
    #expect(recent == [RecentEntry(id: 1, text: "Hello there.", style: nil, at: "2023-11-14T22:13:20Z")])
    #expect(await ask(.spool).recordings == [])
    #expect(rig.injector.inserts.isEmpty)
    await rig.dictate()
    #expect(rig.transcriber.calls.last?.context?.recentTranscripts == ["Hello there."])
  }

  @Test("a dictation that runs while a recording is sent is not disturbed, and sees nothing of it")
  func undisturbed() async {
    rig.transcriber.script { $0.error = UnderlyingError(domain: .http, code: 401, message: "no") }
    await rig.dictate()
    let gate = Gate()
    rig.transcriber.script {
      $0.error = nil
      $0.gate = gate
    }
    let id = await ask(.retry(recording: nil)).recording ?? ""
    await gate.waitUntilReached()
    rig.transcriber.script {
      $0.gate = nil
      $0.text = "Meanwhile."
    }
    #expect(await rig.dictate() == .pasted)
    #expect(rig.injector.inserts.map(\.text).map { $0.contains("Meanwhile.") } == [true])
    #expect(await ask(.last).text == "Meanwhile.")
    gate.open()
    #expect(await ask(.wait(.recording(id))).outcome?.text == "Hello there.")
    #expect(await ask(.recent(count: nil)).recent?.map(\.text) == ["Hello there.", "Meanwhile."])
  }

  @Test("S-93 recent shows three unless more are asked for, newest first")
  func recentCount() async {
    for number in 1...5 { await rig.session.remember(shownText: "\(number)", spokenText: "\(number)") }
    #expect(await ask(.recent(count: nil)).recent?.map(\.text) == ["5", "4", "3"])
    #expect(await ask(.recent(count: 4)).recent?.map(\.text) == ["5", "4", "3", "2"])
    #expect(await ask(.recent(count: .max)).recent?.count == 5)
    #expect(await ask(.recent(count: 0)).recent == [])
  }

  @Test("B-44 with nothing kept, retry and discard say so; an empty list is an answer")
  func nothing() async {
    for action in [ClientCommand.Action.retry(recording: nil), .discard(recording: nil), .wait(.newest)] {
      let ack = await ask(action)
      #expect(ack.result == .ignored && ack.message?.isEmpty == false)
    }
    for action in [ClientCommand.Action.retry(recording: "x"), .discard(recording: "x")] {
      let ack = await ask(action)
      #expect(ack.result == .failed && ack.reason == .unknownRecording && ack.message?.isEmpty == false)
    }
    #expect(await ask(.spool).recordings == [])
    #expect(await ask(.recent(count: nil)).recent == [])
  }

  @Test("Y-05 S-50 without an engine a retry is refused with the reason a press would get")
  func refused() async {
    rig.transcriber.script { $0.error = UnderlyingError(domain: .http, code: 401, message: "no") }
    await rig.dictate()
    rig.blocker.value = .apiKeyMissing
    let ack = await ask(.retry(recording: nil))
    #expect(ack.result == .notListening && ack.reason == .apiKeyMissing && ack.errorKind == "apiKeyMissing")
    #expect(ack.message == EventTranslation.sentence(refusal: .apiKeyMissing))
  }

  @Test("discard removes one, or all, but never the recording of a dictation that runs")
  func discard() async {
    rig.transcriber.script { $0.text = "" }
    let dictation = await rig.startRecording()
    #expect(await eventually { spool.list().first?.byteCount ?? 0 > 0 })
    let id = spool.list().first?.id ?? ""
    #expect(await ask(.spool).recordings?.map(\.state) == ["recording"])
    #expect(await ask(.discard(recording: id)).result == .busy)
    #expect(await ask(.retry(recording: id)).result == .busy)
    #expect(await ask(.discard(recording: nil)).result == .ignored)
    await rig.session.release()
    await rig.probe.waitForEnd(of: dictation)
    #expect(await ask(.wait(.newest)).outcome?.phase == .idle)
    #expect(await ask(.discard(recording: id)).recording == id)
    #expect(spool.list() == [])
  }

  @Test("a failed retry is an outcome with the error, and the recording says the same")
  func failed() async {
    rig.transcriber.script { $0.error = UnderlyingError(domain: .http, code: 401, message: "no") }
    await rig.dictate()
    let id = await ask(.retry(recording: nil)).recording ?? ""
    let outcome = await ask(.wait(.recording(id))).outcome
    #expect(outcome?.errorKind == "sttFailed" && outcome?.text == nil && outcome?.message?.isEmpty == false)
    let entry = await ask(.spool).recordings?.first
    #expect(entry?.state == "failed" && entry?.errorKind == "sttFailed" && entry?.message == outcome?.message)
  }

  @Test("B-38 clients that go while they wait leave nothing behind; one that only stops sending is still answered")
  func goneWhileWaiting() async throws {
    let hub = hub
    let router = CommandRouter(session: rig.session, services: [.wait: WaitCommand(hub.outcomes) { 1 }])
    let folder = SocketFolder()
    let server = try ControlServer(socket: .path(folder.socket), handler: router)
    defer { server.stop() }
    let patient = try LineClient(folder.socket)
    try patient.send(#"{"id":"1","cmd":"wait","dictation":1}"#)
    patient.endSending()
    for _ in 0..<50 {
      let hasty = try LineClient(folder.socket)
      for id in 0..<10 { try hasty.send("{\"id\":\"\(id)\",\"cmd\":\"wait\"}") }
    }
    #expect(await eventually { hub.outcomes.count == 1 })
    hub.phase(PhaseChange(phase: .pasted, dictation: 1))
    #expect(patient.line() == #"{"ack":{"id":"1","outcome":{"dictation":1,"phase":"pasted"},"result":"done"}}"#)
    #expect(patient.isClosed())
    #expect(hub.outcomes.count == 0)
  }

  @Test("a server that stops answers who waits with stopping")
  func stopping() async throws {
    let hub = hub
    let router = CommandRouter(session: rig.session, services: [.wait: WaitCommand(hub.outcomes) { 1 }])
    let folder = SocketFolder()
    let server = try ControlServer(socket: .path(folder.socket), handler: router)
    let client = try LineClient(folder.socket)
    try client.send(#"{"id":"1","cmd":"wait"}"#)
    #expect(await eventually { hub.outcomes.count == 1 })
    server.stop()
    #expect(client.line()?.contains("stopping") == true)
  }
}
