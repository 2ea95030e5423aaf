extension Duration {
  /// The duration in milliseconds, what is over a whole one dropped; the nearest that fits where it is too long.
  ///
  /// Not by a division of durations: its result is a Double, which is wrong from 2^53 on and traps when it is turned into
  /// a whole number from 2^63 on.
  var wholeMilliseconds: Int64 {
    let (seconds, attoseconds) = components
    let product = seconds.multipliedReportingOverflow(by: 1_000)
    let sum = product.partialValue.addingReportingOverflow(attoseconds / 1_000_000_000_000_000)
    guard !product.overflow && !sum.overflow else { return seconds < 0 ? .min : .max }
    return sum.partialValue
  }
}
