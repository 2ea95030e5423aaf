import Foundation

/// What is measured of samples.
enum Analysis {
  /// The highest sample in dB under full scale.
  static func peakDBFS(_ samples: some Collection<Int16>) -> Double {
    20 * log10(Double(samples.map { abs(Int($0)) }.max() ?? 0) / Double(Int16.max))
  }

  /// The strongest frequency from 100 to 4,000 Hz, to 1 Hz: of a short tone, whose peak is wider than the first steps.
  static func strongestFrequency(_ samples: ArraySlice<Int16>, rate: Int) -> Double {
    func strongest(_ frequencies: StrideThrough<Double>) -> Double {
      frequencies.map { (frequency: $0, power: power(of: $0, in: samples, rate: rate)) }
        .max { $0.power < $1.power }?.frequency ?? 0
    }
    let near = strongest(stride(from: 100, through: 4_000, by: 4))
    return strongest(stride(from: near - 4, through: near + 4, by: 1))
  }

  private static func power(of frequency: Double, in samples: ArraySlice<Int16>, rate: Int) -> Double {
    // Goertzel's recurrence.
    let factor = 2 * cos(2 * Double.pi * frequency / Double(rate))
    var (last, beforeLast) = (0.0, 0.0)
    for sample in samples { (last, beforeLast) = (Double(sample) + factor * last - beforeLast, last) }
    return last * last + beforeLast * beforeLast - factor * last * beforeLast
  }
}
