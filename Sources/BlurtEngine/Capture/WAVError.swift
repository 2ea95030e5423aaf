/// Why a WAV file cannot be used. Each one is a sentence for people.
public enum WAVError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The file does not begin like a WAV file.
  case notWAV
  /// It ends before format and samples.
  case incomplete
  /// An encoding other than plain PCM and floating point.
  case unsupportedEncoding(tag: Int, bits: Int)
  case unsupportedRate(Int)
  case unsupportedChannelCount(Int)

  public var description: String {
    switch self {
    case .notWAV: "It is not a WAV file. \(Self.remedy)"
    case .incomplete: "The WAV file ends before its samples begin: it is damaged or was not closed."
    case .unsupportedEncoding(let tag, let bits):
      "WAV encoding \(tag) with \(bits) bits is not supported, only PCM with 16, 24 or 32 bits and 32-bit floating point. "
        + Self.remedy
    case .unsupportedRate(let rate):
      "A sample rate of \(rate) is not supported, only 4000 to 192000. \(Self.remedy)"
    case .unsupportedChannelCount(let count):
      "\(count) channels are not supported, only 1 to 32. \(Self.remedy)"
    }
  }

  private static let remedy = "Convert it, for instance: sox IN -r 16000 -c 1 -b 16 OUT.wav"
}
