package import BlurtContract

/// A conversation on the control socket, written down in `protocol/transcripts`.
package struct ProtocolTranscript: Sendable {
  package enum Step: Sendable, Hashable {
    /// `C:` the client sends this line; an empty one ends bytes that were sent before.
    case client(String)
    /// `S:` the daemon sends this.
    case daemon(JSONValue)
    /// `S:` alone: the daemon hangs up.
    case hangUp
    /// `!` something happens that is not said on the socket: a word and what belongs to it.
    case stimulus(String, String)
  }

  package struct Unreadable: Error, Hashable {
    package let line: Int
    package let problem: String
  }

  package let steps: [(line: Int, step: Step)]

  package init(_ text: String) throws(Unreadable) {
    var steps: [(Int, Step)] = []
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      let number = index + 1
      if line.isEmpty || line.hasPrefix("#") { continue }
      let rest = String(line.dropFirst(2).drop { $0 == " " })
      if line.hasPrefix("C:") {
        steps.append((number, .client(rest)))
      } else if line.hasPrefix("S:") {
        if rest.isEmpty {
          steps.append((number, .hangUp))
        } else {
          do throws(JSONError) {
            steps.append((number, .daemon(try JSONReader.read(Array(rest.utf8)))))
          } catch {
            throw Unreadable(line: number, problem: error.detail)
          }
        }
      } else if line.hasPrefix("! ") {
        let words = rest.split(separator: " ", maxSplits: 1).map(String.init)
        steps.append((number, .stimulus(words.first ?? "", words.count > 1 ? words[1] : "")))
      } else {
        throw Unreadable(line: number, problem: "a line begins with C:, S:, ! or #")
      }
    }
    self.steps = steps
  }

  /// Whether a value is as expected: `"<any>"` stands for any value, everything else must be equal, members included.
  package static func matches(_ actual: JSONValue, _ expected: JSONValue) -> Bool {
    switch (actual, expected) {
    case (_, .string("<any>")): true
    case (.object(let actual), .object(let expected)):
      actual.keys == expected.keys
        && actual.allSatisfy { member in expected[member.key].map { matches(member.value, $0) } ?? false }
    case (.array(let actual), .array(let expected)):
      actual.count == expected.count && zip(actual, expected).allSatisfy { matches($0, $1) }
    case (.integer(let actual), .double(let expected)): Double(actual) == expected
    case (.double(let actual), .integer(let expected)): actual == Double(expected)
    default: actual == expected
    }
  }
}
