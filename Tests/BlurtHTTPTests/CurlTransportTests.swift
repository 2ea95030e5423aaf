import AssemblyAI
import BlurtHTTP
import BlurtOS
import BlurtTestSupport
import Glibc
import Testing

/// The transport against a server in a process of its own, on the loopback interface. One test after another, as each
/// starts a server.
@Suite(
  .serialized, .timeLimit(.minutes(1)), .enabled(if: StrictServer.isAvailable, "needs /usr/bin/python3 for the server"))
struct CurlTransportTests {
  private let boundary = MultipartBody.makeBoundary()
  private let frame = [UInt8](repeating: 7, count: 640)

  private func client(_ server: StrictServer, _ transport: CurlTransport, key: String = "test-key") -> AssemblyAIClient
  {
    AssemblyAIClient(transport: transport, baseURL: server.baseURL, apiKey: key, userAgent: "Blurt/1 (test)")
  }

  /// A transport that is stopped when the closure is left.
  private func withTransport(
    _ options: CurlOptions = CurlOptions(), _ body: (CurlTransport) async throws -> Void
  ) async throws {
    let transport = try CurlTransport(options)
    defer { transport.stop() }
    try await body(transport)
  }

  /// An answered connection is trusted however slow this machine is.
  private var patient: CurlOptions {
    var options = CurlOptions()
    options.streamTrust = .seconds(3_600)
    options.bodyTrust = .seconds(3_600)
    return options
  }

  private func open(_ body: ChunkedRequestBody) {
    body.append(MultipartBody.head(config: DictationConfig().encoded(), boundary: boundary))
  }

  private func close(_ body: ChunkedRequestBody) {
    body.append(MultipartBody.tail(boundary: boundary))
    body.finish()
  }

  /// A complete body of that many bytes of audio.
  private func complete(_ byteCount: Int = 6_400) -> ChunkedRequestBody {
    let body = ChunkedRequestBody()
    open(body)
    body.append([UInt8](repeating: 7, count: byteCount))
    close(body)
    return body
  }

  private func transportError(_ body: () async throws -> some Sendable) async throws -> HTTPTransportError {
    try #require(await #expect(throws: HTTPTransportError.self) { _ = try await body() })
  }

  // MARK: Streaming

  @Test(
    "T-06 T-24 T-72 T-82 each frame is at the server before the next one is spoken, and the config before the first")
  func streaming() async throws {
    let server = try StrictServer()
    try await withTransport { transport in
      let body = ChunkedRequestBody()
      let client = client(server, transport)
      let response = Task { [boundary] in try await client.transcribeLive(body, boundary: boundary) }
      open(body)
      try await server.wait(for: "config")
      var delays: [Duration] = []
      for index in 1...50 {
        let appended = MonotonicClock.now()
        body.append(frame)
        // The server holds back as many bytes as the closing boundary might have.
        let heldBack = MultipartBody.tail(boundary: boundary).count - 1
        let arrival = try await server.wait("frame \(index)") { events in
          events.first { $0.event == "chunk" && ($0.audioBytes ?? 0) >= index * 640 - heldBack }
        }
        delays.append(.seconds(arrival.t) - appended)
      }
      close(body)
      let text = try await response.value.text
      #expect(text == "This is what was said.")
      #expect(server.events("audio").first?.bytes == 50 * 640)
      // One period. About 1 ms on an idle machine.
      #expect(delays.sorted()[25] < .milliseconds(20))
    }
  }

  @Test("T-13 T-14 T-16 T-17 T-18 T-19 T-20 the live request has a chunked body and exactly the specified headers")
  func liveHeaders() async throws {
    let server = try StrictServer()
    try await withTransport { transport in
      _ = try await client(server, transport).transcribeLive(complete(), boundary: boundary)
      let headers = try #require(server.events("request").first?.headers)
      #expect(
        headers == [
          "host": "127.0.0.1:\(server.port)", "accept": "*/*", "authorization": "<hidden>",
          "content-type": "multipart/form-data; boundary=\(boundary)", "transfer-encoding": "chunked",
          "user-agent": "Blurt/1 (test)",
        ])
    }
  }

  @Test("T-06 T-13 T-14 T-16 T-18 T-22 T-35 the whole request over HTTP/1.1, byte for byte but for where chunks end")
  func goldenRequest() async throws {
    let listener = try RawServer(answer: "HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\n{\"text\":\"\"}")
    let boundary = "blurt-01234567-89AB-CDEF-0123-456789ABCDEF"
    let config = DictationConfig(sttPrompt: "a/b", keyTerms: ["Ö"], llmInstruction: "Write.").encoded()
    try await withTransport { transport in
      let body = ChunkedRequestBody()
      body.append(MultipartBody.head(config: config, boundary: boundary))
      body.append([1, 2, 3, 4])
      body.append(MultipartBody.tail(boundary: boundary))
      body.finish()
      _ = try await AssemblyAIClient(
        transport: transport, baseURL: listener.baseURL, apiKey: "k3y", userAgent: "Blurt/1 (test)"
      ).transcribeLive(body, boundary: boundary)
    }
    let request = listener.request
    let head =
      "POST /v1/transcribe/live HTTP/1.1\r\nHost: 127.0.0.1:\(listener.port)\r\nAccept: */*\r\n"
      + "Transfer-Encoding: chunked\r\nAuthorization: k3y\r\nContent-Type: multipart/form-data; boundary=\(boundary)\r\n"
      + "User-Agent: Blurt/1 (test)\r\n\r\n"
    // Their order is libcurl's own, and no matter of ours.
    let lines = { (text: String) in Set(text.split(separator: "\r\n")) }
    let end = try #require(request.firstRange(of: Array("\r\n\r\n".utf8))?.upperBound)
    #expect(lines(String(decoding: request[..<end], as: UTF8.self)) == lines(head))
    let expected =
      "--\(boundary)\r\nContent-Disposition: form-data; name=\"config\"\r\nContent-Type: application/json\r\n\r\n"
      + #"{"channels":1,"keyterms_prompt":["Ö"],"llm_instruction":"Write.","sample_rate":16000,"stt_prompt":"a/b"}"#
      + "\r\n--\(boundary)\r\nContent-Disposition: form-data; name=\"audio\"; filename=\"audio.pcm\"\r\n"
      + "Content-Type: audio/pcm\r\n\r\n\u{1}\u{2}\u{3}\u{4}\r\n--\(boundary)--\r\n"
    #expect(try RawServer.dechunked(request[end...]) == Array(expected.utf8))
  }

  @Test("T-07 T-17 T-67 a whole clip is sent with its length, from memory or from a file")
  func wholeClip() async throws {
    let server = try StrictServer()
    try await withTransport { transport in
      let head = MultipartBody.head(config: DictationConfig().encoded(), boundary: boundary)
      let tail = MultipartBody.tail(boundary: boundary)
      let audio = [UInt8](repeating: 9, count: 5_000_000)
      let client = client(server, transport)
      _ = try await client.transcribeWholeClip(.bytes(head + audio + tail), boundary: boundary)

      let path = server.folder + "/audio"
      // What the recording may have grown by is not sent.
      try write(audio + [1, 2, 3, 4], to: path)
      let file = HTTPFileBody(head: head, path: path, fileByteCount: audio.count, tail: tail)
      _ = try await client.transcribeWholeClip(.file(file), boundary: boundary)

      #expect(server.events("audio").map(\.bytes) == [5_000_000, 5_000_000])
      let headers = server.events("request").compactMap(\.headers)
      #expect(headers.map { $0["content-length"] } == Array(repeating: String(file.byteCount), count: 2))
      #expect(headers.allSatisfy { $0["transfer-encoding"] == nil && $0["expect"] == nil })
    }
  }

  @Test("T-67 T-76 a kept recording that is gone or too short fails the request with a sentence about it")
  func missingFile() async throws {
    let server = try StrictServer()
    try await withTransport { transport in
      let client = client(server, transport)
      let head = MultipartBody.head(config: DictationConfig().encoded(), boundary: boundary)
      let gone = HTTPFileBody(head: head, path: server.folder + "/none", fileByteCount: 1, tail: [])
      let first = try await transportError { try await client.transcribeWholeClip(.file(gone), boundary: boundary) }
      #expect(first.code == 26)
      #expect(first.message.contains("could not be read"))
      try write([1, 2], to: server.folder + "/short")
      let short = HTTPFileBody(head: head, path: server.folder + "/short", fileByteCount: 3, tail: [])
      let second = try await transportError { try await client.transcribeWholeClip(.file(short), boundary: boundary) }
      #expect(second.message.contains("shorter"))
    }
  }

  @Test("T-72 T-73 a slow server gets every byte in order while the writer never waits")
  func backPressure() async throws {
    let server = try StrictServer(faults: ["slow=8000000"])
    try await withTransport { transport in
      let body = ChunkedRequestBody()
      let client = client(server, transport)
      let response = Task { [boundary] in try await client.transcribeLive(body, boundary: boundary) }
      open(body)
      for _ in 0..<4_000 { body.append(frame) }
      close(body)
      let text = try await response.value.text
      #expect(text == "This is what was said.")
      #expect(server.events("audio").first?.bytes == 4_000 * 640)
    }
  }

  @Test("T-82 neither a silent producer nor an idle connection wakes the curl thread")
  func idle() async throws {
    // In a process of its own, where this transport's thread is the only one of its name.
    try await #require(processExitsWith: .success) {
      let server = try StrictServer()
      let transport = try CurlTransport()
      let boundary = MultipartBody.makeBoundary()
      let body = ChunkedRequestBody()
      let client = AssemblyAIClient(
        transport: transport, baseURL: server.baseURL, apiKey: "test-key", userAgent: "Blurt")
      let response = Task { try await client.transcribeLive(body, boundary: boundary) }
      body.append(MultipartBody.head(config: DictationConfig().encoded(), boundary: boundary))
      body.append([UInt8](repeating: 7, count: 6_400))
      try await server.wait(for: "config")
      let whilePaused = try await CurlThread.wakeups(in: .milliseconds(500))
      precondition(whilePaused == 0, "\(whilePaused) wake-ups while the producer was silent")
      body.append(MultipartBody.tail(boundary: boundary))
      body.finish()
      _ = try await response.value
      let whileIdle = try await CurlThread.wakeups(in: .milliseconds(500))
      precondition(whileIdle == 0, "\(whileIdle) wake-ups of an idle connection")
      transport.stop()
      server.stop()
    }
  }

  // MARK: Connections

  @Test("T-08 T-11 T-12 the request uses the connection that the warm-up opened", arguments: [false, true])
  func reuse(tls: Bool) async throws {
    let server = try StrictServer(tls: tls)
    var options = patient
    if tls { options.certificateFile = server.authorityPath }
    try await withTransport(options) { transport in
      let client = client(server, transport)
      await client.warmUp()
      _ = try await client.transcribeLive(complete(), boundary: boundary)
      _ = try await client.transcribeLive(complete(), boundary: boundary)
      let requests = server.events("request")
      #expect(requests.map(\.target) == ["/warm", "/v1/transcribe/live", "/v1/transcribe/live"])
      #expect(requests.map(\.connection) == [1, 1, 1])
    }
  }

  @Test(
    "B-120 T-79 a connection that died while it was idle is replaced by a fresh one",
    arguments: ["close-idle", "reset-idle"])
  func deadIdleConnection(fault: String) async throws {
    let server = try StrictServer(faults: [fault])
    try await withTransport { transport in
      let client = client(server, transport)
      await client.warmUp()
      try await server.wait(for: "closed")
      _ = try await client.transcribeLive(complete(), boundary: boundary)
      #expect(server.events("request").map(\.connection) == [1, 2])
    }
  }

  @Test(
    "B-121 T-79 a connection that was idle for longer than is safe is not used again: nothing is sent into the void")
  func oldIdleConnection() async throws {
    let server = try StrictServer()
    var options = CurlOptions()
    options.longestIdle = .seconds(1)
    try await withTransport(options) { transport in
      let client = client(server, transport)
      await client.warmUp()
      // The library counts whole seconds of the real clock.
      try await Task.sleep(for: .milliseconds(2_200))
      _ = try await client.transcribeLive(complete(), boundary: boundary)
      #expect(server.events("request").map(\.connection) == [1, 2])
    }
  }

  @Test(
    "B-121 T-79 an idle connection that a router has forgotten gets no byte of a dictation, which goes over a fresh one at once",
    arguments: [false, true])
  func forgottenConnection(tls: Bool) async throws {
    let server = try StrictServer(tls: tls)
    let relay = try ForgetfulRelay(to: server.port)
    var options = CurlOptions()
    options.streamTrust = .zero
    if tls { options.certificateFile = server.authorityPath }
    try await withTransport(options) { transport in
      let client = AssemblyAIClient(
        transport: transport, baseURL: tls ? "https://localhost:\(relay.port)" : "http://127.0.0.1:\(relay.port)",
        apiKey: "test-key", userAgent: "Blurt/1 (test)")
      // Its answer has taken some time, and the trust is over.
      await client.warmUp()
      #expect(try relay.mute() == 1)
      // The next press: its warm-up is never answered, and the upload does not wait for that.
      async let warm: Void = client.warmUp()
      #expect(try await client.transcribeLive(complete(64_000), boundary: boundary).text == "This is what was said.")
      #expect(server.events("audio").map(\.bytes) == [64_000])
      let report = try relay.report()
      // The key of a warm-up is that it has none, and a form is larger than all that was swallowed.
      #expect(
        report.swallowed.count == 1 && report.swallowed.allSatisfy { !$0.contains("POST") && $0.utf8.count < 6_400 })
      await warm
      // What was in doubt is not used again for anything.
      await client.warmUp()
      _ = try await client.transcribeLive(complete(), boundary: boundary)
      #expect(server.events("audio").count == 2)
    }
  }

  /// Over HTTP/2, by a way that can forget its connections.
  private func withForgetfulHTTP2(
    _ change: (inout CurlOptions) -> Void, _ body: (CurlTransport, ForgetfulRelay, _ base: String) async throws -> Void
  ) async throws {
    let server = try HTTP2Server()
    let relay = try ForgetfulRelay(to: Int(server.port))
    var options = CurlOptions()
    change(&options)
    options.certificateFile = server.authorityPath
    try await withTransport(options) { try await body($0, relay, "https://127.0.0.1:\(relay.port)") }
  }

  /// What a question without a body is answered.
  private func status(
    _ transport: CurlTransport, _ base: String, limit: Duration = .seconds(50)
  ) async throws -> Int {
    try await transport.send(
      HTTPRequest(method: "GET", url: base + "/cert.pem", stallTimeout: limit, totalTimeout: limit)
    ).status
  }

  @Test(
    "B-121 T-79 over HTTP/2 a dictation does not join the unanswered warm-up on a forgotten connection",
    .enabled(if: HTTP2Server.isAvailable, "needs nghttpd (nghttp2-server) and openssl"))
  func forgottenHTTP2Connection() async throws {
    try await withForgetfulHTTP2 {
      $0.streamTrust = .zero
    } _: { transport, relay, base in
      #expect(try await status(transport, base) == 200)
      #expect(try relay.mute() == 1)
      let warm = Task { try await status(transport, base, limit: .seconds(5)) }
      // It is on its way, and joins the connection that is there.
      #expect(await eventually { (try? relay.report())?.swallowed.contains { !$0.isEmpty } == true })
      for byteCount in [64_000, 640] {
        let body = ChunkedRequestBody()
        body.append([UInt8](repeating: 7, count: byteCount))
        body.finish()
        let echoed = try await transport.send(
          HTTPRequest(method: "POST", url: base + "/live", body: .stream(body), stallTimeout: .seconds(50)))
        #expect(echoed.body == [UInt8](repeating: 7, count: byteCount))
      }
      #expect(try relay.report().swallowed.allSatisfy { $0.utf8.count < 6_400 })
      await #expect(throws: HTTPTransportError.self) { _ = try await warm.value }
      // The warm-up of the press after it finds a way.
      #expect(try await status(transport, base) == 200)
    }
  }

  @Test(
    "B-121 T-79 over HTTP/2 a complete body does not join a warm-up that was not answered, however young the last answer is",
    .enabled(if: HTTP2Server.isAvailable, "needs nghttpd (nghttp2-server) and openssl"))
  func unansweredHTTP2WarmUp() async throws {
    try await withForgetfulHTTP2 {
      $0.bodyTrust = .seconds(3600)
    } _: { transport, relay, base in
      #expect(try await status(transport, base) == 200)
      #expect(try relay.mute() == 1)
      let warm = Task { try await status(transport, base, limit: .seconds(5)) }
      #expect(await eventually { (try? relay.report())?.swallowed.contains { !$0.isEmpty } == true })
      let bytes = [UInt8](repeating: 7, count: 64_000)
      let echoed = try await transport.send(
        HTTPRequest(method: "POST", url: base + "/live", body: .bytes(bytes), stallTimeout: .seconds(50)))
      #expect(echoed.body == bytes)
      await #expect(throws: HTTPTransportError.self) { _ = try await warm.value }
    }
  }

  @Test(
    "B-121 over HTTP/2 a connection that was doubted is closed, and the fresh one serves the next press",
    .enabled(if: HTTP2Server.isAvailable, "needs nghttpd (nghttp2-server) and openssl"))
  func doubtedHTTP2Connection() async throws {
    try await withForgetfulHTTP2 {
      $0.streamTrust = .zero
    } _: { transport, relay, base in
      #expect(try await status(transport, base) == 200)
      let body = ChunkedRequestBody()
      body.append([1, 2, 3])
      body.finish()
      let echoed = try await transport.send(
        HTTPRequest(method: "POST", url: base + "/live", body: .stream(body), stallTimeout: .seconds(50)))
      #expect(echoed.body == [1, 2, 3])
      #expect(try await status(transport, base) == 200)
      #expect(await eventually { (try? relay.report().open) == 1 })
      #expect(try relay.report().connections == 2)
    }
  }

  @Test("B-121 a complete body is not sent over a connection that has been silent for longer than it is trusted")
  func silentConnection() async throws {
    let server = try StrictServer()
    var options = CurlOptions()
    options.bodyTrust = .zero
    try await withTransport(options) { transport in
      let client = client(server, transport)
      await client.warmUp()
      var body: [UInt8] = MultipartBody.head(config: DictationConfig().encoded(), boundary: boundary)
      body += [UInt8](repeating: 7, count: 6_400) + MultipartBody.tail(boundary: boundary)
      _ = try await client.transcribeWholeClip(.bytes(body), boundary: boundary)
      #expect(server.events("request").map(\.connection) == [1, 2])
    }
  }

  @Test("T-78 a reused connection that dies under the body gets no second body")
  func noReplay() async throws {
    let server = try StrictServer(faults: ["reset-reused"])
    try await withTransport(patient) { transport in
      let client = client(server, transport)
      await client.warmUp()
      let error = try await transportError { try await client.transcribeLive(complete(), boundary: boundary) }
      // Which of the two depends on whether the reset is met while reading or while writing.
      #expect(error.isReplay || [55, 56].contains(error.code))
      #expect(server.events("request").map(\.target) == ["/warm", "/v1/transcribe/live"])
    }
  }

  @Test(
    "B-120 a request that opens while the warm-up still shakes hands gets through, 50 times", arguments: [false, true])
  func duringHandshake(tls: Bool) async throws {
    let server = try StrictServer(tls: tls)
    var options = CurlOptions()
    if tls { options.certificateFile = server.authorityPath }
    for _ in 0..<50 {
      try await withTransport(options) { transport in
        let client = client(server, transport)
        async let warm: Void = client.warmUp()
        let text = try await client.transcribeLive(complete(), boundary: boundary).text
        await warm
        #expect(text == "This is what was said.")
      }
    }
    #expect(server.events("audio").count == 50)
  }

  @Test("B-118 a text that comes long after the end of the audio is the text")
  func lateText() async throws {
    let server = try StrictServer(faults: ["delay=1500"])
    try await withTransport { transport in
      let text = try await client(server, transport).transcribeLive(complete(), boundary: boundary).text
      #expect(text == "This is what was said.")
      // The server notes an answer once it is out.
      #expect(await eventually { server.events("answer").count == 1 })
    }
  }

  @Test("B-118 what goes wrong on the connection after the text costs nothing", arguments: [false, true])
  func resetAfterText(chunked: Bool) async throws {
    let server = try StrictServer(faults: ["reset-after-answer"] + (chunked ? ["chunked-answer"] : []))
    try await withTransport { transport in
      let client = client(server, transport)
      #expect(try await client.transcribeLive(complete(), boundary: boundary).text == "This is what was said.")
      try await server.wait(for: "fault")
      try server.setFaults(["delay=0"])
      // And the next dictation does not stumble over it.
      #expect(try await client.transcribeLive(complete(), boundary: boundary).text == "This is what was said.")
    }
  }

  @Test(
    "B-115 a reset at 10, 50 and 99 % of the upload is one failure, and the recording's file is untouched",
    arguments: [10, 50, 99])
  func resetAt(percent: Int) async throws {
    let audio = [UInt8](repeating: 7, count: 320_000)
    let server = try StrictServer(faults: ["reset@\(audio.count * percent / 100)"])
    try await withTransport { transport in
      let path = server.folder + "/audio"
      try write(audio, to: path)
      let file = HTTPFileBody(
        head: MultipartBody.head(config: DictationConfig().encoded(), boundary: boundary), path: path,
        fileByteCount: audio.count, tail: MultipartBody.tail(boundary: boundary))
      let client = client(server, transport)
      let error = try await transportError { try await client.transcribeWholeClip(.file(file), boundary: boundary) }
      #expect([52, 55, 56].contains(error.code))
      // T-88: nothing is sent again by itself; asked again, it arrives whole.
      #expect(server.events("request").count == 1)
      try server.setFaults(["delay=0"])
      _ = try await client.transcribeWholeClip(.file(file), boundary: boundary)
      #expect(server.events("audio").map(\.bytes) == [audio.count])
    }
  }

  @Test("T-78 a redirect is an answer like any other: nothing is sent again")
  func redirect() async throws {
    let server = try StrictServer(faults: ["redirect"])
    try await withTransport { transport in
      let expected = AssemblyAIError.http(ServiceFailure(status: 302, message: "elsewhere"))
      await #expect(throws: expected) {
        try await client(server, transport).transcribeLive(complete(), boundary: boundary)
      }
      #expect(server.events("request").count == 1)
    }
  }

  @Test("T-83 a certificate is checked: an unknown authority and a wrong host are refused with the way out")
  func certificates() async throws {
    let server = try StrictServer(tls: true)
    try await withTransport { transport in
      let error = try await transportError {
        try await client(server, transport).transcribeLive(complete(), boundary: boundary)
      }
      #expect(error.code == 60)
      #expect(error.message.contains("localhost:\(server.port)"))
      #expect(error.message.contains("SSL_CERT_FILE"))
    }
    let elsewhere = try StrictServer(tls: true, host: "127.0.0.2")
    var options = CurlOptions()
    options.certificateFile = elsewhere.authorityPath
    try await withTransport(options) { transport in
      let error = try await transportError {
        try await client(elsewhere, transport).transcribeLive(complete(), boundary: boundary)
      }
      #expect(error.code == 60)
    }
    #expect(server.events("request").isEmpty)
    #expect(elsewhere.events("request").isEmpty)
  }

  @Test("B-125 T-83 an expired certificate is refused, and the cause is TLS")
  func expiredCertificate() async throws {
    let server = try StrictServer(tls: true, isExpired: true)
    var options = CurlOptions()
    options.certificateFile = server.authorityPath
    try await withTransport(options) { transport in
      let error = try await transportError {
        try await client(server, transport).transcribeLive(complete(), boundary: boundary)
      }
      #expect(error.code == 60 && error.message.contains("localhost:\(server.port)"))
    }
    #expect(server.events("request").isEmpty)
  }

  @Test("B-123 T-83 a private authority is trusted where SSL_CERT_FILE names it, and only there")
  func privateAuthority() async throws {
    let server = try StrictServer(tls: true)
    let options = CurlOptions { $0 == "SSL_CERT_FILE" ? server.authorityPath : nil }
    try await withTransport(options) { transport in
      let text = try await client(server, transport).transcribeLive(complete(), boundary: boundary).text
      #expect(text == "This is what was said.")
    }
  }

  @Test("T-83 a file of certificates that cannot be read is named by its variable")
  func unreadableAuthority() async throws {
    var options = CurlOptions()
    options.certificateFile = "/nonexistent/ca.pem"
    let server = try StrictServer(tls: true)
    try await withTransport(options) { transport in
      let error = try await transportError { try await transport.send(HTTPRequest(method: "GET", url: server.baseURL)) }
      #expect(error.code == 77)
      #expect(error.message.contains("SSL_CERT_FILE"))
    }
  }

  @Test("T-83 the trusted certificates come from CURL_CA_BUNDLE, else SSL_CERT_FILE, and SSL_CERT_DIR")
  func environment() {
    func options(_ variables: [String: String]) -> CurlOptions { CurlOptions { variables[$0] } }
    #expect(options([:]).certificateFile == nil)
    #expect(options(["SSL_CERT_FILE": "/a"]).certificateFile == "/a")
    #expect(options(["SSL_CERT_FILE": "/a", "CURL_CA_BUNDLE": "/b"]).certificateFile == "/b")
    #expect(options(["SSL_CERT_FILE": "/a", "CURL_CA_BUNDLE": ""]).certificateFile == "/a")
    #expect(options(["SSL_CERT_DIR": "/c"]).certificateDirectory == "/c")
  }

  @Test("B-123 T-83 the proxy variables of the environment are honoured, and no_proxy is their exception")
  func proxy() async throws {
    try await #require(processExitsWith: .success) {
      let server = try StrictServer()
      setenv("http_proxy", "http://127.0.0.1:\(server.port)", 1)
      setenv("no_proxy", "127.0.0.1", 1)
      let transport = try CurlTransport()
      defer { transport.stop() }
      for url in ["http://blurt.invalid/warm", server.baseURL + "/warm"] {
        let response = try await transport.send(
          HTTPRequest(method: "GET", url: url, headers: [("User-Agent", "Blurt")]))
        precondition(response.status == 200)
      }
      precondition(server.events("request").map(\.target) == ["http://blurt.invalid/warm", "/warm"])
      server.stop()
    }
  }

  @Test("BlurtStayLocal what is meant for this machine goes to no proxy, whatever the environment says")
  func loopbackWithoutProxy() async throws {
    try await #require(processExitsWith: .success) {
      let (server, proxy) = (try StrictServer(), try StrictServer())
      setenv("http_proxy", "http://127.0.0.1:\(proxy.port)", 1)
      setenv("all_proxy", "http://127.0.0.1:\(proxy.port)", 1)
      let transport = try CurlTransport()
      defer { transport.stop() }
      for host in ["127.0.0.1", "localhost", "LOCALHOST"] {
        let response = try await transport.send(
          HTTPRequest(method: "GET", url: "http://\(host):\(server.port)/warm", headers: [("User-Agent", "Blurt")]))
        precondition(response.status == 200)
      }
      precondition(server.events("request").count == 3 && proxy.events("request").isEmpty)
      server.stop()
      proxy.stop()
    }
  }

  @Test("B-123 B-125 T-83 a proxy that refuses the way to an https address is named with its status")
  func refusingProxy() async throws {
    try await #require(processExitsWith: .success) {
      let server = try StrictServer()
      setenv("https_proxy", "http://me:s3cret@127.0.0.1:\(server.port)", 1)
      let transport = try CurlTransport()
      defer { transport.stop() }
      do {
        _ = try await transport.send(HTTPRequest(method: "GET", url: "https://blurt.invalid/warm"))
        preconditionFailure("no error")
      } catch let error as HTTPTransportError {
        precondition(error.message.contains("proxy refused the way to blurt.invalid with status 4"))
        precondition(error.message.contains("https_proxy") && !error.message.contains("s3cret"))
      }
      server.stop()
    }
  }

  @Test(
    "T-18 T-12 T-83 over TLS the request is HTTP/2 frames without Transfer-Encoding, on the warm connection",
    .enabled(if: HTTP2Server.isAvailable, "needs nghttpd (nghttp2-server) and openssl"))
  func http2() async throws {
    let server = try HTTP2Server()
    var options = patient
    options.certificateFile = server.authorityPath
    try await withTransport(options) { transport in
      // The echoing server takes no body on a route of its own: any path does.
      let warm = try await transport.send(
        HTTPRequest(method: "POST", url: server.baseURL + "/warm", body: .bytes([1, 2, 3])))
      #expect(warm.body == [1, 2, 3])
      let body = ChunkedRequestBody()
      let request = HTTPRequest(
        method: "POST", url: server.baseURL + "/live", headers: [("Authorization", "k3y")], body: .stream(body))
      let response = Task { try await transport.send(request) }
      for index in 1...10 {
        body.append(frame)
        // One DATA frame for each.
        try await server.waitForData(byteCount: 3 + index * 640)
      }
      body.finish()
      let echoed = try await response.value
      #expect(echoed.status == 200)
      // Every byte in order, and nothing between them: the frames alone carry the ends.
      #expect(echoed.body == [UInt8](repeating: 7, count: 6_400))
      let log = server.output.lowercased()
      #expect(!log.contains("transfer-encoding"))
      #expect(!log.contains("expect:") && !log.contains("accept-encoding"))
      for line in [":method: post", ":path: /live", ":scheme: https", "authorization: k3y"] {
        #expect(log.contains(line), "\(line)")
      }
      #expect(server.connectionCount == 1)
    }
  }

  // MARK: Answers before the end

  @Test("T-66 T-75 T-76 the 413 of a recording over the cap arrives while it is spoken, and the body ends there")
  func overCap() async throws {
    let server = try StrictServer()
    try await withTransport { transport in
      let body = ChunkedRequestBody()
      open(body)
      body.append([UInt8](repeating: 7, count: 120 * 32_000 + 2_000))
      // The producer has not finished: the answer alone ends the exchange.
      let client = client(server, transport)
      let error = await #expect(throws: AssemblyAIError.self) {
        try await client.transcribeLive(body, boundary: boundary)
      }
      guard case .http(let failure) = error else {
        Issue.record("no HTTP error: \(String(describing: error))")
        return
      }
      #expect(failure.isOverStreamingCap)
    }
  }

  @Test(
    "T-75 an early answer ends the exchange without waiting for the body",
    arguments: [["early=200"], ["early=200", "chunked-answer"], ["early=401"], ["early=503@300"]])
  func earlyAnswer(faults: [String]) async throws {
    let server = try StrictServer(faults: faults)
    try await withTransport { transport in
      let body = ChunkedRequestBody()
      open(body)
      let request = DictationRequests(baseURL: server.baseURL, apiKey: "test-key", userAgent: "Blurt")
        .live(body, boundary: boundary)
      let response = try await transport.send(request)
      #expect(faults[0].hasPrefix("early=\(response.status)"))
      #expect(String(decoding: response.body, as: UTF8.self).hasPrefix("{\"error\""))
    }
  }

  @Test("T-76 a status outranks the writer's fault: the server answers and stops reading in the middle of an upload")
  func statusOutranksWriter() async throws {
    let server = try StrictServer(faults: ["early=401@20000"])
    try await withTransport { transport in
      let body = ChunkedRequestBody()
      let client = client(server, transport)
      let response = Task { [boundary] in try await client.transcribeLive(body, boundary: boundary) }
      open(body)
      body.append([UInt8](repeating: 7, count: 30_000))
      try await server.wait(for: "answer")
      // Written to a connection that is closing.
      for _ in 0..<50 { body.append(frame) }
      body.abort()
      await #expect(throws: AssemblyAIError.http(ServiceFailure(status: 401, message: "Invalid API key"))) {
        try await response.value
      }
    }
  }

  @Test("B-125 T-84 T-88 every error status comes through after one attempt, Retry-After with it")
  func statuses() async throws {
    let server = try StrictServer()
    try await withTransport { transport in
      for status in [400, 401, 402, 403, 404, 413, 415, 429, 500, 502, 503, 504] {
        try server.setFaults([status == 413 ? "413-plain" : "\(status)"])
        let error = await #expect(throws: AssemblyAIError.self) {
          try await client(server, transport).transcribeLive(complete(), boundary: boundary)
        }
        guard case .http(let failure) = error else {
          Issue.record("no HTTP error for \(status)")
          continue
        }
        #expect(failure.status == status)
        #expect(!failure.isOverStreamingCap)
        #expect(failure.retryAfterSeconds == (status == 429 ? 7 : nil))
      }
      #expect(server.events("request").count == 12)
    }
  }

  @Test("T-61 T-76 an answer that is cut short is a fault of the connection, not a transcript")
  func cutAnswer() async throws {
    let server = try StrictServer(faults: ["cut-answer"])
    try await withTransport { transport in
      let error = try await transportError {
        try await client(server, transport).transcribeLive(complete(), boundary: boundary)
      }
      #expect([18, 56].contains(error.code))
    }
  }

  @Test("T-61 an answer without a documented body is malformed", arguments: ["invalid-json", "no-text"])
  func malformed(fault: String) async throws {
    let server = try StrictServer(faults: [fault])
    try await withTransport { transport in
      await #expect(throws: AssemblyAIError.malformedResponse) {
        try await client(server, transport).transcribeLive(complete(), boundary: boundary)
      }
    }
  }

  @Test(
    "T-61 an answer that is compressed unasked, in chunks, or begins with a byte-order mark is a transcript",
    arguments: [["gzip"], ["bom"], ["gzip", "bom", "chunked-answer"]])
  func oddAnswer(faults: [String]) async throws {
    let server = try StrictServer(faults: faults)
    try await withTransport { transport in
      let text = try await client(server, transport).transcribeLive(complete(), boundary: boundary).text
      #expect(text == "This is what was said.")
      // T-13 to T-20: nobody asked.
      #expect(server.events("request").first?.headers?["accept-encoding"] == nil)
    }
  }

  @Test("B-124 a 429 of an account that has nothing left is told apart from one that passes")
  func spentQuota() async throws {
    let server = try StrictServer(faults: ["429", "quota"])
    try await withTransport { transport in
      for isSpent in [true, false] {
        if !isSpent { try server.setFaults(["429"]) }
        let error = await #expect(throws: AssemblyAIError.self) {
          try await client(server, transport).transcribeLive(complete(), boundary: boundary)
        }
        guard case .http(let failure) = error else {
          Issue.record("no HTTP error")
          return
        }
        #expect(failure.status == 429 && failure.isQuotaSpent == isSpent)
      }
    }
  }

  @Test("an answer without end is refused at the limit")
  func hugeAnswer() async throws {
    let server = try StrictServer(faults: [], "--text", String(repeating: "x", count: 4_000))
    var options = CurlOptions()
    options.responseByteLimit = 1_000
    try await withTransport(options) { transport in
      let error = try await transportError {
        try await client(server, transport).transcribeLive(complete(), boundary: boundary)
      }
      #expect(error.code == 23)
    }
  }

  // MARK: Cancel, reset, stall

  @Test("T-77 T-74 a cancel in the middle of an upload is a cancel, and the body gets no proper end")
  func cancel() async throws {
    let server = try StrictServer()
    try await withTransport { transport in
      let body = ChunkedRequestBody()
      open(body)
      body.append(frame)
      let client = client(server, transport)
      let task = Task { try await client.transcribeLive(body, boundary: boundary) }
      try await server.wait(for: "config")
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
      let gone = try await server.wait(for: "gone")
      #expect(gone.first?.reason == "within the body")
    }
  }

  @Test("T-77 a task that is cancelled already sends nothing")
  func cancelledBefore() async throws {
    let server = try StrictServer()
    try await withTransport { transport in
      let client = client(server, transport)
      let gate = Gate()
      let task = Task {
        await gate.pass()
        return try await client.transcribeLive(complete(), boundary: boundary)
      }
      task.cancel()
      gate.open()
      await #expect(throws: CancellationError.self) { try await task.value }
      #expect(server.events.isEmpty)
    }
  }

  @Test("T-80 a body that was given up before the request opened opens no connection")
  func abortedBefore() async throws {
    let server = try StrictServer()
    try await withTransport { transport in
      let body = ChunkedRequestBody()
      open(body)
      body.abort()
      _ = try await transportError { try await client(server, transport).transcribeLive(body, boundary: boundary) }
      #expect(server.events.isEmpty)
    }
  }

  @Test("T-74 a body that is given up in the middle ends the connection without a proper end")
  func abortedBody() async throws {
    let server = try StrictServer()
    try await withTransport { transport in
      let body = ChunkedRequestBody()
      let client = client(server, transport)
      let response = Task { [boundary] in try await client.transcribeLive(body, boundary: boundary) }
      open(body)
      body.append(frame)
      try await server.wait(for: "config")
      body.abort()
      await #expect(throws: HTTPTransportError.self) { try await response.value }
      let gone = try await server.wait(for: "gone")
      #expect(gone.first?.reason == "within the body")
    }
  }

  // Over TLS a write to a dead connection raises SIGPIPE, which must not end the process.
  @Test(
    "T-78 T-87 T-83 a reset in the middle of an upload fails once, and nothing is sent again", arguments: [false, true])
  func reset(tls: Bool) async throws {
    let server = try StrictServer(tls: tls, faults: ["reset@1000"])
    var options = CurlOptions()
    if tls { options.certificateFile = server.authorityPath }
    try await withTransport(options) { transport in
      let body = ChunkedRequestBody()
      let client = client(server, transport)
      let response = Task { [boundary] in try await client.transcribeLive(body, boundary: boundary) }
      open(body)
      body.append([UInt8](repeating: 7, count: 3_200))
      try await server.wait(for: "fault")
      // The next frames find the connection gone.
      for _ in 0..<20 { body.append(frame) }
      let error = try await transportError { try await response.value }
      #expect([55, 56].contains(error.code))
      #expect(error.message.contains(":\(server.port)"))
      #expect(!error.message.contains("test-key"))
      #expect(server.events("request").count == 1)
    }
  }

  @Test("B-132 T-81 a transfer in which nothing moves any more is given up", arguments: ["hang", "stall@1000"])
  func stall(fault: String) async throws {
    let server = try StrictServer(faults: [fault])
    try await withTransport { transport in
      var request = DictationRequests(baseURL: server.baseURL, apiKey: "test-key", userAgent: "Blurt")
        .live(complete(), boundary: boundary)
      request.stallTimeout = .milliseconds(300)
      let start = MonotonicClock.now()
      let error = try await transportError { [request] in try await transport.send(request) }
      #expect(error.code == 28)
      #expect(MonotonicClock.now() - start >= .milliseconds(300))
    }
  }

  @Test("B-132 T-81 the time that the machine sleeps counts: after it, what nobody answers is given up at once")
  func asleep() async throws {
    let server = try StrictServer(faults: ["hang"])
    let hour = Box(Duration.zero)
    var options = CurlOptions()
    options.longestWait = .milliseconds(20)
    options.now = { MonotonicClock.sinceBoot() + hour.value }
    try await withTransport(options) { transport in
      let response = Task { [client = client(server, transport), boundary] in
        try await client.transcribeLive(complete(), boundary: boundary)
      }
      try await server.wait(for: "fault")
      hour.value = .seconds(3_600)
      #expect(try await transportError { try await response.value }.code == 28)
    }
  }

  @Test("B-121 B-132 a connection from before the machine slept gets no byte of a dictation")
  func connectionFromBeforeSleep() async throws {
    let server = try StrictServer()
    let hour = Box(Duration.zero)
    var options = CurlOptions()
    options.now = { MonotonicClock.sinceBoot() + hour.value }
    try await withTransport(options) { transport in
      let client = client(server, transport)
      await client.warmUp()
      hour.value = .seconds(3_600)
      _ = try await client.transcribeLive(complete(), boundary: boundary)
      #expect(server.events("request").map(\.connection) == [1, 2])
    }
  }

  @Test("T-81 every byte restarts the stall limit, and there is no limit on the whole")
  func slowButAlive() async throws {
    let server = try StrictServer()
    try await withTransport { transport in
      let body = ChunkedRequestBody()
      var request = DictationRequests(baseURL: server.baseURL, apiKey: "test-key", userAgent: "Blurt")
        .live(body, boundary: boundary)
      request.stallTimeout = .milliseconds(800)
      let response = Task { [request] in try await transport.send(request) }
      open(body)
      // Four times the limit, with a frame at each quarter of it.
      for _ in 0..<16 {
        body.append(frame)
        try await Task.sleep(for: .milliseconds(200))
      }
      close(body)
      #expect(try await response.value.status == 200)
    }
  }

  @Test("T-81 bytes that nobody takes count as a stall: the kernel drops the connection by itself")
  func unacknowledged() async throws {
    #expect(CurlOptions().unacknowledgedTimeout == .seconds(90))
    #expect(CurlOptions().connectTimeout == .seconds(10))
    let server = try StrictServer(faults: ["stall@1000"])
    var options = CurlOptions()
    options.unacknowledgedTimeout = .milliseconds(500)
    try await withTransport(options) { transport in
      let body = ChunkedRequestBody()
      open(body)
      // More than the buffers on the way; the request's own limit would take 90 s.
      body.append([UInt8](repeating: 7, count: 24_000_000))
      let error = try await transportError {
        try await client(server, transport).transcribeLive(body, boundary: boundary)
      }
      #expect([55, 56].contains(error.code))
    }
  }

  // MARK: Unreachable

  @Test("B-125 T-87 a name that does not resolve is named, with the next step")
  func unknownHost() async throws {
    try await withTransport { transport in
      let error = try await transportError {
        try await transport.send(
          HTTPRequest(method: "GET", url: "https://user:pass@blurt.invalid/warm", headers: [("Authorization", "k3y")]))
      }
      #expect(error.code == 6)
      #expect(error.message.contains("blurt.invalid"))
      #expect(!error.message.contains("pass"))
      #expect(!error.message.contains("k3y"))
    }
  }

  @Test("T-87 a refused connection is named, with the next step")
  func refused() async throws {
    let server = try StrictServer()
    let url = server.baseURL
    server.stop()
    try await withTransport { transport in
      let error = try await transportError { try await transport.send(HTTPRequest(method: "GET", url: url + "/warm")) }
      #expect(error.code == 7)
      #expect(error.message.contains("127.0.0.1:\(server.port)"))
    }
  }

  @Test("T-83 only http and https, and no line break gets into a header")
  func refusedRequests() async throws {
    try await withTransport { transport in
      let file = try await transportError {
        try await transport.send(HTTPRequest(method: "GET", url: "file:///etc/passwd"))
      }
      #expect(file.code == 1)
      let header = try await transportError {
        try await transport.send(
          HTTPRequest(method: "GET", url: "http://127.0.0.1:9/", headers: [("Authorization", "k3y\r\nX: y")]))
      }
      #expect(header.code == 43)
      #expect(!header.message.contains("k3y"))
    }
  }

  // MARK: Stop

  @Test("stopping ends what is running with an error and refuses what comes later")
  func stop() async throws {
    let server = try StrictServer()
    let transport = try CurlTransport(CurlOptions())
    let body = ChunkedRequestBody()
    open(body)
    let client = client(server, transport)
    let response = Task { [boundary] in try await client.transcribeLive(body, boundary: boundary) }
    try await server.wait(for: "config")
    transport.stop()
    await #expect(throws: HTTPTransportError.self) { try await response.value }
    await #expect(throws: HTTPTransportError.self) {
      try await client.transcribeLive(complete(), boundary: boundary)
    }
    transport.stop()
    #expect(server.events("request").count == 1)
  }

  @Test("stopping a transport that was never used starts nothing")
  func stopUnused() throws {
    let transport = try CurlTransport(CurlOptions())
    transport.stop()
  }

  @Test("T-80 T-77 T-82 many cancels, ends and requests at once leave every caller with an answer")
  func churn() async throws {
    let server = try StrictServer()
    try await withTransport { transport in
      let client = client(server, transport)
      let outcomes = await withTaskGroup(of: Bool.self) { group in
        for index in 0..<24 {
          group.addTask {
            let body = ChunkedRequestBody()
            let boundary = MultipartBody.makeBoundary()
            body.append(MultipartBody.head(config: DictationConfig().encoded(), boundary: boundary))
            let task = Task { try await client.transcribeLive(body, boundary: boundary) }
            for _ in 0..<10 { body.append([UInt8](repeating: 1, count: 640)) }
            switch index % 4 {
            case 0: task.cancel()
            case 1: body.abort()
            default:
              body.append(MultipartBody.tail(boundary: boundary))
              body.finish()
            }
            let result = await task.result
            return (index % 4 > 1) == ((try? result.get()) != nil)
          }
        }
        return await group.reduce(into: [Bool]()) { $0.append($1) }
      }
      #expect(outcomes == Array(repeating: true, count: 24))
    }
  }

  // MARK: Helpers

  private func write(_ bytes: [UInt8], to path: String) throws {
    let file = try FileDescriptor.open(path, O_CREAT | O_WRONLY | O_TRUNC)
    try bytes.withUnsafeBytes { try file.writeAll($0) }
  }
}
