internal import AssemblyAI
internal import FoundationEssentials

/// What a refusal of such a server means to a person: the errors of the main service, in this one's words.
enum OpenAIFailure {
  private static let kept = "The recording is kept: `blurtctl retry` sends it again."

  static func error(_ response: HTTPResponse, host: String, hiding secret: String) -> UnderlyingError {
    let failure = ServiceFailure(response)
    var text = "\(host) answered with HTTP status \(response.status)"
    if let message = message(response, hiding: secret) { text += ": \(message)" }
    if let last = text.last, !".!?".contains(last) { text += "." }
    if let remedy = remedy(failure) { text += " " + remedy }
    return UnderlyingError(
      domain: .http, code: response.status, message: text, cause: failure.isQuotaSpent ? .credit : nil)
  }

  static func malformed(host: String) -> UnderlyingError {
    UnderlyingError(
      domain: .transcription, code: TranscriptionFault.malformedResponse.rawValue,
      message: "\(host) answered with something other than a transcript. Check BlurtOpenAIOrigin, and whether this"
        + " network wants you to sign in first. \(kept)")
  }

  static func transport(_ error: HTTPTransportError) -> UnderlyingError {
    if error.isReplay {
      return UnderlyingError(
        domain: .transcription, code: TranscriptionFault.replayRefused.rawValue,
        message: "The connection broke while the recording was on its way. \(kept)")
    }
    return UnderlyingError(domain: .curl, code: error.code, message: "\(error.message) \(kept)")
  }

  /// The server's own words: `error.message`, a string `error` or `detail`, else the raw body.
  private static func message(_ response: HTTPResponse, hiding secret: String) -> String? {
    let wire = try? JSONDecoder().decode(Wire.self, from: Data(response.body))
    var text = wire?.message ?? String(decoding: response.body, as: UTF8.self)
    if !secret.isEmpty { text = text.replacing(secret, with: "[key]") }
    // One line: it goes to the journal and to an overlay.
    let line = text.split(whereSeparator: \.isNewline).joined(separator: " ")
    return String(line.trimmingWhitespace().prefix(ServiceFailure.messageLimit)).trimmedNonEmpty
  }

  private static func remedy(_ failure: ServiceFailure) -> String? {
    switch failure.status {
    case 400, 422: "It does not take the request: check BlurtOpenAIModel and BlurtOpenAILanguage. \(kept)"
    case 401: "It wants a key, or another one: blurtctl key set --engine openai. \(kept)"
    case 402: "The account has no credit left. \(kept)"
    case 403: "The key may not do this: blurtctl key set --engine openai. \(kept)"
    case 404, 405:
      "Check the address (BlurtOpenAIOrigin), and that the server has the model (BlurtOpenAIModel). \(kept)"
    case 407: "The proxy wants a user name and a password: set them in https_proxy."
    case 413: "The recording is too long for it: speak in shorter pieces, or raise its upload limit. \(kept)"
    case 415: "It does not take WAV files. \(kept)"
    case 429 where failure.isQuotaSpent: "The account has no credit left. \(kept)"
    case 429: "Too many requests: wait" + (failure.retryAfterSeconds.map { " \($0) s" } ?? " a minute") + ". \(kept)"
    case 500...599: "The server has a fault of its own; try again in a moment. \(kept)"
    default: nil
    }
  }

  private struct Wire: Decodable {
    enum CodingKeys: String, CodingKey { case error, detail }
    struct Inner: Decodable { let message: String }

    let message: String?

    init(from decoder: any Decoder) throws {
      let fields = try decoder.container(keyedBy: CodingKeys.self)
      message =
        (try? fields.decode(Inner.self, forKey: .error))?.message ?? (try? fields.decode(String.self, forKey: .error))
        ?? (try? fields.decode(String.self, forKey: .detail))
    }
  }
}
