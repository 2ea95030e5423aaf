package import BlurtContract
package import BlurtOS

/// Why a client got no answer.
package enum ControlClientError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Nobody listens at the path.
  case noDaemon(path: String, Errno)
  /// The daemon did not answer in time (S-126).
  case noAnswer
  /// The daemon closed the connection, or died.
  case closed
  /// The daemon sent an error object.
  case refused(WireError)
  /// The daemon sent what cannot be read.
  case unreadable(String)

  /// How `blurtctl` ends on it.
  package var exitStatus: ExitStatus {
    switch self {
    case .noDaemon, .noAnswer, .closed: .noDaemon
    case .refused, .unreadable: .failed
    }
  }

  /// The same as a reason, for JSON.
  package var reason: FailureReason {
    switch self {
    case .noDaemon, .noAnswer, .closed: .noDaemon
    case .refused(let error): error.reason
    case .unreadable: .invalidLine
    }
  }

  package var description: String {
    switch self {
    case .noDaemon(let path, let error):
      "blurtd is not running (\(path): \(error.reason)): blurtctl doctor says how to start it."
    case .noAnswer: "blurtd does not answer: blurtctl doctor says what helps."
    case .closed: "blurtd went away: blurtctl doctor says how to start it."
    case .refused(let error): error.message
    case .unreadable(let detail): "blurtd sent a line that cannot be read: \(detail). Is it another version?"
    }
  }
}
