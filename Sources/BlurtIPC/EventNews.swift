internal import BlurtContract

/// What is new for watchers: the events in their order, and the newest level.
///
/// A level goes only to a watcher that has taken every event, and none outlives the phase it was measured in, so that a
/// slow watcher loses levels and never phases (S-149).
struct EventNews {
  private(set) var backlog = EventBacklog()
  private var level: [UInt8]?
  /// The number of the newest level.
  private var levelNumber: UInt64 = 0

  /// The state of a watcher that has been told what stands.
  func subscription(_ options: WatchOptions) -> Subscription {
    Subscription(options: options, cursor: backlog.end, level: levelNumber)
  }

  mutating func add(_ broadcast: WatcherFeed.Broadcast) {
    if broadcast.isLevel {
      level = broadcast.full
      levelNumber += 1
    } else {
      backlog.append(broadcast)
    }
  }

  /// A phase has come: what was measured before is no news any more.
  mutating func dropLevel() { level = nil }

  /// Whether there is something that a watcher has not taken.
  func isNew(for subscription: Subscription) -> Bool {
    subscription.cursor < backlog.end || newLevel(for: subscription) != nil
  }

  /// How many bytes of events wait for a watcher.
  func byteCount(for subscription: Subscription) -> Int { backlog.byteCount(from: subscription.cursor) }

  /// Every event that a watcher has not taken, as lines.
  func lines(for subscription: Subscription) -> [[UInt8]] {
    backlog.lines(from: subscription.cursor, results: subscription.options.results)
  }

  /// What a watcher is sent next; nil when it has been told everything.
  mutating func packet(for subscription: Subscription) -> [UInt8]? {
    guard subscription.cursor < backlog.end else { return newLevel(for: subscription) }
    return backlog.packet(from: subscription.cursor, results: subscription.options.results)
  }

  /// Notes that a watcher took so many bytes of a packet, and returns what is left of the line in which they end.
  func advance(_ subscription: inout Subscription, by taken: Int, of packet: [UInt8]) -> ArraySlice<UInt8> {
    guard taken > 0 else { return [] }
    guard subscription.cursor < backlog.end else {
      subscription.level = levelNumber
      return packet[taken...]
    }
    return backlog.advance(&subscription.cursor, by: taken, results: subscription.options.results)
  }

  /// Lets go of events that every watcher has taken: those before the cursor of the last one. Returns how many bytes they
  /// were.
  mutating func forget(before cursor: UInt64) -> Int { backlog.forget(before: cursor) }

  private func newLevel(for subscription: Subscription) -> [UInt8]? {
    subscription.options.levels && subscription.level < levelNumber ? level : nil
  }
}
