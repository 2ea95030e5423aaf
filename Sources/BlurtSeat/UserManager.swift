internal import BlurtBus

/// The user's service manager, which desktop sessions tell their DISPLAY (`systemctl --user import-environment`).
package struct UserManager: Sendable {
  let address: String
  private let limit: Duration

  /// How long the manager may take to answer.
  package static let standardLimit: Duration = .milliseconds(500)

  /// By the environment of this process: its session bus, else the bus in its runtime folder. Nil where it has neither.
  package init?(environment: [String: String], limit: Duration = Self.standardLimit) {
    if let address = environment["DBUS_SESSION_BUS_ADDRESS"], !address.isEmpty {
      self.address = address
    } else if let folder = environment["XDG_RUNTIME_DIR"], folder.hasPrefix("/") {
      address = "unix:path=\(Self.escaped(folder))/bus"
    } else {
      return nil
    }
    self.limit = limit
  }

  /// What the manager gives to the units that it starts, now; nil where it cannot be asked. Blocks for at most the limit.
  package func environment() -> [String: String]? {
    do throws(BusError) {
      let bus = try BusConnection(.address(address), library: try SystemdLibrary())
      let answer = try bus.property(
        "Environment", of: "org.freedesktop.systemd1.Manager", at: "/org/freedesktop/systemd1",
        on: "org.freedesktop.systemd1", within: limit)
      var variables: [String: String] = [:]
      for entry in answer.stringsInVariant() {
        guard let sign = entry.firstIndex(of: "=") else { continue }
        variables[String(entry[..<sign])] = String(entry[entry.index(after: sign)...])
      }
      return variables
    } catch {
      return nil
    }
  }

  /// What a D-Bus address cannot hold as it is.
  private static func escaped(_ path: String) -> String {
    let plain = Set("-_/.\\*".utf8)
    return path.utf8.map { byte in
      let isPlain = plain.contains(byte) || (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte & 0xdf)
      if isPlain { return String(UnicodeScalar(byte)) }
      let hex = String(byte, radix: 16)
      return hex.count == 1 ? "%0\(hex)" : "%\(hex)"
    }.joined()
  }
}
