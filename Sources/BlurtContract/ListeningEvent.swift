/// A step of the listening window: whether a press would be answered, and why not.
package struct ListeningEvent: Hashable, Sendable {
  package var state: ListeningState
  /// Why a press is refused; absent while open.
  package var reason: FailureReason?
  /// One sentence for people.
  package var message: String?
  /// Raised whenever the window opens anew (S-136).
  package var generation: UInt64

  package init(
    state: ListeningState, reason: FailureReason? = nil, message: String? = nil, generation: UInt64
  ) {
    self.state = state
    self.reason = reason
    self.message = message
    self.generation = generation
  }

  var members: JSONObject {
    var members: JSONObject = ["state": .string(state.rawValue)]
    members.set("reason", reason?.rawValue)
    members.set("message", message)
    members.set("generation", generation)
    return members
  }

  /// Nil for a state that only a newer daemon knows.
  init?(fields: WireObject) throws {
    guard let state = try fields.string("state").flatMap({ ListeningState(rawValue: $0) }) else { return nil }
    self.init(
      state: state, reason: try fields.string("reason").map { FailureReason(wire: $0) },
      message: try fields.string("message"), generation: try fields.count("generation") ?? 0)
  }
}
