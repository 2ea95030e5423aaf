import BlurtOS
import Glibc

/// Looks at the threads of this process that are called `blurt-http`.
enum CurlThread {
  struct Unreadable: Error {}

  /// How often they went to sleep in that time.
  static func wakeups(in time: Duration) async throws -> Int {
    // What was under way ends first, libcurl's one-time timer for a second address of the host (200 ms) among it.
    try await Task.sleep(for: .milliseconds(500))
    let before = try sleepCount()
    try await Task.sleep(for: time)
    return try sleepCount() - before
  }

  private static func sleepCount() throws -> Int {
    guard let tasks = opendir("/proc/self/task") else { throw Unreadable() }
    defer { closedir(tasks) }
    var count = 0
    var isFound = false
    while let entry = readdir(tasks) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      guard let status = text("/proc/self/task/\(name)/status"), status.contains("Name:\tblurt-http\n") else {
        continue
      }
      isFound = true
      for line in status.split(separator: "\n") where line.hasPrefix("voluntary_ctxt_switches:") {
        count += line.split(separator: "\t").last.flatMap { Int($0) } ?? 0
      }
    }
    guard isFound else { throw Unreadable() }
    return count
  }

  private static func text(_ path: String) -> String? {
    guard let file = try? FileDescriptor.open(path, O_RDONLY) else { return nil }
    var buffer = [UInt8](repeating: 0, count: 8_192)
    guard let count = try? buffer.withUnsafeMutableBytes({ try file.read(into: $0) }) else { return nil }
    return String(decoding: buffer[..<count], as: UTF8.self)
  }
}
