internal import BlurtEngine
internal import Synchronization

/// Notices the edge at which something that was granted is gone (P-80). Any thread.
final class SetupWatch: Sendable {
  private let earlier: Mutex<SetupState>

  init(_ now: SetupState) { earlier = Mutex(now) }

  /// Whether a grant was lost since the last look.
  func hasLostGrant(_ now: SetupState) -> Bool {
    earlier.withLock { earlier in
      defer { earlier = now }
      return now.lostGrant(since: earlier)
    }
  }
}
