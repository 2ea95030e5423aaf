/// When each open connection last showed that somebody is at its other end. For the curl thread alone.
///
/// A router that forgets an idle connection tells nobody: what is sent then is swallowed, and a dictation with it, which must
/// not be sent a second time (T-78). So no body is sent over a connection that has not just answered. The press's warm-up is
/// such a question. Connections are known by their local port.
final class ConnectionProofs {
  /// Connections that are remembered; libcurl keeps two idle ones.
  private static let most = 32

  private var times: [Int32: Duration] = [:]
  private var suspects: Set<Int32> = []

  /// It has just been made, or has just answered.
  func prove(_ port: Int32, at now: Duration) {
    suspects.remove(port)
    times[port] = now
    guard times.count > Self.most, let oldest = times.min(by: { $0.value < $1.value })?.key else { return }
    times[oldest] = nil
    suspects.remove(oldest)
  }

  /// Whether it has shown within that time that it works.
  func isProven(_ port: Int32, within age: Duration, at now: Duration) -> Bool {
    times[port].map { now - $0 <= age } ?? false
  }

  /// A body was not sent over it. Until it answers, nothing else is either.
  func suspect(_ port: Int32) { suspects.insert(port) }

  func isSuspect(_ port: Int32) -> Bool { suspects.contains(port) }
}
