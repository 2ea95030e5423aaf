/// The service, as one request sees it: an address, a key and a transport.
///
/// Holds no state; make one for each request. It never repeats a request, at any status (T-88).
public struct AssemblyAIClient: Sendable {
  private let transport: any HTTPTransport
  private let requests: DictationRequests
  private let secret: String

  public init(transport: any HTTPTransport, baseURL: String, apiKey: String, userAgent: String) {
    self.transport = transport
    requests = DictationRequests(baseURL: baseURL, apiKey: apiKey, userAgent: userAgent)
    secret = apiKey.trimmedOfWhitespace()
  }

  /// Sends a body that is still being written to the streaming route.
  ///
  /// Throws an `AssemblyAIError`, an `HTTPTransportError`, or `CancellationError` when its task was cancelled. When it
  /// returns or throws, nothing pulls from the body any more.
  public func transcribeLive(_ body: ChunkedRequestBody, boundary: String) async throws -> DictationResponse {
    try await transcript(requests.live(body, boundary: boundary))
  }

  /// Sends a complete body to the whole-clip route. Throws like `transcribeLive`.
  public func transcribeWholeClip(_ body: HTTPRequest.Body, boundary: String) async throws -> DictationResponse {
    try await transcript(requests.wholeClip(body, boundary: boundary))
  }

  /// Opens the connection that the next request uses (T-11). The answer does not matter.
  public func warmUp() async {
    _ = try? await transport.send(requests.warmUp())
    DictationResponse.rehearse()
  }

  private func transcript(_ request: HTTPRequest) async throws -> DictationResponse {
    let response = try await transport.send(request)
    guard (200...299).contains(response.status) else {
      throw AssemblyAIError.http(ServiceFailure(response, hiding: secret))
    }
    return try DictationResponse(decoding: response.body)
  }
}
