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
  /// Whether its entries can be changed one by one, with `edit`.
  package var hasEntries: Bool
  /// The most that it takes: `entries`, and for each member of an entry its characters, or its bytes where the name ends so.
  package var limits: [String: Int]?
  /// Why the stored value is not used; one sentence.
  package var problem: String?

  package init(
    setting: String, type: String, value: JSONValue, defaultValue: JSONValue, isSet: Bool, summary: String,
    choices: [String]? = nil, minimum: Double? = nil, maximum: Double? = nil, unit: String? = nil,
    hasEntries: Bool = false, limits: [String: Int]? = nil, problem: String? = nil
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
    self.hasEntries = hasEntries
    self.limits = limits
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
    if hasEntries { members["hasEntries"] = true }
    if let limits {
      var object = JSONObject()
      for (name, limit) in limits { object.set(name, limit) }
      members["limits"] = .object(object)
    }
    members.set("problem", problem)
    return members
  }

  /// A whole number has no fraction on the wire, as long as a Double is exact.
  private static func number(_ value: Double) -> JSONValue {
    guard abs(value) < 9_007_199_254_740_992, let whole = Int64(exactly: value) else { return .double(value) }
    return .integer(whole)
  }

  /// Names of a newer daemon whose values are no numbers of things are skipped.
  private static func limits(_ fields: WireObject) throws -> [String: Int]? {
    guard let members = try fields.object("limits")?.members.members else { return nil }
    var limits: [String: Int] = [:]
    for member in members { if case .integer(let limit) = member.value { limits[member.key] = Int(clamping: limit) } }
    return limits
  }

  init(fields: WireObject) throws {
    self.init(
      setting: try fields.string("setting") ?? "", type: try fields.string("type") ?? "",
      value: fields.members["value"] ?? .null, defaultValue: fields.members["default"] ?? .null,
      isSet: try fields.bool("isSet") ?? false, summary: try fields.string("summary") ?? "",
      choices: try fields.strings("choices"), minimum: try fields.number("minimum"),
      maximum: try fields.number("maximum"), unit: try fields.string("unit"),
      hasEntries: try fields.bool("hasEntries") ?? false, limits: try Self.limits(fields),
      problem: try fields.string("problem"))
  }
}
