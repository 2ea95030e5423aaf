internal import BlurtExecutor
internal import BlurtHotkey
internal import Synchronization

/// Waits until the user has let go of all modifiers, before a paste chord is sent.
final class ModifierWait: Sendable {
  private let tap = Mutex<DictationKeyTap?>(nil)

  func attach(_ tap: DictationKeyTap?) { self.tap.withLock { $0 = tap } }

  /// True once none is down, or where nobody can tell; false when the time is over.
  func wait(atMost limit: Duration) async -> Bool {
    guard let tap = tap.withLock({ $0 }), tap.modifiersAreHeld else { return true }
    return await withTaskGroup(of: Bool.self) { group in
      group.addTask { await tap.waitUntilModifiersReleased() }
      group.addTask {
        try? await TaskClock().sleep(for: limit)
        return false
      }
      let released = await group.next() ?? false
      group.cancelAll()
      return released
    }
  }
}
