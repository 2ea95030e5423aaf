/// The role of an object, as far as it decides on anything; numbers of AT-SPI's `Role`, which never change.
enum AccessibleRole: Hashable {
  /// Not told: whatever it is, nothing of it is read (C-88).
  case unreadable
  case passwordText
  /// What is on a terminal's screen was not written by the user (C-94).
  case terminal
  /// A field or a view of text.
  case text
  /// A button, a check box, a label and the like: something that never takes a text.
  case control
  case other

  init(code: UInt32?) {
    switch code {
    case nil, 0?: self = .unreadable
    case 40?: self = .passwordText
    case 60?: self = .terminal
    case 61?, 79?: self = .text
    // Check box, label, page tab, progress bar, button, radio button, scroll bar, slider, toggle button.
    case 7?, 29?, 37?, 42?, 43?, 44?, 48?, 51?, 62?: self = .control
    case _?: self = .other
    }
  }

  var isSecure: Bool { self == .passwordText || self == .unreadable }
}
