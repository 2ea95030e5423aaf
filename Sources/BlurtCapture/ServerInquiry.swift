internal import BlurtEngine
internal import BlurtOS

/// Asks the sound server over PulseAudio's protocol, which PipeWire speaks as well, which source our stream records from.
///
/// Runs beside the capture on a thread of its own, so that no word waits for the answer; it is needed when a liveness cap
/// passes and at the end (C-17, C-29), long after. A server without that protocol leaves the transport unknown.
enum ServerInquiry {
  /// An answer takes two to five milliseconds. A server that is stopped is given up after that.
  static let limit: Duration = .milliseconds(400)

  /// - Returns: nil where nobody answers, or the server has no stream of this process.
  static func source() -> ServerSource? {
    let deadline = MonotonicClock.now() + limit
    guard let library = PulseLibrary.shared, let connection = PulseConnection(library),
      connection.run(until: deadline, isDone: { connection.isReady })
    else { return nil }
    return connection.sourceOfOwnStream(by: deadline)
  }
}
