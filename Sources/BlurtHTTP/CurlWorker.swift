internal import AssemblyAI
internal import BlurtOS
internal import CCurl
internal import Glibc

/// The loop of the curl thread: owns the multi handle, its connections and every transfer.
///
/// Sleeps in `curl_multi_poll` until a socket, a wake-up, a timer of libcurl's or a stall limit is due; with no transfer
/// there is none of these.
struct CurlWorker: ~Copyable {
  /// The longest poll that libcurl can be asked for: three weeks.
  private static let forever = Int(Int32.max)
  /// Connections kept open for the next request: one to the service, one to spare.
  private static let connectionLimit = 2

  private let mailbox: CurlMailbox
  private let options: CurlOptions
  private let multi: UnsafeMutableRawPointer
  private let proofs = ConnectionProofs()
  private var exchanges: [UInt64: CurlExchange] = [:]

  /// Nil where libcurl cannot be used at all.
  private init?(_ mailbox: CurlMailbox, _ options: CurlOptions) {
    // Global state of libcurl and OpenSSL; set up once in the life of the process, from whichever thread is first.
    guard Self.globalResult == CURLE_OK, let multi = curl_multi_init() else { return nil }
    blurt_curl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, Self.connectionLimit)
    self.mailbox = mailbox
    self.options = options
    self.multi = multi
  }

  deinit { curl_multi_cleanup(multi) }

  private static let globalResult = curl_global_init(Int(CURL_GLOBAL_DEFAULT))

  /// The body of the thread. Returns after `CurlMailbox.stop`, when every request has been answered.
  static func run(_ mailbox: CurlMailbox, _ options: CurlOptions) {
    blockBrokenPipeSignal()
    waitForWork(mailbox)
    if mailbox.isStopping {
      // Never used.
    } else if var worker = CurlWorker(mailbox, options) {
      worker.loop()
    } else {
      mailbox.stop()
    }
    for submission in mailbox.take().submissions { submission.continuation.resume(throwing: Self.stopped) }
  }

  /// OpenSSL writes to sockets without MSG_NOSIGNAL, and with CURLOPT_NOSIGNAL libcurl leaves SIGPIPE to its caller.
  private static func blockBrokenPipeSignal() {
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGPIPE)
    pthread_sigmask(SIG_BLOCK, &signals, nil)
  }

  /// Until the first request, libcurl's and OpenSSL's memory is not needed.
  private static func waitForWork(_ mailbox: CurlMailbox) {
    var wakeup = pollfd(fd: mailbox.descriptor, events: Int16(POLLIN), revents: 0)
    while poll(&wakeup, 1, -1) == -1, errno == EINTR {}
  }

  private mutating func loop() {
    while true {
      let work = mailbox.take()
      for submission in work.submissions { start(submission, isCancelled: work.cancelled.contains(submission.id)) }
      for id in work.cancelled { end(id, .failure(CancellationError())) }
      if work.isStopping {
        for id in Array(exchanges.keys) { end(id, .failure(Self.stopped)) }
        return
      }
      resume()
      var running: Int32 = 0
      guard check(curl_multi_perform(multi, &running)) else { continue }
      endFinished()
      // Once more: an answer may have come, or a frame while the transfer was being driven.
      resume()
      let timeout = timeUntilFirstStall()
      guard timeout > 0 else { continue }
      var wakeup = curl_waitfd(fd: mailbox.descriptor, events: Int16(CURL_WAIT_POLLIN), revents: 0)
      var eventCount: Int32 = 0
      _ = check(curl_multi_poll(multi, &wakeup, 1, Int32(clamping: timeout), &eventCount))
    }
  }

  private mutating func start(_ submission: CurlMailbox.Submission, isCancelled: Bool) {
    let continuation = submission.continuation
    if isCancelled { return continuation.resume(throwing: CancellationError()) }
    if case .stream(let body) = submission.request.body {
      // T-80: given up before it was opened.
      if body.isAborted { return continuation.resume(throwing: failure(CURLE_ABORTED_BY_CALLBACK, submission)) }
      body.setOnReadable { [mailbox] in mailbox.wake() }
    }
    do throws(CurlExchange.SetUpError) {
      let exchange = try CurlExchange(
        id: submission.id, request: submission.request, options: options, proofs: proofs, continuation: continuation)
      guard check(curl_multi_add_handle(multi, exchange.handle)) else { throw .init(code: CURLE_FAILED_INIT) }
      exchanges[submission.id] = exchange
    } catch {
      continuation.resume(throwing: failure(error.code, submission))
    }
  }

  private func failure(_ code: CURLcode, _ submission: CurlMailbox.Submission) -> HTTPTransportError {
    CurlFailure(code: code, host: CurlFailure.host(of: submission.request.url)).error
  }

  /// Takes a transfer out. One that is still running loses its connection, without a proper end of its body.
  private mutating func end(_ id: UInt64, _ result: Result<HTTPResponse, any Error>) {
    guard let exchange = exchanges.removeValue(forKey: id) else { return }
    curl_multi_remove_handle(multi, exchange.handle)
    exchange.continuation.resume(with: result)
  }

  /// T-79, B-121: nothing has been sent, so it may be sent over another connection.
  private func startAfresh(_ exchange: CurlExchange) -> Bool {
    curl_multi_remove_handle(multi, exchange.handle)
    exchange.useFreshConnection()
    return curl_multi_add_handle(multi, exchange.handle) == CURLM_OK
  }

  private func resume() { for exchange in exchanges.values { exchange.resumeIfReadable() } }

  private mutating func endFinished() {
    for exchange in Array(exchanges.values) where exchange.isAnsweredEarly {
      end(exchange.id, exchange.outcome(CURLE_OK).mapError { $0 })
    }
    var remaining: Int32 = 0
    while let message = curl_multi_info_read(multi, &remaining) {
      guard message.pointee.msg == CURLMSG_DONE else { continue }
      let code = blurt_curl_message_result(message)
      let handle = message.pointee.easy_handle
      guard let exchange = exchanges.values.first(where: { $0.handle == handle }) else { continue }
      if code == CURLE_ABORTED_BY_CALLBACK, exchange.isHeldBack, startAfresh(exchange) { continue }
      end(exchange.id, exchange.outcome(code).mapError { $0 })
    }
  }

  /// Ends what has stalled; returns the milliseconds until the next transfer would, or is to be looked at again.
  private mutating func timeUntilFirstStall() -> Int {
    let now = options.now()
    var earliest = exchanges.isEmpty ? Self.forever : options.longestWait.wholeMilliseconds
    for exchange in Array(exchanges.values) {
      let rest = exchange.timeUntilStall(now: now)
      if rest <= .zero {
        end(exchange.id, exchange.outcome(CURLE_OPERATION_TIMEDOUT).mapError { $0 })
      } else {
        earliest = min(earliest, rest.wholeMilliseconds)
      }
    }
    return earliest
  }

  /// A failure of the multi handle itself (out of memory or descriptors) ends what is running; the thread lives on.
  private mutating func check(_ code: CURLMcode) -> Bool {
    guard code != CURLM_OK else { return true }
    let message = "The network library failed (curl multi \(code.rawValue)): restart blurtd if this goes on."
    for id in Array(exchanges.keys) {
      end(id, .failure(HTTPTransportError(code: Int(CURLE_FAILED_INIT.rawValue), message: message)))
    }
    // No busy loop, whatever the reason is.
    usleep(100_000)
    return false
  }

  static let stopped = HTTPTransportError(
    code: Int(CURLE_ABORTED_BY_CALLBACK.rawValue), message: "The program is being stopped: dictate again once it runs.")
}
