import Testing

@testable import BlurtIPC

@Suite struct OutputBufferTests {
  /// A socket that takes as much as it is allowed to.
  private final class Sink {
    var taken: [UInt8] = []
    var room = 0

    func send(_ bytes: ArraySlice<UInt8>) -> Int? {
      if room == 0 { return nil }
      let count = min(room, bytes.count)
      taken += bytes.prefix(count)
      room -= count
      return count
    }
  }

  @Test("S-149 every byte goes out once and in order, however little the client takes")
  func order() {
    var buffer = OutputBuffer()
    let sink = Sink()
    var expected: [UInt8] = []
    for number in 0..<600 {
      let line = Array("line \(number)\n".utf8)
      expected += line
      buffer.append(line)
      sink.room = number % 7
      buffer.flush(sink.send)
    }
    #expect(buffer.byteCount == expected.count - sink.taken.count)
    sink.room = .max
    buffer.flush(sink.send)
    #expect(sink.taken == expected)
    #expect(buffer.isEmpty)
  }

  @Test("B-38 a flush tells whether the client took anything")
  func progress() {
    var buffer = OutputBuffer()
    let sink = Sink()
    buffer.append([1, 2, 3, 4])
    let full = buffer.flush(sink.send)
    #expect(!full)
    sink.room = 1
    let some = buffer.flush(sink.send)
    #expect(some)
    #expect(buffer.byteCount == 3)
    let none = buffer.flush(sink.send)
    #expect(!none)
    sink.room = 10
    let rest = buffer.flush(sink.send)
    #expect(rest)
    let nothing = buffer.flush(sink.send)
    #expect(!nothing)
    #expect(sink.taken == [1, 2, 3, 4])
  }
}
