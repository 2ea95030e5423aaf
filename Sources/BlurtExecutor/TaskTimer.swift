internal import BlurtOS
internal import CLinux
internal import Glibc
internal import Synchronization

/// Hands on entries when their time has come: one thread, asleep in the kernel until the earliest of them (`timerfd`).
///
/// Two clocks, since Swift has two: one counts the time of a suspend, the other does not. An earlier entry moves the
/// kernel's timer and wakes nobody; with no entry there is no timer. An entry that is cancelled is gone at once.
final class TaskTimer<Entry: Sendable>: Sendable {
  /// A clock of the kernel with its entries.
  private final class Wheel: Sendable {
    let clock: clockid_t
    let timer: FileDescriptor
    private let heap = Mutex(TimerHeap<Entry>())

    init(_ clock: clockid_t) throws(Errno) {
      self.clock = clock
      timer = FileDescriptor(
        owning: try Syscall.run("timerfd_create") { timerfd_create(clock, Int32(TFD_CLOEXEC | TFD_NONBLOCK)) })
    }

    func now() -> Int64 {
      var time = timespec()
      clock_gettime(clock, &time)
      return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    func insert(_ entry: Entry, due: Int64) -> UInt64 {
      heap.withLock { heap in
        let isFirst = heap.next.map { due < $0 } ?? true
        let number = heap.insert(entry, due: due)
        // Under the lock, so that the timer is that of the earliest entry whichever thread comes first.
        if isFirst { arm(due) }
        return number
      }
    }

    /// Takes an entry out, and moves the timer where it was the next.
    func remove(_ number: UInt64) {
      // What it holds is let go outside the lock.
      _ = heap.withLock { heap in
        let before = heap.next
        let entry = heap.remove(number)
        if heap.next != before { arm(heap.next) }
        return entry
      }
    }

    var count: Int { heap.withLock { $0.count } }

    /// The entries whose time has come; sets the timer for the next.
    func takeDue() -> [Entry] {
      var expirations: UInt64 = 0
      _ = Glibc.read(timer.raw, &expirations, 8)
      let now = now()
      return heap.withLock { heap in
        var due: [Entry] = []
        while let entry = heap.removeFirst(dueBy: now) { due.append(entry) }
        if let next = heap.next { arm(next) }
        return due
      }
    }

    /// Sets the timer; nil turns it off.
    private func arm(_ due: Int64?) {
      var setting = itimerspec()
      // A value of zero turns the timer off.
      let due = due.map { max($0, 1) } ?? 0
      setting.it_value = timespec(tv_sec: Int(due / 1_000_000_000), tv_nsec: Int(due % 1_000_000_000))
      timerfd_settime(timer.raw, Int32(TFD_TIMER_ABSTIME), &setting, nil)
    }
  }

  private let countingSuspend: Wheel
  private let notCountingSuspend: Wheel
  private let wakeup: Wakeup
  private let thread: WorkerThread

  /// Starts the thread. `deliver` is called there, once for each entry.
  init(name: String, deliver: @escaping @Sendable (Entry) -> Void) throws(Errno) {
    let countingSuspend = try Wheel(CLOCK_BOOTTIME)
    let notCountingSuspend = try Wheel(CLOCK_MONOTONIC)
    let wakeup = try Wakeup()
    thread = try WorkerThread(name: name) {
      var set = [countingSuspend.timer.raw, notCountingSuspend.timer.raw, wakeup.descriptor].map {
        pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
      }
      while true {
        guard poll(&set, nfds_t(set.count), -1) > 0 else { continue }
        if set[2].revents != 0 { return }
        for (slot, wheel) in zip(set, [countingSuspend, notCountingSuspend]) where slot.revents != 0 {
          for entry in wheel.takeDue() { deliver(entry) }
        }
      }
    }
    self.countingSuspend = countingSuspend
    self.notCountingSuspend = notCountingSuspend
    self.wakeup = wakeup
  }

  /// An entry that waits for its time.
  struct Ticket: Sendable {
    fileprivate let countsSuspend: Bool
    fileprivate let number: UInt64
  }

  /// Hands the entry on in so many nanoseconds; the time of a suspend counts.
  @discardableResult
  func schedule(_ entry: Entry, after nanoseconds: Int64) -> Ticket {
    Ticket(
      countsSuspend: true, number: countingSuspend.insert(entry, due: Self.sum(countingSuspend.now(), nanoseconds)))
  }

  /// Hands the entry on at a time of the kernel's clock that counts suspend (`CLOCK_BOOTTIME`), or of the one that does
  /// not (`CLOCK_MONOTONIC`).
  @discardableResult
  func schedule(_ entry: Entry, at due: Int64, countingSuspend counts: Bool) -> Ticket {
    Ticket(countsSuspend: counts, number: (counts ? countingSuspend : notCountingSuspend).insert(entry, due: due))
  }

  /// Forgets an entry, so that nobody wakes for it. Nothing happens where it was handed on already; one that is being
  /// handed on at this moment still is.
  func cancel(_ ticket: Ticket) {
    (ticket.countsSuspend ? countingSuspend : notCountingSuspend).remove(ticket.number)
  }

  /// How many entries wait.
  var count: Int { countingSuspend.count + notCountingSuspend.count }

  /// Ends the thread; what is not due yet is never handed on.
  func stop() {
    wakeup.signal()
    thread.join()
  }

  private static func sum(_ now: Int64, _ delay: Int64) -> Int64 {
    let (sum, overflows) = now.addingReportingOverflow(delay)
    return overflows ? .max : sum
  }
}
