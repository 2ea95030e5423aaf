internal import BlurtBus
package import BlurtOS
internal import Synchronization

/// Watches this user's login session through logind: whether it is in front, locked, or about to sleep (Y-131, Y-133).
///
/// One thread, asleep in `poll` until the bus or an order comes. Where libsystemd, the system bus or logind is missing, the
/// seat counts as active, and the report says why. All methods may be called from any thread.
package final class LogindSeat: Sendable {
  package struct Options: Sendable {
    package var userID: UInt32
    /// The address of the system bus; nil: this system's.
    package var address: String?
    /// The session to watch while it lives (XDG_SESSION_ID); nil: the user's main one.
    package var sessionID: String?
    package var library = SystemdLibrary.name
    package var limits = SeatLimits()

    package init(userID: UInt32) { self.userID = userID }
  }

  private let mailbox: SeatMailbox
  private let thread: WorkerThread

  /// Starts to watch. Until logind has answered, the seat counts as active.
  ///
  /// `onSleep` is called on the seat's thread when the machine is about to sleep, after the change was told; sleep is held
  /// up until `done` is called, but not for longer than the limit. Throws when the kernel has no thread or descriptor left.
  package init(
    _ options: Options, onSleep: @escaping @Sendable (_ done: @escaping @Sendable () -> Void) -> Void = { $0() }
  ) throws(Errno) {
    let mailbox = try SeatMailbox()
    self.mailbox = mailbox
    thread = try WorkerThread(name: "blurt-seat") { LogindLoop(options, mailbox: mailbox, onSleep: onSleep).run() }
  }

  /// How the seat stands now.
  package var report: SeatReport { mailbox.report }

  /// How often the thread has slept so far.
  package var turnCount: UInt64 { mailbox.turnCount.load(ordering: .relaxed) }

  /// Calls the handler after each change, on the seat's thread; it must not block, nor call `stop`.
  package func onChange(_ handler: @escaping @Sendable () -> Void) { mailbox.add(handler) }

  /// Ends the watch and joins the thread. A call to logind that is under way is waited for, within its limit.
  package func stop() {
    mailbox.stop()
    thread.join()
  }
}
