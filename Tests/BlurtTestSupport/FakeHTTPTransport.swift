public import AssemblyAI
internal import Synchronization

/// A transport without a network: it collects what it is sent and answers as the test scripted.
///
/// Each request takes the next reaction; the last one is used again and again.
public final class FakeHTTPTransport: HTTPTransport {
  /// What becomes of a request.
  public enum Reaction: Sendable {
    /// Answers when the body has ended.
    case respond(HTTPResponse)
    /// Answers once that many bytes have come, without waiting for the rest (T-75).
    case respondEarly(HTTPResponse, afterByteCount: Int)
    /// Fails when the body has ended.
    case fail(HTTPTransportError)
    /// Fails once that many bytes have come.
    case failEarly(HTTPTransportError, afterByteCount: Int)
    /// Reads the body and never answers.
    case hang
    /// Waits at the gate after the body has ended, whether or not it was cancelled, then answers.
    case respondAfter(Gate, HTTPResponse)
  }

  /// A request as it was when it began, and what came of its body so far.
  public struct Recorded: Sendable {
    public let method: String
    public let url: String
    public let headers: [(name: String, value: String)]
    /// Whether the body was a stream, so that no length was known.
    public let isStream: Bool
    public let stallTimeout: Duration
    public let totalTimeout: Duration?
    public internal(set) var body: [UInt8] = []
    /// The body came to its proper end.
    public internal(set) var isBodyComplete = false

    /// The only value of that header; nil where it is missing or stands twice.
    public func header(_ name: String) -> String? {
      let values = headers.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
      return values.count == 1 ? values[0] : nil
    }
  }

  private struct State {
    var reactions: [Reaction]
    var requests: [Recorded] = []
    var watchers: [(isDue: @Sendable ([Recorded]) -> Bool, continuation: CheckedContinuation<Void, Never>)] = []
  }

  private let state: Mutex<State>

  public init(_ reactions: [Reaction]) { state = Mutex(State(reactions: reactions)) }

  /// Answers every request with that status and body.
  public convenience init(status: Int = 200, json: String) {
    self.init([.respond(HTTPResponse(status: status, json: json))])
  }

  public var requests: [Recorded] { state.withLock { $0.requests } }

  /// Returns once the requests so far are as wanted.
  public func wait(until isDue: @escaping @Sendable ([Recorded]) -> Bool) async {
    await withCheckedContinuation { continuation in
      let now = state.withLock { state in
        if isDue(state.requests) { return true }
        state.watchers.append((isDue, continuation))
        return false
      }
      if now { continuation.resume() }
    }
  }

  public func send(_ request: HTTPRequest) async throws -> HTTPResponse {
    try Task.checkCancellation()
    let recorded = Recorded(
      method: request.method, url: request.url, headers: request.headers, isStream: request.body.isStream,
      stallTimeout: request.stallTimeout, totalTimeout: request.totalTimeout)
    let (index, reaction) = state.withLock { state in
      state.requests.append(recorded)
      let reaction = state.reactions.count > 1 ? state.reactions.removeFirst() : state.reactions[0]
      return (state.requests.count - 1, reaction)
    }
    notify()
    switch reaction {
    case .respond(let response):
      try await collect(request.body, index, limit: nil)
      return response
    case .respondEarly(let response, let count):
      try await collect(request.body, index, limit: count)
      return response
    case .fail(let error):
      try await collect(request.body, index, limit: nil)
      throw error
    case .failEarly(let error, let count):
      try await collect(request.body, index, limit: count)
      throw error
    case .hang:
      try await collect(request.body, index, limit: nil)
      try await Gate().passOrCancel()
      throw CancellationError()
    case .respondAfter(let gate, let response):
      try await collect(request.body, index, limit: nil)
      await gate.pass()
      return response
    }
  }

  /// Pulls the body to its end, or until that many bytes are there.
  private func collect(_ body: HTTPRequest.Body, _ index: Int, limit: Int?) async throws {
    switch body {
    case .none: record([], index, isComplete: true)
    case .bytes(let bytes): record(bytes, index, isComplete: true)
    case .file(let file):
      guard let bytes = TestFile.bytes(file.path), bytes.count >= file.fileByteCount else {
        throw HTTPTransportError(code: 26, message: "The file is missing or too short.")
      }
      record(file.head + bytes[..<file.fileByteCount] + file.tail, index, isComplete: true)
    case .stream(let stream): try await collect(stream, index, limit: limit)
    }
  }

  private func collect(_ body: ChunkedRequestBody, _ index: Int, limit: Int?) async throws {
    let (signals, signal) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    body.setOnReadable { signal.yield() }
    defer { body.setOnReadable(nil) }
    var signalled = signals.makeAsyncIterator()
    var buffer = [UInt8](repeating: 0, count: 32_000)
    while true {
      if let limit, state.withLock({ $0.requests[index].body.count >= limit }) { return }
      switch buffer.withUnsafeMutableBytes({ body.pull(into: $0) }) {
      case .bytes(let count): record(Array(buffer[..<count]), index, isComplete: false)
      case .pending:
        _ = await signalled.next()
        try Task.checkCancellation()
      case .end: return record([], index, isComplete: true)
      case .aborted:
        try Task.checkCancellation()
        throw HTTPTransportError(code: 42, message: "The body was given up.")
      }
    }
  }

  private func record(_ bytes: [UInt8], _ index: Int, isComplete: Bool) {
    state.withLock { state in
      state.requests[index].body += bytes
      if isComplete { state.requests[index].isBodyComplete = true }
    }
    notify()
  }

  private func notify() {
    let due = state.withLock { state in
      let requests = state.requests
      let due = state.watchers.filter { $0.isDue(requests) }
      state.watchers.removeAll { $0.isDue(requests) }
      return due
    }
    for watcher in due { watcher.continuation.resume() }
  }
}

extension HTTPResponse {
  public init(status: Int = 200, headers: [(name: String, value: String)] = [], json: String) {
    self.init(status: status, headers: headers, body: Array(json.utf8))
  }
}

extension HTTPRequest.Body {
  fileprivate var isStream: Bool {
    if case .stream = self { return true }
    return false
  }
}
