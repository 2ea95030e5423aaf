package import BlurtContract
internal import BlurtOS
internal import Glibc
internal import Synchronization

/// The control socket: reads commands, hands them to the handler, sends answers and events (S-146…S-150).
///
/// One thread owns the listener and every connection; all methods may be called from any other thread. When `init` has
/// returned, connecting works.
package final class ControlServer: Sendable {
  private let inbox: ServerInbox
  private let thread: WorkerThread
  private let claim: Mutex<SocketClaim?>

  /// Listens and starts the thread.
  ///
  /// `current` and `listening` are what a watcher sees before the first broadcast ones. `standingNotices` is asked at each
  /// `watch`, on the server's thread, for what every new watcher is told after them. `userID` is the one user who is
  /// served. `heartbeat` is called on the server's thread every 5 s while a client is connected or a dictation is live
  /// (S-108), and at no other time. The server holds the handler until `stop`.
  package init(
    socket: ControlSocket, handler: any ControlHandler, current: PhaseEvent = PhaseEvent(phase: .idle),
    listening: ListeningEvent? = nil, standingNotices: @escaping @Sendable () -> [NoticeEvent] = { [] },
    userID: UInt32 = geteuid(), limits: ServerLimits = ServerLimits(), heartbeat: (@Sendable () -> Void)? = nil
  ) throws(ControlServerError) {
    let claim = try SocketClaim.take(socket)
    do throws(Errno) {
      let inbox = try ServerInbox()
      let loop = try ServerLoop(
        listener: claim.descriptor, inbox: inbox, handler: handler,
        feed: WatcherFeed(current: current, listening: listening), standingNotices: standingNotices, userID: userID,
        limits: limits, beat: heartbeat)
      thread = try WorkerThread(name: "blurt-control", isUrgent: true) { loop.run() }
      self.inbox = inbox
    } catch {
      claim.release()
      throw .system(error)
    }
    self.claim = Mutex(claim)
  }

  /// Tells every watcher, in the order of the calls. Phases always arrive at a live watcher; of levels only the newest.
  package func broadcast(_ event: SessionEvent) { inbox.post(.event(event)) }

  /// C-32: whether a level would reach a client. Any thread.
  package var levelsAreWatched: Bool { inbox.levelsAreWatched.load(ordering: .relaxed) }

  /// Answers what is still open with `stopping`, closes everything and removes the socket file if the server made it.
  ///
  /// Blocks until the thread has ended; not to be called from the handler. A second call does nothing.
  package func stop() {
    inbox.post(.stop)
    thread.join()
    if let claim = claim.withLock({ $0.take() }) { claim.release() }
  }
}
