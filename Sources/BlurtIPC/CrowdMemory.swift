/// When the memory that clients took is worth giving back: after a crowd has gone, or a client with much waiting for it.
///
/// A value: the server tells it how many clients there are and carries out what it decides.
struct CrowdMemory {
  /// Fewer clients than this are no crowd.
  static let crowd = 64
  /// Bytes that waited for one client.
  static let much = 1 << 20

  private var most = 0
  private var freed = 0

  /// There are that many clients now.
  mutating func connected(_ count: Int) { most = max(most, count) }

  /// A client has gone for which that many bytes waited.
  mutating func left(waitingByteCount: Int) { freed += waitingByteCount }

  /// Whether to give memory back now; true once for each time there is cause.
  mutating func shouldGiveBack(connected count: Int) -> Bool {
    guard (most >= Self.crowd && count <= most / 4) || freed >= Self.much else { return false }
    most = count
    freed = 0
    return true
  }
}
