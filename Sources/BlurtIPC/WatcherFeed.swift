internal import BlurtContract

/// Who watches what, and which events go out when (S-149). Phases go to every watcher, in order and at once; of the
/// levels only the newest, at most every 80 ms.
///
/// A value without a clock or a socket: the server's thread carries out what it decides.
struct WatcherFeed {
  /// An event with its lines, encoded once for all watchers.
  struct Broadcast {
    /// For those who asked for results.
    let full: [UInt8]
    /// For the others.
    let withoutText: [UInt8]
    /// Only for those who asked for levels.
    let isLevel: Bool

    init(_ event: SessionEvent) {
      full = MessageCoder.encode(event)
      if case .delivery = event { withoutText = MessageCoder.encode(event.withoutText) } else { withoutText = full }
      if case .level = event { isLevel = true } else { isLevel = false }
    }

    /// The line for a watcher with these options; nil where it did not ask for such events.
    func line(for options: WatchOptions) -> [UInt8]? {
      if isLevel && !options.levels { return nil }
      return options.results ? full : withoutText
    }
  }

  /// The newest phase: the first line of a new watcher.
  private(set) var current: PhaseEvent
  /// Where the listening window stands; nil until that is known.
  private(set) var listening: ListeningEvent?
  private(set) var watchers: [UInt64: WatchOptions] = [:]
  private var heldLevel: LevelEvent?
  private var lastLevelAt: Duration?

  init(current: PhaseEvent, listening: ListeningEvent? = nil) {
    self.current = current
    self.listening = listening
  }

  /// Adds a watcher, or changes what it wants, and returns its first lines: the phase, where presses are not answered why,
  /// then what stands.
  mutating func subscribe(
    _ connection: UInt64, _ options: WatchOptions, standing: [NoticeEvent] = []
  ) -> [UInt8] {
    watchers[connection] = options
    var lines = MessageCoder.encode(.phase(current))
    if let listening, listening.state != .open { lines += MessageCoder.encode(.listening(listening)) }
    return lines + standing.flatMap { MessageCoder.encode(.notice($0)) }
  }

  mutating func unsubscribe(_ connection: UInt64) { watchers[connection] = nil }

  /// Whether anybody asked for levels.
  var levelsAreWatched: Bool { watchers.values.contains(where: \.levels) }

  /// Takes an event and returns what goes out now; nil for a level whose time has not come.
  mutating func publish(_ event: SessionEvent, at now: Duration) -> Broadcast? {
    switch event {
    case .phase(let phase):
      current = phase
      // A level belongs to the phase it was measured in.
      heldLevel = nil
    case .level(let level):
      heldLevel = level
      return dueLevel(at: now)
    case .listening(let event):
      guard event != listening else { return nil }
      listening = event
    case .delivery, .notice, .settings: break
    }
    return watchers.isEmpty ? nil : Broadcast(event)
  }

  /// When a held level may go out; nil when none is held.
  var nextLevelAt: Duration? {
    guard heldLevel != nil else { return nil }
    return lastLevelAt.map { $0 + SessionContract.levelInterval } ?? .zero
  }

  /// The held level, if its time has come.
  mutating func dueLevel(at now: Duration) -> Broadcast? {
    guard let level = heldLevel, let due = nextLevelAt, due <= now else { return nil }
    heldLevel = nil
    guard levelsAreWatched else { return nil }
    lastLevelAt = now
    return Broadcast(.level(level))
  }
}
