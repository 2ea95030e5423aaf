/// A step of the phase, with everything that a display of it needs (S-80…S-85, S-150).
package struct PhaseEvent: Hashable, Sendable {
  package var phase: DictationPhase
  /// The number of the dictation; absent before the first one.
  package var dictation: UInt64?
  /// The state of an overlay (S-80).
  package var overlay: String?
  /// The coarse state for a status bar (S-85).
  package var status: String?
  /// The spoken label of the overlay state (S-84).
  package var label: String?
  /// Seconds after which an overlay goes back to idle; absent where it stays (S-82).
  package var dwell: Double?
  /// The stable name of the error of a failed phase (S-21).
  package var errorKind: String?
  /// What is to blame for a transcription that failed.
  package var errorCause: String?
  /// One sentence for people about a failed phase.
  package var message: String?

  package init(
    phase: DictationPhase, dictation: UInt64? = nil, overlay: String? = nil, status: String? = nil,
    label: String? = nil, dwell: Double? = nil, errorKind: String? = nil, errorCause: String? = nil,
    message: String? = nil
  ) {
    self.phase = phase
    self.dictation = dictation
    self.overlay = overlay
    self.status = status
    self.label = label
    self.dwell = dwell
    self.errorKind = errorKind
    self.errorCause = errorCause
    self.message = message
  }

  var members: JSONObject {
    var members: JSONObject = ["phase": .string(phase.rawValue)]
    members.set("dictation", dictation)
    members.set("overlay", overlay)
    members.set("status", status)
    members.set("label", label)
    members.set("dwell", dwell)
    members.set("errorKind", errorKind)
    members.set("errorCause", errorCause)
    members.set("message", message)
    return members
  }

  /// Nil for a phase that only a newer daemon knows.
  init?(fields: WireObject) throws {
    guard let phase = try fields.string("phase").flatMap({ DictationPhase(rawValue: $0) }) else { return nil }
    self.init(
      phase: phase, dictation: try fields.count("dictation"), overlay: try fields.string("overlay"),
      status: try fields.string("status"), label: try fields.string("label"), dwell: try fields.number("dwell"),
      errorKind: try fields.string("errorKind"), errorCause: try fields.string("errorCause"),
      message: try fields.string("message"))
  }
}
