extension PipelinePhase {
  /// How a dictation ends by what its insert threw; nil for one that returned (S-77).
  init(afterInsert fault: (any Error)?) {
    switch fault {
    case nil: self = .pasted
    case let error as BlurtError:
      switch error {
      case .noEditableTarget, .targetAppLost: self = .noTarget
      case .apiKeyMissing, .accessibilityPermissionMissing, .audioCaptureFailed, .sttFailed: self = .failed(error)
      }
    // S-23: nothing proves that the text is on the clipboard.
    default: self = .failed(.targetAppLost)
    }
  }
}
