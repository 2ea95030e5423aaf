import BlurtTestSupport
import Testing

@testable import BlurtExecutor

@Suite struct TimerHeapTests {
  @Test("entries come out by their time, those of one time in the order in which they went in")
  func order() {
    var numbers = SeededGenerator(seed: 7)
    var heap = TimerHeap<(due: Int64, number: Int)>()
    for number in 0..<500 {
      let due = Int64.random(in: 0..<50, using: &numbers)
      heap.insert((due, number), due: due)
    }
    var taken: [(due: Int64, number: Int)] = []
    while let entry = heap.removeFirst(dueBy: 50) { taken.append(entry) }
    #expect(taken.count == 500)
    for (earlier, later) in zip(taken, taken.dropFirst()) { #expect(earlier < later) }
  }

  @Test("nothing comes out before its time")
  func due() {
    var heap = TimerHeap<String>()
    #expect(heap.next == nil)
    heap.insert("later", due: 20)
    heap.insert("sooner", due: 10)
    #expect(heap.next == 10)
    #expect(heap.removeFirst(dueBy: 9) == nil)
    #expect(heap.removeFirst(dueBy: 19) == "sooner")
    #expect(heap.next == 20)
    #expect(heap.removeFirst(dueBy: 19) == nil)
    #expect(heap.removeFirst(dueBy: 20) == "later")
    #expect(heap.next == nil)
  }

  @Test("an entry is taken out wherever it is, once, and the others keep their order")
  func removal() {
    var numbers = SeededGenerator(seed: 11)
    var heap = TimerHeap<Int>()
    var waiting: [(due: Int64, id: UInt64, entry: Int)] = []
    for entry in 0..<500 {
      let due = Int64.random(in: 0..<100, using: &numbers)
      waiting.append((due, heap.insert(entry, due: due), entry))
    }
    for _ in 0..<300 {
      let gone = waiting.remove(at: Int.random(in: 0..<waiting.count, using: &numbers))
      #expect(heap.remove(gone.id) == gone.entry)
      #expect(heap.remove(gone.id) == nil)
      #expect(heap.next == waiting.map(\.due).min())
    }
    #expect(heap.count == 200)
    var taken: [Int] = []
    while let entry = heap.removeFirst(dueBy: 100) { taken.append(entry) }
    #expect(taken == waiting.sorted { ($0.due, $0.id) < ($1.due, $1.id) }.map(\.entry))
  }
}
