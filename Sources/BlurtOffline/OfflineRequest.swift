/// One line to the engine's process: which file to transcribe.
package struct OfflineRequest: Sendable, Hashable, Codable {
  /// Chosen by the daemon, never used twice; the reply carries it.
  package let id: UInt64
  /// A WAV file, or raw 16 kHz mono S16LE.
  package let path: String

  package init(id: UInt64, path: String) {
    self.id = id
    self.path = path
  }
}
