/// Numbers of linux/input-event-codes.h that the tests send.
enum EvdevCode {
  static let syn = 0
  static let key = 1
  static let relative = 2
  static let absolute = 3
  static let misc = 4

  static let report = 0
  static let dropped = 3

  static let rightControl = 97
  static let rightAlt = 100
  static let leftShift = 42
  static let c = 46
  static let buttonMisc = 0x100
  static let buttonLeft = 0x110
  static let buttonSide = 0x113
  static let buttonTask = 0x117
  static let buttonToolFinger = 0x145
  static let buttonTouch = 0x14a
  static let ok = 0x160
  static let buttonTriggerHappy = 0x2c0
  static let max = 0x2ff
}
