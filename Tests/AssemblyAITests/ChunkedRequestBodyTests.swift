import AssemblyAI
import Synchronization
import Testing

@Suite struct ChunkedRequestBodyTests {
  private func pull(_ body: ChunkedRequestBody, _ count: Int) -> (ChunkedRequestBody.Pull, [UInt8]) {
    var buffer = [UInt8](repeating: 0xFF, count: count)
    let result = buffer.withUnsafeMutableBytes { body.pull(into: $0) }
    if case .bytes(let count) = result { return (result, Array(buffer[..<count])) }
    return (result, [])
  }

  @Test("T-25 T-73 a pull goes on where the last one stopped, across frames and in order")
  func partialPulls() {
    let body = ChunkedRequestBody()
    body.append([1, 2, 3])
    body.append([4])
    body.append([5, 6])
    #expect(pull(body, 2).1 == [1, 2])
    #expect(pull(body, 3).1 == [3, 4, 5])
    #expect(body.bufferedByteCount == 1)
    #expect(body.pulledByteCount == 5)
    #expect(pull(body, 9).1 == [6])
    #expect(pull(body, 9).0 == .pending)
    body.append([7])
    #expect(pull(body, 9).1 == [7])
  }

  @Test("T-72 appending never waits and never drops, however much nobody pulls")
  func unbounded() {
    let body = ChunkedRequestBody()
    for index in 0..<10_000 { body.append([UInt8](repeating: UInt8(truncatingIfNeeded: index), count: 640)) }
    #expect(body.bufferedByteCount == 6_400_000)
    var total = 0
    var isInOrder = true
    var buffer = [UInt8](repeating: 0, count: 32_000)
    while case .bytes(let count) = buffer.withUnsafeMutableBytes({ body.pull(into: $0) }) {
      for index in 0..<count {
        isInOrder = isInOrder && buffer[index] == UInt8(truncatingIfNeeded: (total + index) / 640)
      }
      total += count
    }
    #expect(total == 6_400_000)
    #expect(isInOrder)
  }

  @Test("T-73 the end comes after the last byte, and what is appended later is ignored")
  func end() {
    let body = ChunkedRequestBody()
    #expect(!body.isReadable)
    body.append([1])
    body.finish()
    body.append([2])
    #expect(body.isReadable)
    #expect(pull(body, 9).1 == [1])
    #expect(pull(body, 9).0 == .end)
    #expect(pull(body, 9).0 == .end)
  }

  @Test("T-74 giving up drops what is buffered at once, also after the end")
  func abort() {
    let body = ChunkedRequestBody()
    body.append([1])
    body.finish()
    body.abort()
    #expect(body.isAborted)
    #expect(body.isReadable)
    #expect(body.bufferedByteCount == 0)
    #expect(pull(body, 9).0 == .aborted)
    body.append([2])
    #expect(body.bufferedByteCount == 0)
  }

  @Test("T-82 the transport is told of every append, of the end and of giving up, and not of what changes nothing")
  func readable() {
    let body = ChunkedRequestBody()
    let calls = Mutex(0)
    body.setOnReadable { calls.withLock { $0 += 1 } }
    body.append([1])
    body.append([])
    body.finish()
    body.finish()
    body.append([2])
    #expect(calls.withLock { $0 } == 2)
    body.abort()
    body.abort()
    #expect(calls.withLock { $0 } == 3)
    body.setOnReadable(nil)
    body.abort()
    #expect(calls.withLock { $0 } == 3)
  }
}
