/// Puts together what logind said and what it has called out since; says how the seat stands.
///
/// A value without a clock: times are passed in, so that tests need not wait.
struct SeatPicture: Sendable {
  private struct LockRequest: Hashable {
    let path: String
    let until: Duration
  }

  private let userID: UInt32
  private let preferred: String?
  private let lockGrace: Duration
  /// Nil until logind has answered.
  private(set) var snapshot: SeatSnapshot?
  private(set) var isSleeping = false
  /// A session was asked to lock, and its locker has not said yet that it did.
  private var lockRequest: LockRequest?

  /// - Parameter preferred: the id of a session of the user's that is to be watched while it lives.
  init(userID: UInt32, preferred: String?, lockGrace: Duration) {
    self.userID = userID
    self.preferred = preferred
    self.lockGrace = lockGrace
  }

  /// The session that is watched.
  var session: LoginSession? { snapshot?.session(of: userID, preferring: preferred) }

  /// When the picture changes by itself; nil for never.
  var deadline: Duration? { lockRequest?.until }

  mutating func take(_ snapshot: SeatSnapshot) {
    self.snapshot = snapshot
    // From here on the locker speaks for itself; a session that is gone needs no lock.
    if let lockRequest, snapshot.sessions.first(where: { $0.path == lockRequest.path })?.isLocked != false {
      self.lockRequest = nil
    }
  }

  /// The machine goes to sleep, or has woken up.
  mutating func sleeps(_ isSleeping: Bool) { self.isSleeping = isSleeping }

  /// A session was asked to lock itself.
  mutating func lockRequested(_ path: String, at now: Duration) {
    guard path == session?.path, session?.isLocked == false else { return }
    lockRequest = LockRequest(path: path, until: now + lockGrace)
  }

  /// A session was asked to unlock itself. One whose locker speaks for itself stays locked until that says otherwise.
  mutating func unlockRequested(_ path: String) {
    if lockRequest?.path == path { lockRequest = nil }
  }

  /// Lets go of what has run out.
  mutating func advance(to now: Duration) {
    if let lockRequest, lockRequest.until <= now { self.lockRequest = nil }
  }

  var standing: SeatStanding {
    if isSleeping { return .asleep }
    guard let snapshot else { return .active }
    guard let session else { return snapshot.isTaken(from: userID) ? .inBackground : .active }
    if !session.isActive { return .inBackground }
    return session.isLocked || lockRequest?.path == session.path ? .locked : .active
  }
}
