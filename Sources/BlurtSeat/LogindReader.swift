internal import BlurtBus

/// Asks logind for everything that the picture is made of.
struct LogindReader {
  private static let root = "/org/freedesktop/login1"
  static let manager = "org.freedesktop.login1.Manager"
  private static let properties = "org.freedesktop.DBus.Properties"

  /// Its name on the bus.
  static let login = "org.freedesktop.login1"

  let userID: UInt32
  /// How long it may take for one answer.
  let callLimit: Duration

  /// All that is told unasked. The rules name logind, so that nobody else can tell us anything.
  static let rules: [String] = {
    let signal = "type='signal',sender='\(Self.login)'"
    return [
      "type='signal',sender='org.freedesktop.DBus',interface='org.freedesktop.DBus',member='NameOwnerChanged',"
        + "arg0='\(Self.login)'",
      "\(signal),path='\(root)',interface='\(manager)'",
      "\(signal),path_namespace='\(root)',interface='\(properties)',member='PropertiesChanged'",
      "\(signal),path_namespace='\(root)/session',interface='org.freedesktop.login1.Session'",
    ]
  }()

  /// The sessions as they are now. One that ends meanwhile is left out.
  func snapshot(_ bus: borrowing BusConnection) throws(BusError) -> SeatSnapshot {
    var snapshot = SeatSnapshot()
    let list = try call(bus, Self.root, Self.manager, "ListSessions")
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
  func isPreparingForSleep(_ bus: borrowing BusConnection) throws(BusError) -> Bool {
    var isPreparing = false
    try all(Self.root, Self.manager, bus).forEachProperty { name, value in
      guard name == "PreparingForSleep", let found = value.boolean() else { return false }
      isPreparing = found
      return true
    }
    return isPreparing
  }

  private func described(_ session: LoginSession, _ bus: borrowing BusConnection) throws(BusError) -> LoginSession? {
    var session = session
    do throws(BusError) {
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

  private func display(_ bus: borrowing BusConnection) throws(BusError) -> String? {
    do throws(BusError) {
      let user = try call(bus, Self.root, Self.manager, "GetUser", [.unsigned(userID)])
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

  func call(
    _ bus: borrowing BusConnection, _ path: String, _ interface: String, _ member: String,
    _ arguments: [BusArgument] = []
  ) throws(BusError) -> BusMessage {
    try bus.call(Self.login, path, interface, member, arguments, within: callLimit)
  }

  private func all(
    _ path: String, _ interface: String, _ bus: borrowing BusConnection
  ) throws(BusError) -> BusMessage {
    try call(bus, path, Self.properties, "GetAll", [.string(interface)])
  }

  /// What went away between two questions is no fault of logind's.
  private func nilIfRefused<Value>(_ error: BusError) throws(BusError) -> Value? {
    switch error {
    case .refused, .unanswered: return nil
    case .noLibrary, .noBus, .connectionLost, .absent, .stopped: throw error
    }
  }
}
