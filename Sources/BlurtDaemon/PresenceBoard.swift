package import BlurtIPC
internal import BlurtOS
internal import Synchronization

/// The one `PresenceRecord` of a daemon, with the kernel's word on who lives. Any thread; no timer.
package final class PresenceBoard: Sendable {
  private let record = Mutex(PresenceRecord())
  private let now: @Sendable () -> Duration
  private let startOf: @Sendable (Int32) -> UInt64?

  /// `now` is of the boot-time clock; `startOf` gives the start of a living process, nil for any other.
  package init(
    now: @escaping @Sendable () -> Duration = { MonotonicClock.sinceBoot() },
    startOf: @escaping @Sendable (Int32) -> UInt64? = { ProcessStart.ticks(of: $0) }
  ) {
    self.now = now
    self.startOf = startOf
  }

  /// Takes, renews or gives up the presence for a client; false where another live process holds it.
  package func set(onScreen: Bool, by client: ClientIdentity) -> Bool {
    let now = now()
    let present = record.withLock { $0.holder(at: now) }
    let dead = present.flatMap { isAlive($0) ? nil : $0 }
    let own = holder(of: client)
    return record.withLock { record in
      onScreen ? record.claim(own, at: now, dead: dead) : record.clear(own, at: now, dead: dead)
    }
  }

  /// Who is on screen, as that client sees it.
  package func screen(of client: ClientIdentity) -> SessionOwnership.Screen {
    let now = now()
    guard let present = record.withLock({ $0.holder(at: now) }), isAlive(present) else { return .nobody }
    return present == holder(of: client) ? .thisClient : .anotherClient
  }

  /// A connection has ended. A process keeps its presence until that is stale or it dies: it may have other connections.
  package func gone(_ client: ClientIdentity) {
    let now = now()
    record.withLock { record in
      if record.holder(at: now) == .connection(client.connection) {
        _ = record.clear(.connection(client.connection), at: now)
      }
    }
  }

  private func holder(of client: ClientIdentity) -> PresenceRecord.Holder {
    startOf(client.processID).map { .process(id: client.processID, startedAt: $0) } ?? .connection(client.connection)
  }

  private func isAlive(_ holder: PresenceRecord.Holder) -> Bool {
    switch holder {
    case .process(let id, let startedAt): startOf(id) == startedAt
    case .connection: true
    }
  }
}
