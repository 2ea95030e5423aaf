/// Something about a paste that the user may want to know and that did not make it fail.
package enum InjectionNotice: Sendable, Hashable {
  /// Why the old clipboard could not be kept.
  package enum Loss: String, Sendable, Hashable, CaseIterable {
    /// Its owner did not answer in time.
    case ownerSilent
    /// It is larger than the limit.
    case tooLarge
    /// Its owner refused everything it offered.
    case unreadable
  }

  /// Nobody asked for the text although the paste keys were sent. The old clipboard is back; the text is in `last`.
  case neverRead
  /// The next insert came before the target had read the former text.
  case supersededUnread
  /// The dictated text stays on the clipboard because what was there could not be read (C-50).
  case notRestored(Loss)
  /// Another program took the clipboard before the paste keys were sent, so they were not sent.
  case clipboardTaken
  /// The screen was locked, another session in front, or the machine about to sleep, so nothing was pasted.
  case notInFront
  /// Another program had grabbed the keyboard, so nothing was pasted: it would have got the keys.
  case keyboardGrabbed
  /// The display went away while a paste was being settled.
  case displayLost

  /// The stable name for the wire and the log.
  package var name: String {
    switch self {
    case .neverRead: "neverRead"
    case .supersededUnread: "supersededUnread"
    case .notRestored(let loss): "notRestored.\(loss.rawValue)"
    case .clipboardTaken: "clipboardTaken"
    case .notInFront: "notInFront"
    case .keyboardGrabbed: "keyboardGrabbed"
    case .displayLost: "displayLost"
    }
  }

  /// One sentence for people.
  package var message: String {
    switch self {
    case .neverRead: "The window never asked for the text. It is kept: blurtctl last."
    case .supersededUnread:
      "The window had not asked for the former text when the next one came. blurtctl last has the newest."
    case .notRestored(.ownerSilent):
      "The program that held the clipboard did not answer, so the dictated text stays on the clipboard."
    case .notRestored(.tooLarge): "The clipboard was too large to keep, so the dictated text stays on it."
    case .notRestored(.unreadable): "The clipboard could not be read, so the dictated text stays on it."
    case .clipboardTaken:
      "Another program took the clipboard before the text was pasted, so nothing was pasted. It is kept: blurtctl last."
    case .notInFront:
      "The screen was locked or the session not in front when the text came, so nothing was pasted. It is on the "
        + "clipboard and in blurtctl last."
    case .keyboardGrabbed:
      "A screen lock, a password dialog or an open menu held the keyboard when the text came, so nothing was pasted. It is "
        + "on the clipboard and in blurtctl last."
    case .displayLost: "The display went away; the clipboard is lost with it. The text is kept: blurtctl last."
    }
  }
}
