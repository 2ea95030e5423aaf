internal import AssemblyAI
internal import BlurtOS
internal import CCurl

/// One request on its way, with its easy handle. For the curl thread alone: libcurl's callbacks run there too.
final class CurlExchange {
  /// libcurl refused to be set up.
  struct SetUpError: Error {
    let code: CURLcode
  }

  let id: UInt64
  let continuation: CheckedContinuation<HTTPResponse, any Error>
  let handle: UnsafeMutableRawPointer
  /// The read callback has said "nothing yet" and must be told to go on (T-82).
  private(set) var isPaused = false

  private let request: HTTPRequest
  private let options: CurlOptions
  private let proofs: ConnectionProofs
  private var source: CurlBodySource
  private var headerList: UnsafeMutablePointer<curl_slist>?
  private let errorBuffer: UnsafeMutablePointer<CChar>

  private var status = 0
  /// The headers of the final answer are complete.
  private var isAnswered = false
  private var responseHeaders: [(name: String, value: String)] = []
  private var responseBody: [UInt8] = []
  private var isReplay = false

  /// The request was held back from a connection that may be dead; nothing of it was sent. It may go over a fresh one.
  private(set) var isHeldBack = false
  /// Whether this exchange has opened its connection, rather than found it.
  private var hasOpenedSocket = false
  private var localPort: Int32 = 0

  private var movedByteCount = 0
  private var lastMove: Duration

  /// Prepares a request; nothing is sent before the handle is added to a multi handle.
  init(
    id: UInt64, request: HTTPRequest, options: CurlOptions, proofs: ConnectionProofs,
    continuation: CheckedContinuation<HTTPResponse, any Error>
  ) throws(SetUpError) {
    guard let handle = curl_easy_init() else { throw SetUpError(code: CURLE_FAILED_INIT) }
    self.id = id
    self.request = request
    self.options = options
    self.proofs = proofs
    self.continuation = continuation
    self.handle = handle
    source = CurlBodySource(request.body)
    errorBuffer = .allocate(capacity: Int(CURL_ERROR_SIZE))
    errorBuffer.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    lastMove = options.now()
    let code = configure()
    // The object is complete, so that `deinit` frees what there is.
    guard code == CURLE_OK else { throw SetUpError(code: code) }
  }

  deinit {
    curl_easy_cleanup(handle)
    curl_slist_free_all(headerList)
    errorBuffer.deallocate()
  }

  // MARK: While it runs

  /// Goes on with a body that has something again. Never from within a callback.
  func resumeIfReadable() {
    guard isPaused, isAnswered || source.isReadable else { return }
    isPaused = false
    curl_easy_pause(handle, CURLPAUSE_CONT)
  }

  /// From now on only a connection of its own will do.
  func useFreshConnection() {
    isHeldBack = false
    blurt_curl_set_long(handle, CURLOPT_FORBID_REUSE, 0)
    blurt_curl_set_long(handle, CURLOPT_FRESH_CONNECT, 1)
  }

  /// The whole answer is here although the body is not at its end: what remains of it is not wanted (T-75).
  ///
  /// libcurl would go on sending, except after a status above 399.
  var isAnsweredEarly: Bool {
    guard isAnswered, !source.isAtEnd else { return false }
    let length = responseHeaders.last { $0.name.lowercased() == "content-length" }.flatMap { Int($0.value) }
    return length.map { responseBody.count >= $0 } ?? false
  }

  /// How long nothing may move from now on; zero or less once the transfer has stalled (T-81).
  func timeUntilStall(now: Duration) -> Duration {
    let moved = Int(offset(CURLINFO_SIZE_UPLOAD_T) + offset(CURLINFO_SIZE_DOWNLOAD_T)) + long(CURLINFO_HEADER_SIZE)
    if moved != movedByteCount {
      movedByteCount = moved
      lastMove = now
    }
    return request.stallTimeout - (now - lastMove)
  }

  // MARK: The end

  /// What the caller gets for libcurl's result.
  func outcome(_ code: CURLcode) -> Result<HTTPResponse, HTTPTransportError> {
    // T-76: only a fault of the producer itself outranks a status.
    if let failure = source.failure {
      return .failure(HTTPTransportError(code: Int(CURLE_READ_ERROR.rawValue), message: failure))
    }
    if isAnswered {
      // A status that was received outranks a fault of the connection, and for a success only the writer's: a
      // success whose body is cut short is none.
      let isWriterFault = code == CURLE_SEND_ERROR || code == CURLE_ABORTED_BY_CALLBACK
      if code == CURLE_OK || isWriterFault || !(200...299).contains(status) {
        return .success(HTTPResponse(status: status, headers: responseHeaders, body: responseBody))
      }
    }
    if isReplay || code == CURLE_SEND_FAIL_REWIND {
      return .failure(
        HTTPTransportError(
          code: Int(CURLE_SEND_FAIL_REWIND.rawValue),
          message: CurlFailure(code: CURLE_SEND_FAIL_REWIND, host: host).error.message, isReplay: true))
    }
    return .failure(failure(code).error)
  }

  private func failure(_ code: CURLcode) -> CurlFailure {
    var detail = String(cString: errorBuffer)
    for header in request.headers where header.name == "Authorization" {
      detail = detail.wiping(header.value)
    }
    return CurlFailure(
      code: code, host: host, detail: detail, proxyStatus: long(CURLINFO_HTTP_CONNECTCODE),
      isConnected: offset(CURLINFO_PRETRANSFER_TIME_T) > 0, connectTimeout: options.connectTimeout)
  }

  private var host: String { CurlFailure.host(of: request.url) }

  // MARK: Set-up

  private func configure() -> CURLcode {
    let context = Unmanaged.passUnretained(self).toOpaque()
    var result = CURLE_OK
    func check(_ code: CURLcode) { if result == CURLE_OK { result = code } }
    func set(_ option: CURLoption, _ value: Int) { check(blurt_curl_set_long(handle, option, value)) }
    func set(_ option: CURLoption, _ value: String) { check(blurt_curl_set_string(handle, option, value)) }
    func set(_ option: CURLoption, _ callback: @escaping blurt_curl_data_callback, data: CURLoption) {
      check(blurt_curl_set_data_callback(handle, option, callback))
      check(blurt_curl_set_pointer(handle, data, context))
    }

    check(blurt_curl_set_pointer(handle, CURLOPT_ERRORBUFFER, errorBuffer))
    check(blurt_curl_allow_http_only(handle))
    set(CURLOPT_URL, request.url)
    // What is meant for this machine stays on it: a proxy of the environment is on another one (BlurtStayLocal).
    if CurlFailure.isLoopback(host) { set(CURLOPT_PROXY, "") }
    // T-83: no signals, HTTP/2 where TLS offers it; certificates are checked.
    set(CURLOPT_NOSIGNAL, 1)
    set(CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_2TLS)
    set(CURLOPT_SSL_VERIFYPEER, 1)
    set(CURLOPT_SSL_VERIFYHOST, 2)
    if let file = options.certificateFile { set(CURLOPT_CAINFO, file) }
    if let directory = options.certificateDirectory { set(CURLOPT_CAPATH, directory) }
    // T-78: nothing that would ask for the body again.
    set(CURLOPT_FOLLOWLOCATION, 0)
    check(blurt_curl_set_seek_callback(handle, Self.seek))
    check(blurt_curl_set_pointer(handle, CURLOPT_SEEKDATA, context))
    check(blurt_curl_set_prerequest_callback(handle, Self.prerequest))
    check(blurt_curl_set_pointer(handle, CURLOPT_PREREQDATA, context))
    // T-81: a limit on silence, not on the whole.
    // What was idle for long may be swallowed on the way without a word: a fresh connection is cheaper than a stall.
    set(CURLOPT_MAXAGE_CONN, Int(options.longestIdle.components.seconds))
    set(CURLOPT_CONNECTTIMEOUT_MS, options.connectTimeout.wholeMilliseconds)
    set(CURLOPT_TIMEOUT_MS, request.totalTimeout?.wholeMilliseconds ?? 0)
    set(CURLOPT_TCP_NODELAY, 1)
    check(blurt_curl_set_socket_callback(handle, Self.socket))
    check(blurt_curl_set_pointer(handle, CURLOPT_SOCKOPTDATA, context))

    // An answer that is compressed without having been asked for is read all the same; the header that would ask for it is
    // left out below (T-13 to T-20).
    set(CURLOPT_ACCEPT_ENCODING, "")
    set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
    set(CURLOPT_HEADERFUNCTION, Self.header, data: CURLOPT_HEADERDATA)
    set(CURLOPT_WRITEFUNCTION, Self.write, data: CURLOPT_WRITEDATA)

    if case .none = request.body {
      set(CURLOPT_CUSTOMREQUEST, request.method)
    } else {
      set(CURLOPT_POST, 1)
      if request.method != "POST" { set(CURLOPT_CUSTOMREQUEST, request.method) }
      // An unknown length makes libcurl send chunks over HTTP/1.1 and frames over HTTP/2 (T-18).
      check(
        blurt_curl_set_offset(handle, CURLOPT_POSTFIELDSIZE_LARGE, source.byteCount.map { curl_off_t($0) } ?? -1))
      // T-72: one second of audio.
      set(CURLOPT_UPLOAD_BUFFERSIZE, 32_000)
      set(CURLOPT_READFUNCTION, Self.read, data: CURLOPT_READDATA)
    }
    check(addHeaders())
    return result
  }

  private func addHeaders() -> CURLcode {
    // T-19: an empty value keeps libcurl from adding a header.
    var lines = ["Expect:", "Accept-Encoding:"]
    for header in request.headers {
      let isClean = !(header.name + header.value).utf8.contains { $0 < 0x20 || $0 == 0x7F }
      guard isClean else { return CURLE_BAD_FUNCTION_ARGUMENT }
      lines.append("\(header.name): \(header.value)")
    }
    for line in lines {
      guard let list = curl_slist_append(headerList, line) else { return CURLE_OUT_OF_MEMORY }
      headerList = list
    }
    return blurt_curl_set_pointer(handle, CURLOPT_HTTPHEADER, headerList)
  }

  private func long(_ info: CURLINFO) -> Int {
    var value = 0
    blurt_curl_get_long(handle, info, &value)
    return value
  }

  private func offset(_ info: CURLINFO) -> curl_off_t {
    var value: curl_off_t = 0
    blurt_curl_get_offset(handle, info, &value)
    return value
  }

  // MARK: Callbacks

  private static func exchange(_ context: UnsafeMutableRawPointer?) -> CurlExchange? {
    context.map { Unmanaged<CurlExchange>.fromOpaque($0).takeUnretainedValue() }
  }

  private static let read: blurt_curl_data_callback = { buffer, size, count, context in
    guard let exchange = exchange(context), let buffer else { return Int(CURL_READFUNC_ABORT) }
    return exchange.readBody(into: UnsafeMutableRawBufferPointer(start: buffer, count: size * count))
  }

  private func readBody(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    // T-75: an answer is coming whose length is unknown; nobody wants the rest of the body.
    if isAnswered { return 0 }
    switch source.pull(into: buffer) {
    case .bytes(let count): return count
    case .end: return 0
    case .aborted: return Int(CURL_READFUNC_ABORT)
    case .pending:
      isPaused = true
      return Int(CURL_READFUNC_PAUSE)
    }
  }

  private static let write: blurt_curl_data_callback = { buffer, size, count, context in
    guard let exchange = exchange(context), let buffer else { return 0 }
    return exchange.receive(UnsafeRawBufferPointer(start: buffer, count: size * count))
  }

  /// Anything but the full count fails the transfer.
  private func receive(_ bytes: UnsafeRawBufferPointer) -> Int {
    guard responseBody.count + bytes.count <= options.responseByteLimit else { return 0 }
    responseBody.append(contentsOf: bytes)
    return bytes.count
  }

  private static let header: blurt_curl_data_callback = { buffer, size, count, context in
    guard let exchange = exchange(context), let buffer else { return 0 }
    let bytes = UnsafeRawBufferPointer(start: buffer, count: size * count)
    exchange.receiveHeader(String(decoding: bytes, as: UTF8.self))
    return size * count
  }

  private func receiveHeader(_ line: String) {
    let line = line.trimmingLineEnd()
    if line.hasPrefix("HTTP/") {
      status = line.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
      responseHeaders = []
    } else if line.isEmpty {
      // 100 Continue and its like precede the answer.
      isAnswered = status >= 200
      if isAnswered { proofs.prove(localPort, at: options.now()) }
    } else if let colon = line.firstIndex(of: ":") {
      let value = line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
      responseHeaders.append((String(line[..<colon]), String(value)))
    }
  }

  /// libcurl wants the body from its start. It may have it as long as it has had nothing of it (T-78, T-79).
  private static let seek: blurt_curl_seek_callback = { context, _, _ in
    guard let exchange = exchange(context), exchange.source.pulledByteCount == 0 else {
      exchange(context)?.isReplay = true
      return CURL_SEEKFUNC_FAIL
    }
    return CURL_SEEKFUNC_OK
  }

  private static let prerequest: blurt_curl_prerequest_callback = { context, _, _, _, localPort in
    guard let exchange = exchange(context), exchange.mayUse(localPort) else { return CURL_PREREQFUNC_ABORT }
    return CURL_PREREQFUNC_OK
  }

  /// A request is about to be written to a connection, and nothing of it has been.
  private func mayUse(_ port: Int32) -> Bool {
    // For a second time, if the body has been touched before (T-78).
    guard source.pulledByteCount == 0 else {
      isReplay = true
      return false
    }
    let now = options.now()
    localPort = port
    if hasOpenedSocket {
      proofs.prove(port, at: now)
      return true
    }
    let isTrusted =
      switch request.body {
      case .none: !proofs.isSuspect(port)
      case .stream: proofs.isProven(port, within: options.streamTrust, at: now)
      // All of it goes at once, so what the press has asked must have been answered.
      case .bytes, .file: proofs.isProven(port, within: options.bodyTrust, at: now) && !proofs.isAsked(port)
      }
    if isTrusted {
      if case .none = request.body { proofs.ask(port) }
    } else {
      proofs.suspect(port)
      isHeldBack = true
      // Over HTTP/2 it would stay among the idle ones, and be chosen and doubted again at each press. Whoever still waits for
      // an answer there keeps it open.
      blurt_curl_set_long(handle, CURLOPT_FORBID_REUSE, 1)
    }
    return isTrusted
  }

  private static let socket: blurt_curl_socket_callback = { context, descriptor, _ in
    guard let exchange = exchange(context) else { return CURL_SOCKOPT_OK }
    exchange.hasOpenedSocket = true
    // Without it a network that swallows packets is noticed only after minutes. Not every socket is TCP: no error.
    _ = blurt_curl_limit_unacknowledged(
      descriptor, UInt32(clamping: exchange.options.unacknowledgedTimeout.wholeMilliseconds))
    return CURL_SOCKOPT_OK
  }
}

extension String {
  fileprivate func trimmingLineEnd() -> Substring {
    var line = self[...]
    while line.last?.isNewline == true { line.removeLast() }
    return line
  }

  /// The text without `secret`.
  fileprivate func wiping(_ secret: String) -> String {
    guard !secret.isEmpty else { return self }
    return split(separator: secret, omittingEmptySubsequences: false).joined(separator: "[key]")
  }
}
