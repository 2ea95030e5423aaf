internal import BlurtContract

/// The answers of one connection, for repeated ids (S-127). Bounded in number and bytes; the oldest go first.
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
  private var pending: Set<String> = []
  private var answers: [String: [UInt8]] = [:]
  private var order: [String] = []
  private var byteCount = 0

  init(
    count: Int = SessionContract.rememberedAckCount, byteCount: Int = SessionContract.rememberedAckByteCount
  ) {
    longest = count
    largest = byteCount
  }

  /// How many commands wait for their answer.
  var pendingCount: Int { pending.count }
  var pendingIDs: Set<String> { pending }

  func look(_ id: String) -> Known {
    if pending.contains(id) { return .pending }
    if let line = answers[id] { return .answered(line) }
    return .new
  }

  /// A command is being carried out.
  mutating func begin(_ id: String) { pending.insert(id) }

  /// A command was answered. False when it was answered before: the answer is then to be dropped.
  mutating func finish(_ id: String, with line: [UInt8]) -> Bool {
    guard pending.remove(id) != nil else { return false }
    answers[id] = line
    order.append(id)
    byteCount += line.count
    // The newest one stays even if it alone is too large: its repeat is the likeliest.
    while order.count > longest || (byteCount > largest && order.count > 1) {
      byteCount -= answers.removeValue(forKey: order.removeFirst())?.count ?? 0
    }
    return true
  }
}
