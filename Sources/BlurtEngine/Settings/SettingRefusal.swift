/// Why a value is not taken as a setting.
public struct SettingRefusal: Error, Sendable, Hashable {
  /// One sentence for people: which entry is wrong, and what is allowed.
  public let message: String

  public init(message: String) { self.message = message }
}
