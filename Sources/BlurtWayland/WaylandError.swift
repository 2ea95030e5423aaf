/// What can go wrong between us and the compositor.
package enum WaylandError: Error, Sendable, Hashable, CustomStringConvertible {
  /// Another program took the clipboard before the text could be pasted or left there.
  case clipboardTaken
  /// wl-copy failed; with the last line that it said.
  case clipboardRefused(String)

  package var description: String {
    switch self {
    case .clipboardTaken: WaylandNotice.clipboardTaken.message
    case .clipboardRefused(let reason):
      "The text could not be put on the clipboard (\(reason)). It is kept: blurtctl last."
    }
  }
}
