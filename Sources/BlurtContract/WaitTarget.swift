/// What a `wait` waits for.
package enum WaitTarget: Hashable, Sendable {
  /// The newest dictation.
  case newest
  /// The dictation of that number.
  case dictation(UInt64)
  /// The kept recording of that id, which is being sent again.
  case recording(String)

  var dictation: UInt64? {
    if case .dictation(let number) = self { return number }
    return nil
  }

  var recording: String? {
    if case .recording(let id) = self { return id }
    return nil
  }
}
