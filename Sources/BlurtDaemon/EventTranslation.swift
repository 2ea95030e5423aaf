package import BlurtContract
package import BlurtEngine
internal import FoundationEssentials

/// From the engine's words to the contract's: the two know nothing of each other.
package enum EventTranslation {
  /// The phase as the wire names it.
  package static func phase(_ phase: PipelinePhase) -> DictationPhase {
    switch phase {
    case .idle: .idle
    case .connecting: .connecting
    case .recording: .recording
    case .transcribing: .transcribing
    case .injecting: .injecting
    case .pasted: .pasted
    case .noTarget: .noTarget
    case .failed: .failed
    case .cancelled: .cancelled
    }
  }

  /// A step of the phase with all that a display needs (S-80…S-85, S-150).
  package static func event(_ change: PhaseChange) -> PhaseEvent {
    let overlay = OverlayUIState(change.phase)
    return PhaseEvent(
      phase: phase(change.phase), dictation: change.dictation, overlay: overlay.name,
      status: MenuBarStatus(change.phase).name, label: overlay.label, dwell: overlay.dwell.map { $0 / .seconds(1) },
      errorKind: change.phase.error?.diagnosticName, errorCause: change.phase.error?.cause?.rawValue,
      message: change.phase.error?.description)
  }

  /// What a client says of its own text field (C-96).
  package static func field(_ context: PressContext) -> FocusedFieldContext {
    FocusedFieldContext(
      windowTitle: context.title, fieldLabel: context.label, priorText: context.before, selectedText: context.selected,
      isSecure: context.isSecure)
  }

  package static func event(_ delivery: Delivery) -> DeliveryEvent {
    DeliveryEvent(
      dictation: delivery.dictation, engine: delivery.engine.rawValue, fellBackFrom: delivery.fellBackFrom?.rawValue,
      text: delivery.text)
  }

  package static func event(_ retried: RetriedText) -> DeliveryEvent {
    DeliveryEvent(
      dictation: nil, engine: retried.engine.rawValue, fellBackFrom: retried.fellBackFrom?.rawValue,
      text: retried.text, recording: retried.recording)
  }

  package static func entry(_ recent: RecentDictation) -> RecentEntry {
    RecentEntry(id: recent.id, text: recent.shownText, style: recent.style, at: recent.at.ISO8601Format())
  }

  package static func entry(_ record: SpoolRecord, path: String) -> RecordingEntry {
    RecordingEntry(
      id: record.id, state: record.state.rawValue, startedAt: record.startedAt.ISO8601Format(),
      durationMilliseconds: SyncSTTLimits.milliseconds(ofByteCount: record.byteCount), byteCount: record.byteCount,
      isComplete: record.isComplete, path: path, target: record.target, engine: record.engine,
      errorKind: record.errorKind, errorCause: record.errorCause, message: record.errorMessage)
  }

  /// What every new watcher is told while recordings lie there that a daemon was writing when it died.
  package static func standingNotices(interruptedCount count: Int) -> [NoticeEvent] {
    guard count > 0 else { return [] }
    let subject = count == 1 ? "1 recording was" : "\(count) recordings were"
    return [
      NoticeEvent(
        notice: "interrupted",
        message: "\(subject) cut off when blurtd died: blurtctl retry sends the newest, blurtctl spool lists them.")
    ]
  }

  /// Why a press was refused, for people: nothing has failed yet, so the cause alone.
  package static func sentence(refusal error: BlurtError) -> String {
    error.underlying?.message ?? error.description
  }

  /// Why a press was refused, as the wire names it (Y-05, Y-125).
  package static func reason(_ error: BlurtError) -> FailureReason {
    switch error {
    case .apiKeyMissing: .apiKeyMissing
    case .accessibilityPermissionMissing: .noDisplay
    case .audioCaptureFailed: .noDevice
    case .sttFailed, .targetAppLost, .noEditableTarget: .fault
    }
  }
}
