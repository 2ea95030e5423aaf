internal import FoundationEssentials

/// What the service answers (T-61…T-63).
public struct DictationResponse: Sendable, Hashable {
  /// The verbatim transcript; may be empty.
  public let text: String
  /// The rewrite; nil where there is none.
  public let llmResponse: String?
  /// Why there is no rewrite. For the log alone.
  public let llmError: String?
  public let sessionID: String?
  public let audioDurationMilliseconds: Int?
  public let requestTimeMilliseconds: Int?
  public let syncTimeMilliseconds: Int?

  public init(
    text: String, llmResponse: String? = nil, llmError: String? = nil, sessionID: String? = nil,
    audioDurationMilliseconds: Int? = nil, requestTimeMilliseconds: Int? = nil, syncTimeMilliseconds: Int? = nil
  ) {
    self.text = text
    self.llmResponse = llmResponse
    self.llmError = llmError
    self.sessionID = sessionID
    self.audioDurationMilliseconds = audioDurationMilliseconds
    self.requestTimeMilliseconds = requestTimeMilliseconds
    self.syncTimeMilliseconds = syncTimeMilliseconds
  }

  /// Reads the body of a 2xx answer. Only `text` can make it fail; an odd diagnostic counts as missing (T-63).
  public init(decoding body: [UInt8]) throws(AssemblyAIError) {
    guard let wire = try? JSONDecoder().decode(Wire.self, from: Data(body)) else { throw .malformedResponse }
    self = wire.response
  }

  /// Reads an answer for nothing. The first one that a process reads takes a hundred times as long as the second, and that
  /// time is better spent while the user speaks.
  static func rehearse() {
    _ = try? DictationResponse(decoding: Array(#"{"text":"","llm_response":"","sync_time_ms":1}"#.utf8))
  }

  /// The answer as it stands on the wire.
  private struct Wire: Decodable {
    enum CodingKeys: String, CodingKey {
      case text
      case llmResponse = "llm_response"
      case llmError = "llm_error"
      case sessionID = "session_id"
      case audioDuration = "audio_duration_ms"
      case requestTime = "request_time_ms"
      case syncTime = "sync_time_ms"
    }

    let response: DictationResponse

    init(from decoder: any Decoder) throws {
      let fields = try decoder.container(keyedBy: CodingKeys.self)
      func string(_ key: CodingKeys) -> String? { try? fields.decode(String.self, forKey: key) }
      func milliseconds(_ key: CodingKeys) -> Int? {
        (try? fields.decode(Double.self, forKey: key)).flatMap { Int(exactly: $0.rounded()) }
      }
      response = DictationResponse(
        text: try fields.decode(String.self, forKey: .text), llmResponse: string(.llmResponse),
        llmError: string(.llmError), sessionID: string(.sessionID),
        audioDurationMilliseconds: milliseconds(.audioDuration), requestTimeMilliseconds: milliseconds(.requestTime),
        syncTimeMilliseconds: milliseconds(.syncTime))
    }
  }
}
