/// Where a dictation stands, by the name it has on the wire (Y-03).
package enum DictationPhase: String, Sendable, Hashable, CaseIterable {
  case idle
  case connecting
  case recording
  case transcribing
  case injecting
  case pasted
  case noTarget
  case failed
  case cancelled

  /// The dictation has ended and a press is accepted.
  package var isTerminal: Bool {
    switch self {
    case .idle, .pasted, .noTarget, .failed, .cancelled: true
    case .connecting, .recording, .transcribing, .injecting: false
    }
  }
}
