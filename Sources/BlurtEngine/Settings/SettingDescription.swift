/// One row of the table of settings: what a setting is for, what it takes, and what it means when it is not set.
public struct SettingDescription: Sendable {
  /// Turns a value into the form that counts, or says why it is none.
  public typealias Normaliser = @Sendable (SettingValue) -> Result<SettingValue, SettingRefusal>

  public let key: SettingsKey
  public let type: SettingType
  /// What it means when it is not set, in its normalised form; nil where that is no value at all.
  public let defaultValue: SettingValue?
  /// One line for people.
  public let summary: String
  /// The values it takes, where they can be listed. What only another version of the program can use is not among them
  /// and is refused when it is set; where it is stored already, it counts.
  public let choices: [String]
  /// Both ends included.
  public let range: ClosedRange<Double>?
  /// Of a number, such as `minutes`.
  public let unit: String?
  /// How its entries are told apart; nil for a setting that has none.
  public let entries: SettingEntries?
  /// The most that it takes, by name: `entries`, and for each member of an entry its characters; with `Bytes` at the end
  /// its UTF-8 bytes.
  public let limits: [String: Int]
  /// What counts where the stored value is refused as a whole; nil: the default.
  private let safest: SettingValue?
  private let normaliser: Normaliser
  private let salvage: @Sendable (SettingValue) -> SettingValue?
  private let storedForm: @Sendable (_ written: SettingValue, _ normalised: SettingValue) -> SettingValue

  /// - Parameters:
  ///   - entries: How its entries are told apart, where it has some.
  ///   - limits: The most that it takes, by name.
  ///   - safest: What counts where a stored value is refused; nil: the default.
  ///   - salvage: What still counts of a stored value that is refused as a whole; nil: the default.
  ///   - storedForm: What is written for a value: by default its normalised form.
  init(
    _ key: SettingsKey, _ type: SettingType, default defaultValue: SettingValue? = nil, choices: [String] = [],
    range: ClosedRange<Double>? = nil, unit: String? = nil, entries: SettingEntries? = nil, limits: [String: Int] = [:],
    summary: String, safest: SettingValue? = nil,
    salvage: @escaping @Sendable (SettingValue) -> SettingValue? = { _ in nil },
    storedForm: @escaping @Sendable (_ written: SettingValue, _ normalised: SettingValue) -> SettingValue = { $1 },
    normaliser: @escaping Normaliser
  ) {
    self.key = key
    self.type = type
    self.defaultValue = defaultValue
    self.summary = summary
    self.choices = choices
    self.range = range
    self.unit = unit
    self.entries = entries
    self.limits = limits
    self.safest = safest
    self.normaliser = normaliser
    self.salvage = salvage
    self.storedForm = storedForm
  }

  /// The value in its normalised form, or why it is not taken. The same for stored values and for new ones.
  public func normalise(_ value: SettingValue) -> Result<SettingValue, SettingRefusal> { normaliser(value) }

  /// What a stored value means (P-03, P-07): one rule for every reader.
  public func read(_ stored: SettingValue?) -> SettingReading {
    guard let stored else { return SettingReading(value: defaultValue, problem: nil) }
    switch normaliser(stored) {
    // Blank text counts as not set (P-29).
    case .success(.string("")): return SettingReading(value: defaultValue, problem: nil)
    case .success(let value): return SettingReading(value: value, problem: nil)
    case .failure(let refusal):
      if let rest = salvage(stored) {
        return SettingReading(value: rest, problem: "A part of the stored value is not used: \(refusal.reason).")
      }
      return reading(refused: refusal)
    }
  }

  /// What to write for a new value, or why it is not taken.
  public func storing(_ value: SettingValue) -> Result<SettingValue, SettingRefusal> {
    normaliser(value).flatMap { normalised in
      if !choices.isEmpty, case .string(let choice) = normalised, !choices.contains(choice) {
        return .failure(SettingRefusal("this version has no \"\(choice)\"; it must be \(Self.list(choices))"))
      }
      return .success(storedForm(value, normalised))
    }
  }

  /// What counts where the stored value is refused.
  public func reading(refused refusal: SettingRefusal) -> SettingReading {
    let consequence = safest == nil ? "" : " Until then it is on, to be safe."
    return SettingReading(
      value: safest ?? defaultValue, problem: "The stored value is not used: \(refusal.reason).\(consequence)")
  }

  /// `A, B or C`.
  static func list(_ choices: [String]) -> String {
    guard let last = choices.last, choices.count > 1 else { return choices.first ?? "" }
    return choices.dropLast().joined(separator: ", ") + " or " + last
  }
}
