import BlurtEngine
import Testing

extension MicLiveness {
  fileprivate mutating func hear(_ samples: [Int16], channelCount: Int = 1) {
    samples.withUnsafeBufferPointer { hear($0, channelCount: channelCount) }
  }
}

@Suite struct MicLivenessTests {
  private var liveness = MicLiveness(cap: .milliseconds(300))

  @Test("C-13 live is strictly above −115 dBFS: exactly −115, NaN and −∞ are not")
  func floor() {
    #expect(!MicLiveness.isLive(powerDB: -115))
    #expect(MicLiveness.isLive(powerDB: (-115.0).nextUp))
    #expect(!MicLiveness.isLive(powerDB: .nan))
    #expect(!MicLiveness.isLive(powerDB: -.infinity))
    #expect(MicLiveness.silenceFloorDB == -115)
  }

  @Test("C-13 no frame at all is not live")
  mutating func empty() {
    liveness.hear([])
    #expect(!liveness.isLive)
    #expect(liveness.frameCount == 0)
    #expect(liveness.powerDB == -160)
  }

  @Test("C-13 digital silence is not live, the first block of sound is")
  mutating func silenceThenSound() {
    liveness.hear([Int16](repeating: 0, count: 3_200))
    #expect(!liveness.isLive)
    #expect(liveness.frameCount == 3_200)
    liveness.hear([Int16](repeating: 300, count: 320))
    #expect(liveness.isLive)
  }

  @Test("C-14 C-26 dense noise of one bit passes: it is not a speech threshold")
  mutating func oneBitOfNoise() {
    liveness.hear((0..<320).map { Int16($0 % 2) })
    #expect(liveness.isLive)
  }

  @Test(
    "C-26 one set bit in a thousand samples is rejected, however the blocks are cut", arguments: [100, 160, 320, 4_000])
  func sparseBits(blockSize: Int) {
    var liveness = MicLiveness(cap: .milliseconds(300))
    let samples = (0..<16_000).map { Int16($0 % 1_000 == 0 ? 1 : 0) }
    for start in stride(from: 0, to: samples.count, by: blockSize) {
      liveness.hear(Array(samples[start..<min(start + blockSize, samples.count)]))
    }
    #expect(liveness.frameCount == 16_000)
    #expect(!liveness.isLive)
  }

  @Test("C-13 a block shorter than a period is judged at once")
  mutating func shortBlock() {
    liveness.hear([Int16](repeating: 100, count: 16))
    #expect(liveness.isLive)
  }

  @Test("C-15 sound on the second channel alone is live")
  mutating func secondChannel() {
    liveness.hear((0..<640).map { Int16($0.isMultiple(of: 2) ? 0 : 50) }, channelCount: 2)
    #expect(liveness.isLive)
  }

  @Test("C-16 already live at the first look: no wait at all")
  mutating func firstLook() {
    liveness.hear([Int16](repeating: 100, count: 320))
    #expect(liveness.verdict(after: .zero) == .live)
  }

  @Test("C-17 C-18 the verdict is waiting until the cap, then expired: it fails closed")
  mutating func verdicts() {
    #expect(liveness.verdict(after: .zero) == .waiting(remaining: .milliseconds(300)))
    liveness.hear([Int16](repeating: 0, count: 320))
    #expect(liveness.verdict(after: .milliseconds(299)) == .waiting(remaining: .milliseconds(1)))
    #expect(liveness.verdict(after: .milliseconds(300)) == .expired)
    #expect(liveness.verdict(after: .seconds(9)) == .expired)
  }

  @Test("C-13 sound that came in time counts even if it is looked at after the cap")
  mutating func lateLook() {
    liveness.hear([Int16](repeating: 100, count: 320))
    #expect(liveness.verdict(after: .seconds(1)) == .live)
  }
}
