internal import BlurtEngine

/// A window as sway tells it.
struct SwayWindow: Sendable, Hashable {
  let id: UInt64
  let processID: Int32
  /// The Wayland app id, or the class of an X11 window under Xwayland.
  let appID: String?
  let title: String?
  let isFocused: Bool

  var captured: CapturedFocus {
    CapturedFocus(processID: processID, name: appID ?? title ?? "", windowID: id, windowClass: appID)
  }
}
