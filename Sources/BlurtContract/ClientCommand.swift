/// One request of a client (S-147).
package struct ClientCommand: Hashable, Sendable {
  /// The commands by their name on the wire, `cmd`.
  package enum Name: String, Sendable, Hashable, CaseIterable {
    case press, release, cancel, cancelRecording, toggle
    case watch, wait, presence
    case status, last, recent, transcribe
    case spool, retry, discard
    case settings, set, unset, edit, reset
    case keys, setKey
    case devices, sounds, playSound
    case apiKey, setApiKey, clearApiKey
    case doctor
  }

  /// What is asked.
  package enum Action: Hashable, Sendable {
    /// Start a dictation. `key` is the evdev code of the trigger whose style applies (S-25). With a lease the
    /// dictation is released when its client goes (S-132); without, its owner is the user (S-134). A client that knows its
    /// own text field gives it as the context (C-96).
    case press(key: Int?, lease: Lease, context: PressContext? = nil)
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
    /// Answer when a dictation, or a recording that is sent again, has ended.
    case wait(WaitTarget)
    /// Say that this client is on the user's screen, or no longer is (S-131). Renewed every 4 s, stale after 15 s.
    case presence(onScreen: Bool)
    /// Say how the daemon is.
    case status
    /// Give the last text, even if its paste failed.
    case last
    /// Give the dictations that are remembered, newest first; nil for as many as a list shows (S-93).
    case recent(count: Int?)
    /// Transcribe a file; the path is absolute. With `engine` by that one, else by the one that dictations use.
    case transcribe(path: String, engine: String? = nil)
    /// List the kept recordings, newest first.
    case spool
    /// Transcribe a kept recording again; nil for the newest one. With `engine` by that one, else by the one of now.
    case retry(recording: String?, engine: String? = nil)
    /// Remove a kept recording; nil for all of them.
    case discard(recording: String?)
    /// Give every setting, or one of them.
    case settings(setting: String?)
    /// Store a setting. With `expected`, only while that is its value (compare and write).
    case set(setting: String, value: JSONValue, expected: JSONValue?)
    /// Put a setting back to its default. With `expected` as for `set`.
    case unset(setting: String, expected: JSONValue?)
    /// Give every trigger key with what it does, or one of them.
    case keys(key: String?)
    /// Change what one trigger key does, or how presses of all of them are meant.
    case setKey(KeyChange)
    /// Change some entries of a setting that has entries.
    case edit(EntryChange)
    /// Remove every setting, the stored API key and the stored logs (P-61…P-66).
    case reset
    /// List what can be recorded from.
    case devices
    /// List the sound packs.
    case sounds
    /// Play the sounds of a pack, or one of them; nil for the chosen pack, and for both sounds.
    case playSound(pack: String?, cue: String?)
    /// Say what is stored of an engine's API key; with `check` its service is asked as well.
    case apiKey(engine: String?, check: Bool)
    /// Check an API key with its service, store it, and read it back (T-101…T-104).
    case setApiKey(key: WireSecret, engine: String?)
    /// Remove an API key.
    case clearApiKey(engine: String?)
    /// Look at every link of the chain. Types and pastes nothing; opens the microphone only with `record`.
    case doctor(record: Bool)

    package var name: Name {
      switch self {
      case .press: .press
      case .release: .release
      case .cancel: .cancel
      case .cancelRecording: .cancelRecording
      case .toggle: .toggle
      case .watch: .watch
      case .wait: .wait
      case .presence: .presence
      case .status: .status
      case .last: .last
      case .recent: .recent
      case .transcribe: .transcribe
      case .spool: .spool
      case .retry: .retry
      case .discard: .discard
      case .settings: .settings
      case .set: .set
      case .unset: .unset
      case .edit: .edit
      case .reset: .reset
      case .keys: .keys
      case .setKey: .setKey
      case .devices: .devices
      case .sounds: .sounds
      case .playSound: .playSound
      case .apiKey: .apiKey
      case .setApiKey: .setApiKey
      case .clearApiKey: .clearApiKey
      case .doctor: .doctor
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
    case .release, .cancel, .cancelRecording, .watch, .wait, .presence, .status, .last, .recent, .transcribe, .spool,
      .retry, .discard, .settings, .set, .unset, .reset, .keys, .setKey, .edit, .devices, .sounds, .playSound, .apiKey,
      .setApiKey, .clearApiKey, .doctor:
      false
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
