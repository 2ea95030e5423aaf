/// The 44 bytes before raw 16-bit samples that make them a WAV file.
public enum WAVHeader {
  public static let byteCount = 44

  /// The header for that many bytes of mono S16LE.
  public static func make(sampleByteCount: Int, sampleRate: Int = SyncSTTLimits.sampleRate) -> [UInt8] {
    let blockByteCount = SyncSTTLimits.channelCount * SyncSTTLimits.bytesPerSample
    var bytes = Array("RIFF".utf8)
    append(36 + sampleByteCount, 4, to: &bytes)
    bytes += Array("WAVEfmt ".utf8)
    append(16, 4, to: &bytes)
    // PCM.
    append(1, 2, to: &bytes)
    append(SyncSTTLimits.channelCount, 2, to: &bytes)
    append(sampleRate, 4, to: &bytes)
    append(sampleRate * blockByteCount, 4, to: &bytes)
    append(blockByteCount, 2, to: &bytes)
    append(SyncSTTLimits.bytesPerSample * 8, 2, to: &bytes)
    bytes += Array("data".utf8)
    append(sampleByteCount, 4, to: &bytes)
    return bytes
  }

  private static func append(_ value: Int, _ byteCount: Int, to bytes: inout [UInt8]) {
    for index in 0..<byteCount { bytes.append(UInt8(truncatingIfNeeded: value >> (8 * index))) }
  }
}
