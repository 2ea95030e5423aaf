import Synchronization
import Testing

@testable import BlurtCapture

@Suite(.timeLimit(.minutes(1))) struct LevelFeedTests {
  @Test("C-31 only the newest unread value is kept, and none is repeated")
  func newestOnly() async {
    let feed = LevelFeed()
    var iterator = feed.listen().makeAsyncIterator()
    for value: Float in [0, 0.2, 0.5] { feed.publish(value) }
    #expect(await iterator.next() == 0.5)
    feed.publish(0.5)
    feed.publish(0.1)
    #expect(await iterator.next() == 0.1)
  }

  @Test("C-32 nobody listens: nothing is computed; a listener that lets go counts no more")
  func unheard() async {
    let feed = LevelFeed()
    #expect(!feed.isHeard)
    let task = Task {
      for await _ in feed.listen() {}
    }
    while !feed.isHeard { await Task.yield() }
    task.cancel()
    await task.value
    #expect(!feed.isHeard)
  }

  @Test("each listener has every value once, whoever else listens")
  func two() async {
    let feed = LevelFeed()
    var first = feed.listen().makeAsyncIterator()
    var second = feed.listen().makeAsyncIterator()
    feed.publish(0.3)
    #expect(await first.next() == 0.3)
    #expect(await second.next() == 0.3)
  }

  @Test("C-32 with a listener that has nobody to tell nothing is computed")
  func unwanted() async {
    let isWanted = Atomic<Bool>(false)
    let feed = LevelFeed(isWanted: { isWanted.load(ordering: .relaxed) })
    var values = feed.listen().makeAsyncIterator()
    #expect(!feed.isHeard)
    feed.publish(0.5)
    isWanted.store(true, ordering: .relaxed)
    #expect(feed.isHeard)
    feed.publish(0.25)
    #expect(await values.next() == 0.25)
  }
}
