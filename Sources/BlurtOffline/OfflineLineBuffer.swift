/// Cuts bytes into lines and bounds how long a line may grow.
package struct OfflineLineBuffer: Sendable {
  private var rest: [UInt8] = []
  /// How much of it is known to hold no newline.
  private var searchedCount = 0

  package init() {}

  /// Whether more than the longest line waits without an end: the other side does not speak this protocol.
  package var isOverfull: Bool { rest.count > OfflineLine.longest }

  /// The lines that the bytes complete, without their newlines.
  package mutating func append(_ bytes: some Collection<UInt8>) -> [[UInt8]] {
    rest += bytes
    var lines: [[UInt8]] = []
    var start = 0
    while let end = rest[max(start, searchedCount)...].firstIndex(of: UInt8(ascii: "\n")) {
      lines.append(Array(rest[start..<end]))
      start = end + 1
    }
    rest.removeSubrange(..<start)
    searchedCount = rest.count
    return lines
  }
}
