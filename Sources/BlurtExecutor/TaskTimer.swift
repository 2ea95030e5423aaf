internal import BlurtOS
internal import CLinux
internal import Glibc
internal import Synchronization

/// Hands on entries when their time has come: one thread, asleep in the kernel until the earliest of them (`timerfd`).
///
/// Two clocks, since Swift has two: one counts the time of a suspend, the other does not. An earlier entry moves the
/// kernel's timer and wakes nobody; with no entry there is no timer.
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

    func insert(_ entry: Entry, due: Int64) {
      heap.withLock { heap in
        let isFirst = heap.next.map { due < $0 } ?? true
        heap.insert(entry, due: due)
        // Under the lock, so that the timer is that of the earliest entry whichever thread comes first.
        if isFirst { arm(due) }
      }
    }

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

    private func arm(_ due: Int64) {
      var setting = itimerspec()
      // A value of zero would turn the timer off.
      let due = max(due, 1)
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

  /// Hands the entry on in so many nanoseconds; the time of a suspend counts.
  func schedule(_ entry: Entry, after nanoseconds: Int64) {
    countingSuspend.insert(entry, due: Self.sum(countingSuspend.now(), nanoseconds))
  }

  /// Hands the entry on at a time of the kernel's clock that counts suspend (`CLOCK_BOOTTIME`), or of the one that does
  /// not (`CLOCK_MONOTONIC`).
  func schedule(_ entry: Entry, at due: Int64, countingSuspend counts: Bool) {
    (counts ? countingSuspend : notCountingSuspend).insert(entry, due: due)
  }

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
