/// One value of the settings object, in the types that JSON has.
public enum SettingValue: Sendable, Hashable {
  case bool(Bool)
  case number(Double)
  case string(String)
  case list([SettingValue])
  case object([String: SettingValue])
}

/// Where stored values come from (P-04). Reads are live: the next press sees an edit.
public protocol SettingsBacking: Sendable {
  /// The stored value under the full key, or nil where none is stored. Any thread; quick.
  func value(forKey key: String) -> SettingValue?
}

/// A backing that stores as well. Stores with JSON values write through it (P-06); the others are written by the control
/// that edits them (P-05).
public protocol WritableSettingsBacking: SettingsBacking {
  /// Stores a value under the full key; nil removes it. Any thread. Throws what kept it from being stored; the old value
  /// then stays.
  func store(_ value: SettingValue?, forKey key: String) throws
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
