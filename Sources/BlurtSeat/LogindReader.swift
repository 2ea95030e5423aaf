/// Asks logind for everything that the picture is made of.
struct LogindReader {
  private static let root = "/org/freedesktop/login1"
  static let manager = "org.freedesktop.login1.Manager"
  private static let properties = "org.freedesktop.DBus.Properties"

  let userID: UInt32

  /// All that is told unasked. The rules name logind, so that nobody else can tell us anything.
  static let rules: [String] = {
    let signal = "type='signal',sender='\(SystemBus.login)'"
    return [
      "type='signal',sender='org.freedesktop.DBus',interface='org.freedesktop.DBus',member='NameOwnerChanged',"
        + "arg0='\(SystemBus.login)'",
      "\(signal),path='\(root)',interface='\(manager)'",
      "\(signal),path_namespace='\(root)',interface='\(properties)',member='PropertiesChanged'",
      "\(signal),path_namespace='\(root)/session',interface='org.freedesktop.login1.Session'",
    ]
  }()

  /// The sessions as they are now. One that ends meanwhile is left out.
  func snapshot(_ bus: borrowing SystemBus) throws(SeatError) -> SeatSnapshot {
    var snapshot = SeatSnapshot()
    let list = try bus.callLogind(Self.root, Self.manager, "ListSessions")
    var sessions: [LoginSession] = []
    list.forEach("r", of: "susso") { entry in
      guard let id = entry.string(), let userID = entry.unsigned(), entry.string() != nil,
        let seat = entry.string(), let path = entry.string("o")
      else { return }
      sessions.append(LoginSession(id: id, path: path, userID: userID, seat: seat))
    }
    // On a machine with many users those of others without a seat take nothing from anybody.
    for session in sessions where session.userID == userID || !session.seat.isEmpty {
      if let session = try described(session, bus) { snapshot.sessions.append(session) }
    }
    snapshot.display = try display(bus)
    return snapshot
  }

  /// Whether the machine is on its way to sleep at this moment.
  func isPreparingForSleep(_ bus: borrowing SystemBus) throws(SeatError) -> Bool {
    var isPreparing = false
    try all(Self.root, Self.manager, bus).forEachProperty { name, value in
      guard name == "PreparingForSleep", let found = value.boolean() else { return false }
      isPreparing = found
      return true
    }
    return isPreparing
  }

  private func described(_ session: LoginSession, _ bus: borrowing SystemBus) throws(SeatError) -> LoginSession? {
    var session = session
    do throws(SeatError) {
      try all(session.path, "org.freedesktop.login1.Session", bus).forEachProperty { name, value in
        switch name {
        case "Type": session.type = value.string() ?? ""
        case "Class": session.sessionClass = value.string() ?? ""
        case "State": session.state = value.string() ?? ""
        case "Active": session.isActive = value.boolean() ?? false
        case "LockedHint": session.isLocked = value.boolean() ?? false
        default: return false
        }
        return true
      }
    } catch {
      return try nilIfRefused(error)
    }
    return session
  }

  private func display(_ bus: borrowing SystemBus) throws(SeatError) -> String? {
    do throws(SeatError) {
      let user = try bus.callLogind(Self.root, Self.manager, "GetUser", [.unsigned(userID)])
      guard let path = user.string("o") else { return nil }
      var display: String?
      try all(path, "org.freedesktop.login1.User", bus).forEachProperty { name, value in
        guard name == "Display" else { return false }
        value.inStruct(of: "so") { pair in
          display = pair.string()
          pair.skip("o")
        }
        return true
      }
      return display.flatMap { $0.isEmpty ? nil : $0 }
    } catch {
      return try nilIfRefused(error)
    }
  }

  private func all(
    _ path: String, _ interface: String, _ bus: borrowing SystemBus
  ) throws(SeatError) -> BusMessage {
    try bus.callLogind(path, Self.properties, "GetAll", [.string(interface)])
  }

  /// What went away between two questions is no fault of logind's.
  private func nilIfRefused<Value>(_ error: SeatError) throws(SeatError) -> Value? {
    if case .refused = error { return nil }
    throw error
  }
}
