/// What a client gets when no answer can be paired with what it sent: an error object, then the end (S-146).
package struct WireError: Error, Hashable, Sendable, CustomStringConvertible {
  package let reason: FailureReason
  /// One sentence for people.
  package let message: String

  package init(_ reason: FailureReason, _ message: String? = nil) {
    self.reason = reason
    self.message = message ?? reason.text
  }

  package var description: String { message }

  var json: JSONValue {
    .object(["error": .object(["reason": .string(reason.rawValue), "message": .string(message)])])
  }

  init(fields: WireObject) throws {
    self.init(FailureReason(wire: try fields.string("reason") ?? ""), try fields.string("message"))
  }
}
