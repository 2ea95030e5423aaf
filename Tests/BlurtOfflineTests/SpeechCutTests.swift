import BlurtOffline
import Testing

@Suite("SpeechCut")
struct SpeechCutTests {
  private let second = 16_000

  private func segment(_ start: Double, _ end: Double) -> SpeechSegment {
    SpeechSegment(start: Int(start * 16_000), end: Int(end * 16_000))
  }

  private func cut(_ segments: [SpeechSegment], seconds: Double = 1_200) -> SpeechCut {
    SpeechCut(segments: segments, sampleCount: Int(seconds * 16_000))
  }

  @Test("silence before the first and after the last segment goes, silence between stays")
  func trims() {
    let cut = cut([segment(1, 2), segment(4, 5)], seconds: 8)
    #expect(cut.pieces == [second..<5 * second])
    #expect(cut.speechCount == 2 * second)
  }

  @Test("less than 0.2 s of speech in total is none")
  func shortSpeech() {
    #expect(cut([]).pieces.isEmpty)
    #expect(cut([SpeechSegment(start: 0, end: 3_199)]).pieces.isEmpty)
    #expect(cut([SpeechSegment(start: 0, end: 3_200)]).pieces.count == 1)
    #expect(cut([SpeechSegment(start: 0, end: 1_600), SpeechSegment(start: 9_000, end: 10_600)]).pieces.count == 1)
  }

  @Test("segments that overlap count once, and none reaches past the clip")
  func overlap() {
    let cut = cut([segment(1, 3), segment(2, 9)], seconds: 4)
    #expect(cut.speechCount == 3 * second)
    #expect(cut.pieces == [second..<4 * second])
  }

  @Test("a long clip is cut at its widest gap past ten seconds, in pieces of at most 25 s")
  func longClip() {
    let cut = cut([segment(0, 8), segment(8.5, 14), segment(16, 20), segment(20.2, 24), segment(24.1, 30)])
    #expect(cut.pieces == [0..<14 * second, 16 * second..<30 * second])
  }

  @Test("a minute of speech without a pause is cut in equal parts")
  func noPause() {
    let cut = cut([segment(0, 60)])
    #expect(cut.pieces == [0..<20 * second, 20 * second..<40 * second, 40 * second..<60 * second])
  }

  @Test("pieces are in order, within the limit, and hold every sample of speech")
  func properties() {
    var state: UInt64 = 88_172_645_463_325_252
    func random(_ bound: Int) -> Int {
      state ^= state << 13
      state ^= state >> 7
      state ^= state << 17
      return Int(state % UInt64(bound))
    }
    for _ in 0..<500 {
      var position = random(30_000)
      var segments: [SpeechSegment] = []
      for _ in 0..<1 + random(40) {
        let end = position + 3_200 + random(300_000)
        segments.append(SpeechSegment(start: position, end: end))
        position = end + random(2) * random(40_000)
      }
      let cut = SpeechCut(segments: segments, sampleCount: position + 10)
      for (piece, next) in zip(cut.pieces, cut.pieces.dropFirst()) { #expect(piece.upperBound <= next.lowerBound) }
      #expect(cut.pieces.allSatisfy { $0.count <= SpeechCut.longestPiece && !$0.isEmpty })
      let covered = segments.allSatisfy { segment in
        let inside = cut.pieces.reduce(0) {
          $0 + max(0, min($1.upperBound, segment.end) - max($1.lowerBound, segment.start))
        }
        return inside == segment.count
      }
      #expect(covered)
    }
  }
}
