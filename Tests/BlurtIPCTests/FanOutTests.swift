import Testing

@testable import BlurtIPC

@Suite struct FanOutTests {
  private func fanOut(_ count: UInt64) -> FanOut {
    var fanOut = FanOut()
    for watcher in 0..<count { fanOut.add(watcher, acts: false) }
    while fanOut.nextOfFront() != nil {}
    return fanOut
  }

  /// Everybody who has a turn, the front first, as the server takes them.
  private func turns(_ fanOut: inout FanOut, atMost limit: Int = .max) -> [UInt64] {
    var turns: [UInt64] = []
    while turns.count < limit, let watcher = fanOut.nextOfFront() { turns.append(watcher) }
    while turns.count < limit, let watcher = fanOut.next(at: FanOut.pause) { turns.append(watcher) }
    return turns
  }

  @Test("S-149 the front is told at once, then everybody in the order of their coming")
  func order() {
    var fanOut = fanOut(20)
    #expect(!fanOut.hasWork)
    fanOut.announce(at: .zero)
    let told = turns(&fanOut)
    #expect(told == Array(0..<8) + Array(0..<20))
    #expect(!fanOut.hasWork)
  }

  @Test("S-149 who sends commands is told first, the last one before all others")
  func acting() {
    var fanOut = fanOut(20)
    fanOut.acted(15)
    fanOut.acted(19)
    fanOut.add(30, acts: true)
    fanOut.add(31, acts: false)
    #expect(fanOut.order.prefix(4) == [30, 19, 15, 0])
    #expect(fanOut.order.last == 31)
    fanOut.announce(at: .zero)
    let told = turns(&fanOut)
    #expect(told.prefix(3) == [30, 19, 15])
  }

  @Test("S-149 something new in the middle of a round is told to the front at once, and passes nobody over")
  func newInTheMiddle() {
    var fanOut = fanOut(20)
    fanOut.announce(at: .zero)
    let begun = turns(&fanOut, atMost: 8 + 12)
    #expect(begun.last == 11)
    fanOut.announce(at: .zero)
    let rest = turns(&fanOut)
    #expect(rest == Array(0..<8) + Array(12..<20) + Array(0..<12))
  }

  @Test("S-149 the round begins a moment after something new, whatever else comes meanwhile; a few watchers need none")
  func pause() {
    var fanOut = fanOut(9)
    fanOut.announce(at: .seconds(1))
    while fanOut.nextOfFront() != nil {}
    fanOut.announce(at: .seconds(1) + FanOut.pause / 2)
    #expect(fanOut.nextTurn == .seconds(1) + FanOut.pause)
    let early = fanOut.next(at: .seconds(1))
    #expect(early == nil)
    let first = fanOut.next(at: .seconds(1) + FanOut.pause)
    #expect(first == 0)
    var few = self.fanOut(8)
    few.announce(at: .zero)
    #expect(few.nextTurn == nil && few.hasWork)
    while few.nextOfFront() != nil {}
    #expect(!few.hasWork)
  }

  @Test("S-149 however often something is new, the last watcher has its turn within one round")
  func noStarvation() {
    var fanOut = fanOut(100)
    var seen: Set<UInt64> = []
    for _ in 0..<100 {
      fanOut.announce(at: .zero)
      while fanOut.nextOfFront() != nil {}
      if let watcher = fanOut.next(at: FanOut.pause) { seen.insert(watcher) }
    }
    #expect(seen.count == 100)
  }

  @Test("S-149 a watcher that an acting one pushes out of the front untold has its turn all the same")
  func pushedOutOfTheFront() {
    var fanOut = fanOut(UInt64(FanOut.frontCount))
    let oldest = Set(fanOut.order)
    fanOut.announce(at: .zero)
    fanOut.add(100, acts: true)
    #expect(oldest.subtracting(turns(&fanOut)).isEmpty)
  }

  @Test(
    "S-149 watchers come, go and act during a round: each of the others still has its turn",
    arguments: 0..<UInt64(200))
  func changes(seed: UInt64) {
    var random = SeededNumbers(seed)
    // Around the length of the front, too.
    var fanOut = fanOut(6 + seed % 8)
    var next: UInt64 = 100
    fanOut.announce(at: .zero)
    var due = Set(fanOut.order)
    for _ in 0..<30 {
      switch random.next() % 6 {
      case 0:
        fanOut.add(next, acts: random.next() % 2 == 0)
        next += 1
      case 1:
        if let gone = fanOut.order.randomElement(using: &random) {
          fanOut.remove(gone)
          due.remove(gone)
        }
      case 2: if let actor = fanOut.order.randomElement(using: &random) { fanOut.acted(actor) }
      case 3: if let watcher = fanOut.nextOfFront() { due.remove(watcher) }
      default: if let watcher = fanOut.next(at: FanOut.pause) { due.remove(watcher) }
      }
    }
    due.subtract(turns(&fanOut))
    #expect(due.isEmpty)
    #expect(!fanOut.hasWork)
  }
}

/// Numbers that are the same in each run.
private struct SeededNumbers: RandomNumberGenerator {
  private var state: UInt64

  init(_ seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 &+ 1 }

  mutating func next() -> UInt64 {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return state
  }
}
