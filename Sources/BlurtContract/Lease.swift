/// What ends a dictation for want of its client (S-132, S-134).
package enum Lease: Hashable, Sendable {
  /// Nothing: its owner is the user, and any later one-shot command may end it.
  case none
  /// The end of the connection or of the client's process.
  case connection
  /// That, and a silence: the client promised to send some line at least this often.
  case heartbeat(Duration)
}

extension Lease: ExpressibleByBooleanLiteral {
  package init(booleanLiteral value: Bool) { self = value ? .connection : .none }
}
