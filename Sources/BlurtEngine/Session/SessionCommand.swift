/// The four things that can be asked of a session (S-25…S-28).
public enum SessionCommand: Sendable, Hashable {
  /// S-25: start a dictation. The key is the evdev code of the trigger whose style applies; nil from a window or a CLI.
  /// A client that knows its own text field gives it (C-96): then nobody else is asked for it.
  case press(key: Int?, field: FocusedFieldContext? = nil)
  /// S-26: stop, transcribe, inject.
  case release
  /// S-27: the user's escape hatch at any stage.
  case cancel
  /// S-28: recovery; tears down a live capture and nothing else. The recording is kept.
  case cancelRecording
}

/// What became of a command. Exactly one is reported for each.
public enum CommandDecision: Sendable, Hashable {
  /// A press was accepted: the phase is `connecting` (S-124).
  case started
  /// A press found a phase that is not terminal and changed nothing (S-32).
  case busy
  /// A press was refused by the readiness check (S-50).
  case refused(BlurtError)
  /// A release, cancel or recovery cancel took effect.
  case done
  /// There was nothing to act on.
  case ignored
}
