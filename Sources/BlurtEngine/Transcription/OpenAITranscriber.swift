public import AssemblyAI

/// Speech to text by any server with OpenAI's `POST …/v1/audio/transcriptions`: the whole recording at the key's release.
///
/// Holds no state (T-03): every setting is read once at each request. Only the sound, the model, the language and the key
/// terms leave: no earlier text, which such models repeat when they hear nothing.
public struct OpenAITranscriber: TranscriberProtocol {
  /// What is read at each request.
  public struct Settings: Sendable {
    /// The server's normalised address; nil where none is set. Throws where the recording may not go there (any more).
    public var address: @Sendable () throws -> String?
    /// The key, sent as `Authorization: Bearer`; nil where the server wants none.
    public var apiKey: @Sendable () async throws -> String?
    public var model: @Sendable () -> String
    /// A code such as `en`; nil lets the server find out.
    public var language: @Sendable () -> String?
    public var userAgent: @Sendable () -> String

    public init(
      address: @escaping @Sendable () throws -> String?,
      apiKey: @escaping @Sendable () async throws -> String? = { nil },
      model: @escaping @Sendable () -> String, language: @escaping @Sendable () -> String? = { nil },
      userAgent: @escaping @Sendable () -> String
    ) {
      self.address = address
      self.apiKey = apiKey
      self.model = model
      self.language = language
      self.userAgent = userAgent
    }
  }

  /// How long a server may be silent beyond the recording's own length: it may load its model first.
  public static let patience: Duration = .seconds(60)

  private let transport: any HTTPTransport
  private let settings: Settings

  public init(transport: any HTTPTransport, settings: Settings) {
    self.transport = transport
    self.settings = settings
  }

  /// Opens the connection that the recording will use. Any answer will do.
  public func warmUp() async {
    guard let address = try? settings.address() else { return }
    _ = try? await transport.send(
      HTTPRequest(
        method: "GET", url: OpenAIEndpoint(address).health, headers: [("User-Agent", settings.userAgent())],
        stallTimeout: DictationRequests.warmUpTimeout, totalTimeout: DictationRequests.warmUpTimeout))
  }

  public func transcribe(_ feed: AudioFeed, sampleRate: Int, context: TranscriptionContext?) async throws -> Transcript
  {
    var copy = AudioCopy(of: feed.recording)
    for await frame in feed.frames { copy.append(frame) }
    // The feed also ends when this task is cancelled.
    try Task.checkCancellation()
    // A gate before this engine may have read the frames: the recording has them all.
    copy.catchUp()
    guard copy.byteCount >= SyncSTTLimits.minimumByteCount else { throw ClipBelowFloor() }
    let key = try await settings.apiKey()?.trimmedNonEmpty
    // Last, since the settings may have changed while the user spoke or a keyring was asked.
    guard let address = try settings.address() else { throw EngineChoice.openAIIsNotSet }
    let prompt = OpenAIPrompt.make(context?.keyTerms ?? [])
    let boundary = MultipartBody.makeBoundary()
    let head = OpenAIForm.head(
      fields: fields(prompt: prompt.text), sampleByteCount: copy.byteCount, boundary: boundary)
    guard let body = copy.body(head: head, tail: MultipartBody.tail(boundary: boundary)) else {
      throw UnderlyingError(
        domain: .transcription, code: TranscriptionFault.noRecording.rawValue,
        message: "The recording could not be written down in full. Free space in the runtime folder.")
    }
    var headers = [
      ("Content-Type", MultipartBody.contentType(boundary: boundary)), ("User-Agent", settings.userAgent()),
    ]
    if let key { headers.append(("Authorization", "Bearer \(key)")) }
    let length = Duration.milliseconds(
      SyncSTTLimits.milliseconds(ofByteCount: copy.byteCount, sampleRate: sampleRate))
    let request = HTTPRequest(
      method: "POST", url: OpenAIEndpoint(address).transcriptions, headers: headers, body: body,
      stallTimeout: Self.patience + length)
    return Transcript(
      text: try await text(request, address: address, key: key ?? ""), engine: .openai,
      sttPrompt: prompt.text.isEmpty ? nil : prompt.text, keyTerms: prompt.terms)
  }

  private func text(_ request: HTTPRequest, address: String, key: String) async throws -> String {
    let host = Self.host(of: address)
    let response: HTTPResponse
    do {
      response = try await transport.send(request)
    } catch let error as HTTPTransportError {
      throw OpenAIFailure.transport(error)
    }
    try Task.checkCancellation()
    guard (200...299).contains(response.status) else {
      throw OpenAIFailure.error(response, host: host, hiding: key)
    }
    guard let text = OpenAIResponse.text(response) else { throw OpenAIFailure.malformed(host: host) }
    return text
  }

  private func fields(prompt: String) -> [(name: String, value: String)] {
    var fields = [("model", settings.model()), ("response_format", "json"), ("temperature", "0")]
    if let language = settings.language() { fields.append(("language", language)) }
    if !prompt.isEmpty { fields.append(("prompt", prompt)) }
    return fields
  }

  /// Host and port, for sentences.
  static func host(of address: String) -> String {
    let rest = address.firstRange(of: "://").map { address[$0.upperBound...] } ?? address[...]
    return String(rest.prefix { $0 != "/" })
  }
}
