internal import BlurtEngine
internal import BlurtOS
internal import CPulse
internal import Glibc

/// Asks the sound server over PulseAudio's protocol, which PipeWire speaks as well, which source our stream records from.
///
/// Runs beside the capture on a thread of its own, so that no word waits for the answer; it is needed when a liveness cap
/// passes and at the end (C-17, C-29), long after. A server without that protocol leaves the transport unknown.
enum ServerInquiry {
  /// An answer takes two to five milliseconds. A server that is stopped is given up after that.
  static let limit: Duration = .milliseconds(400)

  /// - Returns: nil where nobody answers, or the server has no stream of this process.
  static func source() -> ServerSource? {
    guard let library = PulseLibrary.shared, let connection = PulseConnection(library, limit: limit) else { return nil }
    return connection.sourceOfOwnStream()
  }
}

/// One connection to a PulseAudio server, driven by the thread that made it, until a deadline.
private final class PulseConnection {
  private let library: PulseLibrary
  private let mainloop: OpaquePointer
  private let context: OpaquePointer
  private let deadline: Duration
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

  /// - Returns: nil where no server answers in time. None is started.
  init?(_ library: PulseLibrary, limit: Duration) {
    guard let mainloop = library.mainloopNew() else { return nil }
    guard let context = library.contextNew(library.mainloopGetAPI(mainloop), "blurtd") else {
      library.mainloopFree(mainloop)
      return nil
    }
    self.library = library
    self.mainloop = mainloop
    self.context = context
    deadline = MonotonicClock.now() + limit
    guard library.contextConnect(context, nil, PA_CONTEXT_NOAUTOSPAWN, nil) >= 0,
      run(until: { library.contextGetState(context) == PA_CONTEXT_READY })
    else { return nil }
  }

  deinit {
    library.contextDisconnect(context)
    library.contextUnref(context)
    library.mainloopFree(mainloop)
  }

  func sourceOfOwnStream() -> ServerSource? {
    let me = Unmanaged.passUnretained(self).toOpaque()
    guard finish(library.sourceOutputs(context, Self.streamArrived, me)), let stream = ownStream(),
      finish(library.sourceByIndex(context, stream.source, Self.sourceArrived, me))
    else { return nil }
    return found
  }

  /// The newest stream of this process: an earlier press's may be about to close.
  private func ownStream() -> Stream? {
    streams.sort { $0.index > $1.index }
    if let own = streams.first(where: { $0.process == Self.ownProcess }) { return own }
    // A stream of PipeWire's own plug-in does not name its process; its client does.
    let me = Unmanaged.passUnretained(self).toOpaque()
    return streams.first { stream in
      clientProcess = nil
      return stream.process == nil && finish(library.clientByIndex(context, stream.client, Self.clientArrived, me))
        && clientProcess == Self.ownProcess
    }
  }

  private func finish(_ operation: OpaquePointer?) -> Bool {
    guard let operation else { return false }
    defer { library.operationUnref(operation) }
    return run { library.operationGetState(operation) != PA_OPERATION_RUNNING }
  }

  /// - Returns: false where the deadline came first, or the server went.
  private func run(until isDone: () -> Bool) -> Bool {
    while !isDone() {
      let left = deadline - MonotonicClock.now()
      let state = library.contextGetState(context)
      guard left > .zero, state != PA_CONTEXT_FAILED, state != PA_CONTEXT_TERMINATED,
        library.mainloopPrepare(mainloop, Int32(left / .microseconds(1))) >= 0, library.mainloopPoll(mainloop) >= 0,
        library.mainloopDispatch(mainloop) >= 0
      else { return false }
    }
    return true
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
