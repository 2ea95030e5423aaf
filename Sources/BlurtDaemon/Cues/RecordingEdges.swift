package import BlurtEngine

/// Decides when a recording counts as begun and as ended for the user's ears: the cue gate (S-86, S-87), and behind it a
/// short patience.
///
/// The trigger is a modifier as well, so every shortcut that is typed with it begins a recording and cancels it at once
/// (H-51). Here a microphone is up within milliseconds, so silence during the bring-up alone would not hide that.
package struct RecordingEdges: Sendable, Hashable {
  /// What follows from a phase or from the end of the patience.
  package enum Action: Sendable, Hashable {
    /// Ask again, with this number, when `patience` has passed.
    case wait(UInt64)
    /// Nobody needs to ask any more.
    case dismiss
    case began(dictation: UInt64?)
    case ended(dictation: UInt64?)
  }

  private enum Stage: Sendable, Hashable {
    case quiet
    case waiting(UInt64, dictation: UInt64?)
    case begun(dictation: UInt64?)
  }

  /// A recording that ends sooner than this was a shortcut: neither its start nor its end is to be heard.
  package static let patience: Duration = .milliseconds(150)

  private var gate = RecordingCueGate()
  private var stage = Stage.quiet
  private var lastNumber: UInt64 = 0

  package init() {}

  package mutating func take(_ change: PhaseChange) -> Action? {
    switch (gate.cue(for: change.phase), stage) {
    case (.start?, _):
      lastNumber += 1
      stage = .waiting(lastNumber, dictation: change.dictation)
      return .wait(lastNumber)
    case (.stop?, .begun(let dictation)):
      stage = .quiet
      return .ended(dictation: dictation)
    case (.stop?, .waiting):
      stage = .quiet
      return .dismiss
    case (.stop?, .quiet), (nil, _): return nil
    }
  }

  /// The patience with that number is over.
  package mutating func patienceEnded(_ number: UInt64) -> Action? {
    guard case .waiting(number, let dictation) = stage else { return nil }
    stage = .begun(dictation: dictation)
    return .began(dictation: dictation)
  }
}
