package import BlurtContract
internal import FoundationEssentials

/// A JSON Schema of draft 2020-12, in the keywords that the schemas of the control protocol use.
///
/// A keyword that it does not know is refused, so that no check is skipped unseen. Two things are narrower than the draft:
/// `integer` is a number written without fraction and exponent, as on the wire, and a `pattern` is a literal start (`^/`).
package struct JSONSchemaSubset: Sendable {
  /// What a schema has that cannot be checked.
  package struct Unsupported: Error, Hashable, CustomStringConvertible {
    package let description: String
  }

  /// How members are taken that no schema describes.
  package enum Mode: Sendable {
    /// They are allowed, as on the wire.
    case open
    /// They are faults, for lines that are our own.
    case strict
  }

  /// What one schema says of one value.
  private struct Verdict {
    var faults: [String] = []
    /// The members that some `properties` describes.
    var known: Set<String> = []
    /// Whether any `properties` applied: an object without them may hold anything.
    var describesMembers = false
  }

  private static let annotations: Set<String> = ["$schema", "$id", "title", "description", "default"]

  package let root: JSONObject

  package init(_ schema: JSONValue) throws(Unsupported) {
    guard let root = schema.object else { throw Unsupported(description: "a schema that is no object") }
    self.root = root
    try inspect(root, at: "#")
  }

  /// A file of `protocol/schema`, by its name without `.schema.json`.
  package static func named(_ name: String, file: String = #filePath) throws -> JSONSchemaSubset {
    let path = ProtocolTranscript.root(file: file) + "/protocol/schema/" + name + ".schema.json"
    return try JSONSchemaSubset(JSONReader.read(Array(try Data(contentsOf: URL(filePath: path)))))
  }

  /// What is wrong with the value; empty when it is valid. A value that equals `wildcard` passes wherever it stands.
  package func faults(in value: JSONValue, _ mode: Mode = .open, wildcard: JSONValue? = nil) -> [String] {
    Check(schema: self, mode: mode, wildcard: wildcard).child(value, root, at: "$")
  }

  /// The schema under `$defs` by its name.
  package func definition(_ name: String) -> JSONObject? { root["$defs"]?.object?[name]?.object }

  private func target(_ reference: JSONValue, at path: String) throws(Unsupported) -> JSONObject {
    guard let text = reference.string, text.hasPrefix("#/$defs/"), let found = definition(String(text.dropFirst(8)))
    else { throw Unsupported(description: "\(path): the reference \(reference) leads nowhere") }
    return found
  }

  // MARK: The schema itself

  private func inspect(_ schema: JSONObject, at path: String) throws(Unsupported) {
    for member in schema.members {
      try inspect(member.key, member.value, at: path + "/" + member.key)
    }
    if let value = schema["default"], let fault = faults(in: value, of: schema).first {
      throw Unsupported(description: "\(path): the default is not valid: \(fault)")
    }
  }

  private func faults(in value: JSONValue, of schema: JSONObject) -> [String] {
    Check(schema: self, mode: .open, wildcard: nil).child(value, schema, at: "default")
  }

  private func inspect(_ keyword: String, _ value: JSONValue, at path: String) throws(Unsupported) {
    let isSound: Bool
    switch keyword {
    case "$defs", "properties":
      isSound = value.object != nil
      for member in value.object?.members ?? [] { try inspect(value: member.value, at: path + "/" + member.key) }
    case "oneOf":
      isSound = value.array?.isEmpty == false
      for (index, branch) in (value.array ?? []).enumerated() { try inspect(value: branch, at: "\(path)/\(index)") }
    case "items", "not":
      isSound = true
      try inspect(value: value, at: path)
    case "$ref":
      isSound = true
      _ = try target(value, at: path)
    case "type":
      isSound = Self.types(value).map { !$0.isEmpty && $0.allSatisfy(Self.knownTypes.contains) } ?? false
    case "required": isSound = value.array?.allSatisfy { $0.string != nil } ?? false
    case "enum": isSound = value.array.map { !$0.isEmpty && Set($0).count == $0.count } ?? false
    case "const": isSound = true
    case "minimum", "maximum": isSound = value.number != nil
    case "minLength", "maxLength": isSound = value.number.map { $0 >= 0 } ?? false
    case "pattern": isSound = Self.literalStart(value) != nil
    case _ where Self.annotations.contains(keyword): isSound = true
    default: throw Unsupported(description: "\(path): the keyword is not known")
    }
    guard isSound else { throw Unsupported(description: "\(path): the value of the keyword cannot be used") }
  }

  private func inspect(value: JSONValue, at path: String) throws(Unsupported) {
    guard let schema = value.object else { throw Unsupported(description: "\(path): a schema that is no object") }
    try inspect(schema, at: path)
  }

  private static let knownTypes: Set<String> = ["null", "boolean", "integer", "number", "string", "array", "object"]

  private static func types(_ value: JSONValue) -> [String]? {
    if let name = value.string { return [name] }
    let names = value.array?.compactMap(\.string)
    return names?.count == value.array?.count ? names : nil
  }

  /// `^` and then only characters that mean themselves.
  private static func literalStart(_ pattern: JSONValue) -> String? {
    guard let text = pattern.string, text.first == "^" else { return nil }
    let literal = text.dropFirst()
    return literal.allSatisfy { $0.isLetter || $0.isNumber || "/_ -".contains($0) } ? String(literal) : nil
  }

  // MARK: A value

  private struct Check {
    let schema: JSONSchemaSubset
    let mode: Mode
    let wildcard: JSONValue?

    /// Checks a value at a place of its own: here it is decided what may stand in an object.
    func child(_ value: JSONValue, _ schema: JSONObject, at path: String) -> [String] {
      let verdict = apply(value, schema, at: path)
      guard mode == .strict, verdict.describesMembers, let members = value.object else { return verdict.faults }
      return verdict.faults
        + members.keys.filter { !verdict.known.contains($0) }.map { "\(path): the member \"\($0)\" is not described" }
    }

    private func apply(_ value: JSONValue, _ schema: JSONObject, at path: String) -> Verdict {
      var verdict = Verdict()
      if let wildcard, value == wildcard { return verdict }
      for member in schema.members { apply(value, member.key, member.value, at: path, to: &verdict) }
      return verdict
    }

    private func apply(
      _ value: JSONValue, _ keyword: String, _ argument: JSONValue, at path: String, to verdict: inout Verdict
    ) {
      func require(_ holds: Bool, _ sentence: @autoclosure () -> String) {
        if !holds { verdict.faults.append("\(path): \(sentence())") }
      }
      switch keyword {
      case "$ref":
        // The reference was followed when the schema was read.
        if let target = try? schema.target(argument, at: path) { merge(apply(value, target, at: path), into: &verdict) }
      case "type":
        let types = JSONSchemaSubset.types(argument) ?? []
        require(types.contains { value.isOfType($0) }, "it is not of the type \(types.joined(separator: " or "))")
      case "enum": require(argument.array?.contains(value) ?? false, "\(value.text) is none of the values")
      case "const": require(value == argument, "\(value.text) is not \(argument.text)")
      case "required":
        guard let members = value.object else { return }
        for name in argument.array?.compactMap(\.string) ?? [] {
          require(members[name] != nil, "the member \"\(name)\" is missing")
        }
      case "properties":
        verdict.describesMembers = true
        guard let members = value.object else { return }
        for property in argument.object?.members ?? [] {
          verdict.known.insert(property.key)
          guard let member = members[property.key], let schema = property.value.object else { continue }
          verdict.faults += child(member, schema, at: path + "." + property.key)
        }
      case "items":
        guard let values = value.array, let schema = argument.object else { return }
        for (index, element) in values.enumerated() {
          verdict.faults += child(element, schema, at: "\(path)[\(index)]")
        }
      case "oneOf": oneOf(value, argument.array?.compactMap(\.object) ?? [], at: path, to: &verdict)
      case "not":
        guard let schema = argument.object else { return }
        require(!apply(value, schema, at: path).faults.isEmpty, "it is what it must not be")
      case "minimum":
        if let number = value.number, let limit = argument.number { require(number >= limit, "it is under \(limit)") }
      case "maximum":
        if let number = value.number, let limit = argument.number { require(number <= limit, "it is over \(limit)") }
      case "minLength":
        if let text = value.string, let limit = argument.number {
          require(Double(text.unicodeScalars.count) >= limit, "it is too short")
        }
      case "maxLength":
        if let text = value.string, let limit = argument.number {
          require(Double(text.unicodeScalars.count) <= limit, "it is too long")
        }
      case "pattern":
        if let text = value.string, let start = JSONSchemaSubset.literalStart(argument) {
          require(text.hasPrefix(start), "it does not start with \(start)")
        }
      default: break
      }
    }

    private func oneOf(_ value: JSONValue, _ branches: [JSONObject], at path: String, to verdict: inout Verdict) {
      let verdicts = branches.map { apply(value, $0, at: path) }
      let matching = verdicts.filter(\.faults.isEmpty)
      switch matching.count {
      case 1: merge(matching[0], into: &verdict)
      case 0:
        let nearest = verdicts.map(\.faults).min { $0.count < $1.count } ?? []
        verdict.faults.append("\(path): it is none of the choices; nearest: \(nearest.joined(separator: ", "))")
      default: verdict.faults.append("\(path): it is \(matching.count) of the choices at once")
      }
    }

    private func merge(_ other: Verdict, into verdict: inout Verdict) {
      verdict.faults += other.faults
      verdict.known.formUnion(other.known)
      verdict.describesMembers = verdict.describesMembers || other.describesMembers
    }
  }
}

extension JSONValue {
  fileprivate var array: [JSONValue]? {
    if case .array(let values) = self { return values }
    return nil
  }

  fileprivate var number: Double? {
    switch self {
    case .integer(let value): Double(value)
    case .double(let value): value
    default: nil
    }
  }

  fileprivate var text: String { String(decoding: line, as: UTF8.self) }

  fileprivate func isOfType(_ name: String) -> Bool {
    switch self {
    case .null: name == "null"
    case .bool: name == "boolean"
    case .integer: name == "integer" || name == "number"
    case .double: name == "number"
    case .string: name == "string"
    case .array: name == "array"
    case .object: name == "object"
    }
  }
}
