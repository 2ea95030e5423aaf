import BlurtContract
import BlurtEngine
import BlurtIPC
import BlurtTestSupport
import Testing

@testable import BlurtDaemon

/// Who may end what, and what a listening window lets through, by the commands of the socket.
@Suite("Owned commands", .timeLimit(.minutes(1))) struct OwnedCommandTests {
  private let rig = SessionRig()
  private let window = ListeningRig()
  private let presence = PresenceBoard(now: { .zero }, startOf: { UInt64($0) })
  private let owners = OwnershipTable()
  private let gui = ClientIdentity(connection: 2, processID: 20, userID: 0)
  private let script = ClientIdentity(connection: 3, processID: 30, userID: 0)
  private let front = ClientIdentity(connection: 4, processID: 40, userID: 0)

  private func makeRouter() -> CommandRouter {
    window.control.start()
    return CommandRouter(
      session: rig.session, services: [.presence: PresenceCommand(presence)], owners: owners, presence: presence,
      listening: window.control)
  }

  private func ask(
    _ router: CommandRouter, _ action: ClientCommand.Action, from client: ClientIdentity
  ) async -> CommandAck {
    await withCheckedContinuation { continuation in
      router.handle(ClientCommand(id: "x", action), from: client) { continuation.resume(returning: $0) }
    }
  }

  /// Presses and waits until sound flows; returns the dictation.
  private func record(_ router: CommandRouter, _ lease: Lease, by client: ClientIdentity) async -> UInt64 {
    let ack = await ask(router, .press(key: nil, lease: lease), from: client)
    #expect(ack.result == .started)
    let dictation = ack.dictation ?? 0
    await rig.probe.wait(for: .recording, of: dictation)
    return dictation
  }

  private static let ends: [ClientCommand.Action] = [.release, .cancel, .cancelRecording, .toggle]

  @Test(
    "S-128 S-130 Y-127 a stranger's release, cancel and toggle are notOwner while another client is on screen",
    arguments: ends)
  func stranger(_ action: ClientCommand.Action) async {
    let router = makeRouter()
    #expect(await ask(router, .presence(onScreen: true), from: front).result == .done)
    let dictation = await record(router, .connection, by: gui)
    let ack = await ask(router, action, from: script)
    #expect(ack.result == .notOwner)
    #expect(ack.dictation == dictation)
    #expect(ack.message?.isEmpty == false)
    #expect(rig.session.phaseChange == PhaseChange(phase: .recording, dictation: dictation))
    // The client on screen may, and so may the owner.
    #expect(await ask(router, action, from: front).result == .done)
  }

  @Test("S-129 the owner may end its dictation, whoever is on screen", arguments: ends)
  func owner(_ action: ClientCommand.Action) async {
    let router = makeRouter()
    #expect(await ask(router, .presence(onScreen: true), from: front).result == .done)
    let dictation = await record(router, .connection, by: gui)
    #expect(owners.update { $0.owner(of: dictation) } == .client(connection: 2, processID: 20))
    #expect(await ask(router, action, from: gui).result == .done)
  }

  @Test("S-134 every later one-shot command acts for the user who pressed", arguments: ends)
  func user(_ action: ClientCommand.Action) async {
    let router = makeRouter()
    #expect(await ask(router, .presence(onScreen: true), from: front).result == .done)
    _ = await record(router, .none, by: script)
    router.clientGone(script)
    let later = ClientIdentity(connection: 7, processID: 70, userID: 0)
    #expect(await ask(router, action, from: later).result == .done)
  }

  @Test("S-135 S-155 a script ends the key's dictation, unless another client is on screen", arguments: ends)
  func key(_ action: ClientCommand.Action) async {
    let router = makeRouter()
    _ = await rig.startRecording()
    #expect(await ask(router, .presence(onScreen: true), from: front).result == .done)
    #expect(await ask(router, action, from: script).result == .notOwner)
    #expect(await ask(router, .presence(onScreen: false), from: front).result == .done)
    #expect(await ask(router, action, from: script).result == .done)
  }

  @Test("S-130 a client with leases does not end the key's dictation from the background")
  func background() async {
    let router = makeRouter()
    let dictation = await rig.startRecording()
    let busy = await ask(router, .press(key: nil, lease: .connection), from: gui)
    #expect(busy.result == .busy && busy.dictation == dictation)
    #expect(await ask(router, .cancel, from: gui).result == .notOwner)
    #expect(await ask(router, .presence(onScreen: true), from: gui).result == .done)
    #expect(await ask(router, .cancel, from: gui).result == .done)
    #expect(rig.session.phaseChange.phase == .cancelled)
  }

  @Test("S-125 a press that is busy does not make its client the owner")
  func busy() async {
    let router = makeRouter()
    let dictation = await record(router, .connection, by: gui)
    #expect(await ask(router, .press(key: nil, lease: .connection), from: script).result == .busy)
    #expect(owners.update { $0.owner(of: dictation) } == .client(connection: 2, processID: 20))
    #expect(await ask(router, .release, from: script).result == .notOwner)
    #expect(await ask(router, .release, from: gui).result == .done)
  }

  @Test("S-132 S-110 B-48 when a lease ends the words are kept: released, once, and only that dictation")
  func leaseEnded() async {
    let router = makeRouter()
    let first = await record(router, .heartbeat(.seconds(1)), by: gui)
    router.leaseEnded(gui)
    router.leaseEnded(gui)
    #expect(await rig.probe.waitForEnd(of: first) == .pasted)
    let second = await record(router, .none, by: script)
    router.leaseEnded(gui)
    router.clientGone(gui)
    #expect(await rig.session.press() == .busy)
    #expect(rig.session.phaseChange == PhaseChange(phase: .recording, dictation: second))
    #expect(rig.injector.inserts.count == 1)
    await rig.session.cancel()
  }

  @Test("S-129 S-134 what a dead client began is the user's to cancel while it is transcribed")
  func orphan() async {
    let router = makeRouter()
    let gate = Gate()
    rig.transcriber.script { $0.gate = gate }
    #expect(await ask(router, .presence(onScreen: true), from: front).result == .done)
    let dictation = await record(router, .connection, by: gui)
    router.clientGone(gui)
    await rig.probe.wait(for: .transcribing, of: dictation)
    #expect(await ask(router, .cancel, from: script).result == .done)
    gate.open()
    #expect(rig.injector.inserts.isEmpty)
  }

  @Test("S-33 a release right behind its press, before anything is decided, ends that recording")
  func pipelined() async {
    let router = makeRouter()
    // A command that takes its time keeps what follows from being decided at once.
    let stop = Gate()
    rig.microphone.script {
      $0.stopGate = stop
      $0.byteCount = 100
    }
    let first = await rig.startRecording()
    rig.session.submit(.release)
    await stop.waitUntilReached()
    let acks = Box<[CommandAck]>([])
    for (id, action) in [("p", ClientCommand.Action.press(key: nil, lease: .none)), ("r", .release)] {
      router.handle(ClientCommand(id: id, action), from: script) { acks.append($0) }
    }
    rig.microphone.script { $0.byteCount = 6_400 }
    stop.open()
    #expect(await rig.probe.waitForEnd(of: first) == .idle)
    #expect(await eventually { acks.value.count == 2 })
    #expect(acks.value.map(\.id) == ["p", "r"])
    #expect(acks.value.map(\.result) == [.started, .done])
    #expect(acks.value[0].dictation == acks.value[1].dictation)
    #expect(await rig.probe.waitForEnd(of: acks.value[0].dictation ?? 0) == .pasted)
  }

  // MARK: The listening window

  @Test(
    "S-123 S-137 S-142 while the window is not open a press is refused with the reason, and the session is not asked")
  func refused() async {
    let router = makeRouter()
    window.seat.become(.inactive(.suspended))
    for action in [ClientCommand.Action.press(key: nil, lease: .connection), .toggle] {
      let ack = await ask(router, action, from: gui)
      #expect(ack.result == .notListening && ack.reason == .suspended)
      #expect(ack.message == FailureReason.suspended.text)
    }
    window.seat.become(.active)
    // A press looks at the settings.
    window.wishes.value.isWanted = false
    #expect(await ask(router, .press(key: nil, lease: .none), from: gui).reason == .windowClosed)
    #expect(rig.log.count(of: "readiness") == 0)
    #expect(rig.session.phaseChange.dictation == nil)
    window.wishes.value.isWanted = true
    #expect(await ask(router, .press(key: nil, lease: .none), from: gui).result == .started)
    await rig.session.cancel()
  }

  @Test("S-140 a toggle still releases what is recorded when the window is interrupted")
  func toggleInterrupted() async {
    let router = makeRouter()
    let dictation = await record(router, .none, by: script)
    window.seat.become(.inactive(.suspended))
    #expect(await ask(router, .toggle, from: script).result == .done)
    #expect(await rig.probe.waitForEnd(of: dictation) == .pasted)
  }

  @Test("S-142 a press that slips through while the user turns the window off is ended, with what it recorded kept")
  func slipsThrough() async {
    let window = ListeningRig()
    window.control.start()
    // Turned off between the look at the window and the session's answer.
    let session = DictationSession(
      .init(
        microphone: rig.microphone, transcriber: rig.transcriber, injector: rig.injector, focus: rig.focus.capture,
        readinessCheck: {
          window.set(isWanted: false)
          return nil
        }, clock: rig.clock))
    window.onPause.value = { session.submit(.cancelRecording) }
    // The session holds the window by its check.
    defer { window.onPause.value = {} }
    let router = CommandRouter(session: session, services: [:], listening: window.control)
    let ack = await ask(router, .press(key: nil, lease: .none), from: gui)
    #expect(ack.result == .started)
    #expect(await eventually { session.phaseChange.phase == .cancelled && !rig.microphone.isOpen })
    #expect(session.phaseChange.dictation == ack.dictation)
  }
}
