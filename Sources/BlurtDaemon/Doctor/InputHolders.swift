internal import BlurtOS
internal import Glibc

/// Which programs have an input device open, as far as this user may know.
///
/// The kernel tells nobody who has grabbed a device, and of other users' processes only their names. So this is a hint for
/// people and decides nothing.
package struct InputHolders: Sendable, Hashable {
  /// Programs of this user that have it open.
  package var open: [String]
  /// Key remappers that run, if the former are none.
  package var running: [String]

  package init(open: [String] = [], running: [String] = []) {
    self.open = open
    self.running = running
  }

  /// Looks through the processes. `processes` and `devices` stand for `/proc` and `/dev/input` in tests.
  package init(of node: String, processes: String = "/proc", devices: String = "/dev/input") {
    self.init()
    for process in Self.names(in: processes) where process.allSatisfy(\.isNumber) && process != "\(getpid())" {
      let name = Self.name(of: process, in: processes)
      if Self.remappers.contains(where: name.hasPrefix) { running.append(name) }
      let files = "\(processes)/\(process)/fd"
      if Self.names(in: files).contains(where: { Self.target(of: "\(files)/\($0)") == "\(devices)/\(node)" }) {
        open.append(name)
      }
    }
    open = Array(Set(open)).sorted()
    running = open.isEmpty ? Array(Set(running)).sorted() : []
  }

  /// Between brackets after the device's name; nil where nothing is known.
  package var remark: String? {
    if !open.isEmpty { return "open in \(open.joined(separator: ", "))" }
    return running.isEmpty ? nil : "\(running.joined(separator: ", ")) is running"
  }

  /// As their processes are called, which the kernel cuts off after 15 bytes.
  private static let remappers = [
    "evdevremapkeys", "evremap", "evsieve", "input-remapper", "interception", "kanata", "keyd", "kmonad", "logid",
    "mouse-actions", "udevmon", "xremap",
  ]

  private static func name(of process: String, in processes: String) -> String {
    guard let file = fopen("\(processes)/\(process)/comm", "re") else { return "" }
    defer { fclose(file) }
    var bytes = [CChar](repeating: 0, count: 64)
    guard fgets(&bytes, Int32(bytes.count), file) != nil else { return "" }
    return String(decoding: bytes.prefix { $0 != 0 && $0 != 10 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  private static func target(of link: String) -> String? {
    var bytes = [CChar](repeating: 0, count: 256)
    let count = readlink(link, &bytes, bytes.count)
    guard count > 0 else { return nil }
    return String(decoding: bytes[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  private static func names(in folder: String) -> [String] {
    FolderListing.names(in: folder).filter { !$0.hasPrefix(".") }
  }
}
