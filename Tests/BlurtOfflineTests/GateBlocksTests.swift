import BlurtEngine
import BlurtOffline
import Testing

@Suite("GateBlocks")
struct GateBlocksTests {
  private let second = 16_000

  /// A gate over speech that is known: it cuts segments at the block's borders and splits them after 15 s, as the library
  /// does. Records the blocks it was asked for.
  private func run(_ speech: [Range<Int>], sampleCount: Int) throws -> (segments: [SpeechSegment], blocks: [Range<Int>])
  {
    var blocks: [Range<Int>] = []
    let segments = try GateBlocks.segments(sampleCount: sampleCount) { block throws(UnderlyingError) in
      blocks.append(block)
      return speech.flatMap { stretch -> [SpeechSegment] in
        let inside = stretch.clamped(to: block)
        return stride(from: inside.lowerBound, to: inside.upperBound, by: 15 * second).map { start in
          SpeechSegment(
            start: start - block.lowerBound, end: min(start + 15 * second, inside.upperBound) - block.lowerBound)
        }
      }
    }
    return (segments, blocks)
  }

  @Test("a clip of up to a minute is one call")
  func short() throws {
    let result = try run([second..<2 * second, 59 * second..<60 * second], sampleCount: 60 * second)
    #expect(result.blocks == [0..<60 * second])
    #expect(result.segments.count == 2)
    #expect(try run([], sampleCount: 0).blocks.isEmpty)
  }

  @Test("speech across a border comes out whole, from the next block")
  func border() throws {
    let result = try run([second..<2 * second, 55 * second..<65 * second], sampleCount: 100 * second)
    #expect(result.blocks == [0..<60 * second, 55 * second..<100 * second])
    #expect(
      result.segments == [
        SpeechSegment(start: second, end: 2 * second), SpeechSegment(start: 55 * second, end: 65 * second),
      ])
  }

  @Test("a word that begins right behind a border is heard from before it")
  func overlap() throws {
    let result = try run([60 * second..<62 * second], sampleCount: 100 * second)
    #expect(result.blocks == [0..<60 * second, 60 * second - GateBlocks.overlap..<100 * second])
    #expect(GateBlocks.longestBlock % GateBlocks.step == 0)
    #expect(result.segments == [SpeechSegment(start: 60 * second, end: 62 * second)])
  }

  @Test("twenty minutes of any speech are covered, each sample once, in blocks that move on", arguments: 0..<20)
  func covered(seed: Int) throws {
    var state = UInt64(seed) &* 0x9E37_79B9_7F4A_7C15 | 1
    func random(_ bound: Int) -> Int {
      state ^= state << 13
      state ^= state >> 7
      state ^= state << 17
      return Int(state % UInt64(bound))
    }
    var speech: [Range<Int>] = []
    var position = random(second)
    while position < 1_200 * second {
      let end = min(position + 3_200 + random(seed == 0 ? 1_200 * second : 90 * second), 1_200 * second)
      speech.append(position..<end)
      position = end + 8_000 + random(20 * second)
    }
    let result = try run(speech, sampleCount: 1_200 * second)
    #expect(result.blocks.allSatisfy { $0.count <= GateBlocks.longestBlock })
    #expect(result.blocks.count <= 1_200 / 30 + 1)
    let spoken = speech.reduce(0) { $0 + $1.count }
    #expect(SpeechCut(segments: result.segments, sampleCount: 1_200 * second).speechCount == spoken)
    #expect(result.segments.reduce(0) { $0 + $1.count } == spoken)
  }
}
