/// Lines on their way to one client: shared, not copied, and sent without ever waiting.
struct OutputBuffer {
  private var lines: [[UInt8]] = []
  /// The first line not wholly sent, and how much of it was.
  private var first = 0
  private var sent = 0
  /// How many bytes wait.
  private(set) var byteCount = 0

  var isEmpty: Bool { byteCount == 0 }

  mutating func append(_ line: [UInt8]) {
    lines.append(line)
    byteCount += line.count
  }

  /// Sends until nothing waits or the client takes no more. `send` returns how much it took, nil where it would block.
  /// Returns whether it took anything.
  @discardableResult
  mutating func flush<Failure: Error>(_ send: (ArraySlice<UInt8>) throws(Failure) -> Int?) throws(Failure) -> Bool {
    var progressed = false
    while first < lines.count {
      guard let taken = try send(lines[first][sent...]) else { break }
      progressed = progressed || taken > 0
      sent += taken
      byteCount -= taken
      if sent == lines[first].count {
        lines[first] = []
        first += 1
        sent = 0
      }
    }
    if first == lines.count {
      lines.removeAll(keepingCapacity: lines.count <= 16)
      first = 0
    } else if first > 256 {
      lines.removeFirst(first)
      first = 0
    }
    return progressed
  }
}
