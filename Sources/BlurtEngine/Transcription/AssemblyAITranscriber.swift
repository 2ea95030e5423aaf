public import AssemblyAI

/// Speech to text by the AssemblyAI dictation service, streamed while the user speaks (T-01…T-08, T-22…T-35, T-61…T-88).
///
/// Holds no state (T-03): every setting is a closure that is read once at each request, so that a change applies to the
/// next utterance.
public struct AssemblyAITranscriber: TranscriberProtocol {
  /// What is read at each request.
  public struct Settings: Sendable {
    /// The API key; nil or blank where there is none. May look into a key store, and throws where that is locked.
    public var apiKey: @Sendable () async throws -> String?
    /// The service's address (T-10). Throws where the recording may not go there (any more).
    public var baseURL: @Sendable () throws -> String
    /// The `User-Agent` header (`UserAgent.make`).
    public var userAgent: @Sendable () -> String
    /// Whether the rewrite is used where there is one (T-64).
    public var isEnhanced: @Sendable () -> Bool
    public var rewriteMode: @Sendable () -> DictationConfig.RewriteMode
    /// Replaces the user's shortcut expansions in the text before the caret by their triggers (T-36).
    public var redactPriorText: @Sendable (String) -> String

    public init(
      apiKey: @escaping @Sendable () async throws -> String?,
      baseURL: @escaping @Sendable () throws -> String = { DictationOrigin.production },
      userAgent: @escaping @Sendable () -> String,
      isEnhanced: @escaping @Sendable () -> Bool = { true },
      rewriteMode: @escaping @Sendable () -> DictationConfig.RewriteMode = { .fast },
      redactPriorText: @escaping @Sendable (String) -> String = { $0 }
    ) {
      self.apiKey = apiKey
      self.baseURL = baseURL
      self.userAgent = userAgent
      self.isEnhanced = isEnhanced
      self.rewriteMode = rewriteMode
      self.redactPriorText = redactPriorText
    }
  }

  private let transport: any HTTPTransport
  private let settings: Settings
  private let report: @Sendable (TranscriptionDiagnostics) -> Void

  /// `report` is called once for each transcript, before `transcribe` returns; it must not block.
  public init(
    transport: any HTTPTransport, settings: Settings,
    report: @escaping @Sendable (TranscriptionDiagnostics) -> Void = { _ in }
  ) {
    self.transport = transport
    self.settings = settings
    self.report = report
  }

  /// T-11. Without a key nothing is opened (T-04).
  public func warmUp() async {
    guard let key = try? await settings.apiKey()?.trimmedNonEmpty else { return }
    try? await client(key).warmUp()
  }

  /// Reads the feed to its end, whatever the service does meanwhile: an early failure ends the request, not the
  /// recording (T-05), and the microphone never sees back-pressure (T-68).
  public func transcribe(_ feed: AudioFeed, sampleRate: Int, context: TranscriptionContext?) async throws -> Transcript
  {
    guard let key = try await settings.apiKey()?.trimmedNonEmpty else { throw BlurtError.apiKeyMissing }
    let isEnhanced = settings.isEnhanced()
    let utterance = Utterance(
      config: config(sampleRate: sampleRate, context: context, isEnhanced: isEnhanced), client: try client(key),
      isEnhanced: isEnhanced)
    // T-80: a press that was cancelled meanwhile opens no connection.
    try Task.checkCancellation()
    do {
      return try await transcript(of: feed, utterance)
    } catch let error as AssemblyAIError {
      switch error {
      case .http(let failure): throw UnderlyingError(failure)
      case .malformedResponse: throw UnderlyingError.malformedResponse
      }
    } catch let error as HTTPTransportError {
      throw UnderlyingError(error)
    }
  }

  /// What both requests of one utterance have in common (T-71).
  private struct Utterance: Sendable {
    let config: DictationConfig
    let client: AssemblyAIClient
    let isEnhanced: Bool
  }

  private func client(_ key: String) throws -> AssemblyAIClient {
    AssemblyAIClient(
      transport: transport, baseURL: try settings.baseURL(), apiKey: key, userAgent: settings.userAgent())
  }

  /// Only these four fields of a context ever leave the machine (T-32).
  private func config(sampleRate: Int, context: TranscriptionContext?, isEnhanced: Bool) -> DictationConfig {
    DictationConfig(
      sampleRate: sampleRate, channels: SyncSTTLimits.channelCount,
      sttPrompt: STTPrompt.make(
        history: context?.recentTranscripts ?? [], priorText: context?.priorText.map(settings.redactPriorText)),
      keyTerms: KeyTerms.fit(context?.keyTerms ?? []),
      // T-60: sent with the rewrite turned off as well.
      llmInstruction: CleanupInstruction.sendable(style: context?.styleInstructions),
      rewriteMode: isEnhanced ? settings.rewriteMode() : .fast)
  }

  private func transcript(of feed: AudioFeed, _ utterance: Utterance) async throws -> Transcript {
    var copy = AudioCopy(of: feed.recording)
    var frames = feed.frames.makeAsyncIterator()
    // B-18, H-51: a stray tap, or a shortcut with the trigger key, is over before it has cost a request.
    var first: [[UInt8]] = []
    while copy.byteCount < SyncSTTLimits.minimumByteCount, let frame = await frames.next() {
      copy.append(frame)
      first.append(frame)
    }
    // The feed also ends when this task is cancelled.
    try Task.checkCancellation()
    guard copy.byteCount >= SyncSTTLimits.minimumByteCount else { throw ClipBelowFloor() }

    let config = utterance.config.encoded()
    let boundary = MultipartBody.makeBoundary()
    let body = ChunkedRequestBody()
    // T-24: all that precedes the audio is there when the request opens.
    body.append(MultipartBody.head(config: config, boundary: boundary))
    for frame in first { body.append(frame) }
    async let answer = Self.answer(utterance.client, body, boundary)

    // T-72: from the capture thread into the body, which wakes the transport; no task stands between.
    let upload = LiveUpload(copy, body)
    await feed.readToEnd { upload.take($0) }
    copy = upload.copy
    // The body then gets no proper end. Leaving cancels the request.
    guard !Task.isCancelled else {
      body.abort()
      throw CancellationError()
    }
    body.append(MultipartBody.tail(boundary: boundary))
    body.finish()

    let result = await answer
    try Task.checkCancellation()
    do {
      return transcript(try result.get(), utterance, copy.byteCount, usedWholeClip: false)
    } catch AssemblyAIError.http(let failure) where failure.isOverStreamingCap {
      let boundary = MultipartBody.makeBoundary()
      guard let whole = copy.body(config: config, boundary: boundary) else { throw AssemblyAIError.http(failure) }
      let response = try await utterance.client.transcribeWholeClip(whole, boundary: boundary)
      return transcript(response, utterance, copy.byteCount, usedWholeClip: true)
    }
  }

  /// Once the service has answered, what is still spoken is not wanted any more (T-75).
  private static func answer(
    _ client: AssemblyAIClient, _ body: ChunkedRequestBody, _ boundary: String
  ) async -> Result<DictationResponse, any Error> {
    defer { body.abort() }
    do {
      return .success(try await client.transcribeLive(body, boundary: boundary))
    } catch {
      return .failure(error)
    }
  }

  private func transcript(
    _ response: DictationResponse, _ utterance: Utterance, _ byteCount: Int, usedWholeClip: Bool
  ) -> Transcript {
    let config = utterance.config
    let choice = TranscriptChoice(response, isEnhanced: utterance.isEnhanced, instruction: config.llmInstruction)
    report(
      TranscriptionDiagnostics(
        response, isRewriteRefused: choice.isRewriteRefused, usedWholeClip: usedWholeClip,
        sentAudioMilliseconds: SyncSTTLimits.milliseconds(ofByteCount: byteCount, sampleRate: config.sampleRate)))
    return Transcript(
      text: choice.text, engine: .assemblyai, sttPrompt: config.sttPrompt.isEmpty ? nil : config.sttPrompt,
      keyTerms: config.keyTerms)
  }
}
