import BlurtContract
import Testing

@testable import BlurtIPC

@Suite struct WatcherFeedTests {
  private func text(_ line: [UInt8]?) -> String? { line.map { String(decoding: $0.dropLast(), as: UTF8.self) } }
  private func level(_ value: Double) -> SessionEvent { .level(LevelEvent(level: value)) }
  private func phase(_ phase: DictationPhase) -> SessionEvent { .phase(PhaseEvent(phase: phase)) }

  @Test("S-149 a watcher's first line is the phase of now, whether or not anyone watched when it came")
  func firstLine() {
    var feed = WatcherFeed(current: PhaseEvent(phase: .idle))
    #expect(text(feed.subscribe(5, WatchOptions())) == #"{"event":"phase","phase":"idle"}"#)
    feed.unsubscribe(5)
    #expect(feed.publish(phase(.connecting), at: .zero) == nil)
    #expect(text(feed.subscribe(6, WatchOptions())) == #"{"event":"phase","phase":"connecting"}"#)
  }

  @Test("S-137 S-149 where presses are not answered a watcher's second line says why; a step that is none is not told")
  func listening() {
    let closed = ListeningEvent(state: .closed, reason: .seatInactive, generation: 0)
    let line = #"{"event":"listening","generation":0,"reason":"seatInactive","state":"closed"}"#
    let first = #"{"event":"phase","phase":"idle"}"#
    var feed = WatcherFeed(current: PhaseEvent(phase: .idle), listening: closed)
    #expect(text(feed.subscribe(5, WatchOptions())) == first + "\n" + line)
    #expect(feed.publish(.listening(closed), at: .zero) == nil)
    let open = ListeningEvent(state: .open, generation: 1)
    #expect(
      text(feed.publish(.listening(open), at: .zero)?.full) == #"{"event":"listening","generation":1,"state":"open"}"#)
    #expect(text(feed.subscribe(6, WatchOptions())) == first)
    #expect(text(feed.publish(.listening(closed), at: .zero)?.withoutText) == line)
  }

  @Test("S-149 S-150 what stands is told to each new watcher right after the phase, and never has a text")
  func standing() {
    var feed = WatcherFeed(current: PhaseEvent(phase: .idle))
    let notice = NoticeEvent(notice: "interrupted", message: "m")
    for options in [WatchOptions(), WatchOptions(results: true)] {
      #expect(
        text(feed.subscribe(1, options, standing: [notice]))
          == #"{"event":"phase","phase":"idle"}"# + "\n"
          + #"{"event":"notice","message":"m","notice":"interrupted"}"#)
    }
    #expect(text(feed.subscribe(1, WatchOptions())) == #"{"event":"phase","phase":"idle"}"#)
  }

  @Test("S-115 S-149 levels go out at most every 80 ms, and then the newest")
  func pacing() {
    var feed = WatcherFeed(current: PhaseEvent(phase: .recording))
    _ = feed.subscribe(1, WatchOptions(levels: true))
    #expect(feed.publish(level(0.1), at: .milliseconds(1000)) != nil)
    #expect(feed.nextLevelAt == nil)
    #expect(feed.publish(level(0.2), at: .milliseconds(1020)) == nil)
    #expect(feed.publish(level(0.3), at: .milliseconds(1079)) == nil)
    #expect(feed.nextLevelAt == .milliseconds(1080))
    #expect(feed.dueLevel(at: .milliseconds(1079)) == nil)
    #expect(text(feed.dueLevel(at: .milliseconds(1080))?.full) == #"{"event":"level","level":0.3}"#)
    #expect(feed.dueLevel(at: .milliseconds(2000)) == nil)
    #expect(feed.nextLevelAt == nil)
  }

  @Test("S-149 a level that waits is dropped when the phase changes")
  func staleLevel() {
    var feed = WatcherFeed(current: PhaseEvent(phase: .recording))
    _ = feed.subscribe(1, WatchOptions(levels: true))
    _ = feed.publish(level(0.1), at: .zero)
    _ = feed.publish(level(0.2), at: .milliseconds(10))
    #expect(feed.publish(phase(.transcribing), at: .milliseconds(20)) != nil)
    #expect(feed.nextLevelAt == nil)
    #expect(feed.dueLevel(at: .seconds(1)) == nil)
  }

  @Test("S-149 with no one who wants levels none is held, so an idle server needs no timer")
  func noTimer() {
    var feed = WatcherFeed(current: PhaseEvent(phase: .recording))
    _ = feed.subscribe(1, WatchOptions(levels: false))
    for step in 0..<10 {
      #expect(feed.publish(level(0.1), at: .milliseconds(step)) == nil)
      #expect(feed.nextLevelAt == nil)
    }
  }

  @Test("S-150 only those who asked get levels and texts; phases go to all")
  func options() {
    let delivery = WatcherFeed.Broadcast(.delivery(DeliveryEvent(dictation: 1, engine: "offline", text: "secret")))
    #expect(text(delivery.line(for: WatchOptions()))?.contains("secret") == false)
    #expect(text(delivery.line(for: WatchOptions(levels: true)))?.contains("secret") == false)
    #expect(text(delivery.line(for: WatchOptions(results: true)))?.contains("secret") == true)
    let level = WatcherFeed.Broadcast(level(0.5))
    #expect(level.line(for: WatchOptions(results: true)) == nil)
    #expect(level.line(for: WatchOptions(levels: true)) != nil)
    #expect(WatcherFeed.Broadcast(phase(.idle)).line(for: WatchOptions()) != nil)
  }
}
