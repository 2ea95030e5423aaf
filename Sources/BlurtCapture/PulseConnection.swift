internal import BlurtOS
internal import CALSA
internal import CPulse
internal import Glibc

/// One connection to a PulseAudio server, driven by the thread that made it.
final class PulseConnection {
  let library: PulseLibrary
  let context: OpaquePointer
  private let mainloop: OpaquePointer
  /// Ends a sleep of the loop as well; nil where nothing does.
  private let wakeup: Wakeup?
  private var wasWoken = false
  /// A stream that records: who has it, as far as the stream itself says.
  private struct Stream {
    let index: UInt32
    let source: UInt32
    let client: UInt32
    let process: String?
  }

  private static let ownProcess = "\(getpid())"
  private var streams: [Stream] = []
  private var clientProcess: String?
  private var found: ServerSource?
  private var question: OpaquePointer?

  /// Begins to connect. No server is started.
  ///
  /// - Parameters:
  ///   - server: Its address; nil for the one that libpulse finds.
  ///   - wakeup: Ends `wait` while it is signalled.
  /// - Returns: nil where there is certainly nobody.
  init?(_ library: PulseLibrary, server: String? = nil, wakeup: Wakeup? = nil) {
    guard let mainloop = library.mainloopNew() else { return nil }
    guard let context = library.contextNew(library.mainloopGetAPI(mainloop), "blurtd") else {
      library.mainloopFree(mainloop)
      return nil
    }
    self.library = library
    self.mainloop = mainloop
    self.context = context
    self.wakeup = wakeup
    library.mainloopSetPollFunc(mainloop, Self.pollToo, Unmanaged.passUnretained(self).toOpaque())
    guard library.contextConnect(context, server, PA_CONTEXT_NOAUTOSPAWN, nil) >= 0 else { return nil }
  }

  deinit {
    if let question { library.operationUnref(question) }
    library.contextDisconnect(context)
    library.contextUnref(context)
    library.mainloopFree(mainloop)
  }

  var isReady: Bool { library.contextGetState(context) == PA_CONTEXT_READY }

  /// The server is gone, or never was.
  var hasFailed: Bool {
    let state = library.contextGetState(context)
    return state == PA_CONTEXT_FAILED || state == PA_CONTEXT_TERMINATED
  }

  /// The last error of the connection, negative, as errno has it where a caller does something else then; and its words.
  var lastError: (code: Int32, words: String) {
    let code = library.contextErrno(context)
    let words = library.strError(code).map { String(cString: $0) } ?? ""
    switch pa_error_code_t(UInt32(bitPattern: code)) {
    case PA_ERR_NOENTITY: return (-ENOENT, words)
    case PA_ERR_ACCESS, PA_ERR_AUTHKEY: return (-EACCES, words)
    case PA_ERR_BUSY: return (-EBUSY, words)
    default: return (-EIO, words)
    }
  }

  // MARK: The loop

  /// Sleeps until the server has said something, the wakeup is signalled or the time has passed, and takes in what came.
  ///
  /// - Returns: false where the loop cannot go on.
  func wait(atMost time: Duration) -> Bool {
    // In microseconds; an hour is as good as for ever.
    let limit = min(max(time, .zero), .seconds(1_800))
    return library.mainloopPrepare(mainloop, Int32(limit / .microseconds(1))) >= 0
      && library.mainloopPoll(mainloop) >= 0 && library.mainloopDispatch(mainloop) >= 0
  }

  /// Whether the wakeup was signalled during the last `wait`.
  func takeWakeup() -> Bool {
    defer { wasWoken = false }
    return wasWoken
  }

  /// Takes in what has come, without sleeping.
  ///
  /// - Returns: false where nothing is left.
  func step() -> Bool { library.mainloopIterate(mainloop, 0, nil) > 0 }

  /// - Returns: false where the deadline came first, the server went, or nobody wants it any more.
  func run(until deadline: Duration, isWanted: () -> Bool = { true }, isDone: () -> Bool) -> Bool {
    while !isDone() {
      let left = deadline - MonotonicClock.now()
      guard left > .zero, !hasFailed, isWanted(), wait(atMost: left) else { return false }
    }
    return true
  }

  /// The loop's own poll, with the wakeup beside its descriptors.
  private static let pollToo: pa_poll_func = { entries, count, timeout, me in
    let count = Int(count)
    guard let connection = me.map({ Unmanaged<PulseConnection>.fromOpaque($0).takeUnretainedValue() }),
      let wakeup = connection.wakeup
    else { return poll(entries, nfds_t(count), timeout) }
    return withUnsafeTemporaryAllocation(of: pollfd.self, capacity: count + 1) { all in
      for index in 0..<count { all[index] = entries?[index] ?? pollfd() }
      all[count] = pollfd(fd: wakeup.descriptor, events: Int16(POLLIN), revents: 0)
      let ready = poll(all.baseAddress, nfds_t(count + 1), timeout)
      for index in 0..<count { entries?[index].revents = all[index].revents }
      guard ready > 0, all[count].revents != 0 else { return ready }
      connection.wasWoken = true
      return ready - 1
    }
  }

  // MARK: Sources

  /// The source that a stream of this process records from, whichever connection it has.
  ///
  /// - Returns: nil where the server did not say so by the deadline.
  func sourceOfOwnStream(by deadline: Duration) -> ServerSource? {
    let me = Unmanaged.passUnretained(self).toOpaque()
    guard finish(library.sourceOutputs(context, Self.streamArrived, me), by: deadline),
      let stream = ownStream(by: deadline),
      finish(library.sourceByIndex(context, stream.source, Self.sourceArrived, me), by: deadline)
    else { return nil }
    return found
  }

  /// The newest stream of this process: an earlier press's may be about to close.
  private func ownStream(by deadline: Duration) -> Stream? {
    streams.sort { $0.index > $1.index }
    if let own = streams.first(where: { $0.process == Self.ownProcess }) { return own }
    // A stream of PipeWire's own plug-in does not name its process; its client does.
    let me = Unmanaged.passUnretained(self).toOpaque()
    return streams.first { stream in
      clientProcess = nil
      return stream.process == nil
        && finish(library.clientByIndex(context, stream.client, Self.clientArrived, me), by: deadline)
        && clientProcess == Self.ownProcess
    }
  }

  /// Asks for the source that a stream records from, beside everything else: now, and whenever the server moves the stream.
  func askForSource(of stream: OpaquePointer) {
    library.streamSetMovedCallback(
      stream,
      { stream, me in
        guard let stream, let me else { return }
        let connection = Unmanaged<PulseConnection>.fromOpaque(me).takeUnretainedValue()
        connection.ask(forSource: connection.library.streamGetDeviceIndex(stream))
      }, Unmanaged.passUnretained(self).toOpaque())
    ask(forSource: library.streamGetDeviceIndex(stream))
  }

  private func ask(forSource index: UInt32) {
    if let question { library.operationUnref(question) }
    question = library.sourceByIndex(context, index, Self.sourceArrived, Unmanaged.passUnretained(self).toOpaque())
  }

  /// The newest answer, once.
  func takeAnswer() -> ServerSource? { found.take() }

  private func finish(_ operation: OpaquePointer?, by deadline: Duration) -> Bool {
    guard let operation else { return false }
    defer { library.operationUnref(operation) }
    return run(until: deadline) { library.operationGetState(operation) != PA_OPERATION_RUNNING }
  }

  private func property(_ list: OpaquePointer?, _ name: String) -> String? {
    library.proplistGets(list, name).map { String(cString: $0) }
  }

  private static let streamArrived: pa_source_output_info_cb_t = { _, info, end, me in
    guard end == 0, let info = info?.pointee, let me else { return }
    let connection = Unmanaged<PulseConnection>.fromOpaque(me).takeUnretainedValue()
    connection.streams.append(
      Stream(
        index: info.index, source: info.source, client: info.client,
        process: connection.property(info.proplist, "application.process.id")))
  }

  private static let clientArrived: pa_client_info_cb_t = { _, info, end, me in
    guard end == 0, let info = info?.pointee, let me else { return }
    let connection = Unmanaged<PulseConnection>.fromOpaque(me).takeUnretainedValue()
    connection.clientProcess = connection.property(info.proplist, "application.process.id")
  }

  private static let sourceArrived: pa_source_info_cb_t = { _, info, end, me in
    guard end == 0, let info = info?.pointee, let me else { return }
    let connection = Unmanaged<PulseConnection>.fromOpaque(me).takeUnretainedValue()
    var properties: [String: String] = [:]
    for name in ["device.bus", "device.api", "device.string"] {
      properties[name] = connection.property(info.proplist, name)
    }
    let name = info.name.map { String(cString: $0) } ?? ""
    let isSilent = withUnsafeBytes(of: info.volume.values) { volumes in
      volumes.bindMemory(to: pa_volume_t.self).prefix(Int(info.volume.channels)).allSatisfy { $0 == 0 }
    }
    connection.found = ServerSource(
      name: name, description: info.description.map { String(cString: $0) } ?? name,
      isMuted: info.mute != 0 || (info.volume.channels > 0 && isSilent),
      isMonitor: info.monitor_of_sink != UInt32.max, properties: properties)
  }
}
