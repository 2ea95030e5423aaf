import BlurtContract
import Testing

@testable import BlurtIPC

@Suite struct EventNewsTests {
  private func phase(_ number: UInt64, _ filler: Int = 0) -> WatcherFeed.Broadcast {
    let label = filler > 0 ? String(repeating: "x", count: filler) : nil
    return .init(.phase(PhaseEvent(phase: .recording, dictation: number, label: label)))
  }
  private func level(_ value: Double) -> WatcherFeed.Broadcast { .init(.level(LevelEvent(level: value))) }
  private func text(_ bytes: some Sequence<UInt8>) -> String { String(decoding: Array(bytes), as: UTF8.self) }

  /// Takes as much as there is, in portions; returns what was taken as one text.
  private func take(
    _ news: inout EventNews, _ subscription: inout Subscription, portion: () -> Int = { .max }
  ) -> String {
    var taken: [UInt8] = []
    while let packet = news.packet(for: subscription) {
      let count = min(packet.count, portion())
      taken += packet[..<count]
      // The connection keeps the rest of a line, and sends it first.
      taken += news.advance(&subscription, by: count, of: packet)
    }
    return text(taken)
  }

  @Test("S-149 whoever takes events in whatever portions gets all of them, in order")
  func portions() {
    var news = EventNews()
    var subscriptions = (0..<7).map { _ in news.subscription(WatchOptions()) }
    var expected = ""
    for number in 1...UInt64(50) {
      news.add(phase(number))
      expected += text(phase(number).full)
    }
    for index in subscriptions.indices {
      var portion = index
      let taken = take(&news, &subscriptions[index]) {
        portion = (portion * 31 + 17) % 400 + 1
        return portion
      }
      #expect(taken == expected)
      #expect(!news.isNew(for: subscriptions[index]))
    }
  }

  @Test("B-38 watchers that are equally far behind share the bytes of what they are sent")
  func shared() {
    var news = EventNews()
    let subscription = news.subscription(WatchOptions())
    for number in 1...UInt64(3) { news.add(phase(number)) }
    let addresses = (0..<2).map { _ in news.packet(for: subscription)?.withUnsafeBytes { $0.baseAddress } }
    #expect(addresses[0] != nil && addresses[0] == addresses[1])
  }

  @Test("S-150 the same log gives texts to those who asked and to nobody else")
  func results() {
    var news = EventNews()
    var observer = news.subscription(WatchOptions())
    var owner = news.subscription(WatchOptions(results: true))
    for _ in 0..<2 { news.add(.init(.delivery(DeliveryEvent(dictation: 1, engine: nil, text: "secret")))) }
    let observed = take(&news, &observer)
    #expect(!observed.contains("secret"))
    let owned = take(&news, &owner)
    #expect(owned.contains("secret"))
  }

  @Test("S-149 a level comes after all phases, only to those who asked, only the newest, and not after its phase")
  func levels() {
    var news = EventNews()
    var quiet = news.subscription(WatchOptions())
    var subscription = news.subscription(WatchOptions(levels: true))
    news.add(phase(1))
    news.add(level(0.1))
    news.add(level(0.2))
    let withLevel = take(&news, &subscription)
    #expect(withLevel == text(phase(1).full + level(0.2).full))
    let withoutLevel = take(&news, &quiet)
    #expect(withoutLevel == text(phase(1).full))
    #expect(!news.isNew(for: subscription))
    news.add(level(0.3))
    news.dropLevel()
    news.add(phase(2))
    let afterPhase = take(&news, &subscription)
    #expect(afterPhase == text(phase(2).full))
    // Nobody who comes later is told what was measured before.
    news.add(level(0.4))
    #expect(!news.isNew(for: news.subscription(WatchOptions(levels: true))))
  }

  @Test("B-38 what waits is counted, kept once, cut into packets, and let go when the last watcher has it")
  func memory() {
    var news = EventNews()
    var late = news.subscription(WatchOptions())
    var early = late
    for number in 1...UInt64(40) { news.add(phase(number, 10_000)) }
    let waiting = news.byteCount(for: late)
    #expect(waiting > 400_000)
    let packet = news.packet(for: late)
    #expect(packet?.count ?? 0 <= EventBacklog.longestPacket)
    _ = take(&news, &early)
    #expect(news.byteCount(for: early) == 0)
    let held = news.forget(before: min(early.cursor, late.cursor))
    #expect(held == 0)
    let lateText = take(&news, &late)
    #expect(lateText.utf8.count == waiting)
    let freed = news.forget(before: min(early.cursor, late.cursor))
    #expect(freed == waiting)
    let freedTwice = news.forget(before: news.backlog.end)
    #expect(freedTwice == 0)
    news.add(phase(41))
    let next = take(&news, &late)
    #expect(next == text(phase(41).full))
  }
}
