/// Jobs that can run now, in the order in which they are to: by urgency, and within one urgency first come, first served.
///
/// Every so often the least urgent one that waits has its turn, so that it waits for a bounded time whatever else comes. A
/// value without a lock or a clock.
struct JobQueue<Job> {
  /// How urgent a job is. Swift's finer steps do not matter to a few threads whose jobs are short.
  enum Urgency: Int, CaseIterable {
    /// What somebody waits for: above the default priority.
    case high
    case ordinary
    /// Utility and background.
    case low

    init(_ priority: UInt8) {
      // TaskPriority.medium is 0x15. No priority at all (0) is an ordinary one.
      self = priority > 0x15 ? .high : priority == 0 || priority > 0x11 ? .ordinary : .low
    }
  }

  /// One urgency's jobs: a ring, so that taking one moves no other.
  private struct Line {
    var jobs: [Job?] = []
    var first = 0
    var count = 0

    mutating func append(_ job: Job) {
      if count == jobs.count { grow() }
      jobs[(first + count) & (jobs.count - 1)] = job
      count += 1
    }

    mutating func removeFirst() -> Job? {
      guard count > 0 else { return nil }
      defer {
        jobs[first] = nil
        first = (first + 1) & (jobs.count - 1)
        count -= 1
      }
      return jobs[first]
    }

    /// Doubles the room, which is a power of two.
    private mutating func grow() {
      let room = max(16, jobs.count * 2)
      var larger = (0..<count).map { jobs[(first + $0) & (jobs.count - 1)] }
      larger.append(contentsOf: repeatElement(nil, count: room - count))
      jobs = larger
      first = 0
    }
  }

  /// After so many jobs one of the least urgent is taken, where one waits.
  static var turnsOfTheUrgent: Int { 16 }

  private var high = Line()
  private var ordinary = Line()
  private var low = Line()
  private var turns = 0

  var count: Int { high.count + ordinary.count + low.count }

  mutating func append(_ job: Job, _ urgency: Urgency) {
    switch urgency {
    case .high: high.append(job)
    case .ordinary: ordinary.append(job)
    case .low: low.append(job)
    }
  }

  mutating func removeFirst() -> Job? {
    turns += 1
    if turns >= Self.turnsOfTheUrgent {
      turns = 0
      return low.removeFirst() ?? ordinary.removeFirst() ?? high.removeFirst()
    }
    return high.removeFirst() ?? ordinary.removeFirst() ?? low.removeFirst()
  }
}
