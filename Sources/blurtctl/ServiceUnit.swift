internal import Glibc

/// Whether blurtd is a service of this user, without asking the service manager: a refusal must not take its time.
enum ServiceUnit {
  private static let name = "blurtd.service"

  /// The unit's file lies where systemd looks for units of users (`systemd.unit(5)`), and the socket is the service's own.
  static func isInstalled(socket: String, _ environment: (String) -> String?) -> Bool {
    let identity = environment("BLURT_IDENTITY") ?? ""
    guard identity.isEmpty, socket.hasSuffix("/blurt/blurtd.sock") else { return false }
    return folders(environment).contains { access("\($0)/systemd/user/\(name)", F_OK) == 0 }
  }

  private static func folders(_ environment: (String) -> String?) -> [String] {
    func given(_ variable: String) -> String? { environment(variable).flatMap { $0.hasPrefix("/") ? $0 : nil } }
    let home = given("HOME")
    return [
      given("XDG_CONFIG_HOME") ?? home.map { $0 + "/.config" },
      given("XDG_DATA_HOME") ?? home.map { $0 + "/.local/share" },
      given("XDG_RUNTIME_DIR"), "/etc", "/usr/local/share", "/usr/local/lib", "/usr/share", "/usr/lib", "/lib",
    ].compactMap { $0 }
  }
}
