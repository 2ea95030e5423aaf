package import BlurtOS
internal import CSystemd
internal import Glibc

/// One message of the bus (`sd_bus_message`), read value by value; let go once.
///
/// What cannot be read gives nil and leaves the rest unread: nothing that another program sends may end this one.
package struct BusMessage: ~Copyable {
  private let library: SystemdLibrary
  let raw: OpaquePointer

  /// Takes ownership.
  init(owning raw: OpaquePointer, library: SystemdLibrary) {
    self.raw = raw
    self.library = library
  }

  deinit { _ = library.unrefMessage(raw) }

  // MARK: Head

  package var path: String { Self.string(library.path(raw)) }
  package var interface: String { Self.string(library.interface(raw)) }
  package var member: String { Self.string(library.member(raw)) }

  private static func string(_ pointer: UnsafePointer<CChar>?) -> String { pointer.map { String(cString: $0) } ?? "" }

  // MARK: Body, in order

  /// `s`, `o` or `g`.
  package func string(_ type: Character = "s") -> String? {
    var value: UnsafePointer<CChar>?
    guard read(type, &value), let value else { return nil }
    return String(cString: value)
  }

  package func boolean() -> Bool? {
    // A boolean is an int here, whatever its size on the bus.
    var value: Int32 = 0
    return read("b", &value) ? value != 0 : nil
  }

  package func unsigned() -> UInt32? {
    var value: UInt32 = 0
    return read("u", &value) ? value : nil
  }

  package func signed() -> Int32? {
    var value: Int32 = 0
    return read("i", &value) ? value : nil
  }

  /// The value inside a variant, read by the body.
  package func inVariant<Value>(_ body: (borrowing BusMessage) -> Value?) -> Value? {
    guard let contents = variant, enter("v", contents) else { return nil }
    defer { _ = library.exit(raw) }
    return body(self)
  }

  /// Calls the body for each element of an array of values of one basic type, until it returns false.
  package func forEachValue(_ type: Character, _ body: (borrowing BusMessage) -> Bool) {
    guard enter("a", String(type)) else { return }
    while body(self) {}
    _ = library.exit(raw)
  }

  /// A descriptor of our own: the message keeps its.
  package func descriptor() -> FileDescriptor? {
    var value: Int32 = -1
    guard read("h", &value) else { return nil }
    let copy = fcntl(value, F_DUPFD_CLOEXEC, 3)
    return copy >= 0 ? FileDescriptor(owning: copy) : nil
  }

  /// Calls the body inside each element of an array of such elements, a struct or an entry of a dictionary.
  package func forEach(_ kind: Character, of contents: String, _ body: (borrowing BusMessage) -> Void) {
    let brackets = kind == "e" ? ("{", "}") : ("(", ")")
    guard enter("a", brackets.0 + contents + brackets.1) else { return }
    while enter(kind, contents) {
      body(self)
      // Leaving an element that was not read to its end is refused, and then nothing after it can be read.
      guard library.exit(raw) >= 0 else { return }
    }
    _ = library.exit(raw)
  }

  /// Calls the body for each property of the answer to `GetAll`, inside its value; what it does not read is skipped.
  package func forEachProperty(_ body: (_ name: String, _ value: borrowing BusMessage) -> Bool) {
    forEach("e", of: "sv") { message in
      guard let name = message.string() else { return }
      guard let contents = message.variant, message.enter("v", contents) else { return }
      if !body(name, message) { message.skip(contents) }
      _ = message.library.exit(message.raw)
    }
  }

  /// The strings of an array inside a variant; empty where there is something else.
  package func stringsInVariant() -> [String] {
    guard variant == "as", enter("v", "as") else { return [] }
    defer { _ = library.exit(raw) }
    guard enter("a", "s") else { return [] }
    defer { _ = library.exit(raw) }
    var strings: [String] = []
    while let next = string() { strings.append(next) }
    return strings
  }

  /// Reads a struct's members by the body.
  package func inStruct(of contents: String, _ body: (borrowing BusMessage) -> Void) {
    guard enter("r", contents) else { return }
    body(self)
    _ = library.exit(raw)
  }

  package func skip(_ types: String) { _ = library.skip(raw, types) }

  /// The type inside the variant that comes next.
  private var variant: String? {
    var type: CChar = 0
    var contents: UnsafePointer<CChar>?
    guard library.peek(raw, &type, &contents) > 0, let contents else { return nil }
    return String(cString: contents)
  }

  private func enter(_ type: Character, _ contents: String) -> Bool {
    library.enter(raw, Self.code(type), contents) > 0
  }

  private func read<Value>(_ type: Character, _ value: inout Value) -> Bool {
    withUnsafeMutablePointer(to: &value) { library.read(raw, Self.code(type), $0) > 0 }
  }

  static func code(_ type: Character) -> CChar { CChar(bitPattern: type.asciiValue ?? 0) }
}
