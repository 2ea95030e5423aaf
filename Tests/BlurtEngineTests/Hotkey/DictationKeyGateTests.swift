import BlurtEngine
import Testing

struct DictationKeyGateTests {
  private typealias Action = DictationKeyGate.Action

  private func gate(_ mode: ActivationMode = .tapOrHold) -> DictationKeyGate {
    var gate = DictationKeyGate()
    #expect(gate.keyDown(at: .zero, mode: mode) == .start)
    return gate
  }

  /// A gate that latched by a tap.
  private func latched() -> DictationKeyGate {
    var gate = gate()
    #expect(gate.keyUp(at: .milliseconds(100)) == .latch)
    return gate
  }

  /// A latched gate whose key is down again.
  private func armedAgain() -> DictationKeyGate {
    var gate = latched()
    #expect(gate.keyDown(at: .seconds(5)) == .none)
    return gate
  }

  @Test("H-01 a hold lasts one second by default")
  func threshold() { #expect(DictationKeyGate.defaultHoldThreshold == .seconds(1)) }

  @Test("H-01 H-09 exactly the threshold is a hold, also an injected one", arguments: [1000, 350])
  func exactlyTheThreshold(milliseconds: Int) {
    var gate = DictationKeyGate(holdThreshold: .milliseconds(milliseconds))
    #expect(gate.keyDown(at: .seconds(7)) == .start)
    #expect(gate.keyUp(at: .seconds(7) + .milliseconds(milliseconds)) == .stop)
    #expect(gate.isIdle)
    #expect(gate.keyDown(at: .seconds(9)) == .start)
    #expect(gate.keyUp(at: .seconds(9) + .milliseconds(milliseconds) - .nanoseconds(1)) == .latch)
  }

  @Test("H-02 H-10 latching has an action of its own, which a session need not know")
  func latchIsAnAction() {
    var gate = gate()
    #expect(gate.keyUp(at: .milliseconds(999)) == .latch)
    #expect(gate.isLatched)
  }

  @Test("H-03 modes are stored under their names; unknown and missing ones are TapOrHold")
  func storedModes() {
    #expect(ActivationMode.allCases.map(\.rawValue) == ["TapOrHold", "Tap", "Hold"])
    #expect(ActivationMode.allCases.allSatisfy { ActivationMode(stored: $0.rawValue) == $0 })
    #expect(ActivationMode(stored: "DoubleTap") == .tapOrHold)
    #expect(ActivationMode(stored: "hold") == .tapOrHold)
    #expect(ActivationMode(stored: nil) == .tapOrHold)
  }

  @Test("H-04 a gate is idle only when no gesture is under way")
  func isIdle() {
    #expect(DictationKeyGate().isIdle)
    #expect(!gate().isIdle)
    #expect(!latched().isIdle)
    #expect(!armedAgain().isIdle)
  }

  @Test("H-05 a press from idle starts")
  func pressFromIdle() {
    var gate = DictationKeyGate()
    #expect(gate.keyDown(at: .seconds(3)) == .start)
    #expect(gate.isArmed)
  }

  @Test("H-06 H-07 an up or another key while idle is nothing")
  func nothingWhileIdle() {
    var gate = DictationKeyGate()
    #expect(gate.keyUp(at: .seconds(1)) == .none)
    #expect(gate.otherInput() == .none)
    #expect(gate == DictationKeyGate())
  }

  @Test("H-08 a second down keeps the time of the first")
  func secondDown() {
    var gate = gate()
    #expect(gate.keyDown(at: .milliseconds(900)) == .none)
    #expect(gate.keyUp(at: .milliseconds(1000)) == .stop)
  }

  @Test("H-11 in Tap mode every first press latches, however long", arguments: [1, 999, 1000, 60_000])
  func tapMode(milliseconds: Int) {
    var gate = gate(.tap)
    #expect(gate.keyUp(at: .milliseconds(milliseconds)) == .latch)
    #expect(gate.isLatched)
  }

  @Test("H-12 in Hold mode every press stops at its up, however short", arguments: [1, 999, 1000, 60_000])
  func holdMode(milliseconds: Int) {
    var gate = gate(.hold)
    #expect(gate.keyUp(at: .milliseconds(milliseconds)) == .stop)
    #expect(gate.isIdle)
  }

  @Test("H-13 another key during a first press cancels", arguments: ActivationMode.allCases)
  func combo(mode: ActivationMode) {
    var gate = gate(mode)
    #expect(gate.otherInput() == .cancel)
    #expect(gate.isIdle)
    #expect(gate.keyUp(at: .seconds(2)) == .none)
  }

  @Test("H-14 H-17 a press while latched is nothing yet, told twice or once")
  func pressWhileLatched() {
    var gate = armedAgain()
    #expect(gate.isArmed)
    let before = gate
    #expect(gate.keyDown(at: .seconds(6)) == .none)
    #expect(gate == before)
  }

  @Test("H-15 H-16 an up or another key while latched changes nothing")
  func latchedIsDeaf() {
    var gate = latched()
    let before = gate
    #expect(gate.keyUp(at: .seconds(2)) == .none)
    #expect(gate.otherInput() == .none)
    #expect(gate == before)
  }

  @Test("H-18 the second press stops at its up, in any mode and however long", arguments: [1, 999, 1000, 60_000])
  func secondPressStops(milliseconds: Int) {
    for mode in [ActivationMode.tapOrHold, .tap] {
      var gate = gate(mode)
      #expect(gate.keyUp(at: .milliseconds(1)) == .latch)
      #expect(gate.keyDown(at: .seconds(5), mode: mode) == .none)
      #expect(gate.keyUp(at: .seconds(5) + .milliseconds(milliseconds)) == .stop)
      #expect(gate.isIdle)
    }
  }

  @Test("H-19 a shortcut during the second press leaves the recording latched")
  func comboWhileArmedAgain() {
    var gate = armedAgain()
    #expect(gate.otherInput() == .none)
    #expect(gate.isLatched)
    #expect(gate.keyUp(at: .seconds(6)) == .none)
    #expect(gate.isLatched)
  }

  @Test("H-20 a reset leads to idle from every state")
  func reset() {
    for var gate in [DictationKeyGate(), gate(), latched(), armedAgain()] {
      gate.reset()
      #expect(gate.isIdle)
      #expect(gate.keyUp(at: .seconds(9)) == .none)
      #expect(gate.keyDown(at: .seconds(10)) == .start)
    }
  }

  @Test("H-36 the mode of the first press counts for the whole gesture")
  func modeOfTheFirstPress() {
    var gate = gate(.hold)
    #expect(gate.keyDown(at: .milliseconds(1), mode: .tap) == .none)
    #expect(gate.keyUp(at: .milliseconds(2)) == .stop)
  }

  @Test("H-10 a clock that went back makes a tap, not a trap")
  func clockWentBack() {
    var gate = DictationKeyGate()
    #expect(gate.keyDown(at: .seconds(5)) == .start)
    #expect(gate.keyUp(at: .seconds(4)) == .latch)
  }
}
