package import BlurtContract
package import BlurtEngine

/// What a second of the microphone sounded like.
package struct MicrophoneTrial: Sendable, Hashable {
  /// How long is listened.
  package static let length: Duration = .seconds(1)
  /// A microphone with no frame over it is dead: a live one's own noise is louder.
  package static let deadLevel = -65.0
  /// Frames of 20 ms are judged, as everywhere.
  private static let frameByteCount = SyncSTTLimits.sampleRate / 50 * 2

  package let device: String
  /// The loudest frame, in dBFS.
  package let loudest: Double
  package let byteCount: Int

  package init(device: String, loudest: Double, byteCount: Int) {
    self.device = device
    self.loudest = loudest
    self.byteCount = byteCount
  }

  /// Listens, and closes the microphone whatever happens. Throws what a press would show.
  package static func make(device: String, microphone: any MicCaptureProtocol) async throws -> MicrophoneTrial {
    let feed = try await microphone.start(keepingIn: nil)
    let wanted = Int(length / .milliseconds(1)) * SyncSTTLimits.sampleRate / 1000 * 2
    var (count, loudest, block) = (0, AudioPower.noSignal, [UInt8]())
    for await bytes in feed.frames {
      count += bytes.count
      block += bytes
      while block.count >= frameByteCount {
        loudest = max(loudest, power(of: block[..<frameByteCount]))
        block.removeFirst(frameByteCount)
      }
      if count >= wanted { break }
    }
    try await microphone.cancelCapture()
    return MicrophoneTrial(device: device, loudest: loudest, byteCount: count)
  }

  private static func power(of bytes: ArraySlice<UInt8>) -> Double {
    let samples = stride(from: bytes.startIndex, to: bytes.endIndex - 1, by: 2).map { index in
      Int16(bitPattern: UInt16(bytes[index]) | UInt16(bytes[index + 1]) << 8)
    }
    return samples.withUnsafeBufferPointer { AudioPower.decibels(of: $0) }
  }

  package var check: DoctorCheck {
    let level = "\(Int(loudest.rounded())) dBFS"
    if byteCount == 0 {
      return DoctorCheck("microphone", .failed, "\(device) delivered no sound.", remedy: "blurtctl devices")
    }
    if loudest < Self.deadLevel {
      return DoctorCheck(
        "microphone", .failed, "\(device) delivers silence (\(level) at most): it is muted or unplugged.",
        remedy: "alsamixer, or the sound settings of the desktop")
    }
    return DoctorCheck("microphone", .ok, "\(device) was heard for a second, \(level) at its loudest.")
  }
}
