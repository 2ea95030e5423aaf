internal import BlurtEngine

/// Tells a microphone that is muted or unplugged from a room in which nobody spoke.
package enum DeadMicrophone {
  /// Frames of 20 ms are judged.
  package static let frameCount = SyncSTTLimits.sampleRate / 50
  /// The power of −65 dBFS: 10 to the power of −6.5. A live microphone's own noise is louder; energy alone never decides
  /// that somebody spoke.
  package static let powerFloor: Float = 3.162_277_6e-7

  /// Whether no frame is louder than the floor. Samples between −1 and 1.
  package static func recorded(_ samples: [Float]) -> Bool {
    samples.withUnsafeBufferPointer { samples in
      var start = 0
      while start < samples.count {
        let end = min(start + frameCount, samples.count)
        var sum: Float = 0
        for index in start..<end { sum += samples[index] * samples[index] }
        if sum > powerFloor * Float(end - start) { return false }
        start = end
      }
      return true
    }
  }
}
