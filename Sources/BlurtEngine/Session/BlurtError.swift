/// A fault that has reached a seam, reduced to what can be compared, logged and shown.
///
/// Two values are equal when `domain` and `code` are (S-21): the message is for people and may vary.
public struct UnderlyingError: Error, Sendable, Hashable, CustomStringConvertible {
  /// Which vocabulary `code` belongs to.
  public enum Domain: String, Sendable, Hashable, CaseIterable {
    /// `code` is an HTTP status outside 200–299.
    case http
    /// `code` is a `CURLcode`.
    case curl
    /// `code` is a negative ALSA error, or 0 where ALSA reported nothing.
    case alsa
    /// `code` is an `errno` value.
    case posix
    /// `code` is the raw value of a `CaptureFault`.
    case capture
    /// `code` is the raw value of a `TranscriptionFault`.
    case transcription
    /// `code` is the offline engine's own status.
    case offline
    /// `code` is the exit status of the user's program, or a `CommandFault`.
    case command
    /// Anything else; `code` has no meaning beyond equality.
    case other
  }

  public let domain: Domain
  public let code: Int
  /// One sentence, ready to be shown, that says what happened and, where one exists, what to do next.
  public let message: String
  /// What is to blame; no part of equality.
  public let cause: FailureCause?

  /// `cause` is given where domain and code do not say it.
  public init(domain: Domain, code: Int, message: String, cause: FailureCause? = nil) {
    self.domain = domain
    self.code = code
    self.message = message
    self.cause = cause ?? Self.cause(of: domain, code: code)
  }

  public static func == (a: Self, b: Self) -> Bool { a.domain == b.domain && a.code == b.code }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(domain)
    hasher.combine(code)
  }

  public var description: String { message }
}

/// Why capture could not start or ended early, where no library error says it (codes of `UnderlyingError.Domain.capture`).
public enum CaptureFault: Int, Sendable, Hashable, CaseIterable {
  /// C-19: the device refused to start at all, or there is none.
  case noInputDevice = 1
  /// C-18: the device started and never delivered a live frame.
  case inputNeverDelivered = 2
  /// The device stopped delivering while a recording ran.
  case deviceLost = 3
}

/// Why transcription failed, where neither HTTP nor a library says it (codes of `UnderlyingError.Domain.transcription`).
public enum TranscriptionFault: Int, Sendable, Hashable, CaseIterable {
  /// T-61: the answer was not the documented JSON object.
  case malformedResponse = 1
  /// S-67: the upload was never started although the recording ran.
  case uploadNeverStarted = 2
  /// T-78: the transport asked for a body that can only be read once.
  case replayRefused = 3
  /// The whole-file engine was given no file to read.
  case noRecording = 4
}

/// How the user's own program failed where no exit status says it (codes of `UnderlyingError.Domain.command`).
public enum CommandFault: Int, Sendable, Hashable, CaseIterable {
  /// It was still running at its time limit.
  case timedOut = -1
  /// It could not be started.
  case notStarted = -2
  /// It printed more than any text is long.
  case outputTooLong = -3
  /// A signal ended it. No exit status says that: a program may end with 139 by itself.
  case crashed = -4
}

/// The failures a dictation can end with (S-15…S-20). Each one is ready to be shown.
///
/// The case name is the stable diagnostic name, the same in logs, on the control socket and in tests (S-21).
public enum BlurtError: Error, Sendable, Hashable {
  /// S-15: no API key and no other engine that could transcribe.
  case apiKeyMissing
  /// S-16: input cannot be synthesised (no display, or no XTest extension).
  case accessibilityPermissionMissing
  /// S-17: audio could not be captured.
  case audioCaptureFailed(underlying: UnderlyingError)
  /// S-18: the recording could not be transcribed.
  case sttFailed(underlying: UnderlyingError)
  /// S-19: the target of the press is gone or cannot be activated; the text was left on the clipboard.
  case targetAppLost
  /// S-20: nothing editable has the focus; the text was left on the clipboard.
  case noEditableTarget

  /// The stable name used in logs and on the wire (S-21).
  public var diagnosticName: String {
    switch self {
    case .apiKeyMissing: "apiKeyMissing"
    case .accessibilityPermissionMissing: "accessibilityPermissionMissing"
    case .audioCaptureFailed: "audioCaptureFailed"
    case .sttFailed: "sttFailed"
    case .targetAppLost: "targetAppLost"
    case .noEditableTarget: "noEditableTarget"
    }
  }

  /// What wraps inside, where something does.
  public var underlying: UnderlyingError? {
    switch self {
    case .audioCaptureFailed(let underlying), .sttFailed(let underlying): underlying
    case .apiKeyMissing, .accessibilityPermissionMissing, .targetAppLost, .noEditableTarget: nil
    }
  }
}

extension BlurtError: CustomStringConvertible {
  /// A sentence for people that says what to do next. Never empty.
  public var description: String {
    switch self {
    case .apiKeyMissing:
      "No API key and no offline engine: run blurtctl key set, or scripts/fetch-offline-engine.sh."
    case .accessibilityPermissionMissing:
      "Text cannot be pasted: there is no X display with the XTest extension. Run blurtd inside your graphical session."
    case .audioCaptureFailed(let underlying): "Audio could not be captured. \(underlying.message)"
    case .sttFailed(let underlying): "Transcription failed. \(underlying.message)"
    case .targetAppLost: "The window you were in is gone. The text is on the clipboard."
    case .noEditableTarget: "No text field had the focus. The text is on the clipboard."
    }
  }
}
