/// The members of a JSON object, read field by field. A field that is absent or null reads as nil.
struct WireObject {
  /// A field whose value has another type than the contract says.
  struct WrongType: Error, Hashable {
    let field: String
    let expected: StaticString

    static func == (a: Self, b: Self) -> Bool { a.field == b.field }
    func hash(into hasher: inout Hasher) { hasher.combine(field) }
  }

  let members: JSONObject

  init(_ members: JSONObject) { self.members = members }

  func string(_ field: String) throws(WrongType) -> String? {
    switch members[field] {
    case nil, .null?: return nil
    case .string(let value)?: return value
    default: throw WrongType(field: field, expected: "a string")
    }
  }

  func bool(_ field: String) throws(WrongType) -> Bool? {
    switch members[field] {
    case nil, .null?: return nil
    case .bool(let value)?: return value
    default: throw WrongType(field: field, expected: "true or false")
    }
  }

  func integer(_ field: String) throws(WrongType) -> Int64? {
    switch members[field] {
    case nil, .null?: return nil
    case .integer(let value)?: return value
    default: throw WrongType(field: field, expected: "a whole number")
    }
  }

  /// A whole number that is not negative.
  func count(_ field: String) throws(WrongType) -> UInt64? {
    guard let value = try integer(field) else { return nil }
    guard let count = UInt64(exactly: value) else {
      throw WrongType(field: field, expected: "a whole number that is not negative")
    }
    return count
  }

  func number(_ field: String) throws(WrongType) -> Double? {
    switch members[field] {
    case nil, .null?: return nil
    case .integer(let value)?: return Double(value)
    case .double(let value)?: return value
    default: throw WrongType(field: field, expected: "a number")
    }
  }

  func strings(_ field: String) throws(WrongType) -> [String]? {
    switch members[field] {
    case nil, .null?: return nil
    case .array(let values)?:
      let strings = values.compactMap(\.string)
      guard strings.count == values.count else { throw WrongType(field: field, expected: "a list of strings") }
      return strings
    default: throw WrongType(field: field, expected: "a list of strings")
    }
  }

  /// A list or an object, as it is.
  func collection(_ field: String) throws(WrongType) -> JSONValue? {
    switch members[field] {
    case nil, .null?: return nil
    case .array?, .object?: return members[field]
    default: throw WrongType(field: field, expected: "a list or an object")
    }
  }

  func objects(_ field: String) throws(WrongType) -> [WireObject]? {
    switch members[field] {
    case nil, .null?: return nil
    case .array(let values)?:
      let objects = values.compactMap { value in value.object.map { WireObject($0) } }
      guard objects.count == values.count else { throw WrongType(field: field, expected: "a list of objects") }
      return objects
    default: throw WrongType(field: field, expected: "a list of objects")
    }
  }

  func object(_ field: String) throws(WrongType) -> WireObject? {
    switch members[field] {
    case nil, .null?: return nil
    case .object(let members)?: return WireObject(members)
    default: throw WrongType(field: field, expected: "an object")
    }
  }
}

extension JSONObject {
  /// Sets a field unless the value is absent: an absent value is not written.
  mutating func set(_ field: String, _ value: String?) { if let value { self[field] = .string(value) } }
  mutating func set(_ field: String, _ value: Bool?) { if let value { self[field] = .bool(value) } }
  mutating func set(_ field: String, _ value: Int?) { if let value { self[field] = .integer(Int64(value)) } }
  mutating func set(_ field: String, _ value: Int64?) { if let value { self[field] = .integer(value) } }
  mutating func set(_ field: String, _ value: UInt64?) {
    if let value { self[field] = .integer(Int64(clamping: value)) }
  }
  mutating func set(_ field: String, _ value: Double?) { if let value { self[field] = .double(value) } }
  mutating func set(_ field: String, _ value: [String]?) {
    if let value { self[field] = .array(value.map { .string($0) }) }
  }
  mutating func set(_ field: String, _ value: JSONObject?) { if let value { self[field] = .object(value) } }
  mutating func set(_ field: String, _ value: [JSONObject]?) {
    if let value { self[field] = .array(value.map { .object($0) }) }
  }
}
