extension SettingDescription {
  /// A switch. `isOnInDoubt`: what is stored and neither true nor false counts as true.
  static func bool(_ key: SettingsKey, default isOn: Bool, isOnInDoubt: Bool = false, summary: String) -> Self {
    Self(
      key, .bool, default: .bool(isOn), summary: summary, safest: isOnInDoubt ? .bool(true) : nil,
      normaliser: { of(.bool, $0) })
  }

  /// A finite number; without a range any. `orZero`: 0 is taken too, which is outside of the range.
  static func number(
    _ key: SettingsKey, default number: Double? = nil, range: ClosedRange<Double>? = nil, unit: String? = nil,
    isWhole: Bool = false, orZero: Bool = false, summary: String
  ) -> Self {
    let shown = range.map { orZero ? min(0, $0.lowerBound)...$0.upperBound : $0 }
    return Self(
      key, .number, default: number.map(SettingValue.number), range: shown, unit: unit, summary: summary
    ) { value in
      let noun = (orZero ? "0 or " : "") + (isWhole ? "a whole number" : "a number")
      let limits = range.map { " from \(text($0.lowerBound)) to \(text($0.upperBound))" } ?? ""
      let refusal = SettingRefusal("it must be \(noun)\(limits)\(unit.map { " (\($0))" } ?? "")")
      guard case .number(let number) = value, number.isFinite,
        (range?.contains(number) ?? true) || (orZero && number == 0),
        !isWhole || number == number.rounded()
      else { return .failure(refusal) }
      return .success(value)
    }
  }

  /// One of several words, in any case. `known` are further words that another version may have stored.
  static func choice(
    _ key: SettingsKey, default word: String? = nil, _ choices: [String], known: [String] = [], summary: String
  ) -> Self {
    Self(key, .string, default: word.map(SettingValue.string), choices: choices, summary: summary) { value in
      guard case .string(let text) = value, let wanted = text.trimmedNonEmpty?.lowercased(),
        let word = (choices + known).first(where: { $0.lowercased() == wanted })
      else { return .failure(SettingRefusal("it must be \(list(choices))")) }
      return .success(.string(word))
    }
  }

  /// Text without white space around it (P-29); blank text counts as not set.
  static func text(_ key: SettingsKey, default text: String? = nil, summary: String) -> Self {
    Self(key, .string, default: text.map(SettingValue.string), summary: summary) { value in
      guard case .string(let text) = value else { return of(.string, value) }
      return .success(.string(text.trimmingWhitespace()))
    }
  }

  /// A list or an object, whose store normalises it (P-06): both functions are given values of the right type only.
  static func json(
    _ key: SettingsKey, _ type: SettingType, default value: SettingValue? = nil, entries: SettingEntries? = nil,
    limits: [String: Int] = [:], summary: String,
    salvage: @escaping @Sendable (SettingValue) -> SettingValue? = { _ in nil },
    normaliser: @escaping Normaliser = { .success($0) }
  ) -> Self {
    Self(
      key, type, default: value, entries: entries, limits: limits, summary: summary,
      salvage: { $0.type == type ? salvage($0) : nil },
      normaliser: { of(type, $0).flatMap(normaliser) })
  }

  /// The value itself if it is of that type.
  static func of(_ type: SettingType, _ value: SettingValue) -> Result<SettingValue, SettingRefusal> {
    value.type == type ? .success(value) : .failure(SettingRefusal("it must be \(type.phrase)"))
  }

  /// `10` rather than `10.0`.
  private static func text(_ number: Double) -> String { Int(exactly: number).map(String.init) ?? "\(number)" }
}
