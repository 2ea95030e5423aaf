internal import BlurtEngine

/// Decides from the gate's segments what of a clip is decoded, and in which pieces.
package struct SpeechCut: Sendable, Hashable {
  /// Clips shorter than 0.3 s are not decoded: the model makes up "You" or "Mm" from them (measured at 0.1 to 0.5 s).
  package static let shortestClip = SyncSTTLimits.sampleRate * 3 / 10
  /// Less speech than 0.2 s in total is none: with it, no word came from 23 of 23 clips without speech, and none of 74
  /// clips with speech was lost.
  package static let shortestSpeech = SyncSTTLimits.sampleRate / 5
  /// Longer clips are decoded in pieces of at most 25 s: a whole clip of 44 s needs 450 MiB and gains stray words.
  package static let longestPiece = SyncSTTLimits.sampleRate * 25
  /// A piece is not cut before 10 s, so that the model keeps its context.
  package static let shortestCutPiece = SyncSTTLimits.sampleRate * 10

  /// All speech together, in samples.
  package let speechCount: Int
  /// What to decode, in order; empty where there is no speech. Silence before, between and after pieces is left out,
  /// silence inside one stays.
  package let pieces: [Range<Int>]

  package init(segments: [SpeechSegment], sampleCount: Int) {
    // The gate looks back by half a second and rounds up at the end: its segments may overlap and outlast the clip.
    var inside: [SpeechSegment] = []
    for segment in segments.sorted(by: { $0.start < $1.start }) {
      let start = max(segment.start, inside.last?.end ?? 0)
      let end = min(segment.end, sampleCount)
      if start < end { inside.append(SpeechSegment(start: start, end: end)) }
    }
    speechCount = inside.reduce(0) { $0 + $1.count }
    pieces = speechCount < Self.shortestSpeech ? [] : Self.pieces(of: inside)
  }

  /// Groups the segments greedily; where the next would make the piece too long, cuts at the widest gap.
  private static func pieces(of segments: [SpeechSegment]) -> [Range<Int>] {
    var pieces: [Range<Int>] = []
    var open: [SpeechSegment] = []
    for segment in segments.flatMap(split) {
      while let first = open.first, let last = open.last, segment.end - first.start > longestPiece {
        let cut = widestGap(in: open, before: segment)
        pieces.append(first.start..<(cut < open.count ? open[cut - 1].end : last.end))
        open.removeFirst(cut)
      }
      open.append(segment)
    }
    if let first = open.first, let last = open.last { pieces.append(first.start..<last.end) }
    return pieces
  }

  /// How many segments of the open piece stay in it: up to the widest gap that leaves it long enough.
  private static func widestGap(in open: [SpeechSegment], before next: SpeechSegment) -> Int {
    var best = open.count
    var widest = -1
    for index in 1...open.count where open[index - 1].end - open[0].start >= shortestCutPiece {
      let following = index < open.count ? open[index] : next
      let gap = following.start - open[index - 1].end
      // On a tie the later one: pieces as long as they may be.
      if gap >= widest {
        widest = gap
        best = index
      }
    }
    return best
  }

  /// One segment over the limit (speech without a pause) in equal parts.
  private static func split(_ segment: SpeechSegment) -> [SpeechSegment] {
    guard segment.count > longestPiece else { return [segment] }
    let partCount = (segment.count + longestPiece - 1) / longestPiece
    return (0..<partCount).map { part in
      SpeechSegment(
        start: segment.start + segment.count * part / partCount,
        end: segment.start + segment.count * (part + 1) / partCount)
    }
  }
}
