internal import BlurtContract

/// Shows what a watcher hears. Times are on the monotonic clock.
protocol WatchDisplay {
  /// An event, and the line it came in.
  mutating func show(_ event: SessionEvent, line: [UInt8], at now: Duration)

  /// A line that only a newer program knows.
  mutating func showUnknown(line: [UInt8])

  /// How the daemon is, at the start.
  mutating func show(_ status: DaemonStatus, at now: Duration)

  /// When it wants to be called again although nothing happens.
  var due: Duration? { get }

  /// That time has come.
  mutating func tick(at now: Duration)

  /// The watch has ended: whatever stands half-written is ended too.
  mutating func end()
}

extension WatchDisplay {
  func showUnknown(line: [UInt8]) {}
  func show(_ status: DaemonStatus, at now: Duration) {}
  var due: Duration? { nil }
  func tick(at now: Duration) {}
  func end() {}
}
