internal import Synchronization

/// The one `SessionOwnership` of a daemon. Any thread.
package final class OwnershipTable: Sendable {
  private let state = Mutex(SessionOwnership())

  package init() {}

  /// Asks or changes it. The body must neither block nor call anything that may.
  package func update<Result: Sendable>(_ body: (inout SessionOwnership) -> Result) -> Result {
    state.withLock { body(&$0) }
  }
}
