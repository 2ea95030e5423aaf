/// The few functions that the overlay's shapes need, right to about 1e−9.
///
/// Written out here because this module links no C library.
enum ElementaryFunctions {
  /// The cosine of an angle given in turns, where 1 is a full circle. 1 for what is not finite.
  static func cosine(turns: Double) -> Double {
    guard turns.isFinite else { return 1 }
    // −0.5…0.5 of a turn; the cosine is even, and a half turn changes its sign.
    let turn = turns.remainder(dividingBy: 1).magnitude
    let isFarHalf = turn > 0.25
    let angle = (isFarHalf ? 0.5 - turn : turn) * 2 * .pi
    let square = angle * angle
    var (term, sum) = (1.0, 1.0)
    for even in stride(from: 2.0, through: 14.0, by: 2.0) {
      term *= -square / (even * (even - 1))
      sum += term
    }
    return isFarHalf ? -sum : sum
  }

  /// A number of 0…1 raised to a positive power.
  static func power(_ base: Double, _ exponent: Double) -> Double {
    guard base > 0 else { return 0 }
    guard base < 1 else { return 1 }
    // base^exponent = 2^whole · e^rest
    let log2OfTen = 3.321_928_094_887_362
    let binary = AudioPower.log10(base) * log2OfTen * exponent
    guard binary > -1_000 else { return 0 }
    let whole = binary.rounded()
    let rest = (binary - whole) * 0.693_147_180_559_945_3
    var (term, sum) = (1.0, 1.0)
    for count in stride(from: 1.0, through: 14.0, by: 1.0) {
      term *= rest / count
      sum += term
    }
    return sum * Double(sign: .plus, exponent: Int(whole), significand: 1)
  }
}
