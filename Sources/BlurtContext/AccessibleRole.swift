/// The role of an object, as far as it decides on anything; numbers of AT-SPI's `Role`, which never change.
enum AccessibleRole: Hashable {
  /// Not told: whatever it is, nothing of it is read (C-88).
  case unreadable
  case passwordText
  /// What is on a terminal's screen was not written by the user (C-94).
  case terminal
  case other

  init(code: UInt32?) {
    switch code {
    case nil, 0?: self = .unreadable
    case 40?: self = .passwordText
    case 60?: self = .terminal
    case _?: self = .other
    }
  }

  var isSecure: Bool { self == .passwordText || self == .unreadable }
}
