package import BlurtHotkey
internal import Synchronization

/// Keeps the trigger key unread while the session is not in front (B-29, H-80).
///
/// Any thread: the state is looked at and passed on under one lock, so that the last look wins.
package final class HotkeyPause: Sendable {
  private let pause: @Sendable () -> HotkeyStatus.Pause?
  private let apply: @Sendable (HotkeyStatus.Pause?) -> Void
  private let applied = Mutex<HotkeyStatus.Pause?>(nil)

  /// - Parameters:
  ///   - pause: why the key is not to be read now; must not block.
  ///   - apply: passes a change on; must not call back.
  package init(
    _ pause: @escaping @Sendable () -> HotkeyStatus.Pause?, apply: @escaping @Sendable (HotkeyStatus.Pause?) -> Void
  ) {
    self.pause = pause
    self.apply = apply
  }

  /// For a tap, whose keys are read anew after a pause: what went up meanwhile was not seen (B-23).
  package convenience init(_ tap: DictationKeyTap?, _ pause: @escaping @Sendable () -> HotkeyStatus.Pause?) {
    self.init(pause) { pause in
      tap?.setPause(pause)
      if pause == nil { tap?.resync() }
    }
  }

  /// The seat has changed, or may have.
  package func update() {
    applied.withLock { applied in
      let wanted = pause()
      guard wanted != applied else { return }
      applied = wanted
      apply(wanted)
    }
  }
}
