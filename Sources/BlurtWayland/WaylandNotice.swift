/// Something about a paste under Wayland that the user may want to know and that did not make it fail by itself.
package enum WaylandNotice: Sendable, Hashable, CaseIterable {
  /// Nobody read the text although the paste keys were sent. It stays on the clipboard.
  case neverRead
  /// The next insert came before anybody had read the former text.
  case supersededUnread
  /// The dictated text stays on the clipboard because what was there did not answer in time (C-50).
  case oldClipboardSilent
  /// The same, because it was too large.
  case oldClipboardTooLarge
  /// The same, because it could not be read or is a secret that no history may see.
  case oldClipboardUnreadable
  /// Of several forms of the old clipboard one came back: wl-copy can offer no more.
  case oldClipboardInOneForm
  /// wl-copy failed, so that nothing was pasted.
  case clipboardRefused
  /// Another program took the clipboard before the paste keys were sent, so they were not sent.
  case clipboardTaken
  /// The screen was locked, another session in front, or the machine about to sleep, so nothing was pasted.
  case notInFront
  /// No way to send the paste keys to this compositor.
  case noKeys
  /// The user's own modifier keys stayed down, so that other keys would have come out.
  case modifiersHeld
  /// wl-clipboard is not installed.
  case noClipboardProgram

  /// The stable name for the wire and the log. Where X11 has the same notice, it has the same name.
  package var name: String {
    switch self {
    case .neverRead: "neverRead"
    case .supersededUnread: "supersededUnread"
    case .oldClipboardSilent: "notRestored.ownerSilent"
    case .oldClipboardTooLarge: "notRestored.tooLarge"
    case .oldClipboardUnreadable: "notRestored.unreadable"
    case .oldClipboardInOneForm: "notRestored.otherForms"
    case .clipboardRefused: "clipboardRefused"
    case .clipboardTaken: "clipboardTaken"
    case .notInFront: "notInFront"
    case .noKeys: "noPasteKeys"
    case .modifiersHeld: "modifiersHeld"
    case .noClipboardProgram: "noClipboardProgram"
    }
  }

  /// One sentence for people that says what to do next.
  package var message: String {
    switch self {
    case .neverRead: "The window never asked for the text. It is on the clipboard and in blurtctl last."
    case .supersededUnread:
      "The window had not asked for the former text when the next one came. blurtctl last has the newest."
    case .oldClipboardSilent:
      "The program that held the clipboard did not answer, so the dictated text stays on the clipboard."
    case .oldClipboardTooLarge: "The clipboard was too large to keep, so the dictated text stays on it."
    case .oldClipboardUnreadable: "The clipboard could not be read, so the dictated text stays on it."
    case .oldClipboardInOneForm:
      "The old clipboard came back in one form only, as text or as a picture: copy it again for its formatting."
    case .clipboardRefused:
      "wl-copy could not take the clipboard, so nothing was pasted. The text is kept: blurtctl last."
    case .clipboardTaken:
      "Another program took the clipboard before the text was pasted, so nothing was pasted. It is kept: blurtctl last."
    case .notInFront:
      "The screen was locked or the session not in front when the text came, so nothing was pasted. It is on the "
        + "clipboard and in blurtctl last."
    case .noKeys:
      "The text is on the clipboard: paste it with Ctrl+V. blurtctl doctor says what makes it paste itself."
    case .modifiersHeld:
      "A modifier key stayed down, so nothing was pasted. The text is on the clipboard: let go and paste it with Ctrl+V."
    case .noClipboardProgram:
      "wl-copy and wl-paste are missing, so nothing was pasted. The text is kept: blurtctl last. Install wl-clipboard."
    }
  }
}
