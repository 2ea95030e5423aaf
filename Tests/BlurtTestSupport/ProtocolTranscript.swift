package import BlurtContract
internal import FoundationEssentials

/// A transcript of the control protocol (`protocol/transcripts`), and how its lines are compared.
package struct ProtocolTranscript: Sendable {
  package enum Step: Hashable, Sendable {
    /// `C:` with the line, which may be empty.
    case client(String)
    /// `S:` with the line as JSON.
    case daemon(JSONValue)
    /// `S:` alone: the daemon hangs up.
    case hangUp
    /// `!` with its words.
    case stimulus(String)
  }

  /// A line that is none of the four kinds.
  package struct Malformed: Error {
    package let line: String
  }

  package let name: String
  package let steps: [Step]

  package init(name: String, _ text: String) throws {
    self.name = name
    var steps: [Step] = []
    for line in text.split(separator: "\n").map(String.init) {
      let rest = line.dropFirst(2).drop { $0 == " " }
      switch line.prefix(2) {
      case "C:": steps.append(.client(String(rest)))
      case "S:": steps.append(rest.isEmpty ? .hangUp : .daemon(try JSONReader.read(Array(rest.utf8))))
      case "! ": steps.append(.stimulus(String(rest)))
      case "# ": continue
      default: throw Malformed(line: line)
      }
    }
    self.steps = steps
  }

  /// All transcripts of the project, sorted by name. `file` is a source file three levels below its root.
  package static func all(file: String = #filePath) throws -> [ProtocolTranscript] {
    let folder = root(file: file) + "/protocol/transcripts"
    let names = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".transcript") }
    return try names.sorted().map { name in
      let data = try Data(contentsOf: URL(filePath: folder + "/" + name))
      return try ProtocolTranscript(name: String(name.dropLast(11)), String(decoding: data, as: UTF8.self))
    }
  }

  /// The root folder of the project.
  package static func root(file: String = #filePath) -> String {
    file.split(separator: "/").dropLast(3).map { "/" + $0 }.joined()
  }
}

extension JSONValue {
  /// Whether the value is the expected one, where `"<any>"` in the expected one stands for any value.
  package func matches(_ expected: JSONValue) -> Bool {
    if expected == .string("<any>") { return true }
    switch (self, expected) {
    case (.object(let actual), .object(let expected)):
      return actual.keys == expected.keys
        && zip(actual.members, expected.members).allSatisfy { $0.value.matches($1.value) }
    case (.array(let actual), .array(let expected)):
      return actual.count == expected.count && zip(actual, expected).allSatisfy { $0.matches($1) }
    // 1 and 1.0 are the same number.
    case (.integer(let actual), .double(let expected)): return Double(actual) == expected
    case (.double(let actual), .integer(let expected)): return actual == Double(expected)
    default: return self == expected
    }
  }
}
