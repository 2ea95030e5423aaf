internal import BlurtContract
internal import BlurtIPC
internal import BlurtOS

/// What can be said where nobody answers: what became of the daemon, by its readiness record and its lock, and what brings
/// it back.
struct Absence {
  private let path: String
  private let isService: Bool
  private let reader: ReadinessReader

  /// `path` is the socket's.
  init(path: String, environment: (String) -> String?) {
    self.path = path
    isService = ServiceUnit.isInstalled(socket: path, environment)
    reader = ReadinessReader(record: SocketPath.folder(of: path) + "/" + ReadinessReader.fileName, socket: path)
  }

  /// The same error in words that fit this machine. What a daemon has said stays as it is.
  func explained(_ error: VerbError) -> VerbError {
    guard case .client(let cause) = error else { return error }
    let start = isService ? "systemctl --user start blurtd" : "blurtd"
    let restart = isService ? "systemctl --user restart blurtd" : "end blurtd and run it again: blurtd"
    let words: [String?]
    switch cause {
    case .noDaemon(_, let reason):
      words =
        isAlive
        ? ["Nobody listens on \(path) (\(reason.reason)).", fate, "Start Blurt again: \(restart)"]
        : ["blurtd is not running (\(path): \(reason.reason)).", fate, "Start Blurt: \(start)"]
    case .noAnswer: words = ["blurtd does not answer.", "Start Blurt again: \(restart)"]
    case .closed: words = ["blurtd went away.", fate, "Start Blurt: \(start)"]
    case .refused, .unreadable: return error
    }
    return .found(words.compactMap { $0 }.joined(separator: " "), cause.reason, cause.exitStatus)
  }

  /// What became of the last daemon; nil where nothing is known of one.
  var fate: String? {
    let record = reader.record
    switch reader.read() {
    case .listening, .notListening:
      return record.map { "Process \($0.processID) is a blurtd that lives, but its socket is gone." }
    case .noDaemon:
      guard let record else { return nil }
      if record.state == .closed && record.reason == .stopping { return "It was ended in good order." }
      return
        "It died as process \(record.processID); if it was recording, blurtctl spool lists that when blurtd runs again."
    }
  }

  private var isAlive: Bool { reader.read() != .noDaemon }
}
