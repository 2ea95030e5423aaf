/// Brings what a device delivers to what every engine takes: 16 kHz, one channel, 16 bits (C-27).
///
/// A pure value for one recording. Blocks may be cut anywhere between two frames: nothing starts anew at their borders.
/// Samples are numbers in units of a 16-bit sample from the device on, and rounded once, at the end.
package struct CaptureConverter: Sendable {
  package let format: StreamFormat
  private var downmix: LoudestChannel
  private var resampler: Resampler?
  private var mono: [Float] = []
  private var converted: [Float] = []
  /// The interleaved samples of the block that was loaded last.
  package private(set) var loaded: [Float] = []

  package init(from format: StreamFormat) {
    self.format = format
    downmix = LoudestChannel(channelCount: format.channelCount, sampleRate: format.rate)
    if format.rate != SyncSTTLimits.sampleRate {
      resampler = Resampler(from: format.rate, to: SyncSTTLimits.sampleRate)
    }
  }

  /// Takes in a block of whole frames as the device delivered it.
  package mutating func load(_ frames: UnsafeRawBufferPointer) {
    loaded.removeAll(keepingCapacity: true)
    format.sample.decode(frames, into: &loaded)
  }

  /// Replaces `output` by the finished sound of the loaded block. A filter keeps the last milliseconds back until more
  /// sound or the end comes.
  package mutating func convert(into output: inout [Int16]) {
    mono.removeAll(keepingCapacity: true)
    loaded.withUnsafeBufferPointer { downmix.reduce($0, into: &mono) }
    output.removeAll(keepingCapacity: true)
    guard resampler != nil else { return Self.round(mono, into: &output) }
    converted.removeAll(keepingCapacity: true)
    mono.withUnsafeBufferPointer { resampler?.convert($0, into: &converted) }
    Self.round(converted, into: &output)
  }

  /// Replaces `output` by what the filter still holds. The recording then has the device's length.
  package mutating func finish(into output: inout [Int16]) {
    output.removeAll(keepingCapacity: true)
    converted.removeAll(keepingCapacity: true)
    resampler?.finish(into: &converted)
    Self.round(converted, into: &output)
  }

  private static func round(_ samples: [Float], into output: inout [Int16]) {
    output.reserveCapacity(samples.count)
    for sample in samples { output.append(Int16(max(-32_768, min(32_767, sample.rounded())))) }
  }
}
