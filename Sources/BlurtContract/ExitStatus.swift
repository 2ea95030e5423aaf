/// How `blurtctl` ends (S-151). Nobody may have to parse prose.
package enum ExitStatus: Int32, Sendable, Hashable, CaseIterable {
  /// The command took effect, or the question was answered.
  case done = 0
  /// The daemon answered with an error, or the dictation failed.
  case failed = 1
  /// Wrong usage: no command was sent.
  case usage = 2
  /// A dictation is already running.
  case busy = 3
  /// The daemon does not listen; the reason is in the answer.
  case notListening = 4
  /// Another client owns the dictation.
  case notOwner = 5
  /// No daemon, no answer within the handshake, or the daemon went away.
  case noDaemon = 6
  /// There was nothing to act on: a release or a cancel while idle, no text yet.
  case nothingToActOn = 7
  /// T-102: the key is valid and could not be stored.
  case keySaveFailed = 10
  /// T-103: the service refused the key.
  case keyInvalid = 11
  /// T-104: the service could not be reached; the key was not checked.
  case keyUnreachable = 12

  /// What the status means, for the help text and the man page.
  package var meaning: String {
    switch self {
    case .done: "done"
    case .failed: "the daemon answered with an error"
    case .usage: "wrong usage"
    case .busy: "busy: a dictation is already running"
    case .notListening: "not listening"
    case .notOwner: "not the owner of the dictation"
    case .noDaemon: "no daemon, or no answer in time"
    case .nothingToActOn: "nothing to act on"
    case .keySaveFailed: "the key is valid and could not be stored"
    case .keyInvalid: "the service refused the key"
    case .keyUnreachable: "the service could not be reached to check the key"
    }
  }
}
