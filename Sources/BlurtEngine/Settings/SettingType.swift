/// The kinds of value that settings have. The raw value is the kind's name for clients.
public enum SettingType: String, Sendable, Hashable, CaseIterable {
  case bool, number, string, list, object

  /// The kind in words, after "it must be".
  var phrase: String {
    switch self {
    case .bool: "true or false"
    case .number: "a number"
    case .string: "text"
    case .list: "a list"
    case .object: "an object"
    }
  }
}
