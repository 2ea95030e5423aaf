import Testing

@testable import BlurtIPC

@Suite struct CrowdMemoryTests {
  @Test("B-38 memory is given back once when three quarters of a crowd have gone, and not for a few clients")
  func crowd() {
    var memory = CrowdMemory()
    for count in 1...1000 {
      memory.connected(count)
      #expect(memory.shouldGiveBack(connected: count) == false)
    }
    let given = (0...1000).reversed().filter { memory.shouldGiveBack(connected: $0) }
    #expect(given == [250, 62])
    for count in [1, 30, 63, 0] {
      memory.connected(count)
      #expect(memory.shouldGiveBack(connected: 0) == false)
    }
  }

  @Test("B-38 memory is given back after clients that left much unread")
  func unread() {
    var memory = CrowdMemory()
    memory.connected(3)
    memory.left(waitingByteCount: 1_000_000)
    #expect(memory.shouldGiveBack(connected: 2) == false)
    memory.left(waitingByteCount: 100_000)
    #expect(memory.shouldGiveBack(connected: 1) == true)
    #expect(memory.shouldGiveBack(connected: 1) == false)
  }
}
