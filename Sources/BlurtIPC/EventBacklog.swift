internal import BlurtContract

/// Events on their way to all watchers: each is encoded once, and kept until the last watcher has taken it.
///
/// A watcher has a cursor: the number of the first event that it has not taken. However many watchers have stopped reading,
/// what waits for them lies here once.
struct EventBacklog {
  /// More than this is not sent to a watcher in one go.
  static let longestPacket = 64 * 1024

  /// What is sent next to a watcher.
  private struct Packet {
    let cursor: UInt64
    let end: UInt64
    let results: Bool
    let bytes: [UInt8]
  }

  private struct Entry {
    let event: WatcherFeed.Broadcast
    /// How many bytes of events came before it, in all.
    let offset: Int

    func line(results: Bool) -> [UInt8] { results ? event.full : event.withoutText }
  }

  private var entries: [Entry] = []
  /// The number of the first event that is kept.
  private(set) var start: UInt64 = 0
  private var byteCount = 0
  /// The newest packet of several events: most watchers are equally far behind, and share it.
  private var shared: Packet?

  /// The cursor of a watcher that has taken everything.
  var end: UInt64 { start + UInt64(entries.count) }

  mutating func append(_ event: WatcherFeed.Broadcast) {
    entries.append(Entry(event: event, offset: byteCount))
    byteCount += event.full.count
  }

  /// How many bytes wait for a watcher, texts counted whether it asked for them or not.
  func byteCount(from cursor: UInt64) -> Int {
    cursor < end ? byteCount - entries[Int(cursor - start)].offset : 0
  }

  /// The lines from the cursor on, as many as are sent in one go; at least one. The cursor must not be the end.
  mutating func packet(from cursor: UInt64, results: Bool) -> [UInt8] {
    let first = Int(cursor - start)
    if first + 1 == entries.count { return entries[first].line(results: results) }
    if let shared, shared.cursor == cursor, shared.results == results, shared.end == end { return shared.bytes }
    var bytes = entries[first].line(results: results)
    for entry in entries[(first + 1)...] {
      let line = entry.line(results: results)
      if bytes.count + line.count > Self.longestPacket { break }
      bytes += line
    }
    shared = Packet(cursor: cursor, end: end, results: results, bytes: bytes)
    return bytes
  }

  /// Moves a cursor past so many bytes that were taken, and returns what is left of the line in which they end.
  func advance(_ cursor: inout UInt64, by taken: Int, results: Bool) -> ArraySlice<UInt8> {
    var left = taken
    while left > 0 {
      let line = entries[Int(cursor - start)].line(results: results)
      cursor += 1
      if left < line.count { return line[left...] }
      left -= line.count
    }
    return []
  }

  /// Every line from the cursor on.
  func lines(from cursor: UInt64, results: Bool) -> [[UInt8]] {
    entries[Int(cursor - start)...].map { $0.line(results: results) }
  }

  /// Lets go of events that every watcher has taken, and returns how many bytes they were.
  mutating func forget(before cursor: UInt64) -> Int {
    guard cursor > start else { return 0 }
    let freed = byteCount(from: start) - byteCount(from: cursor)
    entries.removeFirst(Int(cursor - start))
    start = cursor
    shared = nil
    if entries.isEmpty { byteCount = 0 }
    return freed
  }
}
