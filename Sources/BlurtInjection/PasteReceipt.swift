/// Decides when the old clipboard may come back, from the reads of the text that was put there for a paste.
///
/// A read counts when it is made, for a text target, by the X client that has the keyboard focus: only that one can be
/// answering the paste keys. A clipboard manager reads as well, often within a millisecond and before the target does;
/// by counting it a slow target would be given the old clipboard. Reads by others only tell, at the end, that the text
/// was not entirely unread (a program that fetches through a helper process of its own).
struct PasteReceipt {
  enum Verdict: Hashable {
    case wait
    /// The old clipboard may come back.
    case restore
    /// It comes back because nobody read the text at all.
    case neverRead
  }

  private let postedAt: Duration
  private let timing: InjectionTiming
  private var firstRead: Duration?
  private var lastRead: Duration?
  private var openReads = 0
  private var wasReadByOthers = false

  init(postedAt: Duration, timing: InjectionTiming) {
    self.postedAt = postedAt
    self.timing = timing
  }

  /// The target has read to the end at least once.
  var wasRead: Bool { lastRead != nil }

  /// The target began a read that takes several steps (INCR).
  mutating func readBegan() { openReads += 1 }

  /// A read that began is over; `complete` is false when the reader went away in the middle.
  mutating func readEnded(complete: Bool, at now: Duration) {
    openReads -= 1
    if complete { read(at: now) }
  }

  /// The target read all of it in one step.
  mutating func read(at now: Duration) {
    if firstRead == nil { firstRead = now }
    lastRead = now
  }

  /// The target asked what there is. Before the first read that says nothing; after it, another read may follow (B-55).
  mutating func asked(at now: Duration) {
    if lastRead != nil { lastRead = now }
  }

  mutating func readByAnother() { wasReadByOthers = true }

  func verdict(at now: Duration) -> Verdict {
    guard openReads == 0, let deadline = nextDeadline, now >= deadline else { return .wait }
    return lastRead != nil || wasReadByOthers ? .restore : .neverRead
  }

  /// When `verdict` may change by time alone; nil while a read is under way.
  var nextDeadline: Duration? {
    guard openReads == 0 else { return nil }
    guard let firstRead, let lastRead else { return postedAt + timing.neverRead }
    // A program that looks at the clipboard again and again does not keep it for ever.
    return min(
      max(lastRead + timing.quietAfterRead, postedAt + timing.settleFloor), firstRead + timing.neverRead)
  }

  /// When the next insert may put its own text there: once the target has read and is quiet, or after a bounded wait.
  /// Nil while a read is under way.
  var takeoverDeadline: Duration? {
    guard openReads == 0 else { return nil }
    guard let firstRead, let lastRead else { return postedAt + timing.takeover }
    return min(lastRead + timing.quietAfterRead, firstRead + timing.takeover)
  }
}
