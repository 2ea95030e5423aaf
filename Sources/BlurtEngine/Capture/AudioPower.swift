/// The power of 16-bit samples in decibels below full scale (dBFS).
///
/// 0 dBFS is a square wave of full amplitude; dense noise of one least-significant bit is about −90 dBFS.
public enum AudioPower {
  /// What an absent signal path reads as (C-15): no samples, or nothing but zeros.
  public static let noSignal = -160.0
  /// The amplitude of 0 dBFS.
  static let fullScale = 32_768.0

  /// The sum of the squared samples of the loudest channel of an interleaved block, and the frames it was taken over.
  public static func loudestChannelEnergy(
    of block: UnsafeBufferPointer<Int16>, channelCount: Int
  ) -> (energy: Double, frameCount: Int) {
    guard channelCount > 0 else { return (0, 0) }
    let frameCount = block.count / channelCount
    var loudest: UInt64 = 0
    for channel in 0..<channelCount {
      // Squares of 16-bit samples: 2³⁰ each, so 2³⁴ of them fit.
      var sum: UInt64 = 0
      var index = channel
      for _ in 0..<frameCount {
        let sample = Int64(block[index])
        sum &+= UInt64(bitPattern: sample &* sample)
        index &+= channelCount
      }
      loudest = max(loudest, sum)
    }
    return (Double(loudest), frameCount)
  }

  /// The same for samples that are numbers in units of a 16-bit sample.
  package static func loudestChannelEnergy(
    of block: UnsafeBufferPointer<Float>, channelCount: Int
  ) -> (energy: Double, frameCount: Int) {
    guard channelCount > 0 else { return (0, 0) }
    let frameCount = block.count / channelCount
    var loudest = 0.0
    for channel in 0..<channelCount {
      var sum = 0.0
      for frame in 0..<frameCount {
        let sample = Double(block[frame * channelCount + channel])
        sum += sample * sample
      }
      loudest = max(loudest, sum)
    }
    return (loudest, frameCount)
  }

  /// The mean power of that energy over that many frames, never under `noSignal`.
  public static func decibels(energy: Double, frameCount: Int) -> Double {
    guard frameCount > 0, energy > 0 else { return noSignal }
    let meanSquare = energy / Double(frameCount) / (fullScale * fullScale)
    return max(noSignal, 10 * log10(meanSquare))
  }

  /// C-15: the power of the loudest channel of an interleaved block.
  public static func decibels(of block: UnsafeBufferPointer<Int16>, channelCount: Int = 1) -> Double {
    let (energy, frameCount) = loudestChannelEnergy(of: block, channelCount: channelCount)
    return decibels(energy: energy, frameCount: frameCount)
  }

  /// The decimal logarithm of a positive, finite number, right to about 1e−12.
  ///
  /// Written out here because this module links no C library. The exponent is exact; the significand, moved to
  /// 0.70…1.41, goes through the series of the inverse hyperbolic tangent, which gains 1.5 digits per term there.
  static func log10(_ value: Double) -> Double {
    let log2OfTen = 3.321_928_094_887_362
    let twoOverLogTwo = 2.885_390_081_777_926_8
    var exponent = Double(value.exponent)
    var significand = value.significand
    if significand > 1.414_213_562_373_095 {
      significand /= 2
      exponent += 1
    }
    let ratio = (significand - 1) / (significand + 1)
    let square = ratio * ratio
    var term = ratio
    var sum = 0.0
    for odd in stride(from: 1.0, through: 17.0, by: 2.0) {
      sum += term / odd
      term *= square
    }
    return (exponent + twoOverLogTwo * sum) / log2OfTen
  }
}
