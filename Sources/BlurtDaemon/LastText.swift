internal import BlurtEngine
internal import Synchronization

/// The newest text that was on its way to the user, whatever became of its paste. In memory only.
package final class LastText: Sendable {
  package struct Entry: Sendable, Hashable {
    package let dictation: UInt64
    package let text: String
    package let engine: String
  }

  private let entry = Mutex<Entry?>(nil)

  package init() {}

  package var current: Entry? { entry.withLock { $0 } }

  package func forget() { entry.withLock { $0 = nil } }

  package func remember(_ entry: Entry) { self.entry.withLock { $0 = entry } }
}
