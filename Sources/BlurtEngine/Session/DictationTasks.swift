internal import Synchronization

/// The tasks of one dictation, so that its end reaches each of them from any thread.
///
/// They belong to their dictation and to no other: a press that has finished cannot disarm a newer one (S-48), an
/// utterance cannot clear the upload of the next (S-66). A task that is attached too late is cancelled at once.
final class DictationTasks: Sendable {
  enum Kind: Sendable, Hashable, CaseIterable {
    /// The microphone coming up: what S-42 cancels.
    case bringUp
    /// The read of the focus and of the focused field.
    case focus
    case upload
    /// From the release on: wait for the text, paste it.
    case pipeline
    /// S-68.
    case autoRelease
    /// S-52: outlives the dictation, not the session.
    case warmUp
  }

  private struct State {
    var cancels: [Kind: @Sendable () -> Void] = [:]
    var revoked: Set<Kind> = []
  }

  let number: UInt64
  private let state = Mutex(State())

  init(number: UInt64) { self.number = number }

  /// Whether a task of that kind can still be reached.
  func holds(_ kind: Kind) -> Bool { state.withLock { $0.cancels[kind] != nil } }

  func attach(_ kind: Kind, cancel: @escaping @Sendable () -> Void) {
    let isRevoked = state.withLock { state in
      guard !state.revoked.contains(kind) else { return true }
      state.cancels[kind] = cancel
      return false
    }
    if isRevoked { cancel() }
  }

  /// The task has ended by itself.
  func detach(_ kind: Kind) { _ = state.withLock { $0.cancels.removeValue(forKey: kind) } }

  /// Cancels the tasks that a phase leaves without a purpose.
  func settle(_ phase: PipelinePhase) {
    switch phase {
    case .connecting, .recording: break
    case .transcribing, .injecting: revoke([.autoRelease])
    case .idle, .pasted, .noTarget, .failed: revoke([.autoRelease, .upload, .focus])
    // The upload before the rest: a feed that ends first would complete the request (S-38).
    case .cancelled: revoke([.upload, .pipeline, .bringUp, .autoRelease, .focus])
    }
  }

  /// Cancels those tasks now, in that order, and later ones of the same kinds when they are attached.
  ///
  /// Cancellation handlers run here: never call this under a lock.
  func revoke(_ kinds: [Kind]) {
    let cancels = state.withLock { state in
      state.revoked.formUnion(kinds)
      return kinds.compactMap { state.cancels.removeValue(forKey: $0) }
    }
    for cancel in cancels { cancel() }
  }
}
