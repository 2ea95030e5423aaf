/// How the hotkey stands: which devices there are, and what is missing (H-79).
package struct HotkeyStatus: Sendable, Hashable {
  /// Why the hotkey does nothing although it could.
  package enum Pause: String, Sendable, Hashable {
    case screenLocked
    case seatInactive
    case suspending
  }

  /// An input device, as people know it.
  package struct Device: Sendable, Hashable {
    /// Such as `event3`.
    package let node: String
    /// What the device calls itself; empty if it does not tell.
    package let name: String

    package init(node: String, name: String) {
      self.node = node
      self.name = name
    }

    /// Such as `AT keyboard (event3)`.
    package var label: String { name.isEmpty ? node : "\(name) (\(node))" }
  }

  /// The devices were looked through at least once.
  package var hasScanned = false
  /// Event devices that exist.
  package var seen = 0
  /// Devices that are open: those with a trigger key or with pointer buttons.
  package var readable = 0
  /// Devices that may matter and must not be read.
  package var denied = 0
  /// Open devices that have a trigger key and can be heard.
  package var withTrigger = 0
  /// Devices that have a trigger key, as far as is known, and must not be read.
  package var deniedKeyboards: [Device] = []
  /// Devices that have a trigger key and are open, but held by another program for itself (B-12).
  package var silencedKeyboards: [Device] = []
  /// Names of the trigger keys, as in the settings.
  package var triggers: [String] = []
  /// Why devices that are plugged in later will not be noticed; nil when they will.
  package var hotplugProblem: String?
  package var pause: Pause?

  package init() {}

  /// A trigger key works.
  package var isReady: Bool { withTrigger > 0 && pause == nil }

  /// What is missing and what to do about it, in one sentence; nil when nothing is.
  package var hint: String? {
    if let pause { return Self.sentence(for: pause) }
    guard hasScanned else { return "The input devices are still being opened." }
    if withTrigger > 0 { return hotplugProblem.map { "Keyboards plugged in later will not be noticed: \($0)." } }
    let names = triggers.joined(separator: ", ")
    if triggers.isEmpty { return "No key dictates: blurtctl keys bind KEY_RIGHTCTRL." }
    if !deniedKeyboards.isEmpty {
      return "\(denied) of \(seen) input devices may not be read, so \(names) is not seen: install the udev rule "
        + "70-blurt-uaccess.rules and log in again, or join the group `input`; blurtctl works meanwhile."
    }
    if let silenced = silencedKeyboards.first {
      return
        "Another program holds \(silenced.label) for itself, so \(names) is not seen: have that program pass the key "
        + "on, or choose another trigger key; blurtctl works meanwhile."
    }
    if seen == 0 { return "There is no input device; plug in a keyboard, or dictate with blurtctl." }
    return "No keyboard here has \(names); choose another one with blurtctl keys, or dictate with blurtctl."
  }

  private static func sentence(for pause: Pause) -> String {
    switch pause {
    case .screenLocked: "The screen is locked; the trigger key works again once it is unlocked."
    case .seatInactive: "Another session is in front; the trigger key works again once this one is."
    case .suspending: "The machine is going to sleep; the trigger key works again after it wakes."
    }
  }
}
