/// Changes the sample rate of a sound that may come in pieces, with a windowed sinc filter that keeps what lies above the
/// new rate's half from folding into speech.
///
/// A pure value for one sound. However it is cut, the result is the same, sample by sample: nothing starts anew at a
/// piece's border. The filter looks ahead by `lookAhead` input samples, which stay inside until more comes or `finish`.
package struct Resampler: Sendable {
  /// Zero crossings of the filter on each side of its middle. Sixteen give more than 70 dB against folding.
  private static let zeroCrossingCount = 16
  /// Where the filter begins to fall, as a part of the lower rate's half.
  private static let passband = 0.94
  /// Rates without a usual ratio are filtered at the nearest of this many places between two samples.
  private static let mostPhases = 1_024

  private let filter: Filter
  // Output n lies at input n * step / phaseCount: the same phases come again and again.
  private let step: Int
  private let phaseCount: Int
  /// Input that later output needs, beginning with silence before the sound.
  private var pending: [Float]
  /// Where in `pending` the next output's filter begins, and its place between two input samples.
  private var place = 0
  private var phase = 0
  private var inputCount = 0
  private var outputCount = 0

  /// - Precondition: both rates are positive.
  package init(from rate: Int, to newRate: Int) {
    let divisor = Self.greatestCommonDivisor(rate, newRate)
    step = rate / divisor
    phaseCount = newRate / divisor
    filter = Filter(
      phaseCount: min(phaseCount, Self.mostPhases), cutoff: min(1, Double(newRate) / Double(rate)) * Self.passband)
    pending = [Float](repeating: 0, count: filter.halfWidth)
  }

  /// Input samples that are held back.
  package var lookAhead: Int { filter.halfWidth }

  /// Takes in a piece and appends what can be told of the result by now.
  package mutating func convert(_ input: UnsafeBufferPointer<Float>, into output: inout [Float]) {
    inputCount += input.count
    pending.append(contentsOf: input)
    produce(into: &output, limit: .max)
  }

  /// Appends the rest. All in all the length is scaled, rounded up.
  package mutating func finish(into output: inout [Float]) {
    pending.append(contentsOf: repeatElement(0, count: filter.tapCount))
    produce(into: &output, limit: (inputCount * phaseCount + step - 1) / step)
  }

  private mutating func produce(into output: inout [Float], limit: Int) {
    let tapCount = filter.tapCount
    let rowCount = min(phaseCount, Self.mostPhases)
    pending.withUnsafeBufferPointer { pending in
      filter.taps.withUnsafeBufferPointer { taps in
        while place + tapCount <= pending.count, outputCount < limit {
          let firstTap = phase * rowCount / phaseCount * tapCount
          var sum: Float = 0
          for tap in 0..<tapCount { sum += pending[place + tap] * taps[firstTap + tap] }
          output.append(sum)
          outputCount += 1
          phase += step
          place += phase / phaseCount
          phase %= phaseCount
        }
      }
    }
    let done = min(place, pending.count)
    pending.removeFirst(done)
    place -= done
  }

  /// A whole clip at the new rate. A rate that is the same changes nothing.
  static func resample(_ samples: [Float], from rate: Int, to newRate: Int) -> [Float] {
    guard rate != newRate, rate > 0, newRate > 0, !samples.isEmpty else { return samples }
    var resampler = Resampler(from: rate, to: newRate)
    var output: [Float] = []
    output.reserveCapacity(samples.count * newRate / rate + 1)
    samples.withUnsafeBufferPointer { resampler.convert($0, into: &output) }
    resampler.finish(into: &output)
    return output
  }

  /// One row of taps for each phase.
  private struct Filter: Sendable {
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
