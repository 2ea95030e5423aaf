internal import BlurtContract
package import BlurtHotkey
internal import BlurtOS
package import BlurtSeat
internal import Glibc
internal import Synchronization

/// The seat of the daemon: what logind says of the user's login session, in the daemon's own words (Y-131, Y-133).
///
/// Any thread. `stop` must be called before the last reference goes.
package final class SessionSeat: SeatSource {
  private let watch: LogindSeat?
  private let beforeSleep: SleepPreparation

  /// What is to be done before the machine sleeps; replaced once the parts are there that do it.
  private final class SleepPreparation: Sendable {
    private let work = Mutex<(@Sendable () async -> Void)?>(nil)

    func set(_ work: (@Sendable () async -> Void)?) { self.work.withLock { $0 = work } }

    func run(_ done: @escaping @Sendable () -> Void) {
      guard let work = work.withLock({ $0 }) else { return done() }
      Task.detached {
        await work()
        done()
      }
    }
  }

  /// Begins to watch: by the environment's `DBUS_SYSTEM_BUS_ADDRESS`, where it has one, and its `XDG_SESSION_ID`.
  package init(environment: [String: String]) {
    let beforeSleep = SleepPreparation()
    self.beforeSleep = beforeSleep
    var options = LogindSeat.Options(userID: getuid())
    options.address = environment["DBUS_SYSTEM_BUS_ADDRESS"].flatMap { $0.isEmpty ? nil : $0 }
    options.sessionID = environment["XDG_SESSION_ID"].flatMap { $0.isEmpty ? nil : $0 }
    do throws(Errno) {
      watch = try LogindSeat(options) { done in beforeSleep.run(done) }
    } catch {
      Log.error("the login session cannot be watched", ["error": "\(error)"])
      watch = nil
    }
  }

  /// What logind says; nil where it could not even be asked.
  package var report: SeatReport? { watch?.report }

  package var state: SeatState {
    switch report?.standing {
    case .active?, nil: .active
    case .locked?, .inBackground?: .inactive(.seatInactive)
    case .asleep?: .inactive(.suspended)
    }
  }

  /// Why the trigger key is not to be read; nil while the session is in front.
  package var pause: HotkeyStatus.Pause? {
    switch report?.standing {
    case .active?, nil: nil
    case .locked?: .screenLocked
    case .inBackground?: .seatInactive
    case .asleep?: .suspending
    }
  }

  package func onChange(_ handler: @escaping @Sendable () -> Void) { watch?.onChange(handler) }

  /// Sleep waits for this work, within bounds. Until `stop`.
  package func beforeSleep(_ work: @escaping @Sendable () async -> Void) { beforeSleep.set(work) }

  /// Ends the watch; the state stays as it is.
  package func stop() {
    watch?.stop()
    beforeSleep.set(nil)
  }
}
