/// One value of the settings object, in the types that JSON has.
public enum SettingValue: Sendable, Hashable {
  case bool(Bool)
  case number(Double)
  case string(String)
  case list([SettingValue])
  case object([String: SettingValue])

  /// What kind of value it is.
  public var type: SettingType {
    switch self {
    case .bool: .bool
    case .number: .number
    case .string: .string
    case .list: .list
    case .object: .object
    }
  }
}

extension SettingValue: Codable {
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let value = try? container.decode(Bool.self) {
      self = .bool(value)
    } else if let value = try? container.decode(Double.self) {
      self = .number(value)
    } else if let value = try? container.decode(String.self) {
      self = .string(value)
    } else if let value = try? container.decode([SettingValue].self) {
      self = .list(value)
    } else {
      self = .object(try container.decode([String: SettingValue].self))
    }
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .bool(let value): try container.encode(value)
    case .number(let value): try container.encode(value)
    case .string(let value): try container.encode(value)
    case .list(let values): try container.encode(values)
    case .object(let members): try container.encode(members)
    }
  }
}
