internal import BlurtContract

/// The answers of one connection, for repeated ids (S-127). Bounded in number and bytes; the oldest go first.
///
/// Ids are told apart by their bytes: two spellings of one character are equal as strings, and two ids for their client.
struct AckMemory {
  /// What is known of an id.
  enum Known: Hashable {
    /// Not seen, or forgotten.
    case new
    /// Seen; its answer is still to come and will answer the repeat as well.
    case pending
    /// Answered with this line.
    case answered([UInt8])
  }

  private let longest: Int
  private let largest: Int
  private var known: [[UInt8]: Known] = [:]
  /// The answered ids, oldest first, from `oldest` on.
  private var order: [[UInt8]] = []
  private var oldest = 0
  private var byteCount = 0
  /// How many commands wait for their answer.
  private(set) var pendingCount = 0

  init(
    count: Int = SessionContract.rememberedAckCount, byteCount: Int = SessionContract.rememberedAckByteCount
  ) {
    longest = count
    largest = byteCount
  }

  var pendingIDs: [String] { known.filter { $0.value == .pending }.map { String(decoding: $0.key, as: UTF8.self) } }

  func look(_ id: String) -> Known { known[Array(id.utf8)] ?? .new }

  /// A new command is being carried out.
  mutating func begin(_ id: String) {
    known[Array(id.utf8)] = .pending
    pendingCount += 1
  }

  /// A command was answered. False when it was answered before: the answer is then to be dropped.
  mutating func finish(_ id: String, with line: [UInt8]) -> Bool {
    let id = Array(id.utf8)
    guard known[id] == .pending else { return false }
    known[id] = .answered(line)
    pendingCount -= 1
    order.append(id)
    byteCount += line.count
    // The newest one stays even if it alone is too large: its repeat is the likeliest.
    while order.count - oldest > longest || (byteCount > largest && order.count - oldest > 1) {
      if case .answered(let line)? = known.removeValue(forKey: order[oldest]) { byteCount -= line.count }
      oldest += 1
    }
    if oldest > longest {
      order.removeFirst(oldest)
      oldest = 0
    }
    return true
  }
}
