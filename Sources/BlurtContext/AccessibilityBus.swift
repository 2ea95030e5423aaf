internal import BlurtBus
internal import BlurtOS
internal import Glibc

/// A connection to the accessibility bus for one reading, with its deadline; used by one thread.
///
/// Nothing is subscribed to and nobody is started: it asks, and goes. A program that does not answer costs one call.
struct AccessibilityBus: ~Copyable {
  private static let launcher = "org.a11y.Bus"
  private static let launcherPath = "/org/a11y/bus"
  private static let properties = "org.freedesktop.DBus.Properties"
  private static let accessible = "org.a11y.atspi.Accessible"
  private static let text = "org.a11y.atspi.Text"
  private static let registry = "org.a11y.atspi.Registry"
  private static let root = "/org/a11y/atspi/accessible/root"

  private let bus: BusConnection
  private let deadline: Duration
  private let callLimit: Duration

  /// Finds the accessibility bus and connects to it. Throws `.absent` where none runs.
  init(_ place: FieldContextReader.Place, library: SystemdLibrary, limits: ContextLimits) throws(BusError) {
    deadline = MonotonicClock.now() + limits.reading
    callLimit = limits.call
    let address: String
    switch place {
    case .address(let known): address = known
    case .session(let session):
      let user = try Self.connect(session.map { .address($0) } ?? .user, library, until: deadline)
      address = try Self.address(user, within: limits.call)
    }
    bus = try Self.connect(.address(address), library, until: deadline)
  }

  /// Whether the desktop says that accessibility is in use; nil where it does not say. Qt and Chromium go by it.
  static func isEnabled(
    _ place: FieldContextReader.Place, library: SystemdLibrary, limits: ContextLimits
  ) -> Bool? {
    guard case .session(let session) = place else { return nil }
    do throws(BusError) {
      let user = try connect(
        session.map { .address($0) } ?? .user, library, until: MonotonicClock.now() + limits.reading)
      return try user.call(
        launcher, launcherPath, properties, "Get", [.string("org.a11y.Status"), .string("IsEnabled")],
        within: limits.call
      ).inVariant { $0.boolean() }
    } catch {
      return nil
    }
  }

  private static func connect(
    _ place: BusConnection.Place, _ library: SystemdLibrary, until deadline: Duration
  ) throws(BusError) -> BusConnection {
    let bus = try BusConnection(place, library: library)
    while true {
      while try bus.process({ _ in }) {}
      if try bus.isReady() { return bus }
      let left = deadline - MonotonicClock.now()
      guard left > .zero else { throw .noBus(Errno(ETIMEDOUT, call: "connect")) }
      let request = try bus.pollRequest()
      var entry = request.entry
      let wait = min(left, request.deadline.map { max(.zero, $0 - MonotonicClock.now()) } ?? left)
      _ = poll(&entry, 1, Int32(clamping: Int64((wait / .milliseconds(1)).rounded(.up))))
    }
  }

  private static func address(_ user: borrowing BusConnection, within limit: Duration) throws(BusError) -> String {
    let reply = try user.call(launcher, launcherPath, launcher, "GetAddress", within: limit)
    guard let address = reply.string(), !address.isEmpty else { throw .absent }
    return address
  }

  // MARK: Questions

  /// The programs on the bus.
  func programs() throws(BusError) -> [AccessibleReference] {
    try children(of: AccessibleReference(program: Self.registry, path: Self.root), atMost: .max).parts
  }

  /// The process behind a name on the bus, by the bus's own word; nil where it has gone.
  func processID(of program: String) throws(BusError) -> Int32? {
    do throws(BusError) {
      let reply = try bus.call(
        BusConnection.daemon, "/org/freedesktop/DBus", BusConnection.daemon, "GetConnectionUnixProcessID",
        [.string(program)], within: try limit())
      return reply.unsigned().flatMap { Int32(exactly: $0) }
    } catch {
      return try Self.nilIfRefused(error)
    }
  }

  /// The parts of an object, and whether they are all.
  func children(
    of object: AccessibleReference, atMost limit: Int
  ) throws(BusError) -> (parts: [AccessibleReference], areAll: Bool) {
    let reply = try ask(object, Self.accessible, "GetChildren")
    let references = Self.references(reply)
    return (Array(references.prefix(limit)), references.count <= limit)
  }

  func states(of object: AccessibleReference) throws(BusError) -> AccessibleStates {
    let reply = try ask(object, Self.accessible, "GetState")
    var words: [UInt32] = []
    reply.forEachValue("u") { message in
      guard let word = message.unsigned() else { return false }
      words.append(word)
      return true
    }
    let bits = words.prefix(2).enumerated().reduce(UInt64(0)) { $0 | UInt64($1.element) << (32 * UInt64($1.offset)) }
    return AccessibleStates(rawValue: bits)
  }

  /// Unreadable where the program refuses to tell.
  func role(of object: AccessibleReference) throws(BusError) -> AccessibleRole {
    do throws(BusError) {
      return AccessibleRole(code: try ask(object, Self.accessible, "GetRole").unsigned())
    } catch {
      return try Self.nilIfRefused(error) ?? .unreadable
    }
  }

  func name(of object: AccessibleReference) throws(BusError) -> String {
    try property(object, Self.accessible, "Name") { $0.string() } ?? ""
  }

  func hasEditableText(_ object: AccessibleReference) throws(BusError) -> Bool {
    var isThere = false
    try ask(object, Self.accessible, "GetInterfaces").forEachValue("s") { message in
      guard let name = message.string() else { return false }
      if name == "org.a11y.atspi.EditableText" { isThere = true }
      return true
    }
    return isThere
  }

  /// The focused object of a window by the program's own search; nil where it has none or cannot search.
  func focused(in window: AccessibleReference) throws(BusError) -> AccessibleReference? {
    let all = BusArgument.signed(1)
    let rule = BusArgument.structure(
      of: "aiia{ss}iaiiasib",
      [
        .array(of: "i", [.signed(Int32(AccessibleStates.focused.rawValue)), .signed(0)]), all,
        .array(of: "{ss}", []), all, .array(of: "i", []), all, .array(of: "s", []), all, .boolean(false),
      ])
    do throws(BusError) {
      // The order of the tree; the last one is the innermost.
      let found = try ask(
        window, "org.a11y.atspi.Collection", "GetMatches", [rule, .unsigned(1), .signed(8), .boolean(true)])
      return Self.references(found).last
    } catch {
      return try Self.nilIfRefused(error)
    }
  }

  // MARK: Text

  func caret(of object: AccessibleReference) throws(BusError) -> Int32? {
    try property(object, Self.text, "CaretOffset") { $0.signed() }
  }

  func characterCount(of object: AccessibleReference) throws(BusError) -> Int32? {
    try property(object, Self.text, "CharacterCount") { $0.signed() }
  }

  /// The first selection that is not empty.
  func selection(of object: AccessibleReference) throws(BusError) -> (start: Int32, end: Int32)? {
    guard let count = try ask(object, Self.text, "GetNSelections").signed(), count > 0 else { return nil }
    let reply = try ask(object, Self.text, "GetSelection", [.signed(0)])
    guard let one = reply.signed(), let other = reply.signed(), min(one, other) >= 0, one != other else { return nil }
    return (min(one, other), max(one, other))
  }

  func text(of object: AccessibleReference, from start: Int32, to end: Int32) throws(BusError) -> String? {
    try ask(object, Self.text, "GetText", [.signed(start), .signed(end)]).string()
  }

  /// C-81: the first of placeholder, description, name and the role in words.
  func label(of object: AccessibleReference) throws(BusError) -> String? {
    if let placeholder = try attribute("placeholder-text", of: object), !placeholder.isEmpty { return placeholder }
    for name in ["Description", "Name"] {
      if let value = try property(object, Self.accessible, name, { $0.string() }), !value.isEmpty { return value }
    }
    return try ask(object, Self.accessible, "GetLocalizedRoleName").string()
  }

  /// One of what the toolkit tells about an object in words of its own; nil also where it refuses to.
  func attribute(_ wanted: String, of object: AccessibleReference) throws(BusError) -> String? {
    var found: String?
    do throws(BusError) {
      try ask(object, Self.accessible, "GetAttributes").forEach("e", of: "ss") { entry in
        guard let name = entry.string(), let value = entry.string() else { return }
        if name == wanted { found = value }
      }
    } catch {
      return try Self.nilIfRefused(error)
    }
    return found
  }

  // MARK: Calls

  private func limit() throws(BusError) -> Duration {
    let left = deadline - MonotonicClock.now()
    guard left > .zero else { throw .unanswered(call: "the whole reading") }
    return min(callLimit, left)
  }

  private func ask(
    _ object: AccessibleReference, _ interface: String, _ member: String, _ arguments: [BusArgument] = []
  ) throws(BusError) -> BusMessage {
    try bus.call(object.program, object.path, interface, member, arguments, within: try limit())
  }

  /// Nil where the object has no such property.
  private func property<Value>(
    _ object: AccessibleReference, _ interface: String, _ name: String, _ read: (borrowing BusMessage) -> Value?
  ) throws(BusError) -> Value? {
    do throws(BusError) {
      return try ask(object, Self.properties, "Get", [.string(interface), .string(name)]).inVariant(read)
    } catch {
      return try Self.nilIfRefused(error)
    }
  }

  private static func references(_ reply: borrowing BusMessage) -> [AccessibleReference] {
    var references: [AccessibleReference] = []
    reply.forEach("r", of: "so") { entry in
      guard let program = entry.string(), let path = entry.string("o"), !program.isEmpty else { return }
      references.append(AccessibleReference(program: program, path: path))
    }
    return references
  }

  static func nilIfRefused<Value>(_ error: BusError) throws(BusError) -> Value? {
    switch error {
    case .refused, .absent: return nil
    case .noLibrary, .noBus, .connectionLost, .unanswered, .stopped: throw error
    }
  }
}
