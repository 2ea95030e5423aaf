/// Whether text can be pasted under Wayland, for `status` and `doctor`.
package struct WaylandStatus: Sendable, Hashable {
  /// The socket's name or path, as `WAYLAND_DISPLAY` has it.
  package var display: String
  /// It has been looked for.
  package var hasLooked = false
  /// The compositor answers.
  package var isReachable = false
  /// wl-copy and wl-paste are installed.
  package var hasClipboard = false
  /// The clipboard can be had without the focus (data-control); else wl-clipboard takes the focus for a moment.
  package var hasDataControl = false
  package var keys: PasteKeys?
  /// It takes keys of programs, so that wtype would do.
  package var takesVirtualKeys = false
  /// The compositor tells which window has the focus.
  package var knowsWindows = false

  package init(display: String) { self.display = display }

  package var canPaste: Bool { isReachable && hasClipboard && keys != nil }

  /// What is the matter and what to do; or by which way text is pasted.
  package var message: String {
    guard isReachable else {
      return "The Wayland compositor at \(display) does not answer: run systemctl --user import-environment "
        + "WAYLAND_DISPLAY SWAYSOCK in your session and restart blurtd."
    }
    guard hasClipboard else {
      return "This is a Wayland session, and wl-copy and wl-paste are missing: install the package wl-clipboard."
    }
    guard let keys else {
      let reason =
        takesVirtualKeys
        ? "wtype is missing"
        : "this compositor takes none of programs, and blurtd may not make a keyboard in /dev/uinput. Where that is "
          + "allowed, every program of yours can send keys to all others"
      return "Text goes to the Wayland clipboard only, since no keys can be sent: \(reason)."
    }
    let way =
      switch keys {
      case .wtype: "the paste keys come from wtype"
      case .uinput: "the paste keys come from a keyboard of blurtd in /dev/uinput"
      }
    let windows = knowsWindows ? "" : " The compositor does not tell which window has the focus."
    let clipboard = hasDataControl ? "" : " It gives the clipboard only to windows, so wl-copy takes the focus shortly."
    return "Text is pasted under Wayland (\(display)): \(way).\(windows)\(clipboard)"
  }

  /// A command or a sentence that helps; nil where all is well.
  package var remedy: String? {
    if !isReachable {
      return "systemctl --user import-environment WAYLAND_DISPLAY SWAYSOCK && systemctl --user restart blurtd"
    }
    if !hasClipboard { return "sudo apt-get install wl-clipboard" }
    return keys == nil ? PasteKeys.remedy(takesVirtualKeys: takesVirtualKeys) : nil
  }
}
