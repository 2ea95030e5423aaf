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
    /// Sent with a Content-Length; the middle part is read from a file while it is sent.
    case file(HTTPFileBody)
    /// Sent chunked (HTTP/1.1) or as frames (HTTP/2), while it is produced.
    case stream(ChunkedRequestBody)
  }

  public var method: String
  public var url: String
  public var headers: [(name: String, value: String)]
  public var body: Body
  /// The transfer fails when no byte moved in either direction for this long (T-81). There is no total limit.
  public var stallTimeout: Duration
  /// The transfer fails when it is not over by then; nil, which an upload needs, means no such limit.
  public var totalTimeout: Duration?

  public init(
    method: String, url: String, headers: [(name: String, value: String)] = [], body: Body = .none,
    stallTimeout: Duration = .seconds(90), totalTimeout: Duration? = nil
  ) {
    self.method = method
    self.url = url
    self.headers = headers
    self.body = body
    self.stallTimeout = stallTimeout
    self.totalTimeout = totalTimeout
  }
}

/// A request body whose middle part lies in a file, so that it is never held in memory whole (T-67).
public struct HTTPFileBody: Sendable, Hashable {
  public var head: [UInt8]
  public var path: String
  /// How many bytes of the file are sent, from its start. A shorter file fails the transfer.
  public var fileByteCount: Int
  public var tail: [UInt8]

  public init(head: [UInt8], path: String, fileByteCount: Int, tail: [UInt8]) {
    self.head = head
    self.path = path
    self.fileByteCount = fileByteCount
    self.tail = tail
  }

  /// What `Content-Length` says.
  public var byteCount: Int { head.count + fileByteCount + tail.count }
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
