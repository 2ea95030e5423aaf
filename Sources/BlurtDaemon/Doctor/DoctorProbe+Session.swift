internal import BlurtContract
package import BlurtSeat

extension DoctorProbe {
  /// Which login session is watched, and whether it is in front (Y-131); nil where nothing can be watched.
  package static func session(_ report: @escaping @Sendable () -> SeatReport?) -> DoctorProbe {
    DoctorProbe("session") {
      guard let report = report() else {
        return DoctorCheck(
          "session", .warning, "The login session cannot be watched at all.",
          remedy: "systemctl --user restart blurtd")
      }
      if let problem = report.problem {
        return DoctorCheck("session", .warning, problem.sentence, remedy: remedy(for: problem))
      }
      guard report.isKnown else { return DoctorCheck("session", .skipped, "logind has not answered yet.") }
      guard let session = report.session else { return withoutSession(report.standing) }
      let place = session.seat.isEmpty ? session.type : "\(session.type), \(session.seat)"
      let name = "Session \(session.id) (\(place)) is watched"
      switch report.standing {
      case .active: return DoctorCheck("session", .ok, "\(name); it is in front.")
      case .locked:
        return DoctorCheck(
          "session", .warning, "\(name); it is locked, so the trigger key does nothing.", remedy: "unlock the screen")
      case .inBackground:
        return DoctorCheck(
          "session", .warning, "\(name); another one is in front, so the trigger key does nothing.",
          remedy: "loginctl activate \(session.id)")
      case .asleep:
        return DoctorCheck(
          "session", .warning, "\(name); the computer is going to sleep, so the trigger key does nothing.",
          remedy: "wake the computer")
      }
    }
  }

  private static func withoutSession(_ standing: SeatStanding) -> DoctorCheck {
    guard standing != .active else {
      return DoctorCheck("session", .ok, "You have no login session, and nobody else is in front; the key works.")
    }
    return DoctorCheck(
      "session", .warning,
      "You have no login session, and another user is in front or the computer sleeps, so the "
        + "trigger key does nothing.", remedy: "log in at the screen")
  }

  private static func remedy(for problem: SeatReport.Problem) -> String {
    switch problem {
    case .noLibrary: "install libsystemd (Debian: libsystemd0), then systemctl --user restart blurtd"
    case .noBus: "start the system bus (dbus), then systemctl --user restart blurtd"
    case .noLogind: "start systemd-logind or elogind"
    }
  }
}
