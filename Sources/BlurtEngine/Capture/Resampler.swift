/// Changes the sample rate of a whole clip, with a windowed sinc filter that keeps what lies above the new rate's half
/// from folding into speech.
enum Resampler {
  /// Zero crossings of the filter on each side of its middle. Ten give more than 60 dB against folding.
  private static let zeroCrossingCount = 10
  /// Where the filter begins to fall, as a part of the lower rate's half.
  private static let passband = 0.94
  /// Rates without a usual ratio are filtered at the nearest of this many places between two samples.
  private static let mostPhases = 1_024

  /// The clip at the new rate. Its length is scaled, rounded up; a rate that is the same changes nothing.
  static func resample(_ samples: [Float], from rate: Int, to newRate: Int) -> [Float] {
    guard rate != newRate, rate > 0, newRate > 0, !samples.isEmpty else { return samples }
    let divisor = greatestCommonDivisor(rate, newRate)
    // Output n lies at input n * step / phaseCount: the same phases come again and again.
    let step = rate / divisor
    let phaseCount = newRate / divisor
    let rowCount = min(phaseCount, mostPhases)
    let filter = Filter(phaseCount: rowCount, cutoff: min(1, Double(newRate) / Double(rate)) * passband)
    let count = (samples.count * phaseCount + step - 1) / step
    return [Float](unsafeUninitializedCapacity: count) { output, initialized in
      samples.withUnsafeBufferPointer { samples in
        filter.taps.withUnsafeBufferPointer { taps in
          for index in 0..<count {
            let middle = index * step / phaseCount
            let phase = index * step % phaseCount
            let firstInput = middle - filter.halfWidth
            let firstTap = phase * rowCount / phaseCount * filter.tapCount
            let from = max(0, -firstInput)
            let to = min(filter.tapCount, samples.count - firstInput)
            var sum: Float = 0
            var tap = from
            while tap < to {
              sum += samples[firstInput + tap] * taps[firstTap + tap]
              tap += 1
            }
            output.initializeElement(at: index, to: sum)
          }
        }
      }
      initialized = count
    }
  }

  /// One row of taps for each phase.
  private struct Filter {
    let halfWidth: Int
    let tapCount: Int
    let taps: [Float]

    init(phaseCount: Int, cutoff: Double) {
      let reach = Double(zeroCrossingCount) / cutoff
      let halfWidth = Int(reach.rounded(.up))
      let tapCount = 2 * halfWidth + 1
      var taps: [Float] = []
      taps.reserveCapacity(phaseCount * tapCount)
      for phase in 0..<phaseCount {
        let offset = Double(phase) / Double(phaseCount)
        let row = (0..<tapCount).map { tap -> Double in
          let distance = Double(tap - halfWidth) - offset
          guard abs(distance) < reach else { return 0 }
          // A Blackman window, as wide as the filter reaches.
          let angle = Double.pi * distance / reach
          let window = 0.42 + 0.5 * cosine(angle) + 0.08 * cosine(2 * angle)
          let argument = Double.pi * distance * cutoff
          return window * (abs(argument) < 1e-9 ? 1 : sine(argument) / argument)
        }
        // Each phase passes a constant unchanged.
        let sum = row.reduce(0, +)
        taps += row.map { Float($0 / sum) }
      }
      self.halfWidth = halfWidth
      self.tapCount = tapCount
      self.taps = taps
    }
  }

  private static func greatestCommonDivisor(_ a: Int, _ b: Int) -> Int { b == 0 ? a : greatestCommonDivisor(b, a % b) }

  private static func cosine(_ angle: Double) -> Double { sine(angle + .pi / 2) }

  /// The sine by its series; this module has no C library. Better than 1e-9 in the range it is reduced to.
  private static func sine(_ angle: Double) -> Double {
    let x = angle.remainder(dividingBy: 2 * .pi)
    var term = x
    var sum = x
    var index = 1.0
    while index < 12 {
      term *= -x * x / ((2 * index) * (2 * index + 1))
      sum += term
      index += 1
    }
    return sum
  }
}
