internal import BlurtOS
internal import CSystemd
package import Glibc

/// A connection to a bus (`sd_bus`), used by the thread that opened it alone; closed once.
package struct BusConnection: ~Copyable {
  /// Which bus.
  package enum Place: Hashable, Sendable {
    case system
    /// That of the user's session.
    case user
    case address(String)
  }

  /// The bus's own name on itself.
  package static let daemon = "org.freedesktop.DBus"

  private let library: SystemdLibrary
  private let raw: OpaquePointer

  /// Begins to connect; `isReady` tells when it is done.
  package init(_ place: Place, library: SystemdLibrary) throws(BusError) {
    self.library = library
    var bus: OpaquePointer?
    guard case .address(let address) = place else {
      let code = place == .system ? library.openSystem(&bus) : library.openUser(&bus)
      guard code >= 0, let bus else {
        throw .noBus(Errno(-code, call: place == .system ? "sd_bus_open_system" : "sd_bus_open_user"))
      }
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
  package func isReady() throws(BusError) -> Bool {
    let code = library.isReady(raw)
    guard code >= 0 else { throw .noBus(Errno(-code, call: "connect")) }
    return code > 0
  }

  /// Does one thing that is due and calls the body with the message, if one came. False where nothing is due: then it is
  /// time to poll.
  package func process(_ body: (borrowing BusMessage) -> Void) throws(BusError) -> Bool {
    var message: OpaquePointer?
    let code = library.process(raw, &message)
    if let message { body(BusMessage(owning: message, library: library)) }
    guard code >= 0 else { throw .connectionLost(Errno(-code, call: "sd_bus_process")) }
    return code > 0
  }

  /// What to poll for, and until when at the latest on the monotonic clock; nil for no end.
  package func pollRequest() throws(BusError) -> (entry: pollfd, deadline: Duration?) {
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
  package func subscribe(_ rule: String, within limit: Duration) throws(BusError) {
    _ = try call(
      Self.daemon, "/org/freedesktop/DBus", Self.daemon, "AddMatch", [.string(rule)], within: limit)
  }

  /// Asks for a property of an object; the answer holds it in a variant.
  package func property(
    _ name: String, of interface: String, at path: String, on destination: String, within limit: Duration
  ) throws(BusError) -> BusMessage {
    try call(
      destination, path, "org.freedesktop.DBus.Properties", "Get", [.string(interface), .string(name)], within: limit)
  }

  /// Calls a method and waits for the answer, at most so long. Nobody is started by it to give one.
  package func call(
    _ destination: String, _ path: String, _ interface: String, _ member: String, _ arguments: [BusArgument] = [],
    within limit: Duration
  ) throws(BusError) -> BusMessage {
    var made: OpaquePointer?
    var code = library.newMethodCall(raw, &made, destination, path, interface, member)
    guard code >= 0, let made else { throw failure(member, code, nil) }
    let message = BusMessage(owning: made, library: library)
    code = library.setAutoStart(made, 0)
    for argument in arguments where code >= 0 { code = append(argument, to: made) }
    guard code >= 0 else { throw failure(member, code, nil) }
    var error = blurt_sd_bus_error()
    var reply: OpaquePointer?
    code = library.call(raw, message.raw, UInt64(max(1, (limit / .microseconds(1)).rounded(.up))), &error, &reply)
    guard code >= 0, let reply else {
      let refusal = failure(member, code, error)
      library.freeError(&error)
      throw refusal
    }
    return BusMessage(owning: reply, library: library)
  }

  private func append(_ argument: BusArgument, to message: OpaquePointer) -> Int32 {
    switch argument {
    case .string(let value): return value.withCString { library.append(message, BusMessage.code("s"), $0) }
    case .unsigned(var value): return library.append(message, BusMessage.code("u"), &value)
    case .signed(var value): return library.append(message, BusMessage.code("i"), &value)
    case .boolean(let value):
      var value: Int32 = value ? 1 : 0
      return library.append(message, BusMessage.code("b"), &value)
    case .array(let type, let elements): return append("a", type, elements, to: message)
    case .structure(let type, let members): return append("r", type, members, to: message)
    }
  }

  private func append(
    _ kind: Character, _ contents: String, _ elements: [BusArgument], to message: OpaquePointer
  ) -> Int32 {
    var code = library.open(message, BusMessage.code(kind), contents)
    for element in elements where code >= 0 { code = append(element, to: message) }
    return code >= 0 ? library.closeContainer(message) : code
  }

  private func failure(_ call: String, _ code: Int32, _ error: blurt_sd_bus_error?) -> BusError {
    switch -code {
    case ENOTCONN, ECONNRESET, EPIPE, ESHUTDOWN: return .connectionLost(Errno(-code, call: call))
    case ETIMEDOUT: return .unanswered(call: call)
    default: break
    }
    let name = error?.name.map { String(cString: $0) } ?? ""
    let absences = ["ServiceUnknown", "NameHasNoOwner", "Spawn"]
    if absences.contains(where: { name.hasPrefix("org.freedesktop.DBus.Error.\($0)") }) { return .absent }
    let words = error?.message.map { String(cString: $0) } ?? Errno(-code, call: call).reason
    return .refused(call: call, words)
  }
}
