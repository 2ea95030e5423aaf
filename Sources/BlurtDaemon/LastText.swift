internal import BlurtEngine
internal import Synchronization

/// The newest text that was on its way to the user, whatever became of its paste. In memory only.
package final class LastText: Sendable {
  package struct Entry: Sendable, Hashable {
    /// Nil for a recording that was sent again.
    package let dictation: UInt64?
    /// The recording that was sent again; nil for a dictation.
    package let recording: String?
    package let text: String
    package let engine: String

    package init(dictation: UInt64?, recording: String? = nil, text: String, engine: String) {
      self.dictation = dictation
      self.recording = recording
      self.text = text
      self.engine = engine
    }
  }

  private let entry = Mutex<Entry?>(nil)

  package init() {}

  package var current: Entry? { entry.withLock { $0 } }

  package func forget() { entry.withLock { $0 = nil } }

  package func remember(_ entry: Entry) { self.entry.withLock { $0 = entry } }
}
