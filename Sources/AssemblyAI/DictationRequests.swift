/// Builds the requests of one dictation (T-06…T-08) with their headers (T-13…T-20).
///
/// Never sets `Content-Length`, `Transfer-Encoding` or `Expect`: the first two follow from the kind of body and belong to
/// the transport (T-17, T-18), which also holds the last one back (T-19).
public struct DictationRequests: Sendable {
  /// How long a transfer may go without a byte in either direction (T-81).
  public static let stallTimeout: Duration = .seconds(90)
  /// How long a warm-up may take in all (T-11).
  public static let warmUpTimeout: Duration = .seconds(5)

  private let baseURL: String
  private let apiKey: String
  private let userAgent: String

  /// The key is sent as it is, without white space around it (T-13).
  public init(baseURL: String, apiKey: String, userAgent: String) {
    self.baseURL = DictationOrigin.normalized(baseURL)
    self.apiKey = apiKey.trimmedOfWhitespace()
    self.userAgent = userAgent
  }

  /// T-06: the streaming route.
  public func live(_ body: ChunkedRequestBody, boundary: String) -> HTTPRequest {
    post("/v1/transcribe/live", .stream(body), boundary: boundary)
  }

  /// T-07: the whole-clip route.
  public func wholeClip(_ body: HTTPRequest.Body, boundary: String) -> HTTPRequest {
    post("/v1/transcribe", body, boundary: boundary)
  }

  /// T-08: opens the connection that the next request uses. Carries no key.
  public func warmUp() -> HTTPRequest {
    HTTPRequest(
      method: "GET", url: baseURL + "/warm", headers: [("User-Agent", userAgent)], stallTimeout: Self.warmUpTimeout,
      totalTimeout: Self.warmUpTimeout)
  }

  private func post(_ path: String, _ body: HTTPRequest.Body, boundary: String) -> HTTPRequest {
    HTTPRequest(
      method: "POST", url: baseURL + path,
      headers: [
        ("Authorization", apiKey),
        ("Content-Type", MultipartBody.contentType(boundary: boundary)),
        ("User-Agent", userAgent),
      ],
      body: body, stallTimeout: Self.stallTimeout)
  }
}
