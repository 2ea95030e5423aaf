/// Why a setting does not take a value, and what it takes instead.
public struct SettingRefusal: Error, Sendable, Hashable {
  /// Half a sentence that stands after a colon: it begins in lower case and has no full stop.
  public let reason: String

  public init(_ reason: String) { self.reason = reason }
}
