package import BlurtOS

/// How a run of the engine's process ended.
package enum OfflineEnding: Sendable, Hashable, CustomStringConvertible {
  case notStarted(Errno)
  /// It ended by itself, with that status.
  case exited(Int32)
  /// A signal ended it.
  case killed(Int32)

  package var description: String {
    switch self {
    case .notStarted(let error): "not started: \(error)"
    case .exited(let status): "status \(status)"
    case .killed(let signal): "signal \(signal)"
    }
  }
}
