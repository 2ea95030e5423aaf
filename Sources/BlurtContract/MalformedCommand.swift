/// Why a line is not a command.
package enum MalformedCommand: Error, Hashable, Sendable {
  /// No answer can be paired with it: an error object is sent and the connection closed (S-146).
  case line(WireError)
  /// It has an id: it is answered as failed and the connection stays.
  case command(id: String, reason: FailureReason, message: String)
}
