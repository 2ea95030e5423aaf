/// All that leaves a device: what happened to a bound key, and the bare fact that something else was pressed.
package enum KeyInput: Sendable, Hashable {
  /// A bound key went down or up (H-68).
  case boundKey(code: Int, isDown: Bool)
  /// Some other key went down (H-70). Which one is not told.
  case otherKey
  /// A pointer button went down (H-72).
  case pointer
}
