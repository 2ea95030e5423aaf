import BlurtHotkey
import Testing

struct HotkeyStatusTests {
  private func status(_ change: (inout HotkeyStatus) -> Void) -> HotkeyStatus {
    var status = HotkeyStatus()
    status.hasScanned = true
    status.triggers = ["KEY_RIGHTCTRL"]
    change(&status)
    return status
  }

  @Test("H-79 keyboards that may not be read: the hint names the udev rule, the group, and blurtctl")
  func denied() throws {
    let status = status { status in
      status.seen = 5
      status.denied = 3
      status.deniedKeyboards = [.init(node: "event3", name: "AT keyboard")]
    }
    #expect(!status.isReady)
    let hint = try #require(status.hint)
    for word in ["3 of 5", "70-blurt-uaccess.rules", "`input`", "blurtctl", "KEY_RIGHTCTRL"] {
      #expect(hint.contains(word))
    }
  }

  @Test("H-79 a readable keyboard with the trigger is enough; devices that are denied besides need no word")
  func ready() {
    let status = status { status in
      status.seen = 5
      status.denied = 3
      status.readable = 1
      status.withTrigger = 1
    }
    #expect(status.isReady)
    #expect(status.hint == nil)
  }

  @Test("H-79 each thing that is missing has a hint of its own")
  func hints() {
    let hints = [
      HotkeyStatus(),
      status { _ in },
      status { $0.triggers = [] },
      status { status in
        status.seen = 2
        status.readable = 2
      },
      status { status in
        status.withTrigger = 1
        status.hotplugProblem = "inotify_add_watch /dev/input: No space left on device"
      },
      status { status in
        status.seen = 2
        status.silencedKeyboards = [.init(node: "event3", name: "AT keyboard")]
      },
      status { status in
        status.seen = 2
        status.denied = 1
        status.deniedKeyboards = [.init(node: "event3", name: "")]
      },
      status { $0.pause = .screenLocked },
      status { $0.pause = .seatInactive },
      status { $0.pause = .suspending },
    ].map(\.hint)
    #expect(!hints.contains(nil))
    #expect(Set(hints).count == hints.count)
  }

  @Test("H-79 a mouse that may not be read is not why a key is missing that no keyboard has")
  func deniedMouse() {
    let status = status { status in
      status.seen = 5
      status.denied = 2
    }
    #expect(status.hint?.hasPrefix("No keyboard here has KEY_RIGHTCTRL") == true)
  }

  @Test("H-80 a paused hotkey is not ready, whatever it can read")
  func paused() {
    let status = status { status in
      status.withTrigger = 1
      status.pause = .screenLocked
    }
    #expect(!status.isReady)
  }
}
