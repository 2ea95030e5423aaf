import BlurtEngine
import Testing

/// What the key traces do not show.
struct DictationKeyRouterTests {
  @Test("H-35 several bound keys, each with its own mode; a code given twice counts once")
  func bindings() {
    var router = DictationKeyRouter(activations: [
      TriggerKeyActivation(.rightControl, mode: .hold), TriggerKeyActivation(.rightAlt, mode: .tap),
      TriggerKeyActivation(.rightControl, mode: .tap),
    ])
    #expect(router.boundKeyCodes == [97, 100])
    #expect(router.handle(.flagsChanged(keyCode: 97, isOn: true), at: .zero) == .start)
    #expect(router.handle(.flagsChanged(keyCode: 97, isOn: false), at: .milliseconds(1)) == .stop)
  }

  @Test("H-35 the active key is nothing after a stop, a cancel and a reset alike")
  func activeKey() {
    var router = DictationKeyRouter(activations: [TriggerKeyActivation(.rightControl)])
    #expect(router.activeKeyCode == nil)
    for end in ["stop", "cancel", "reset"] {
      _ = router.handle(.flagsChanged(keyCode: 97, isOn: true), at: .zero)
      #expect(router.activeKeyCode == 97)
      switch end {
      case "stop": #expect(router.handle(.flagsChanged(keyCode: 97, isOn: false), at: .seconds(2)) == .stop)
      case "cancel":
        #expect(router.handle(.pointerDown, at: .seconds(2)) == .cancel)
        _ = router.handle(.flagsChanged(keyCode: 97, isOn: false), at: .seconds(2))
      default: #expect(router.reset() == true)
      }
      #expect(router.activeKeyCode == nil)
    }
  }

  @Test("H-41 H-44 H-45 only an ended gesture counts as one")
  func recoveryIsABool() {
    #expect(!DictationKeyRouter.Recovery.unchanged.endedGesture)
    #expect(DictationKeyRouter.Recovery.keyLost.endedGesture)
    #expect(DictationKeyRouter.Recovery.discarded.endedGesture)
  }

  @Test("no bound key at all: nothing ever starts")
  func nothingBound() {
    var router = DictationKeyRouter(activations: [])
    #expect(router.handle(.flagsChanged(keyCode: 97, isOn: true), at: .zero) == .none)
    #expect(router.handle(.keyDown(keyCode: 97), at: .zero) == .none)
    #expect(router.isIdle)
  }
}
