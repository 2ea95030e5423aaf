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
      buffer.flush(at: .zero, sink.send)
    }
    #expect(buffer.byteCount == expected.count - sink.taken.count)
    sink.room = .max
    buffer.flush(at: .zero, sink.send)
    #expect(sink.taken == expected)
    #expect(buffer.isEmpty)
  }

  @Test("B-38 a client has stalled since it last took something; one that takes all has not")
  func stalled() {
    var buffer = OutputBuffer()
    let sink = Sink()
    buffer.append([1, 2, 3, 4])
    #expect(buffer.stalledSince == nil)
    buffer.flush(at: .seconds(1), sink.send)
    #expect(buffer.stalledSince == .seconds(1))
    buffer.append([5])
    buffer.flush(at: .seconds(2), sink.send)
    #expect(buffer.stalledSince == .seconds(1))
    sink.room = 1
    buffer.flush(at: .seconds(3), sink.send)
    #expect(buffer.stalledSince == .seconds(3))
    sink.room = 10
    buffer.flush(at: .seconds(4), sink.send)
    #expect(buffer.stalledSince == nil)
    #expect(sink.taken == [1, 2, 3, 4, 5])
  }
}
