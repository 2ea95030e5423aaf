import BlurtContract
import BlurtEngine
import BlurtIPC
import BlurtTestSupport
import Testing

@testable import BlurtDaemon

@Suite("CommandRouter", .timeLimit(.minutes(1))) struct CommandRouterTests {
  private let rig = SessionRig()
  private let last = LastText()
  private let client = ClientIdentity(connection: 1, processID: 1, userID: 0)

  private var router: CommandRouter {
    CommandRouter(
      session: rig.session,
      services: [
        .last: LastCommand(last), .status: StatusCommand { DaemonStatus() },
        .transcribe: TranscribeCommand { _, _ throws(FileTranscription.Failure) in throw .file("no file") },
      ])
  }

  private func ask(
    _ router: CommandRouter, _ action: ClientCommand.Action, from client: ClientIdentity? = nil
  ) async -> CommandAck {
    await withCheckedContinuation { continuation in
      router.handle(ClientCommand(id: "x", action), from: client ?? self.client) { continuation.resume(returning: $0) }
    }
  }

  @Test("Y-05 S-50 a press without a key is refused with the reason, and the microphone is not touched")
  func refused() async {
    rig.blocker.value = .apiKeyMissing
    let ack = await ask(router, .press(key: nil, lease: false))
    #expect(ack.result == .notListening)
    #expect(ack.reason == .apiKeyMissing)
    #expect(ack.errorKind == "apiKeyMissing")
    #expect(ack.message?.isEmpty == false)
    #expect(rig.microphone.startCount == 0)
  }

  @Test("S-124 a press is acknowledged while the microphone is still coming up")
  func started() async {
    let gate = Gate()
    rig.microphone.script { $0.startGate = gate }
    let ack = await ask(router, .press(key: nil, lease: false))
    #expect(ack.result == .started)
    #expect(ack.dictation == rig.session.phaseChange.dictation)
    #expect(rig.session.phaseChange.phase == .connecting)
    gate.open()
    await rig.session.cancel()
  }

  @Test("H-82 toggle is a press at rest, a release while recording and busy while transcribing, decided by the daemon")
  func toggle() async {
    let router = router
    let gate = Gate()
    rig.transcriber.script { $0.gate = gate }
    #expect(await ask(router, .toggle).result == .started)
    await rig.probe.wait(for: .recording, of: rig.session.phaseChange.dictation ?? 0)
    #expect(await ask(router, .toggle).result == .done)
    let ack = await ask(router, .toggle)
    #expect(ack.result == .busy)
    #expect(ack.phase == .transcribing)
    gate.open()
    #expect(await rig.probe.waitForEnd(of: ack.dictation ?? 0) == .pasted)
  }

  @Test("S-132 B-48 the words of a leased owner that dies are released, not cancelled")
  func leaseEnds() async {
    let router = router
    let ack = await ask(router, .press(key: nil, lease: true))
    let dictation = ack.dictation ?? 0
    await rig.probe.wait(for: .recording, of: dictation)
    router.clientGone(client)
    #expect(await rig.probe.waitForEnd(of: dictation) == .pasted)
    #expect(rig.injector.inserts.count == 1)
  }

  @Test("S-132 a leased owner that dies while the microphone comes up is released once it is up")
  func leaseEndsEarly() async {
    let router = router
    let gate = Gate()
    rig.microphone.script { $0.startGate = gate }
    let ack = await ask(router, .press(key: nil, lease: true))
    router.clientGone(client)
    gate.open()
    #expect(await rig.probe.waitForEnd(of: ack.dictation ?? 0) == .pasted)
  }

  @Test("S-134 the end of a one-shot press does not end its dictation")
  func unleased() async {
    let router = router
    let ack = await ask(router, .press(key: nil, lease: false))
    await rig.probe.wait(for: .recording, of: ack.dictation ?? 0)
    router.clientGone(client)
    // Another command of the queue has its turn after whatever the end of the client would have submitted.
    #expect(await rig.session.press() == .busy)
    #expect(rig.session.phaseChange.phase == .recording)
    await rig.session.cancel()
  }

  @Test("S-125 the death of a client whose press was busy does not touch the other's recording")
  func busyLease() async {
    let router = router
    let first = await ask(router, .press(key: nil, lease: false))
    await rig.probe.wait(for: .recording, of: first.dictation ?? 0)
    let stranger = ClientIdentity(connection: 2, processID: 2, userID: 0)
    #expect(await ask(router, .press(key: nil, lease: true), from: stranger).result == .busy)
    router.clientGone(stranger)
    #expect(await rig.session.press() == .busy)
    #expect(rig.session.phaseChange.phase == .recording)
    await rig.session.cancel()
  }

  @Test("S-125 S-132 a busy press of the leased owner itself does not end its lease")
  func busyOwner() async {
    let router = router
    let first = await ask(router, .press(key: nil, lease: true))
    let dictation = first.dictation ?? 0
    await rig.probe.wait(for: .recording, of: dictation)
    #expect(await ask(router, .press(key: nil, lease: true)).result == .busy)
    router.clientGone(client)
    #expect(await rig.probe.waitForEnd(of: dictation) == .pasted)
  }

  @Test("S-132 the death of a leased owner does not touch a later dictation")
  func oldLease() async {
    let router = router
    let first = await ask(router, .press(key: nil, lease: true))
    await rig.session.release()
    #expect(await rig.probe.waitForEnd(of: first.dictation ?? 0) == .pasted)
    let second = await rig.startRecording()
    router.clientGone(client)
    #expect(await rig.session.press() == .busy)
    #expect(rig.session.phaseChange == PhaseChange(phase: .recording, dictation: second))
    await rig.session.cancel()
  }

  @Test("B-44 S-128 release and cancel with nothing to act on say so")
  func nothing() async {
    for action in [ClientCommand.Action.release, .cancel, .cancelRecording] {
      let ack = await ask(router, action)
      #expect(ack.result == .ignored)
      #expect(ack.message?.isEmpty == false)
    }
  }

  @Test("B-51 the last text is there whatever became of its paste")
  func lastText() async {
    #expect(await ask(router, .last).result == .ignored)
    last.remember(.init(dictation: 7, text: "Hello.", engine: "offline"))
    let ack = await ask(router, .last)
    #expect(ack.result == .done)
    #expect(ack.text == "Hello.")
    #expect(ack.dictation == 7)
    #expect(ack.engine == "offline")
  }

  @Test("a file that cannot be used is an answer, not a crash")
  func badFile() async {
    let ack = await ask(router, .transcribe(path: "/nowhere"))
    #expect(ack.result == .failed)
    #expect(ack.reason == .badFile)
    #expect(ack.message == "no file")
  }
}
