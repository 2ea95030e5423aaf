internal import BlurtEngine
internal import BlurtOS
internal import CALSA
internal import CPulse
internal import Glibc

/// A record stream of a sound server, over PulseAudio's protocol, which PipeWire speaks as well.
///
/// One connection, driven by the capture thread alone. While a recording runs nobody looks at the socket but by the clock:
/// what the server sends meanwhile waits in the kernel and then with the server, so its packets, a hundred a second where
/// another program wants low latency, wake nobody.
final class PulseMicrophone: CaptureSource {
  let name: String
  let format: StreamFormat
  let periodFrameCount: Int
  let canBeReadByTheClock = true
  let handOverMilliseconds = CaptureWorker.handOverMilliseconds
  private let connection: PulseConnection
  private let stream: OpaquePointer
  /// Frames that have come and were not read: a whole number of them.
  private var pending: [UInt8] = []
  private var consumed = 0

  private var library: PulseLibrary { connection.library }

  /// Connects and starts to record.
  ///
  /// - Parameters:
  ///   - name: The PCM's name, for errors.
  ///   - wakeup: Ends each sleep while it is signalled.
  ///   - isWanted: Asked after each sleep: where it is false the stream is given up at once.
  /// - Returns: nil where there is no stream by the deadline; the caller then takes ALSA's own way, which says why.
  static func open(
    _ route: PulseRoute, called name: String, wakeup: Wakeup, by deadline: Duration, isWanted: () -> Bool
  ) -> PulseMicrophone? {
    guard let library = PulseLibrary.shared,
      let connection = PulseConnection(library, server: route.server, wakeup: wakeup),
      connection.run(until: deadline, isWanted: isWanted, isDone: { connection.isReady })
    else { return nil }
    return PulseMicrophone(connection, route, name, by: deadline, isWanted)
  }

  private init?(
    _ connection: PulseConnection, _ route: PulseRoute, _ name: String, by deadline: Duration, _ isWanted: () -> Bool
  ) {
    let library = connection.library
    // The source's own channels, so that a voice on any of them is heard (C-15); two are only what is asked for.
    var wanted = pa_sample_spec(format: PA_SAMPLE_S16LE, rate: UInt32(SyncSTTLimits.sampleRate), channels: 2)
    guard let stream = library.streamNew(connection.context, "Dictation", &wanted, nil) else { return nil }
    func giveUp() {
      _ = library.streamDisconnect(stream)
      library.streamUnref(stream)
    }
    let period = SyncSTTLimits.sampleRate * PCMHandle.periodMilliseconds / 1_000
    var buffer = pa_buffer_attr(
      maxlength: .max, tlength: .max, prebuf: .max, minreq: .max, fragsize: UInt32(period * 2 * 2))
    let flags = PA_STREAM_EARLY_REQUESTS.rawValue | PA_STREAM_FIX_CHANNELS.rawValue
    guard library.streamConnectRecord(stream, route.source, &buffer, pa_stream_flags_t(flags)) >= 0,
      connection.run(
        until: deadline, isWanted: { isWanted() && library.streamGetState(stream) != PA_STREAM_FAILED },
        isDone: { library.streamGetState(stream) == PA_STREAM_READY }),
      let spec = library.streamGetSampleSpec(stream)?.pointee, spec.format == PA_SAMPLE_S16LE, spec.channels > 0
    else {
      giveUp()
      return nil
    }
    self.connection = connection
    self.stream = stream
    self.name = name
    format = StreamFormat(sample: .s16, rate: Int(spec.rate), channelCount: Int(spec.channels))
    periodFrameCount = period
    connection.askForSource(of: stream)
  }

  deinit {
    _ = library.streamDisconnect(stream)
    library.streamUnref(stream)
  }

  func takeSource() -> ServerSource? { connection.takeAnswer() }

  func wait(for wakeup: Wakeup, atMost time: Duration, byTheClock: Bool) throws(ALSAError) -> Bool {
    guard byTheClock else {
      // The connection looks at the wakeup as well: it is the one that it was made with.
      guard connection.wait(atMost: time) else { throw failure("pa_mainloop_poll") }
      return connection.takeWakeup()
    }
    var entry = pollfd(fd: wakeup.descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&entry, 1, CaptureWorker.pollTime(time)) > 0
  }

  func takeEvents() throws(ALSAError) { catchUp() }

  func catchUp() {
    // A packet at a time, so that what came before the end of a server is taken before its end is seen.
    repeat { takePackets() } while connection.step()
    takePackets()
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(ALSAError) -> Int {
    let count = min(buffer.count, pending.count - consumed)
    guard count > 0 else {
      if connection.hasFailed || library.streamGetState(stream) != PA_STREAM_READY { throw failure("pa_stream_peek") }
      return 0
    }
    pending.withUnsafeBytes { bytes in
      buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[consumed..<consumed + count]))
    }
    consumed += count
    if consumed == pending.count {
      pending.removeAll(keepingCapacity: true)
      consumed = 0
    }
    return count / format.frameByteCount
  }

  /// A stream of a server knows no overrun and no suspend that is ours to end.
  func start() throws(ALSAError) {}
  func wake() throws(ALSAError) -> Bool { true }

  private func takePackets() {
    while true {
      var data: UnsafeRawPointer?
      var count = 0
      guard library.streamPeek(stream, &data, &count) >= 0, count > 0 else { return }
      if let data {
        pending.append(contentsOf: UnsafeRawBufferPointer(start: data, count: count))
      } else {
        // A hole: time passed, and the server has no sound of it.
        pending.append(contentsOf: repeatElement(0, count: count))
      }
      _ = library.streamDrop(stream)
    }
  }

  private func failure(_ call: String) -> ALSAError {
    let (code, words) = connection.lastError
    return ALSAError(code, call: call, pcm: name, detail: words)
  }
}
