internal import BlurtContract
internal import BlurtEngine

extension SettingValue {
  /// Stands for a stored value that no setting can use: none takes a number that is none.
  static let unusable: SettingValue = .number(.nan)

  /// The value of the wire or the file; nil where a `null` stands in it, which no setting has.
  init?(_ json: JSONValue) {
    switch json {
    case .null: return nil
    case .bool(let value): self = .bool(value)
    case .integer(let value): self = .number(Double(value))
    case .double(let value): self = .number(value)
    case .string(let value): self = .string(value)
    case .array(let values):
      let converted = values.compactMap { SettingValue($0) }
      guard converted.count == values.count else { return nil }
      self = .list(converted)
    case .object(let object):
      var members: [String: SettingValue] = [:]
      for member in object.members {
        guard let value = SettingValue(member.value) else { return nil }
        members[member.key] = value
      }
      self = .object(members)
    }
  }

  /// The value for the wire or the file. A number that JSON does not have is `null`.
  var json: JSONValue {
    switch self {
    case .bool(let value): return .bool(value)
    case .number(let value):
      // Beyond 2⁵³ a Double is no longer exact, so that its digits would promise too much.
      if abs(value) < 9_007_199_254_740_992, let whole = Int64(exactly: value) { return .integer(whole) }
      return value.isFinite ? .double(value) : .null
    case .string(let value): return .string(value)
    case .list(let values): return .array(values.map(\.json))
    case .object(let members):
      var object = JSONObject()
      for (key, value) in members { object[key] = value.json }
      return .object(object)
    }
  }
}
