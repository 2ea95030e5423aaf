/// Whether text can be pasted, for `status` and `doctor`.
package enum DisplayStatus: Sendable, Hashable {
  /// Not looked for yet.
  case unknown
  case connected(display: String)
  /// There is no name of a display.
  case noDisplay
  /// There is a name, and no server answers to it or it refuses us.
  case unreachable(display: String)
  /// Connected, and the server has no XTest extension: the clipboard works, the paste keys do not.
  case noXTest(display: String)
  /// A Wayland session, where another injector pastes: what it says of itself, and what helps where it cannot paste.
  case wayland(message: String, remedy: String?)

  package var canPaste: Bool {
    switch self {
    case .connected, .wayland(_, nil): true
    case .unknown, .noDisplay, .unreachable, .noXTest, .wayland: false
    }
  }

  /// One sentence: what is the matter and what to do.
  package var message: String {
    switch self {
    case .unknown: "The display has not been looked for yet."
    case .connected(let display): "Connected to X display \(display)."
    case .noDisplay:
      "There is no X display yet; blurtd connects by itself when your graphical session has one. If this stays so, run in "
        + "that session: systemctl --user import-environment DISPLAY XAUTHORITY"
    case .unreachable(let display):
      "X display \(display) does not answer or refuses blurtd, which goes on trying. If this stays so, run in your graphical "
        + "session: systemctl --user import-environment DISPLAY XAUTHORITY"
    case .wayland(let message, _): message
    case .noXTest(let display):
      "X display \(display) has no XTest extension: text goes to the clipboard only. Enable XTEST in the X server."
    }
  }
}
