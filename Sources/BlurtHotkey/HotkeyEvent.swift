package import BlurtEngine

/// What the hotkey tells the daemon, in order.
///
/// A gesture is one dictation as the keys see it, from its `start` to exactly one of `stop`, `cancel`, `keyLost` or
/// `discarded`. Gestures are numbered from 1, so that the daemon can reset the one whose dictation ended and spare a
/// newer one (H-85). Times are of the kernel's monotonic clock.
package enum HotkeyEvent: Sendable, Hashable {
  /// A trigger key went down: a dictation begins.
  case start(keyCode: Int, gesture: UInt64, at: Duration)
  /// The key of a hold went up, or that of the second tap: the dictation is done.
  case stop(gesture: UInt64, at: Duration)
  /// The key was part of a shortcut: the dictation is void.
  case cancel(gesture: UInt64, at: Duration)
  /// The dictation goes on with no key held.
  case latch(gesture: UInt64, at: Duration)
  /// The held key cannot be seen going up any more: its device is gone, or it went up among events that were lost. The
  /// user did let go, so the dictation is done and its words are wanted (B-08).
  case keyLost(gesture: UInt64)
  /// The gesture was ended by something that says nothing about the user's wish (H-48). The recording is kept.
  case discarded(gesture: UInt64, reason: DiscardReason)
  /// Devices came, went or became readable.
  case statusChanged(HotkeyStatus)

  /// Why a gesture was discarded.
  package enum DiscardReason: String, Sendable, Hashable {
    /// `resetRouter`: its dictation ended without the key.
    case reset
    /// The trigger keys were changed.
    case rebound
    /// Key events were lost, perhaps the tap that should have ended it.
    case eventsLost
    /// The hotkey was paused: screen locked, seat inactive, suspend.
    case paused
    /// The keyboard may not be read any more: the machine was given to another user.
    case accessLost
  }

  /// What the session is to be told; nil where it has nothing to do (H-49, H-48).
  package var command: SessionCommand? {
    switch self {
    case .start(let keyCode, _, _): .press(key: keyCode)
    case .stop, .keyLost: .release
    case .cancel: .cancel
    case .discarded: .cancelRecording
    case .latch, .statusChanged: nil
    }
  }

  /// The gesture this is about; nil for a change of status.
  package var gesture: UInt64? {
    switch self {
    case .start(_, let gesture, _), .stop(let gesture, _), .cancel(let gesture, _), .latch(let gesture, _): gesture
    case .keyLost(let gesture), .discarded(let gesture, _): gesture
    case .statusChanged: nil
    }
  }
}
