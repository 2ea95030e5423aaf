/// What a stored value comes to.
public struct SettingReading: Sendable, Hashable {
  /// The value in force: the stored one after its normalisation, else the default; nil where there is none.
  public let value: SettingValue?
  /// One sentence that says why the stored value, or a part of it, is not used; nil where all of it is.
  public let problem: String?

  public init(value: SettingValue?, problem: String?) {
    self.value = value
    self.problem = problem
  }
}
