/// The numbers of the transcription service and of a recording (T-89…T-95).
public enum SyncSTTLimits {
  /// Samples a second (T-89).
  public static let sampleRate = 16_000
  /// T-89.
  public static let channelCount = 1
  /// Bytes of one sample (T-89).
  public static let bytesPerSample = 2
  /// The shortest clip that is transcribed: 0.1 s (T-90). Accepted at exactly this size.
  public static let minimumByteCount = 3_200
  /// The longest recording the whole-clip route takes (T-91).
  public static let maximumRecording: Duration = .seconds(1_200)
  /// The longest recording the streaming route takes (T-92).
  public static let streamingCap: Duration = .seconds(120)
  /// How long before the maximum a held key ends by itself (T-93).
  public static let autoReleaseMargin: Duration = .seconds(5)
  /// T-93: strictly under the maximum.
  public static let autoReleaseAfter: Duration = maximumRecording - autoReleaseMargin
  /// The most audio the over-cap fallback sends (T-94): 256 MB.
  public static let fallbackByteLimit = 256_000_000

  /// The length of that many bytes in whole milliseconds; 0 for a rate of 0 (T-95).
  public static func milliseconds(ofByteCount byteCount: Int, sampleRate: Int = sampleRate) -> Int {
    guard sampleRate > 0 else { return 0 }
    return byteCount / bytesPerSample * 1_000 / sampleRate
  }
}
