/// One link of the chain from key to text, as `doctor` found it.
package struct DoctorCheck: Hashable, Sendable {
  package enum State: String, Sendable, Hashable, CaseIterable {
    /// It works.
    case ok
    /// It works, and there is something to know.
    case warning
    /// It does not work; the remedy says what to do.
    case failed
    /// It was not looked at; the message says why.
    case skipped
  }

  /// The stable name of the link, a camelCase word (`socket`, `keyboard`, `microphone`).
  package var check: String
  package var state: State
  /// One sentence for people: what was found.
  package var message: String
  /// The one command or act that helps; absent where nothing is wrong.
  package var remedy: String?

  package init(_ check: String, _ state: State, _ message: String, remedy: String? = nil) {
    self.check = check
    self.state = state
    self.message = message
    self.remedy = remedy
  }

  /// As the wire has it, also for `blurtctl --json`.
  package var members: JSONObject {
    var members: JSONObject = [
      "check": .string(check), "state": .string(state.rawValue), "message": .string(message),
    ]
    members.set("remedy", remedy)
    return members
  }

  init(fields: WireObject) throws {
    self.init(
      try fields.string("check") ?? "", try fields.string("state").flatMap { State(rawValue: $0) } ?? .warning,
      try fields.string("message") ?? "", remedy: try fields.string("remedy"))
  }
}
