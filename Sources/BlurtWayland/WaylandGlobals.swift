internal import BlurtOS
internal import Glibc

/// Which interfaces a compositor has, by its own word: one question of the core protocol, without a library or a program.
enum WaylandGlobals {
  static let virtualKeyboard = "zwp_virtual_keyboard_manager_v1"
  static let dataControls = ["ext_data_control_manager_v1", "zwlr_data_control_manager_v1"]

  private static let displayID: UInt32 = 1
  private static let registryID: UInt32 = 2
  private static let callbackID: UInt32 = 3
  /// More than any compositor says at once: what is longer is no compositor.
  private static let answerLimit = 1 << 20

  /// The path of the compositor's socket, as libwayland finds it.
  static func socketPath(_ environment: [String: String]) -> String? {
    guard let name = environment["WAYLAND_DISPLAY"], !name.isEmpty else { return nil }
    if name.hasPrefix("/") { return name }
    guard let folder = environment["XDG_RUNTIME_DIR"], !folder.isEmpty else { return nil }
    return "\(folder)/\(name)"
  }

  /// The names of the interfaces; nil where nobody answers in time. Blocks for at most `limit`.
  static func read(at path: String, within limit: Duration) -> Set<String>? {
    do throws(Errno) {
      let socket = try UnixSocket.connect(to: path, within: limit)
      // wl_display.get_registry(new id 2), wl_display.sync(new id 3); the callback's event ends the answer.
      let request = message(displayID, 1, registryID) + message(displayID, 0, callbackID)
      guard try UnixSocket.send(request[...], to: socket.raw) == request.count else { return nil }
      return try collect(from: socket, until: MonotonicClock.now() + limit)
    } catch {
      return nil
    }
  }

  private static func collect(
    from socket: borrowing FileDescriptor, until deadline: Duration
  ) throws(Errno) -> Set<String>? {
    var bytes: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 16_384)
    while true {
      if let names = parse(bytes) { return names }
      guard bytes.count < answerLimit, SocketWait.isReadable(socket.raw, until: deadline),
        let count = try UnixSocket.receive(into: &part, from: socket.raw), count > 0
      else { return nil }
      bytes += part[..<count]
    }
  }

  /// The interfaces in an answer that is complete; nil for one that is not.
  static func parse(_ bytes: [UInt8]) -> Set<String>? {
    var names: Set<String> = []
    var offset = 0
    while offset + headerSize <= bytes.count {
      let object = word(bytes, offset)
      let size = Int(word(bytes, offset + 4) >> 16)
      let opcode = word(bytes, offset + 4) & 0xffff
      guard size >= headerSize, offset + size <= bytes.count else { return nil }
      if object == callbackID { return names }
      // wl_registry.global: a number, the name with its length and terminator, a version.
      if object == registryID, opcode == 0, size >= headerSize + 8 {
        let length = Int(word(bytes, offset + headerSize + 4))
        let start = offset + headerSize + 8
        if length > 0, start + length <= offset + size {
          names.insert(String(decoding: bytes[start..<(start + length - 1)], as: UTF8.self))
        }
      }
      offset += size
    }
    return nil
  }

  private static let headerSize = 8

  /// A request with one argument. Words are in the byte order of the machine.
  private static func message(_ object: UInt32, _ opcode: UInt32, _ argument: UInt32) -> [UInt8] {
    let words: [UInt32] = [object, UInt32(headerSize + 4) << 16 | opcode, argument]
    return words.flatMap { withUnsafeBytes(of: $0, Array.init) }
  }

  private static func word(_ bytes: [UInt8], _ offset: Int) -> UInt32 {
    bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: UInt32.self) }
  }
}
