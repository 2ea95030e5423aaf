import BlurtEngine
import Glibc

/// How alike a source and what was heard of it are.
struct SpeechLikeness: Sendable {
  let correlation: Double
  let levelDB: Double

  /// Compares from where the source's beginning lies in what was heard. A server with a clock of its own moves sound by
  /// parts of a sample, so the place is looked for in eighths.
  init(of source: [Float], in heard: [Float]) {
    let parts = 8
    var resampler = Resampler(from: 16_000, to: 16_000 * parts)
    var fine: [Float] = []
    source.withUnsafeBufferPointer { resampler.convert($0, into: &fine) }
    resampler.finish(into: &fine)
    // From where the voice has begun.
    let skipped = 4_800
    func likeness(_ start: Int, _ part: Int, _ count: Int) -> (Double, Double) {
      guard count > 0, start >= 0, start + count <= heard.count, (skipped + count) * parts + part < fine.count else {
        return (-1, 0)
      }
      var (product, power, other) = (0.0, 1e-9, 1e-9)
      heard.withUnsafeBufferPointer { heard in
        fine.withUnsafeBufferPointer { fine in
          for index in 0..<count {
            let (a, b) = (Double(heard[start + index]), Double(fine[(skipped + index) * parts + part]) * 32_768)
            product += a * b
            power += a * a
            other += b * b
          }
        }
      }
      return (product / (power * other).squareRoot(), 10 * log10(power / other))
    }
    let starts = stride(from: 0, to: max(0, heard.count - 2_000), by: 2).map { ($0, likeness($0, 0, 1_600).0) }
    let coarse = starts.max { $0.1 < $1.1 }?.0 ?? 0
    let count = min(16_000, heard.count - coarse - 4)
    var best = (-1.0, 0.0)
    for start in coarse - 4...coarse + 4 {
      for part in 0..<parts {
        let found = likeness(start, part, count)
        if found.0 > best.0 { best = found }
      }
    }
    (correlation, levelDB) = best
  }
}
