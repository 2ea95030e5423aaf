/// One step of a reset (P-61…P-66). No step stops a later one.
package struct ResetStep: Hashable, Sendable {
  package enum State: String, Sendable, Hashable, CaseIterable {
    /// Removed, or was not there.
    case removed
    /// It survived; the message says why and what to do.
    case failed
    /// Nothing that software can undo; the message tells what the user may want to (P-66).
    case information
  }

  /// The stable name of the step, a camelCase word (`settings`, `apiKey`, `logs`).
  package var step: String
  package var state: State
  /// One sentence for people.
  package var message: String?

  package init(_ step: String, _ state: State, _ message: String? = nil) {
    self.step = step
    self.state = state
    self.message = message
  }

  var members: JSONObject {
    var members: JSONObject = ["step": .string(step), "state": .string(state.rawValue)]
    members.set("message", message)
    return members
  }

  init(fields: WireObject) throws {
    self.init(
      try fields.string("step") ?? "", try fields.string("state").flatMap { State(rawValue: $0) } ?? .failed,
      try fields.string("message"))
  }
}
