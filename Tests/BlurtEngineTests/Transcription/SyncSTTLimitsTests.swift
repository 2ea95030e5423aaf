import BlurtEngine
import Testing

@Suite struct SyncSTTLimitsTests {
  @Test("T-89 T-90 T-91 T-92 T-93 T-94 the numbers of the service, and those derived from them")
  func numbers() {
    #expect(SyncSTTLimits.sampleRate == 16_000)
    #expect(SyncSTTLimits.channelCount == 1)
    #expect(SyncSTTLimits.bytesPerSample == 2)
    #expect(SyncSTTLimits.minimumByteCount == 3_200)
    #expect(SyncSTTLimits.milliseconds(ofByteCount: SyncSTTLimits.minimumByteCount) == 100)
    #expect(SyncSTTLimits.maximumRecording == .seconds(1_200))
    #expect(SyncSTTLimits.streamingCap == .seconds(120))
    #expect(SyncSTTLimits.autoReleaseMargin == .seconds(5))
    #expect(SyncSTTLimits.autoReleaseAfter == .seconds(1_195))
    #expect(SyncSTTLimits.autoReleaseAfter < SyncSTTLimits.maximumRecording)
    #expect(SyncSTTLimits.fallbackByteLimit == 256_000_000)
    // Twenty minutes fit under the guard.
    #expect(1_200 * 32_000 < SyncSTTLimits.fallbackByteLimit)
  }

  @Test(
    "T-95 the duration of bytes in whole milliseconds",
    arguments: [
      (3_200, 16_000, 100), (32_000, 16_000, 1_000), (16_000, 8_000, 1_000), (3_200, 0, 0), (31, 16_000, 0),
      (33, 16_000, 1), (0, 16_000, 0),
    ])
  func duration(byteCount: Int, rate: Int, milliseconds: Int) {
    #expect(SyncSTTLimits.milliseconds(ofByteCount: byteCount, sampleRate: rate) == milliseconds)
  }
}
