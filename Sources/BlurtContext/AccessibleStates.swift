/// The states of an object: numbers of AT-SPI's `StateType` as bits.
struct AccessibleStates: OptionSet, Hashable {
  let rawValue: UInt64

  static let active = AccessibleStates(rawValue: 1 << 1)
  static let editable = AccessibleStates(rawValue: 1 << 7)
  static let focused = AccessibleStates(rawValue: 1 << 12)
  static let showing = AccessibleStates(rawValue: 1 << 25)
  static let visible = AccessibleStates(rawValue: 1 << 30)
  static let managesDescendants = AccessibleStates(rawValue: 1 << 31)
  static let readOnly = AccessibleStates(rawValue: 1 << 43)
}
