internal import BlurtContract

/// The lines of a status bar.
struct BarDisplay: WatchDisplay {
  private let console: Console
  private var bar: StatusBar

  init(_ console: Console, showsLevel: Bool) {
    self.console = console
    bar = StatusBar(showsLevel: showsLevel)
  }

  var due: Duration? { bar.due }

  mutating func show(_ event: SessionEvent, line: [UInt8], at now: Duration) { print(bar.take(event, at: now)) }
  mutating func show(_ status: DaemonStatus, at now: Duration) { print(bar.take(status)) }
  mutating func tick(at now: Duration) { print(bar.tick(at: now)) }

  private func print(_ line: StatusBar.Line?) {
    if let line { console.out(String(decoding: line.json, as: UTF8.self)) }
  }
}
