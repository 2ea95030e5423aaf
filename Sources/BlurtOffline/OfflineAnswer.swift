/// The engine's answer for one recording.
package struct OfflineAnswer: Sendable, Hashable, Codable {
  package var outcome: OfflineOutcome
  package var text: String
  /// Length of the recording.
  package var audioSeconds: Double
  /// How much of it is speech.
  package var speechSeconds: Double
  /// Where the first word begins and the last one ends, as the gate found them; nil where it was not asked or found none.
  package var speechStart: Double?
  package var speechEnd: Double?
  /// Time spent finding speech.
  package var gateMilliseconds: Double
  /// Time spent decoding it.
  package var decodeMilliseconds: Double

  package init(
    outcome: OfflineOutcome, text: String = "", audioSeconds: Double = 0, speechSeconds: Double = 0,
    gateMilliseconds: Double = 0, decodeMilliseconds: Double = 0
  ) {
    self.outcome = outcome
    self.text = text
    self.audioSeconds = audioSeconds
    self.speechSeconds = speechSeconds
    self.gateMilliseconds = gateMilliseconds
    self.decodeMilliseconds = decodeMilliseconds
  }
}
