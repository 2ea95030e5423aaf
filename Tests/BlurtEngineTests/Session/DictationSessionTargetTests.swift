import BlurtTestSupport
import Testing

@testable import BlurtEngine

/// Commands that are meant for one dictation.
@Suite(.timeLimit(.minutes(1))) struct DictationSessionTargetTests {
  private static let ends: [SessionCommand] = [.release, .cancel, .cancelRecording]

  @Test("H-84 S-129 a command for a dictation that has ended does not touch the next one", arguments: ends)
  func ended(_ command: SessionCommand) async {
    let rig = SessionRig()
    let first = rig.session.submit(.press(key: nil))
    await rig.session.cancel()
    let second = await rig.startRecording()
    let decisions = Box<[CommandDecision]>([])
    rig.session.submit(command, target: first) { decisions.append($0) }
    #expect(await rig.session.press() == .busy)
    #expect(decisions.value == [.ignored])
    #expect(rig.session.phaseChange == PhaseChange(phase: .recording, dictation: second))
    await rig.session.cancel()
  }

  @Test("S-36 S-42 a cancel for the live dictation takes effect inside submit", arguments: [true, false])
  func inside(isRecording: Bool) async {
    let rig = SessionRig()
    let gate = Gate(isOpen: isRecording)
    rig.microphone.script { $0.startGate = gate }
    let number = rig.session.submit(.press(key: nil))
    await rig.probe.wait(for: isRecording ? .recording : .connecting, of: number)
    let decisions = Box<[CommandDecision]>([])
    rig.session.submit(.cancel, target: number) { decisions.append($0) }
    #expect(rig.session.phaseChange == PhaseChange(phase: .cancelled, dictation: number))
    #expect(decisions.value == [.done])
    gate.open()
    #expect(await rig.session.press() == .started)
    #expect(rig.microphone.openCount == (isRecording ? 2 : 1))
    await rig.session.cancel()
    #expect(!rig.microphone.isOpen)
  }

  @Test(
    "S-33 S-40 a command for a press that still waits has its effect when that is accepted, and spares the press behind"
  )
  func waiting() async {
    for command in Self.ends {
      let stop = Gate()
      let rig = SessionRig()
      rig.microphone.script {
        $0.stopGate = stop
        $0.byteCount = 100
      }
      _ = await rig.startRecording()
      rig.session.submit(.release)
      await stop.waitUntilReached()
      // The end of the first decides about both.
      let second = rig.submit(.press(key: nil))
      let decisions = Box<[CommandDecision]>([])
      rig.session.submit(command, target: second.number) { decisions.append($0) }
      let third = rig.submit(.press(key: nil))
      stop.open()
      await rig.probe.waitForEnd(of: second.number)
      #expect(await eventually { decisions.value == [.done] && third.decisions.value.count == 1 })
      #expect(second.decisions.value == [.started])
      #expect(rig.probe.phases(of: second.number).contains(.cancelled) == (command != .release))
      // A release of next to nothing ends at once as well.
      if third.decisions.value == [.started] { await rig.probe.wait(for: .recording, of: third.number) }
      await rig.session.cancel()
      #expect(!rig.microphone.isOpen)
    }
  }

  @Test("S-43 a cancel for one press is not inherited by another")
  func ledger() {
    var ledger = SessionLedger()
    let (first, _) = ledger.arrive(.press(key: nil))
    let (second, _) = ledger.arrive(.press(key: nil))
    let (cancel, arrival) = ledger.arrive(.cancel, target: second)
    #expect(arrival == .queued)
    #expect(ledger.claim(first) == true)
    #expect(ledger.arrive(.cancel, target: first).arrival == .cancelled)
    #expect(ledger.arrive(.cancel, target: first).arrival == .nothing)
    #expect(ledger.claim(second) == false)
    #expect(ledger.honoured(cancel))
    #expect(ledger.takeChanges().map(\.phase) == [.connecting, .cancelled, .connecting, .cancelled])
    #expect(ledger.arrive(.cancel, target: first).arrival == .nothing)
    let (third, _) = ledger.arrive(.press(key: nil))
    #expect(ledger.claim(third) == true)
    #expect(ledger.arrive(.cancel, target: second).arrival == .nothing)
    #expect(ledger.phase == .connecting)
  }

  @Test("S-46 a cancel for a dictation whose end is decided finds nothing, and the next press is spared")
  func sealed() {
    var ledger = SessionLedger()
    let (first, _) = ledger.arrive(.press(key: nil))
    #expect(ledger.claim(first) == true)
    #expect(ledger.seal(first, from: .connecting) == true)
    #expect(ledger.arrive(.cancel, target: first).arrival == .nothing)
    let (second, _) = ledger.arrive(.press(key: nil))
    ledger.conclude(first, as: .pasted)
    #expect(ledger.claim(second) == true)
  }
}
