/// What became of a command: the `result` of its answer (S-123, S-128).
package enum CommandResult: String, Sendable, Hashable, CaseIterable {
  /// A press was accepted: the phase is `connecting`, audio does not flow yet (S-124).
  case started
  /// The command took effect, or the question is answered.
  case done
  /// A dictation is already running; nothing was changed (S-125).
  case busy
  /// The press was refused; the reason says why.
  case notListening
  /// There was nothing to act on.
  case ignored
  /// Another client owns the dictation (S-130).
  case notOwner
  /// The command could not be carried out.
  case failed

  /// How `blurtctl` ends on this answer.
  package var exitStatus: ExitStatus {
    switch self {
    case .started, .done: .done
    case .busy: .busy
    case .notListening: .notListening
    case .ignored: .nothingToActOn
    case .notOwner: .notOwner
    case .failed: .failed
    }
  }
}
