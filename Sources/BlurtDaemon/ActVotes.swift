internal import Synchronization

/// One answer out of several decisions: a command that was submitted for more than one dictation took effect if it did
/// for any.
final class ActVotes: Sendable {
  enum Outcome: Hashable, Sendable {
    case done(dictation: UInt64)
    case ignored
  }

  /// How many decisions are still to come; nil once the answer was given.
  private let awaited: Mutex<Int?>

  init(count: Int) { awaited = Mutex(count) }

  /// Takes one decision; the answer comes with the first that took effect, or with the last of those that did not.
  func take(_ dictation: UInt64, isDone: Bool) -> Outcome? {
    awaited.withLock { awaited in
      guard let left = awaited else { return nil }
      awaited = isDone || left == 1 ? nil : left - 1
      return isDone ? .done(dictation: dictation) : awaited == nil ? .ignored : nil
    }
  }
}
