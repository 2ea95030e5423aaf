internal import AssemblyAI

/// What every failure of a request ends with: the words are not lost.
private let kept = "The recording is kept: `blurtctl retry` sends it again, `blurtctl spool` lists what is kept."

extension UnderlyingError {
  /// T-84, T-86: the status, the service's words, and what to do next.
  init(_ failure: ServiceFailure) {
    var message = failure.description
    if let last = message.last, !".!?".contains(last) { message += "." }
    if let remedy = Self.remedy(failure) { message += " " + remedy }
    self.init(
      domain: .http, code: failure.status, message: message, cause: failure.isQuotaSpent ? .credit : nil)
  }

  /// T-87, T-78.
  init(_ error: HTTPTransportError) {
    if error.isReplay {
      self.init(
        domain: .transcription, code: TranscriptionFault.replayRefused.rawValue,
        message: "The connection broke while the recording was on its way. \(kept)")
    } else {
      self.init(
        domain: .curl, code: error.code, message: "\(error.message) \(kept)")
    }
  }

  /// T-61.
  static let malformedResponse = UnderlyingError(
    domain: .transcription, code: TranscriptionFault.malformedResponse.rawValue,
    message: "AssemblyAI answered with something other than a transcript. Check the service address (BlurtOrigin) and"
      + " whether this network wants you to sign in first. \(kept)")

  /// One sentence for each status that a person can do something about.
  private static func remedy(_ failure: ServiceFailure) -> String? {
    switch failure.status {
    case 400: "The request was refused: check your key terms and style, and update Blurt."
    case 401: "Store a valid API key (README, \"API key\"). \(kept)"
    case 402: "The account has no credit left: add credit at assemblyai.com. \(kept)"
    case 403: "The API key may not use this service: check the account, or store another key. \(kept)"
    case 404: "Check the API key and the service address (BlurtOrigin). \(kept)"
    case 407: "The proxy wants a user name and a password: set them in https_proxy."
    case 413: "The recording is too long for the service: speak in shorter pieces."
    case 415: "The service does not take this kind of audio: update Blurt."
    case 429 where failure.isQuotaSpent: "The account has no credit left: add credit at assemblyai.com. \(kept)"
    case 429:
      "Too many requests, or the account's limit is reached: wait"
        + (failure.retryAfterSeconds.map { " \($0) s" } ?? " a minute") + ". \(kept)"
    case 500...599: "The service has a fault of its own; try again in a moment. \(kept)"
    default: nil
    }
  }
}
