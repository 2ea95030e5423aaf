import BlurtContract
import BlurtEngine
import BlurtHotkey
import BlurtTestSupport
import Testing

@testable import BlurtDaemon

@Suite("HotkeyBridge", .timeLimit(.minutes(1))) struct HotkeyBridgeTests {
  private let rig = SessionRig()
  private let window = ListeningRig()
  private let resets = Box<[UInt64]>([])

  private var bridge: HotkeyBridge {
    HotkeyBridge(
      session: rig.session, listening: window.control, onReset: { [resets] in resets.append($0) }, onStatus: { _ in })
  }

  @Test("S-137 S-142 while the window is not open the key does nothing and its gesture is put back")
  func notOpen() async {
    let bridge = bridge
    bridge.handle(.start(keyCode: 97, gesture: 1, at: .zero))
    window.control.start()
    window.seat.become(.inactive(.seatInactive))
    bridge.handle(.start(keyCode: 97, gesture: 2, at: .zero))
    bridge.handle(.stop(gesture: 2, at: .zero))
    // Only the press looks at the settings.
    window.seat.become(.active)
    window.wishes.value.isWanted = false
    bridge.handle(.start(keyCode: 97, gesture: 3, at: .zero))
    #expect(resets.value == [1, 2, 3])
    #expect(await rig.session.release() == .ignored)
    #expect(rig.microphone.startCount == 0)
    #expect(rig.session.phaseChange.dictation == nil)
    window.wishes.value.isWanted = true
    bridge.handle(.start(keyCode: 97, gesture: 4, at: .zero))
    #expect(await eventually { rig.session.phaseChange.phase == .recording })
    #expect(resets.value == [1, 2, 3])
    await rig.session.cancel()
  }

  @Test("H-84 the key's late stop or cancel cannot end the script's dictation that came after its own")
  func lateStop() async {
    window.control.start()
    let bridge = bridge
    bridge.handle(.start(keyCode: 97, gesture: 1, at: .zero))
    let own = rig.session.phaseChange.dictation ?? 1
    await rig.probe.wait(for: .recording, of: own)
    // The bridge has not been told of the end yet.
    await rig.session.cancel()
    let other = await rig.startRecording()
    bridge.handle(.cancel(gesture: 1, at: .zero))
    bridge.handle(.stop(gesture: 1, at: .zero))
    bridge.handle(.discarded(gesture: 1, reason: .reset))
    #expect(await rig.session.press() == .busy)
    #expect(rig.session.phaseChange == PhaseChange(phase: .recording, dictation: other))
    await rig.session.cancel()
  }

  @Test("H-49 the key's stop while the microphone comes up releases its recording")
  func earlyStop() async {
    window.control.start()
    let gate = Gate()
    rig.microphone.script { $0.startGate = gate }
    let bridge = bridge
    bridge.handle(.start(keyCode: 97, gesture: 1, at: .zero))
    bridge.handle(.stop(gesture: 1, at: .zero))
    gate.open()
    #expect(await eventually { rig.session.phaseChange.phase == .pasted })
  }
}
