/// One value of the flat settings object, in the types that JSON has.
public enum SettingValue: Sendable, Hashable {
  case bool(Bool)
  case number(Double)
  case string(String)
}

/// Where stored values come from (P-04). Reads are live: the next press sees an edit.
public protocol SettingsBacking: Sendable {
  /// The stored value under the full key, or nil where none is stored. Any thread; quick.
  func value(forKey key: String) -> SettingValue?
}

extension SettingValue: Codable {
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let value = try? container.decode(Bool.self) {
      self = .bool(value)
    } else if let value = try? container.decode(Double.self) {
      self = .number(value)
    } else {
      self = .string(try container.decode(String.self))
    }
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .bool(let value): try container.encode(value)
    case .number(let value): try container.encode(value)
    case .string(let value): try container.encode(value)
    }
  }
}
