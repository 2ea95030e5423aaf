internal import AssemblyAI

/// What is worth a log line about one answered request (T-62, T-63, T-65c). Never any text of the user's.
public struct TranscriptionDiagnostics: Sendable, Hashable {
  /// How much shorter the service's audio may be before it is called cut short: about one spoken word at 150 a minute.
  public static let shortfallTolerance: Duration = .milliseconds(400)

  /// The service's id of the request.
  public let sessionID: String?
  /// The service's reason for giving no rewrite.
  public let llmError: String?
  /// The rewrite was refused and the verbatim text used.
  public let isRewriteRefused: Bool
  /// The recording was over the streaming cap and was sent again, whole (T-66).
  public let usedWholeClip: Bool
  /// What was sent.
  public let sentAudioMilliseconds: Int
  /// What the service says it got.
  public let audioDurationMilliseconds: Int?
  public let requestTimeMilliseconds: Int?
  public let syncTimeMilliseconds: Int?

  /// The service got clearly less audio than was sent: the upload was cut short (T-63).
  public var isUploadCutShort: Bool {
    guard let audioDurationMilliseconds else { return false }
    return .milliseconds(sentAudioMilliseconds - audioDurationMilliseconds) > Self.shortfallTolerance
  }

  init(_ response: DictationResponse, isRewriteRefused: Bool, usedWholeClip: Bool, sentAudioMilliseconds: Int) {
    sessionID = response.sessionID
    llmError = response.llmError
    self.isRewriteRefused = isRewriteRefused
    self.usedWholeClip = usedWholeClip
    self.sentAudioMilliseconds = sentAudioMilliseconds
    audioDurationMilliseconds = response.audioDurationMilliseconds
    requestTimeMilliseconds = response.requestTimeMilliseconds
    syncTimeMilliseconds = response.syncTimeMilliseconds
  }
}
