internal import BlurtOS
internal import Glibc

/// The helper programs, and the environment they run in: nothing of the daemon's own but what they need.
struct WaylandTools: Sendable {
  private let environment: [String: String]
  private let path: String
  let limit: Duration

  init(environment: [String: String], limit: Duration) {
    path = environment["PATH"] ?? "/usr/bin:/bin"
    self.limit = limit
    var own = ["LC_ALL": "C.UTF-8", "PATH": path]
    for name in ["HOME", "XDG_RUNTIME_DIR", "WAYLAND_DISPLAY"] { own[name] = environment[name] }
    // wl-copy keeps what it offers in a file; later versions put it where this says, which is memory.
    own["TMPDIR"] = environment["XDG_RUNTIME_DIR"]
    self.environment = own
  }

  /// The folders in which wl-copy may keep what it offers. Version 2.1 knows only the second.
  var temporaryFolders: [String] { [environment["TMPDIR"], "/tmp"].compactMap(\.self) }

  func find(_ name: String) -> String? { HelperProgram.find(name, path: path) }

  /// Runs a program; nil where it is missing or cannot be started. Blocks.
  ///
  /// Text goes in on standard input only: arguments can be read by everybody on the machine.
  func run(
    _ name: String, _ arguments: [String], input: [UInt8]? = nil, within limit: Duration? = nil,
    outputLimit: Int = 65_536
  ) -> HelperProgram.Result? {
    guard let program = find(name) else { return nil }
    do throws(Errno) {
      let limit = limit ?? self.limit
      guard let input else {
        return try HelperProgram.run(
          program, arguments: arguments, environment: environment, limit: limit, outputLimit: outputLimit)
      }
      let file = try MemoryFile.make(input)
      return try HelperProgram.run(
        program, arguments: arguments, environment: environment, limit: limit, outputLimit: outputLimit,
        input: file.raw)
    } catch {
      Log.warning("a helper program cannot be run", ["program": name, "error": "\(error)"])
      return nil
    }
  }
}
