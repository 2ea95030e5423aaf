/// How the seat stands, and by whose word.
package struct SeatReport: Sendable, Hashable {
  /// Why logind cannot be asked. The seat then counts as active.
  package enum Problem: Sendable, Hashable {
    case noLibrary(String)
    case noBus(String)
    case noLogind(String)

    /// What is missing and what follows from it, in one sentence.
    package var sentence: String {
      let what =
        switch self {
        case .noLibrary(let reason): "libsystemd cannot be loaded (\(reason))"
        case .noBus(let reason): "The system bus cannot be reached (\(reason))"
        case .noLogind(let reason): "logind does not answer (\(reason))"
        }
      return what + ", so a locked screen, another user in front and sleep are not noticed."
    }
  }

  package var standing = SeatStanding.active
  /// The session that is watched; nil where the user has none.
  package var session: LoginSession?
  package var problem: Problem?
  /// logind has answered, or will not.
  package var isKnown = false

  package init() {}
}
