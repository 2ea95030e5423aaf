internal import BlurtOS
internal import CSystemd
internal import Glibc

/// A connection to the system bus or to another one (`sd_bus`), used by the thread that opened it alone; closed once.
struct SystemBus: ~Copyable {
  static let login = "org.freedesktop.login1"

  let library: SystemdLibrary
  private let raw: OpaquePointer
  private let callLimit: Duration

  /// Begins to connect; `isReady` tells when it is done. No address: that of this system.
  init(address: String?, library: SystemdLibrary, callLimit: Duration) throws(SeatError) {
    self.library = library
    self.callLimit = callLimit
    var bus: OpaquePointer?
    guard let address else {
      let code = library.openSystem(&bus)
      guard code >= 0, let bus else { throw .noBus(Errno(-code, call: "sd_bus_open_system")) }
      raw = bus
      return
    }
    var code = library.new(&bus)
    guard code >= 0, let bus else { throw .noBus(Errno(-code, call: "sd_bus_new")) }
    code = library.setAddress(bus, address)
    if code >= 0 { code = library.setBusClient(bus, 1) }
    if code >= 0 { code = library.start(bus) }
    guard code >= 0 else {
      _ = library.unref(bus)
      throw .noBus(Errno(-code, call: "sd_bus_start"))
    }
    raw = bus
  }

  deinit {
    library.close(raw)
    _ = library.unref(raw)
  }

  /// The bus has taken the connection; false while it is being set up.
  func isReady() throws(SeatError) -> Bool {
    let code = library.isReady(raw)
    guard code >= 0 else { throw .noBus(Errno(-code, call: "connect")) }
    return code > 0
  }

  /// Does one thing that is due and calls the body with the message, if one came. False where nothing is due: then it is
  /// time to poll.
  func process(_ body: (borrowing BusMessage) -> Void) throws(SeatError) -> Bool {
    var message: OpaquePointer?
    let code = library.process(raw, &message)
    if let message { body(BusMessage(owning: message, library: library)) }
    guard code >= 0 else { throw .connectionLost(Errno(-code, call: "sd_bus_process")) }
    return code > 0
  }

  /// What to poll for, and until when at the latest on the monotonic clock; nil for no end.
  func pollRequest() throws(SeatError) -> (entry: pollfd, deadline: Duration?) {
    let (descriptor, events) = (library.descriptor(raw), library.events(raw))
    guard descriptor >= 0, events >= 0 else {
      throw .connectionLost(Errno(-min(descriptor, events), call: "sd_bus_get_events"))
    }
    var microseconds = UInt64.max
    _ = library.timeout(raw, &microseconds)
    let deadline: Duration? =
      microseconds > UInt64(Int64.max) ? nil : .microseconds(Int64(microseconds))
    return (pollfd(fd: descriptor, events: Int16(truncatingIfNeeded: events), revents: 0), deadline)
  }

  /// Has signals sent that fit a rule; they come out of `process`.
  func subscribe(_ rule: String) throws(SeatError) {
    _ = try call(
      "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "AddMatch", [.string(rule)])
  }

  /// Calls a method of logind and waits for the answer.
  func callLogind(
    _ path: String, _ interface: String, _ member: String, _ arguments: [BusArgument] = []
  ) throws(SeatError) -> BusMessage {
    try call(Self.login, path, interface, member, arguments)
  }

  /// Asks for a property of an object; the answer holds it in a variant.
  func property(
    _ name: String, of interface: String, at path: String, on destination: String
  ) throws(SeatError) -> BusMessage {
    try call(
      destination, path, "org.freedesktop.DBus.Properties", "Get", [.string(interface), .string(name)])
  }

  private func call(
    _ destination: String, _ path: String, _ interface: String, _ member: String, _ arguments: [BusArgument]
  ) throws(SeatError) -> BusMessage {
    var made: OpaquePointer?
    var code = library.newMethodCall(raw, &made, destination, path, interface, member)
    guard code >= 0, let made else { throw failure(member, code, nil) }
    let message = BusMessage(owning: made, library: library)
    for argument in arguments where code >= 0 {
      switch argument {
      case .string(let value): code = value.withCString { library.append(message.raw, BusMessage.code("s"), $0) }
      case .unsigned(var value): code = library.append(message.raw, BusMessage.code("u"), &value)
      }
    }
    guard code >= 0 else { throw failure(member, code, nil) }
    var error = blurt_sd_bus_error()
    var reply: OpaquePointer?
    code = library.call(raw, message.raw, UInt64(callLimit / .microseconds(1)), &error, &reply)
    guard code >= 0, let reply else {
      let refusal = failure(member, code, error)
      library.freeError(&error)
      throw refusal
    }
    return BusMessage(owning: reply, library: library)
  }

  private func failure(_ call: String, _ code: Int32, _ error: blurt_sd_bus_error?) -> SeatError {
    switch -code {
    case ENOTCONN, ECONNRESET, EPIPE, ESHUTDOWN: return .connectionLost(Errno(-code, call: call))
    default: break
    }
    let name = error?.name.map { String(cString: $0) } ?? ""
    let absences = ["ServiceUnknown", "NameHasNoOwner", "Spawn"]
    if absences.contains(where: { name.hasPrefix("org.freedesktop.DBus.Error.\($0)") }) { return .noLogind }
    let words = error?.message.map { String(cString: $0) } ?? Errno(-code, call: call).reason
    return .refused(call: call, words)
  }
}
