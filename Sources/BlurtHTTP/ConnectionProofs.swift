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
  /// They were asked something after they had last answered.
  private var asked: Set<Int32> = []

  /// It has just been made, or has just answered.
  func prove(_ port: Int32, at now: Duration) {
    suspects.remove(port)
    asked.remove(port)
    times[port] = now
    guard times.count > Self.most, let oldest = times.min(by: { $0.value < $1.value })?.key else { return }
    times[oldest] = nil
    suspects.remove(oldest)
    asked.remove(oldest)
  }

  /// A question without a body goes over one that was there before.
  func ask(_ port: Int32) { asked.insert(port) }

  /// Whether it has shown within that time that it works, and nothing speaks against it.
  func isProven(_ port: Int32, within age: Duration, at now: Duration) -> Bool {
    guard let time = times[port] else { return false }
    return !suspects.contains(port) && now - time <= age
  }

  /// Whether it owes an answer.
  func isAsked(_ port: Int32) -> Bool { asked.contains(port) }

  /// A body was not sent over it. Until it answers, nothing else is either.
  func suspect(_ port: Int32) { suspects.insert(port) }

  func isSuspect(_ port: Int32) -> Bool { suspects.contains(port) }
}
