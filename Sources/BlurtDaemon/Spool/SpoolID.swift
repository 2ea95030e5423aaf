internal import FoundationEssentials

/// The name of a kept recording: its start in UTC with milliseconds, such as `20260131T101500.042Z`.
///
/// Sorting the names sorts by time. Two recordings never share one: the file is created exclusively, and a name that
/// is taken moves on by a millisecond.
enum SpoolID {
  private static let style = Date.ISO8601FormatStyle(
    dateSeparator: .omitted, dateTimeSeparator: .standard, timeSeparator: .omitted, includingFractionalSeconds: true)

  static func make(at date: Date) -> String { date.formatted(style) }

  /// When that recording started; nil for a name that is none of ours.
  static func date(of id: String) -> Date? {
    guard id.utf8.count == 20, let date = try? Date(id, strategy: style) else { return nil }
    return date
  }
}
