/// What a sound device delivers: interleaved frames of one format, rate and number of channels.
package struct StreamFormat: Sendable, Hashable {
  package let sample: SampleFormat
  /// Frames a second.
  package let rate: Int
  package let channelCount: Int

  package init(sample: SampleFormat, rate: Int, channelCount: Int) {
    self.sample = sample
    self.rate = rate
    self.channelCount = channelCount
  }

  /// What every engine takes, so that nothing has to be converted.
  package static let wanted = StreamFormat(sample: .s16, rate: SyncSTTLimits.sampleRate, channelCount: 1)

  /// Bytes of one frame.
  package var frameByteCount: Int { sample.byteCount * channelCount }
  /// Frames in that many milliseconds.
  package func frameCount(milliseconds: Int) -> Int { rate * milliseconds / 1_000 }
}
