/// A sound that tells the user when to speak.
public enum RecordingCue: Sendable, Hashable {
  case start
  case stop
}

/// Decides which phases give a cue (S-86). One for the life of a host.
public struct RecordingCueGate: Sendable, Hashable {
  private var isRecording = false

  public init() {}

  /// The cue of the step to that phase; nil for a repeat and between phases that do not record (S-87).
  public mutating func cue(for phase: PipelinePhase) -> RecordingCue? {
    let wasRecording = isRecording
    isRecording = phase == .recording
    guard isRecording != wasRecording else { return nil }
    return isRecording ? .start : .stop
  }
}
