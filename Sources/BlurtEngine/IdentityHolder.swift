internal import Synchronization

/// Holds the identity of a process, which is set once at most (P-59). Any thread.
final class IdentityHolder: Sendable {
  private struct State {
    var identity: HostIdentity?
    var isResolved = false
  }

  private let state = Mutex(State())

  /// What was configured, or the default. Reading it first does not settle it.
  var current: HostIdentity {
    state.withLock { state in
      state.isResolved = true
      return state.identity ?? .blurt
    }
  }

  /// Whether somebody has read it.
  var isResolved: Bool { state.withLock { $0.isResolved } }

  /// The first call sets it and returns true.
  func configure(_ identity: HostIdentity) -> Bool {
    state.withLock { state in
      guard state.identity == nil else { return false }
      state.identity = identity
      return true
    }
  }
}
