package import BlurtOS

/// The arguments of `blurtd`.
package struct DaemonOptions: Sendable, Hashable {
  package var socket: String?
  package var logLevel: Log.Level?

  /// What the arguments ask for.
  package enum Request: Sendable, Hashable {
    case run(DaemonOptions)
    case help
    case version
    /// Wrong usage; the sentence says what is wrong.
    case usage(String)
  }

  package init() {}

  package static let help = """
    usage: blurtd [--socket PATH] [--log-level LEVEL]
           blurtd --help | --version

    Watches the trigger key, records while it is held, and pastes what was said.

      --socket PATH      listen at PATH instead of $XDG_RUNTIME_DIR/blurt/blurtd.sock
      --log-level LEVEL  error, warning, notice (default), info or debug
      --help             print this
      --version          print the version

    See blurtd(1); blurtctl(1) scripts it.
    """

  /// Reads the arguments without the program's own name. `BLURT_LOG` gives the log level where no option does.
  package static func parse(_ arguments: [String], environment: [String: String]) -> Request {
    var options = DaemonOptions()
    if let name = environment["BLURT_LOG"], !name.isEmpty {
      guard let level = Log.Level(name: name) else { return .usage("BLURT_LOG names no level: \(name)") }
      options.logLevel = level
    }
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      let (name, attached) = split(argument)
      switch name {
      case "--help", "-h": return .help
      case "--version": return .version
      case "--socket":
        guard let value = attached ?? rest.popFirst(), !value.isEmpty else { return .usage("--socket needs a path") }
        options.socket = value
      case "--log-level":
        guard let value = attached ?? rest.popFirst(), let level = Log.Level(name: value) else {
          return .usage("--log-level needs one of error, warning, notice, info, debug")
        }
        options.logLevel = level
      default: return .usage("unknown argument: \(argument)")
      }
    }
    return .run(options)
  }

  private static func split(_ argument: String) -> (name: String, value: String?) {
    guard argument.hasPrefix("--"), let equals = argument.firstIndex(of: "=") else { return (argument, nil) }
    return (String(argument[..<equals]), String(argument[argument.index(after: equals)...]))
  }
}
