/// What logind said at one time, and what follows from it.
struct SeatSnapshot: Sendable, Hashable {
  /// All sessions of the user, and those of others that have a seat.
  var sessions: [LoginSession] = []
  /// The session that logind holds for the user's main one; nil where it names none.
  var display: String?

  /// The session to watch: the one of the environment, else the user's main one, else one with a display, else any. A user
  /// service has none of its own.
  func session(of userID: UInt32, preferring preferred: String?) -> LoginSession? {
    let candidates = sessions.filter { $0.userID == userID && $0.isInUse }
    func named(_ id: String?) -> LoginSession? { id.flatMap { id in candidates.first { $0.id == id } } }
    let graphical = candidates.filter(\.isGraphical)
    return named(preferred) ?? named(display) ?? graphical.first(where: \.isActive) ?? graphical.first
      ?? candidates.first(where: \.isActive) ?? candidates.first
  }

  /// Without a session of the user's: whether somebody or something else has the screen (B-29), or the user is just going.
  func isTaken(from userID: UInt32) -> Bool {
    sessions.contains { session in
      session.userID == userID
        ? session.sessionClass.hasPrefix("user") && session.state == "closing"
        : session.isActive && !session.seat.isEmpty
    }
  }
}
