internal import BlurtContract
internal import BlurtIPC

/// Why a command does not go on.
enum VerbError: Error, Hashable {
  /// There is no answer.
  case client(ControlClientError)
  /// The daemon's answer is neither `started` nor `done`.
  case refused(CommandAck, line: [UInt8], ClientCommand.Action)
  /// Found by this program, before or after it asked.
  case found(String, FailureReason, ExitStatus)

  var exitStatus: ExitStatus {
    switch self {
    case .client(let error): error.exitStatus
    case .refused(let ack, _, let action):
      switch ack.reason {
      // As of every removal: nothing of that name is there.
      case .unknownRecording? where action.name == .discard: .nothingToActOn
      case .keyNotSaved? where action.name == .setApiKey: .keySaveFailed
      case .keyInvalid?: .keyInvalid
      case .keyUnreachable?: .keyUnreachable
      default: ack.result.exitStatus
      }
    case .found(_, _, let status): status
    }
  }

  var sentence: String {
    switch self {
    case .client(let error): error.description
    case .refused(let ack, _, let action): AnswerVerb.sentence(ack, action)
    case .found(let sentence, _, _): sentence
    }
  }

  /// What `--json` prints: the daemon's line, or an error object in the form of the wire's where it said nothing.
  var line: [UInt8] {
    switch self {
    case .client(let error): MessageCoder.encode(WireError(error.reason, error.description))
    case .refused(_, let line, _): line
    case .found(let sentence, let reason, _): MessageCoder.encode(WireError(reason, sentence))
    }
  }

  /// The daemon refused for this reason.
  func isRefusal(_ reason: FailureReason) -> Bool {
    if case .refused(let ack, _, _) = self { return ack.reason == reason }
    return false
  }

  /// There is no daemon, or none any more.
  var isAbsence: Bool {
    switch self {
    case .client(.noDaemon), .client(.closed): true
    case .client(.noAnswer), .client(.refused), .client(.unreadable), .refused, .found: false
    }
  }

  /// Wrong usage that only shows when the words are looked at.
  static func usage(_ sentence: String) -> VerbError { .found(sentence, .badRequest, .usage) }
}
