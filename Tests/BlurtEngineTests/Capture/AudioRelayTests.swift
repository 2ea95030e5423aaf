import BlurtTestSupport
import Synchronization
import Testing

@testable import BlurtEngine

@Suite(.timeLimit(.minutes(1))) struct AudioRelayTests {
  /// What a consumer has taken so far.
  private final class Taken: Sendable {
    private let all = Mutex<[UInt8]>([])
    var bytes: [UInt8] { all.withLock { $0 } }
    func add(_ frame: [UInt8]) { all.withLock { $0 += frame } }
  }

  private let relay = AudioRelay()
  private let taken = Taken()

  private func readToEnd(_ feed: AudioFeed) -> Task<Void, Never> {
    Task { [taken] in await feed.readToEnd { taken.add($0) } }
  }

  /// Sends until a frame is taken before `send` returns, and returns how many that needed.
  private func sendUntilDirect() async throws -> Int {
    var count = 0
    let isDirect = await eventually {
      count += 1
      relay.send([UInt8(truncatingIfNeeded: count)])
      return taken.bytes.count == count
    }
    try #require(isDirect)
    return count
  }

  @Test("T-25 once the request is open, a frame is taken on the thread that brings it, before `send` returns")
  func direct() async throws {
    let task = readToEnd(AudioFeed(relay))
    var count = try await sendUntilDirect()
    for _ in 0..<1_000 {
      count += 1
      relay.send([UInt8(truncatingIfNeeded: count)])
      #expect(taken.bytes.count == count)
    }
    relay.finish()
    await task.value
    #expect(taken.bytes == (1...count).map { UInt8(truncatingIfNeeded: $0) })
  }

  @Test("C-01 C-08 no frame is lost, doubled or out of place where the consumer changes over while frames come")
  func order() async throws {
    for round in 0..<100 {
      let relay = AudioRelay()
      let taken = Taken()
      let feed = AudioFeed(relay)
      let sender = Task.detached {
        for number in 0..<500 {
          relay.send([UInt8(truncatingIfNeeded: number)])
          if number % 50 == round % 50 { await Task.yield() }
        }
        relay.finish()
      }
      var frames = feed.frames.makeAsyncIterator()
      for _ in 0..<round * 3 { if let frame = await frames.next() { taken.add(frame) } }
      await feed.readToEnd { taken.add($0) }
      await sender.value
      try #require(taken.bytes == (0..<500).map { UInt8(truncatingIfNeeded: $0) })
    }
  }

  @Test("C-08 what was sent before anybody read, and the end of the feed, are not lost")
  func endedBefore() async {
    for value in 1...3 { relay.send([UInt8(value)]) }
    relay.finish()
    await readToEnd(AudioFeed(relay)).value
    #expect(taken.bytes == [1, 2, 3])
  }

  @Test("T-77 after a cancel nothing is taken any more, and nothing waits for anybody")
  func cancelled() async throws {
    let task = readToEnd(AudioFeed(relay))
    let count = try await sendUntilDirect()
    task.cancel()
    await task.value
    for _ in 0..<10 { relay.send([0]) }
    #expect(taken.bytes.count == count)
    relay.finish()
  }

  @Test("a feed without a relay is read by its stream")
  func plain() async {
    let (frames, feed) = AsyncStream.makeStream(of: [UInt8].self)
    for value in 1...3 { feed.yield([UInt8(value)]) }
    feed.finish()
    await readToEnd(AudioFeed(frames: frames)).value
    #expect(taken.bytes == [1, 2, 3])
  }
}
