/// One setting with all that a client needs to show and to change it.
package struct SettingEntry: Hashable, Sendable {
  /// Its key in the settings file, such as `BlurtKeyTerms`.
  package var setting: String
  /// `bool`, `number`, `string`, `list` or `object`.
  package var type: String
  /// The value in force: the stored one after its normalisation, else the default. Null where there is none.
  package var value: JSONValue
  /// The default; null for none.
  package var defaultValue: JSONValue
  /// Whether a value is stored.
  package var isSet: Bool
  /// One line for people.
  package var summary: String
  /// The values it takes, where they can be listed.
  package var choices: [String]?
  package var minimum: Double?
  package var maximum: Double?
  /// Of a number, such as `minutes`.
  package var unit: String?
  /// Why the stored value is not used; one sentence.
  package var problem: String?

  package init(
    setting: String, type: String, value: JSONValue, defaultValue: JSONValue, isSet: Bool, summary: String,
    choices: [String]? = nil, minimum: Double? = nil, maximum: Double? = nil, unit: String? = nil,
    problem: String? = nil
  ) {
    self.setting = setting
    self.type = type
    self.value = value
    self.defaultValue = defaultValue
    self.isSet = isSet
    self.summary = summary
    self.choices = choices
    self.minimum = minimum
    self.maximum = maximum
    self.unit = unit
    self.problem = problem
  }

  var members: JSONObject {
    var members: JSONObject = [
      "setting": .string(setting), "type": .string(type), "value": value, "default": defaultValue,
      "isSet": .bool(isSet), "summary": .string(summary),
    ]
    members.set("choices", choices)
    members["minimum"] = minimum.map(Self.number)
    members["maximum"] = maximum.map(Self.number)
    members.set("unit", unit)
    members.set("problem", problem)
    return members
  }

  /// A whole number has no fraction on the wire, as long as a Double is exact.
  private static func number(_ value: Double) -> JSONValue {
    guard abs(value) < 9_007_199_254_740_992, let whole = Int64(exactly: value) else { return .double(value) }
    return .integer(whole)
  }

  init(fields: WireObject) throws {
    self.init(
      setting: try fields.string("setting") ?? "", type: try fields.string("type") ?? "",
      value: fields.members["value"] ?? .null, defaultValue: fields.members["default"] ?? .null,
      isSet: try fields.bool("isSet") ?? false, summary: try fields.string("summary") ?? "",
      choices: try fields.strings("choices"), minimum: try fields.number("minimum"),
      maximum: try fields.number("maximum"), unit: try fields.string("unit"), problem: try fields.string("problem"))
  }
}
