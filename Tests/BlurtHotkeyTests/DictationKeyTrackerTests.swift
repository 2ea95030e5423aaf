import BlurtEngine
import BlurtHotkey
import Testing

struct DictationKeyTrackerTests {
  private let key = EvdevCode.rightControl

  private func tracker(devices: Int...) -> DictationKeyTracker {
    var tracker = DictationKeyTracker(activations: [TriggerKeyActivation(.rightControl)])
    for device in devices { tracker.add(device: device, holding: []) }
    return tracker
  }

  private func down(_ tracker: inout DictationKeyTracker, _ device: Int = 1, at time: Int) -> HotkeyEvent? {
    tracker.take(.boundKey(code: key, isDown: true), device: device, at: .milliseconds(time))
  }

  private func up(_ tracker: inout DictationKeyTracker, _ device: Int = 1, at time: Int) -> HotkeyEvent? {
    tracker.take(.boundKey(code: key, isDown: false), device: device, at: .milliseconds(time))
  }

  @Test("H-49 start presses with the key, stop releases, cancel cancels, latch says nothing to the session")
  func commands() {
    var tracker = tracker(devices: 1)
    #expect(down(&tracker, at: 0)?.command == .press(key: 97))
    #expect(up(&tracker, at: 2000)?.command == .release)
    _ = down(&tracker, at: 3000)
    #expect(tracker.take(.otherKey, device: 1, at: .seconds(4))?.command == .cancel)
    _ = up(&tracker, at: 4500)
    _ = down(&tracker, at: 5000)
    let latch = up(&tracker, at: 5100)
    #expect(latch == .latch(gesture: 3, at: .milliseconds(5100)))
    #expect(latch?.command == nil)
  }

  @Test("H-47 H-48 a reset of a latched gesture asks for cancelRecording, and the next press starts")
  func resetWhileLatched() {
    var tracker = tracker(devices: 1)
    _ = down(&tracker, at: 0)
    _ = up(&tracker, at: 100)
    let discarded = tracker.reset(reason: .reset)
    #expect(discarded == .discarded(gesture: 1, reason: .reset))
    #expect(discarded?.command == .cancelRecording)
    #expect(down(&tracker, at: 5000) == .start(keyCode: key, gesture: 2, at: .seconds(5)))
  }

  @Test("H-47 H-46 a reset with the key held makes its up inert; a reset while idle tells nothing")
  func resetWhileHeld() {
    var tracker = tracker(devices: 1)
    #expect(tracker.reset(reason: .reset) == nil)
    _ = down(&tracker, at: 0)
    #expect(tracker.reset(reason: .reset) != nil)
    #expect(tracker.triggerIsHeld)
    #expect(up(&tracker, at: 2000) == nil)
    #expect(down(&tracker, at: 3000) != nil)
  }

  @Test("H-85 a reset for the dictation that ended spares the gesture that followed it")
  func numberedReset() {
    var tracker = tracker(devices: 1)
    _ = down(&tracker, at: 0)
    _ = up(&tracker, at: 1500)
    #expect(down(&tracker, at: 1600)?.gesture == 2)
    #expect(tracker.reset(ifGestureIs: 1, reason: .reset) == nil)
    #expect(tracker.liveGesture == 2)
    #expect(up(&tracker, at: 3000)?.command == .release)
    #expect(tracker.liveGesture == nil)
  }

  @Test("H-48 a rebind of a live gesture asks for cancelRecording; of an idle one it does not")
  func rebind() {
    var tracker = tracker(devices: 1)
    #expect(tracker.rebind([TriggerKeyActivation(.rightControl)]) == nil)
    _ = down(&tracker, at: 0)
    let discarded = tracker.rebind([TriggerKeyActivation(.rightAlt)])
    #expect(discarded == .discarded(gesture: 1, reason: .rebound))
    #expect(discarded?.command == .cancelRecording)
  }

  @Test("B-04 whatever is let go first, the recording ends at the trigger's own release and at no other")
  func otherKeyGoesUpFirst() {
    var tracker = DictationKeyTracker(
      activations: [TriggerKeyActivation(.rightControl), TriggerKeyActivation(.rightAlt)])
    tracker.add(device: 1, holding: [])
    // A key that was down before, whose release is told to nobody, and a second trigger that comes and goes.
    #expect(tracker.take(.otherKey, device: 1, at: .zero) == nil)
    #expect(down(&tracker, at: 100)?.command == .press(key: 97))
    for (isDown, time) in [(true, 300), (false, 900)] {
      let event = tracker.take(
        .boundKey(code: TriggerKey.rightAlt.code, isDown: isDown), device: 1, at: .milliseconds(time))
      #expect(event == nil)
    }
    #expect(up(&tracker, at: 2000)?.command == .release)
  }

  @Test("H-74 B-14 two devices press one key: one start, one stop, at the last release")
  func twoDevices() {
    var tracker = tracker(devices: 1, 2)
    #expect(down(&tracker, 1, at: 0) == .start(keyCode: key, gesture: 1, at: .zero))
    #expect(down(&tracker, 2, at: 3) == nil)
    #expect(up(&tracker, 1, at: 1500) == nil)
    #expect(up(&tracker, 2, at: 1505) == .stop(gesture: 1, at: .milliseconds(1505)))
  }

  @Test("H-75 B-08 a device unplugged with the key held ends the gesture as a release")
  func unplugged() {
    var tracker = tracker(devices: 1, 2)
    _ = down(&tracker, at: 0)
    let lost = tracker.remove(device: 1, at: .milliseconds(300))
    #expect(lost == .keyLost(gesture: 1))
    #expect(lost?.command == .release)
    #expect(down(&tracker, 2, at: 1000)?.gesture == 2)
  }

  @Test("H-75 the gesture goes on while another device holds the key")
  func unpluggedButHeldElsewhere() {
    var tracker = tracker(devices: 1, 2)
    _ = down(&tracker, 1, at: 0)
    _ = down(&tracker, 2, at: 100)
    #expect(tracker.remove(device: 1, at: .milliseconds(300)) == nil)
    #expect(up(&tracker, 2, at: 2000) == .stop(gesture: 1, at: .seconds(2)))
  }

  @Test("H-75 an unplugged device that holds nothing leaves held and latched gestures alone")
  func unrelatedUnplug() {
    var tracker = tracker(devices: 1, 2)
    _ = down(&tracker, 1, at: 0)
    #expect(tracker.remove(device: 2, at: .milliseconds(50)) == nil)
    _ = up(&tracker, 1, at: 100)
    tracker.add(device: 3, holding: [])
    #expect(tracker.remove(device: 3, at: .milliseconds(101)) == nil)
    #expect(tracker.isLive)
  }

  @Test("H-75 B-08 a key-up that the kernel made while unplugging is no tap")
  func releasedByUnplugging() {
    var tracker = tracker(devices: 1)
    _ = down(&tracker, at: 0)
    #expect(up(&tracker, at: 400) == .latch(gesture: 1, at: .milliseconds(400)))
    #expect(
      tracker.remove(device: 1, at: .milliseconds(400) + DictationKeyTracker.unplugWindow) == .keyLost(gesture: 1))
    #expect(!tracker.isLive)
  }

  @Test("H-75 a trigger pressed elsewhere since shows that the latching key-up was a tap")
  func pressedElsewhereSince() {
    var tracker = tracker(devices: 1, 2)
    _ = down(&tracker, 1, at: 0)
    _ = up(&tracker, 1, at: 100)
    _ = down(&tracker, 2, at: 200)
    #expect(tracker.take(.pointer, device: 2, at: .milliseconds(210)) == nil)
    #expect(tracker.remove(device: 1, at: .milliseconds(300)) == nil)
    #expect(tracker.isLive)
  }

  @Test("H-75 a latched gesture outlives a keyboard that is unplugged later")
  func unpluggedLater() {
    var tracker = tracker(devices: 1)
    _ = down(&tracker, at: 0)
    _ = up(&tracker, at: 400)
    let later = Duration.milliseconds(401) + DictationKeyTracker.unplugWindow
    #expect(tracker.remove(device: 1, at: later) == nil)
    #expect(tracker.isLive)
  }

  @Test("H-73 H-44 lost events with the key still down change nothing")
  func recoveryStillDown() {
    var tracker = tracker(devices: 1, 2)
    _ = down(&tracker, at: 0)
    #expect(tracker.recover([1: [key], 2: []], at: .milliseconds(500)) == nil)
    #expect(up(&tracker, at: 1500) == .stop(gesture: 1, at: .milliseconds(1500)))
  }

  @Test("H-73 H-45 B-10 lost events with the key up end a held gesture as a release")
  func recoveryUp() {
    var tracker = tracker(devices: 1)
    _ = down(&tracker, at: 0)
    let lost = tracker.recover([1: []], at: .milliseconds(500))
    #expect(lost == .keyLost(gesture: 1))
    #expect(lost?.command == .release)
    #expect(up(&tracker, at: 600) == nil)
    #expect(down(&tracker, at: 700)?.gesture == 2)
  }

  @Test("H-45 H-48 lost events discard a latched gesture and ask for cancelRecording")
  func recoveryLatched() {
    var tracker = tracker(devices: 1)
    _ = down(&tracker, at: 0)
    _ = up(&tracker, at: 100)
    let discarded = tracker.recover([1: []], at: .milliseconds(500))
    #expect(discarded == .discarded(gesture: 1, reason: .eventsLost))
    #expect(discarded?.command == .cancelRecording)
  }

  @Test("H-73 a device whose state could not be read keeps the one that was known")
  func recoveryOfSome() {
    var tracker = tracker(devices: 1, 2)
    _ = down(&tracker, 1, at: 0)
    #expect(tracker.recover([2: []], at: .milliseconds(500)) == nil)
    #expect(tracker.isLive)
  }

  @Test("H-81 a key held when its device is opened starts nothing until it was up")
  func heldAtStart() {
    var tracker = tracker()
    tracker.add(device: 1, holding: [key])
    #expect(down(&tracker, at: 0) == nil)
    #expect(up(&tracker, at: 100) == nil)
    #expect(down(&tracker, at: 200) == .start(keyCode: key, gesture: 1, at: .milliseconds(200)))
  }

  @Test("H-51 H-33 H-34 a shortcut is a start and a cancel, also with the other key on another device")
  func shortcut() {
    for input in [KeyInput.otherKey, .pointer] {
      var tracker = tracker(devices: 1, 2)
      #expect(down(&tracker, 1, at: 0)?.command == .press(key: 97))
      #expect(tracker.take(input, device: 2, at: .milliseconds(60))?.command == .cancel)
      #expect(up(&tracker, 1, at: 90) == nil)
    }
  }

  @Test("events of a device that was closed are nothing")
  func closedDevice() {
    var tracker = tracker(devices: 1)
    _ = tracker.remove(device: 1, at: .zero)
    #expect(down(&tracker, at: 1) == nil)
    #expect(tracker.take(.otherKey, device: 1, at: .seconds(1)) == nil)
  }
}
