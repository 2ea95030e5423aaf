/// Entries that become due, the earliest first; those of one time in the order in which they came.
///
/// A binary heap. A value without a lock or a clock.
struct TimerHeap<Entry> {
  private struct Node {
    /// Nanoseconds of the heap's clock.
    let due: Int64
    let number: UInt64
    let entry: Entry

    func isBefore(_ other: Node) -> Bool { (due, number) < (other.due, other.number) }
  }

  private var nodes: [Node] = []
  private var lastNumber: UInt64 = 0

  /// When the first entry is due; nil without one.
  var next: Int64? { nodes.first?.due }

  mutating func insert(_ entry: Entry, due: Int64) {
    lastNumber += 1
    nodes.append(Node(due: due, number: lastNumber, entry: entry))
    var child = nodes.count - 1
    while child > 0 {
      let parent = (child - 1) / 2
      guard nodes[child].isBefore(nodes[parent]) else { return }
      nodes.swapAt(child, parent)
      child = parent
    }
  }

  /// Takes the first entry, if it is due by now.
  mutating func removeFirst(dueBy now: Int64) -> Entry? {
    guard let first = nodes.first, first.due <= now else { return nil }
    let last = nodes.removeLast()
    guard !nodes.isEmpty else { return first.entry }
    nodes[0] = last
    var parent = 0
    while true {
      var least = parent
      for child in [2 * parent + 1, 2 * parent + 2] where child < nodes.count && nodes[child].isBefore(nodes[least]) {
        least = child
      }
      if least == parent { return first.entry }
      nodes.swapAt(parent, least)
      parent = least
    }
  }
}
