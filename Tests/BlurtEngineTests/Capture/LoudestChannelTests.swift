import BlurtEngine
import Testing

/// Sends interleaved samples through in blocks and returns the one channel.
private func reduce(_ samples: [Float], channelCount: Int, blockFrames: Int = 320) -> [Float] {
  var channel = LoudestChannel(channelCount: channelCount)
  var result: [Float] = []
  for start in stride(from: 0, to: samples.count, by: blockFrames * channelCount) {
    Array(samples[start..<min(start + blockFrames * channelCount, samples.count)])
      .withUnsafeBufferPointer { channel.reduce($0, into: &result) }
  }
  return result
}

/// A tone as a triangle, so that no step of it is steeper than another.
private func triangle(_ frame: Int, period: Int, height: Float) -> Float {
  let place = Float(frame % period) / Float(period)
  return height * (4 * abs(place - 0.5) - 1)
}

@Suite struct LoudestChannelTests {
  private let voice = (0..<3_200).map { Float(($0 * 7_919) % 20_000 - 10_000) }

  @Test("C-27 one channel goes through untouched")
  func mono() { #expect(reduce(voice, channelCount: 1) == voice) }

  @Test("C-27 an inverted second channel does not cancel the first")
  func inverted() {
    #expect(reduce(voice.flatMap { [$0, -$0] }, channelCount: 2) == voice)
  }

  @Test("C-27 a voice on one channel alone keeps its level, from its first frame on", arguments: 0..<8)
  func oneOfMany(microphone: Int) {
    let frames = voice.flatMap { sample in (0..<8).map { $0 == microphone ? sample : 0 } }
    #expect(reduce(frames, channelCount: 8) == voice)
  }

  @Test("C-27 a constant voltage on another channel is not loud")
  func constantVoltage() {
    #expect(reduce(voice.flatMap { [20_000, $0 / 10] }, channelCount: 2) == voice.map { $0 / 10 })
  }

  @Test("C-27 the choice rests while two channels are about as loud")
  func rests() {
    var channel = LoudestChannel(channelCount: 2)
    var mono: [Float] = []
    for turn in 0..<20 {
      let louder = turn % 2
      let block = (0..<640).map { Float(($0 % 2 == louder ? 1_100 : 1_000) * ($0 % 4 < 2 ? 1 : -1)) }
      block.withUnsafeBufferPointer { channel.reduce($0, into: &mono) }
      #expect(channel.chosen == 0)
    }
  }

  @Test("C-27 it follows a voice that moves to another channel, without a click and without losing a frame")
  func follows() {
    // The same tone on both, half a period apart: a hard cut would jump by its whole height.
    let frames = (0..<9_600).flatMap { frame -> [Float] in
      let (first, second): (Float, Float) = frame < 4_800 ? (8_000, 400) : (400, 8_000)
      return [
        triangle(frame, period: 160, height: first), triangle(frame + 80, period: 160, height: second),
      ]
    }
    let mono = reduce(frames, channelCount: 2)
    #expect(mono.count == 9_600)
    // The tone itself moves by 200 a frame; the voice's own move to the other channel is a step of the first channel.
    let steps = zip(mono, mono.dropFirst()).enumerated().filter { $0.offset != 4_799 }.map {
      abs($0.element.1 - $0.element.0)
    }
    #expect(steps.max() ?? 0 < 400)
    #expect(mono.suffix(1_600).elementsEqual((8_000..<9_600).map { triangle($0 + 80, period: 160, height: 8_000) }))
  }

  @Test("C-27 what comes out does not depend on how the frames are cut", arguments: [64, 333, 1_024, 4_096])
  func anyBlocks(blockFrames: Int) {
    let frames = (0..<9_600).flatMap { frame -> [Float] in
      let isFirst = (frame / 2_000).isMultiple(of: 2)
      return [voice[frame % 3_200] / (isFirst ? 1 : 50), voice[(frame + 7) % 3_200] / (isFirst ? 50 : 1)]
    }
    #expect(reduce(frames, channelCount: 2, blockFrames: blockFrames) == reduce(frames, channelCount: 2))
  }
}
