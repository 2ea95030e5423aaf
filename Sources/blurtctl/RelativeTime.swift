/// A time in words, as seen from now (S-95).
enum RelativeTime {
  /// Below this age a time is "just now"; so is a later one, since two clocks may differ.
  static let justNowLimit: Int64 = 60

  /// `just now`, `5 minutes ago`, `yesterday`. Both in seconds since 1970.
  static func label(of time: Int64, now: Int64) -> String {
    let (age, isOut) = now.subtractingReportingOverflow(time)
    guard !isOut, age >= justNowLimit else { return "just now" }
    switch age {
    case ..<3600: return ago(age / 60, "minute")
    case ..<86_400: return ago(age / 3600, "hour")
    case ..<172_800: return "yesterday"
    default: return ago(age / 86_400, "day")
    }
  }

  /// The label of an ISO 8601 time in UTC; the time as it is where it cannot be read.
  static func label(of time: String, now: Int64) -> String { seconds(time).map { label(of: $0, now: now) } ?? time }

  /// Seconds since 1970 of a time such as `2026-11-30T05:12:20Z`, with or without a fraction.
  static func seconds(_ time: String) -> Int64? {
    let bytes = Array(time.utf8)
    guard bytes.count >= 20, bytes.last == UInt8(ascii: "Z"), bytes[4] == UInt8(ascii: "-"),
      bytes[7] == UInt8(ascii: "-"), bytes[10] == UInt8(ascii: "T"), bytes[13] == UInt8(ascii: ":"),
      bytes[16] == UInt8(ascii: ":"), bytes.count == 20 || bytes[19] == UInt8(ascii: "."),
      let year = number(bytes[0..<4]), let month = number(bytes[5..<7]), let day = number(bytes[8..<10]),
      let hour = number(bytes[11..<13]), let minute = number(bytes[14..<16]), let second = number(bytes[17..<19]),
      (1...12).contains(month), (1...31).contains(day), hour < 24, minute < 60, second <= 60
    else { return nil }
    return days(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second
  }

  private static func ago(_ count: Int64, _ unit: String) -> String { "\(count) \(unit)\(count == 1 ? "" : "s") ago" }

  private static func number(_ digits: ArraySlice<UInt8>) -> Int64? {
    var value: Int64 = 0
    for digit in digits {
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
      value = value * 10 + Int64(digit - UInt8(ascii: "0"))
    }
    return value
  }

  /// Days since 1970 in the Gregorian calendar; years are counted from March, so that the leap day is the last one.
  private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
    let year = month <= 2 ? year - 1 : year
    let month = (month + 9) % 12
    return year * 365 + year / 4 - year / 100 + year / 400 + (month * 153 + 2) / 5 + day - 1 - 719_468
  }
}
