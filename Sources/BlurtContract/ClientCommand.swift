/// One request of a client (S-147).
package struct ClientCommand: Hashable, Sendable {
  /// The commands by their name on the wire, `cmd`.
  package enum Name: String, Sendable, Hashable, CaseIterable {
    case press, release, cancel, cancelRecording, toggle, watch, status, last, transcribe
  }

  /// What is asked.
  package enum Action: Hashable, Sendable {
    /// Start a dictation. `key` is the evdev code of the trigger whose style applies (S-25). With `lease` the dictation
    /// is released when this connection ends (S-132); without, its owner is the user (S-134).
    case press(key: Int?, lease: Bool)
    /// End the recording; transcribe and insert it.
    case release
    /// Abandon the dictation at any stage.
    case cancel
    /// Tear down a live capture and keep its recording (S-28).
    case cancelRecording
    /// Press when no dictation runs, release when one is recorded; decided in the daemon (H-82).
    case toggle
    /// Send the current phase and every later one (S-149).
    case watch(WatchOptions)
    /// Say how the daemon is.
    case status
    /// Give the last text, even if its paste failed.
    case last
    /// Transcribe a file; the path is absolute.
    case transcribe(path: String)

    package var name: Name {
      switch self {
      case .press: .press
      case .release: .release
      case .cancel: .cancel
      case .cancelRecording: .cancelRecording
      case .toggle: .toggle
      case .watch: .watch
      case .status: .status
      case .last: .last
      case .transcribe: .transcribe
      }
    }
  }

  /// Unique in its connection, chosen by the client; a repeat gets the first answer again (S-127).
  package let id: String
  package let action: Action
  /// What the client calls itself, for the journal.
  package let client: String?
  /// On the boot-time clock (`MonotonicClock.sinceBoot`): a press or a toggle read after it is refused (S-126).
  package let deadline: Duration?

  package init(id: String, _ action: Action, client: String? = nil, deadline: Duration? = nil) {
    self.id = id
    self.action = action
    self.client = client
    self.deadline = deadline
  }

  /// S-126: whether the client has been told by now that the press failed. Only what may start a recording expires: a
  /// release or a cancel is better late than never.
  package func isExpired(at sinceBoot: Duration) -> Bool {
    switch action {
    case .press, .toggle: deadline.map { sinceBoot > $0 } ?? false
    case .release, .cancel, .cancelRecording, .watch, .status, .last, .transcribe: false
    }
  }

  /// The answer to this command.
  package func ack(
    _ result: CommandResult, reason: FailureReason? = nil, message: String? = nil, dictation: UInt64? = nil,
    errorKind: String? = nil, phase: DictationPhase? = nil, text: String? = nil, engine: String? = nil,
    status: DaemonStatus? = nil
  ) -> CommandAck {
    CommandAck(
      id: id, result: result, reason: reason, message: message, dictation: dictation, errorKind: errorKind,
      phase: phase, text: text, engine: engine, status: status)
  }
}
