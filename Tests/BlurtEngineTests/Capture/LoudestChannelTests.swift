import BlurtEngine
import Testing

/// Sends interleaved samples through in blocks and returns the one channel.
private func reduce(_ samples: [Int16], channelCount: Int, blockFrames: Int = 320) -> [Int16] {
  var channel = LoudestChannel(channelCount: channelCount)
  var result: [Int16] = []
  for start in stride(from: 0, to: samples.count, by: blockFrames * channelCount) {
    var block = Array(samples[start..<min(start + blockFrames * channelCount, samples.count)])
    let count = block.withUnsafeMutableBufferPointer { channel.reduce($0) }
    result += block[..<count]
  }
  return result
}

@Suite struct LoudestChannelTests {
  private let voice = (0..<3_200).map { Int16(truncatingIfNeeded: ($0 * 7_919) % 20_000 - 10_000) }

  @Test("C-27 one channel goes through untouched")
  func mono() { #expect(reduce(voice, channelCount: 1) == voice) }

  @Test("C-27 an inverted second channel does not cancel the first")
  func inverted() {
    #expect(reduce(voice.flatMap { [$0, -$0] }, channelCount: 2) == voice)
  }

  @Test("C-27 a voice on the second channel alone keeps its level")
  func secondOnly() {
    #expect(reduce(voice.flatMap { [0, $0] }, channelCount: 2) == voice)
  }

  @Test("C-27 the choice rests while two channels are about as loud")
  func rests() {
    var channel = LoudestChannel(channelCount: 2)
    for turn in 0..<20 {
      let louder = turn % 2
      var block = (0..<640).map { Int16($0 % 2 == louder ? 1_100 : 1_000) }
      _ = block.withUnsafeMutableBufferPointer { channel.reduce($0) }
      #expect(channel.chosen == 0)
    }
  }

  @Test("C-27 it follows a voice that moves to another channel")
  func follows() {
    var channel = LoudestChannel(channelCount: 2)
    for turn in 0..<40 {
      let louder = turn < 10 ? 0 : 1
      var block = (0..<640).map { Int16($0 % 2 == louder ? 8_000 : 100) }
      _ = block.withUnsafeMutableBufferPointer { channel.reduce($0) }
    }
    #expect(channel.chosen == 1)
  }
}
