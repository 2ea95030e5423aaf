/// HTTP, as the service client needs it (T-03). Injected, so that the client is tested without a network.
public protocol HTTPTransport: Sendable {
  /// Sends one request and returns the answer, whatever its status.
  ///
  /// The body is read once and never a second time (T-78). A status that was received outranks a fault of the
  /// connection (T-76). Throws `CancellationError` when its task was cancelled (T-77), else an `HTTPTransportError`.
  func send(_ request: HTTPRequest) async throws -> HTTPResponse
}

public struct HTTPRequest: Sendable {
  public enum Body: Sendable {
    case none
    /// Sent with a Content-Length.
    case bytes([UInt8])
    /// Sent chunked (HTTP/1.1) or as frames (HTTP/2), while it is produced.
    case stream(ChunkedRequestBody)
  }

  public var method: String
  public var url: String
  public var headers: [(name: String, value: String)]
  public var body: Body
  /// The transfer fails when no byte moved in either direction for this long (T-81). There is no total limit.
  public var stallTimeout: Duration

  public init(
    method: String, url: String, headers: [(name: String, value: String)] = [], body: Body = .none,
    stallTimeout: Duration = .seconds(90)
  ) {
    self.method = method
    self.url = url
    self.headers = headers
    self.body = body
    self.stallTimeout = stallTimeout
  }
}

public struct HTTPResponse: Sendable {
  public let status: Int
  public let headers: [(name: String, value: String)]
  public let body: [UInt8]

  public init(status: Int, headers: [(name: String, value: String)] = [], body: [UInt8] = []) {
    self.status = status
    self.headers = headers
    self.body = body
  }
}

/// A fault below HTTP: no status was received.
public struct HTTPTransportError: Error, Sendable, Hashable {
  /// The library's own code (`CURLcode`).
  public let code: Int
  /// One sentence for people; never contains a header.
  public let message: String
  /// Whether the body was asked for a second time (T-78).
  public let isReplay: Bool

  public init(code: Int, message: String, isReplay: Bool = false) {
    self.code = code
    self.message = message
    self.isReplay = isReplay
  }
}
