extension Duration {
  /// Whole milliseconds, rounded up, so that a wait never ends too early.
  var wholeMilliseconds: Int {
    let (seconds, attoseconds) = components
    let milliseconds = (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
    return Int(clamping: seconds.multipliedReportingOverflow(by: 1_000).partialValue + milliseconds)
  }
}
