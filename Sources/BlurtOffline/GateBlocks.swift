package import BlurtEngine

/// Runs the gate over a clip in blocks: the library's time for one call grows with the square of the clip's length
/// (0.4 s for one minute, 120 s for twenty).
///
/// A segment that a block's end cuts in two is left to the next block, which begins where that segment begins.
package enum GateBlocks {
  /// The library works in steps of 512 samples and leaves out what is left behind the last one.
  package static let step = 512
  /// One call gets at most 60 s, in whole steps.
  package static let longestBlock = SyncSTTLimits.sampleRate * 60
  /// The next block begins about a second before the last one's end, so that the gate hears how a word at the border
  /// begins. The gate itself looks back half a second.
  package static let overlap = step * 32
  /// A segment that ends so close to the block's end may go on behind it.
  package static let border = step * 2

  /// All segments of a clip of that length, in order. `gate` gets a range and answers with segments relative to its start.
  package static func segments(
    sampleCount: Int, gate: (Range<Int>) throws(UnderlyingError) -> [SpeechSegment]
  ) throws(UnderlyingError) -> [SpeechSegment] {
    var segments: [SpeechSegment] = []
    var start = 0
    while start < sampleCount {
      let end = min(start + longestBlock, sampleCount)
      var found = try gate(start..<end).map { SpeechSegment(start: start + $0.start, end: start + $0.end) }
      guard end < sampleCount else { return segments + found }
      var next = end - overlap
      if let last = found.last, last.end > next {
        // Speech without a pause as long as the block stays; the next block goes on at its end.
        if last.end >= end - border, last.start > start + longestBlock / 2 {
          found.removeLast()
          next = last.start
        } else {
          next = min(last.end, end)
        }
      }
      segments += found
      start = next
    }
    return segments
  }
}
