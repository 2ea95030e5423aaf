/// Whose turn it is to be told what is new.
///
/// A few watchers at the front are told at once. The others have their turn in a round, which begins a moment later: many
/// woken processes would take the processors from what a press has set going. They are told a slice at a time, so that a
/// command never waits for more than one slice. Something new in the middle of a round lengthens it: nobody is passed over,
/// and those who are told late are told everything in one go.
///
/// A value without a clock or a socket: the server's thread carries out what it decides.
struct FanOut {
  /// How many watchers are told before anything else is done.
  static let frontCount = 8
  /// How many are told between two looks at what clients want.
  static let sliceCount = 8
  /// How many are looked at between two such looks: those for whom nothing is new, or who do not read, take no sending.
  static let sliceLookCount = 128

  /// How long after something new a round begins: by then a press has led to a recording, and both go out at once.
  static let pause: Duration = .milliseconds(20)

  /// The watchers; who acted last comes first, the rest in the order of their coming.
  private(set) var order: [UInt64] = []
  /// The next of the front.
  private var front = 0
  /// The next of the round.
  private var position = 0
  /// How many of the round have not had their turn.
  private var remaining = 0
  /// When the round begins that is under way or to come.
  private var beginning: Duration = .zero

  /// When the next turn of the round is; nil where none is to come.
  var nextTurn: Duration? { remaining > 0 ? beginning : nil }

  /// Somebody may not have been told everything.
  var hasWork: Bool { remaining > 0 || front < frontEnd }

  /// Somebody of the front may not have been told everything.
  var hasFront: Bool { front < frontEnd }

  /// The next turn is the first one's: a good moment to look at all of them.
  var isAtStart: Bool { position >= order.count }

  private var frontEnd: Int { min(Self.frontCount, order.count) }

  /// `acts`: it is not a mere watcher, so it is told before those. Who comes has been told what stands.
  mutating func add(_ watcher: UInt64, acts: Bool) {
    guard !order.contains(watcher) else { return }
    // A round that goes on past the end of the order meets the new one.
    if remaining > order.count - position { remaining += 1 }
    if acts {
      let hadWork = hasWork
      order.insert(watcher, at: 0)
      if hadWork {
        // Somebody who was of the front may have left it untold.
        startOver()
      } else {
        position += 1
        front = frontEnd
      }
    } else {
      order.append(watcher)
    }
  }

  mutating func remove(_ watcher: UInt64) {
    guard let index = order.firstIndex(of: watcher) else { return }
    let turn = index - position + (index < position ? order.count : 0)
    if turn < remaining { remaining -= 1 }
    if index < position { position -= 1 }
    if index < front { front -= 1 }
    order.remove(at: index)
  }

  /// A watcher has sent a command: it is told first from now on.
  mutating func acted(_ watcher: UInt64) {
    guard let index = order.firstIndex(of: watcher), index > 0 else { return }
    // Whoever changes places has its turn again, and nobody loses one.
    order.remove(at: index)
    order.insert(watcher, at: 0)
    if hasWork { startOver() }
  }

  /// Something is new for everybody.
  mutating func announce(at now: Duration) {
    if remaining == 0 { beginning = now + Self.pause }
    startOver()
  }

  private mutating func startOver() {
    front = 0
    remaining = order.count > Self.frontCount ? order.count : 0
  }

  /// The next of the front who is to be told.
  mutating func nextOfFront() -> UInt64? {
    guard front < frontEnd else { return nil }
    defer { front += 1 }
    return order[front]
  }

  /// The next of the round; nil when it has not begun, or all have had their turn.
  mutating func next(at now: Duration) -> UInt64? {
    guard remaining > 0, now >= beginning else { return nil }
    if position >= order.count { position = 0 }
    defer {
      position += 1
      remaining -= 1
    }
    return order[position]
  }
}
