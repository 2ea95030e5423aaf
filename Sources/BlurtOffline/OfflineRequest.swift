/// One line to the engine's process: which file to transcribe, or to listen to for speech.
package struct OfflineRequest: Sendable, Hashable, Codable {
  /// Chosen by the daemon, never used twice; the reply carries it.
  package let id: UInt64
  /// A WAV file, or raw 16 kHz mono S16LE.
  package let path: String

  /// True: only whether somebody speaks in it is wanted. Absent: the words.
  package let gateOnly: Bool?

  package init(id: UInt64, path: String, gateOnly: Bool? = nil) {
    self.id = id
    self.path = path
    self.gateOnly = gateOnly
  }
}
