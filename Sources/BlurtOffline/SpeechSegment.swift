/// A stretch of a clip in which the gate heard speech. In samples, the end excluded.
package struct SpeechSegment: Sendable, Hashable {
  package let start: Int
  package let end: Int

  package init(start: Int, end: Int) {
    self.start = start
    self.end = end
  }

  package var count: Int { end - start }
}
