/// Cuts a stream of bytes into lines, with a cap on their length.
///
/// A line ends at a newline, which is not part of it. A stream that exceeds the cap is refused once, as soon as the byte
/// over the cap has come; after that the framer yields nothing more.
package struct LineFramer: Sendable {
  /// What `next` found.
  package enum Item: Hashable, Sendable {
    case line([UInt8])
    /// More bytes than the cap came without a newline.
    case tooLong
  }

  private let longestLine: Int
  private var bytes: [UInt8] = []
  /// Where the next line starts.
  private var start = 0
  /// Up to where no newline was found.
  private var searched = 0
  private var isBroken = false

  package init(longestLine: Int) { self.longestLine = longestLine }

  /// How many bytes of an unfinished line are held.
  package var heldByteCount: Int { bytes.count - start }

  package mutating func append(_ new: ArraySlice<UInt8>) {
    guard !isBroken else { return }
    if start == bytes.count {
      bytes.removeAll(keepingCapacity: true)
      (start, searched) = (0, 0)
    } else if start > longestLine {
      bytes.removeFirst(start)
      (start, searched) = (0, searched - start)
    }
    bytes.append(contentsOf: new)
  }

  /// The next whole line, or the refusal, or nil when more bytes are needed.
  package mutating func next() -> Item? {
    guard !isBroken else { return nil }
    let newline = bytes[searched...].firstIndex(of: UInt8(ascii: "\n"))
    guard (newline ?? bytes.count) - start <= longestLine else {
      isBroken = true
      bytes = []
      (start, searched) = (0, 0)
      return .tooLong
    }
    guard let newline else {
      searched = bytes.count
      return nil
    }
    let line = Array(bytes[start..<newline])
    (start, searched) = (newline + 1, newline + 1)
    return .line(line)
  }
}
