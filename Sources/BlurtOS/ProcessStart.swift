internal import Glibc

/// When a process began, by which it is told from a later one with the same id.
package enum ProcessStart {
  /// The start of a living process in clock ticks since boot: field 22 of `/proc/PID/stat`.
  ///
  /// Nil where there is no such process, where it has ended and only waits for its parent, or where it cannot be seen.
  package static func ticks(of processID: Int32) -> UInt64? {
    guard processID > 0 else { return nil }
    let bytes: [UInt8]?
    do throws(Errno) {
      bytes = try FileDescriptor.open("/proc/\(processID)/stat", O_RDONLY).read(upTo: 4096)
    } catch {
      // It has gone.
      return nil
    }
    return bytes.flatMap(ticks(in:))
  }

  /// The same from the file's contents. The name of the program is in parentheses and may contain any byte, also these.
  static func ticks(in line: [UInt8]) -> UInt64? {
    guard let name = line.lastIndex(of: UInt8(ascii: ")")) else { return nil }
    // Field 3, the state, comes first.
    let fields = line[(name + 1)...].split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\n") }
    guard fields.count > 19, let state = fields[0].first, !"ZXx".utf8.contains(state) else { return nil }
    return UInt64(String(decoding: fields[19], as: UTF8.self))
  }
}
