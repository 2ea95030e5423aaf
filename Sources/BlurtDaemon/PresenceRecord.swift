internal import BlurtContract

/// Which client is on the user's screen (S-131): one record, written only by who may.
///
/// A value; times are of the boot-time clock, and whether it is stale is judged when it is asked.
package struct PresenceRecord: Hashable, Sendable {
  /// A client, told from a later one with the same process id (Y-126).
  package enum Holder: Hashable, Sendable {
    /// A process, and its start in ticks since boot.
    case process(id: Int32, startedAt: UInt64)
    /// The connection of a process that cannot be looked at.
    case connection(UInt64)
  }

  private var holder: Holder?
  private var refreshedAt: Duration = .zero

  package init() {}

  /// Who holds it freshly; nil when it is empty or stale.
  package func holder(at now: Duration) -> Holder? {
    now - refreshedAt <= SessionContract.presenceFreshness ? holder : nil
  }

  /// Takes or renews it; false where another holds it freshly. `dead` is a holder that is known not to live any more.
  package mutating func claim(_ client: Holder, at now: Duration, dead: Holder? = nil) -> Bool {
    guard isFree(for: client, at: now, dead: dead) else { return false }
    holder = client
    refreshedAt = now
    return true
  }

  /// Empties it; false, and unchanged, where another holds it freshly: an old client that closes does not erase a newer
  /// one.
  package mutating func clear(_ client: Holder, at now: Duration, dead: Holder? = nil) -> Bool {
    guard isFree(for: client, at: now, dead: dead) else { return false }
    holder = nil
    return true
  }

  private func isFree(for client: Holder, at now: Duration, dead: Holder?) -> Bool {
    guard let holder = holder(at: now) else { return true }
    return holder == client || holder == dead
  }
}
