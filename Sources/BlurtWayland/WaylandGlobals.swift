internal import BlurtOS

/// Which interfaces a compositor has, by its own word: one question of the core protocol, without a library or a program.
enum WaylandGlobals {
  static let virtualKeyboard = "zwp_virtual_keyboard_manager_v1"
  static let dataControls = ["ext_data_control_manager_v1", "zwlr_data_control_manager_v1"]
  static let seat = "wl_seat"

  /// One of them, as `wl_registry.global` tells it.
  struct Global: Sendable, Hashable {
    let number: UInt32
    let interface: String
    let version: UInt32

    /// Nil for another message, and for a broken one.
    init?(_ message: WaylandMessage) {
      guard message.opcode == 0, let number = message.word(0), let (interface, end) = message.string(4),
        let version = message.word(end)
      else { return nil }
      self.number = number
      self.interface = interface
      self.version = version
    }
  }

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
      var connection = try WaylandConnection(path: path, within: limit)
      return try connection.globals().map { Set($0.map(\.interface)) }
    } catch {
      return nil
    }
  }
}
