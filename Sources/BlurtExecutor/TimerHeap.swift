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

  var count: Int { nodes.count }

  /// When the first entry is due; nil without one.
  var next: Int64? { nodes.first?.due }

  /// - Returns: the entry's number, by which it can be taken out.
  @discardableResult
  mutating func insert(_ entry: Entry, due: Int64) -> UInt64 {
    lastNumber += 1
    nodes.append(Node(due: due, number: lastNumber, entry: entry))
    rise(from: nodes.count - 1)
    return lastNumber
  }

  /// Takes the first entry, if it is due by now.
  mutating func removeFirst(dueBy now: Int64) -> Entry? {
    guard let first = nodes.first, first.due <= now else { return nil }
    return remove(at: 0)
  }

  /// Takes an entry out, whenever it is due. Looks at each: there are as many as tasks that sleep.
  ///
  /// - Returns: nil where it has gone already.
  mutating func remove(_ number: UInt64) -> Entry? {
    nodes.firstIndex { $0.number == number }.map { remove(at: $0) }
  }

  private mutating func remove(at place: Int) -> Entry {
    nodes.swapAt(place, nodes.count - 1)
    let removed = nodes.removeLast()
    if place < nodes.count {
      sink(from: place)
      rise(from: place)
    }
    return removed.entry
  }

  private mutating func rise(from place: Int) {
    var child = place
    while child > 0 {
      let parent = (child - 1) / 2
      guard nodes[child].isBefore(nodes[parent]) else { return }
      nodes.swapAt(child, parent)
      child = parent
    }
  }

  private mutating func sink(from place: Int) {
    var parent = place
    while true {
      var least = parent
      for child in [2 * parent + 1, 2 * parent + 2] where child < nodes.count && nodes[child].isBefore(nodes[least]) {
        least = child
      }
      if least == parent { return }
      nodes.swapAt(parent, least)
      parent = least
    }
  }
}
