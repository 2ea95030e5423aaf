/// What can go wrong with the X display.
package enum X11Error: Error, Sendable, Hashable, CustomStringConvertible {
  /// No display name is known.
  case noDisplay
  /// XOpenDisplay returned nothing.
  case cannotOpen(display: String)
  /// The connection broke.
  case connectionLost
  /// Another program took the selection before the text could be pasted or left there.
  case clipboardTaken

  package var description: String {
    switch self {
    case .noDisplay: DisplayStatus.noDisplay.message
    case .cannotOpen(let display): DisplayStatus.unreachable(display: display).message
    case .connectionLost: "The X server closed the connection. The text is kept: blurtctl last."
    case .clipboardTaken: InjectionNotice.clipboardTaken.message
    }
  }
}
