import Testing

@testable import BlurtIPC

@Suite struct AckMemoryTests {
  @Test("S-127 an id is new, then pending, then answered with its first answer")
  func life() {
    var memory = AckMemory(count: 4, byteCount: 100)
    #expect(memory.look("a") == .new)
    memory.begin("a")
    #expect(memory.look("a") == .pending)
    #expect(memory.pendingCount == 1)
    let first = memory.finish("a", with: [1])
    #expect(first)
    #expect(memory.look("a") == .answered([1]))
    let second = memory.finish("a", with: [2])
    #expect(!second)
    #expect(memory.look("a") == .answered([1]))
    #expect(memory.pendingCount == 0)
  }

  @Test("S-127 two spellings of one character are two ids: each gets its own answer, with its own bytes")
  func spellings() {
    let (composed, decomposed) = ("\u{e9}", "e\u{301}")
    var memory = AckMemory(count: 4, byteCount: 100)
    memory.begin(composed)
    #expect(memory.look(decomposed) == .new)
    memory.begin(decomposed)
    #expect(
      memory.pendingIDs.map { Array($0.utf8) }.sorted { $0.count < $1.count } == [[0xC3, 0xA9], [0x65, 0xCC, 0x81]])
    _ = memory.finish(composed, with: [1])
    _ = memory.finish(decomposed, with: [2])
    #expect(memory.look(composed) == .answered([1]))
    #expect(memory.look(decomposed) == .answered([2]))
  }

  @Test("S-127 the memory is bounded in number; the oldest answers go first")
  func count() {
    var memory = AckMemory(count: 3, byteCount: 1000)
    for number in 0..<5 {
      memory.begin("\(number)")
      _ = memory.finish("\(number)", with: [UInt8(number)])
    }
    #expect((0..<5).map { memory.look("\($0)") } == [.new, .new, .answered([2]), .answered([3]), .answered([4])])
  }

  @Test("S-127 the memory is bounded in bytes, except that the newest answer always stays")
  func bytes() {
    var memory = AckMemory(count: 100, byteCount: 10)
    for number in 0..<4 {
      memory.begin("\(number)")
      _ = memory.finish("\(number)", with: Array(repeating: 0, count: 4))
    }
    #expect(memory.look("1") == .new)
    #expect(memory.look("2") != .new)
    memory.begin("big")
    _ = memory.finish("big", with: Array(repeating: 0, count: 50))
    #expect(memory.look("3") == .new)
    #expect(memory.look("big") != .new)
  }
}
