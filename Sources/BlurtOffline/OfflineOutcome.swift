/// What the engine found in a recording.
package enum OfflineOutcome: String, Sendable, Hashable, Codable, CaseIterable {
  /// Speech; the text may still be empty.
  case speech
  /// Sound in which nobody spoke, or a clip too short to hold a word.
  case noSpeech
  /// Nothing over the noise floor of any live microphone.
  case noSound
}
