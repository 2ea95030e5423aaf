package import BlurtEngine
package import BlurtOS
internal import Glibc
internal import Synchronization

/// Listens for the trigger keys on every keyboard and pointer that may be read (H-68…H-81).
///
/// One thread, asleep in `poll` until a key, a device or an order comes; no timers. It listens only: devices are opened
/// for reading, never grabbed, and none is made (H-50). Without any readable device it stays up, says so in `status`,
/// and takes up the first one that becomes readable.
///
/// All methods may be called from any thread. `onEvent` is called on the hotkey's thread, in order, and may call every
/// method but `stop`.
package final class DictationKeyTap: Sendable {
  /// Opens one device node for reading; a seam for tests.
  package typealias Opener = @Sendable (_ path: String) throws(Errno) -> FileDescriptor

  /// Whether a node may be read now, without opening it; a seam for tests.
  package typealias Permission = @Sendable (_ path: String) -> Bool

  private let mailbox = HotkeyMailbox()
  private let wakeup: Wakeup
  private let thread: WorkerThread

  /// Starts to listen. Devices are opened on the hotkey's own thread; a `statusChanged` follows when that is done.
  ///
  /// Throws `.cannotWatch` when the kernel has no descriptor or thread left.
  package convenience init(
    activations: [TriggerKeyActivation], inputDirectory: String = "/dev/input",
    onEvent: @escaping @Sendable (HotkeyEvent) -> Void
  ) throws(EvdevError) {
    try self.init(
      activations: activations, inputDirectory: inputDirectory,
      sysfsDirectory: inputDirectory == "/dev/input" ? "/sys/class/input" : nil, opener: Self.open, onEvent: onEvent)
  }

  /// With everything that a test may want to change. `sysfsDirectory` holds one folder for each node of `inputDirectory`;
  /// nil: ask the devices themselves. At most `readLimit` events are taken from a device before the
  /// others get their turn: far more than the kernel's queue of a keyboard holds (64).
  package init(
    activations: [TriggerKeyActivation], inputDirectory: String, sysfsDirectory: String?, readLimit: Int = 512,
    opener: @escaping Opener, mayRead: @escaping Permission = DictationKeyTap.mayRead,
    onEvent: @escaping @Sendable (HotkeyEvent) -> Void
  ) throws(EvdevError) {
    let mailbox = mailbox
    do throws(Errno) {
      let wakeup = try Wakeup()
      let inotify = try DeviceWatcher.open().release()
      self.wakeup = wakeup
      do throws(Errno) {
        thread = try WorkerThread(name: "blurt-hotkey", isUrgent: true) {
          let loop = HotkeyLoop(
            inotify: FileDescriptor(owning: inotify), mailbox: mailbox, wakeup: wakeup, activations: activations,
            inputDirectory: inputDirectory, sysfsDirectory: sysfsDirectory, readLimit: readLimit, opener: opener,
            mayRead: mayRead, onEvent: onEvent)
          loop.run()
        }
      } catch {
        _ = FileDescriptor(owning: inotify)
        throw error
      }
    } catch {
      throw .cannotWatch(error)
    }
  }

  /// Ends the live gesture, if there is one; `discarded` is told for it (H-47, H-48).
  ///
  /// With a number only if the live gesture is that one, so that a newer one is spared (H-85). Taken into account before
  /// any key event that has not been handled yet.
  package func resetRouter(ifGestureIs gesture: UInt64? = nil) { post(.reset(ifGestureIs: gesture)) }

  /// Changes the trigger keys. A live gesture is discarded; a key that is down must be seen up first.
  package func rebind(_ activations: [TriggerKeyActivation]) { post(.rebind(activations)) }

  /// Reads the true state of all keys, after a resume or a change of seat (H-80).
  ///
  /// A gesture whose key is up ends with `keyLost`, a latched one with `discarded`.
  package func resync() { post(.resync) }

  /// Stops listening and closes all devices, for as long as a pause is given; nil listens again.
  ///
  /// For a locked screen, another session in front, and suspend: keys that are not meant for this user's desktop are
  /// not read at all. A live gesture is discarded.
  package func setPause(_ pause: HotkeyStatus.Pause?) { post(.pause(pause)) }

  /// How the hotkey stands now.
  package var status: HotkeyStatus { mailbox.status }

  /// Some Ctrl, Shift, Alt or Super key is physically down on a device that is listened to.
  package var modifiersAreHeld: Bool { mailbox.modifiersAreHeld }

  /// A trigger key is physically down.
  package var triggerIsHeld: Bool { mailbox.triggerIsHeld }

  /// Returns true once no modifier is down; false when the task was cancelled or the hotkey stopped before.
  package func waitUntilModifiersReleased() async -> Bool { await mailbox.waitUntilModifiersReleased() }

  /// How often the thread woke up so far.
  package var wakeUpCount: UInt64 { mailbox.wakeUps.load(ordering: .relaxed) }

  /// Stops listening and waits for the thread. A live gesture is not reported. Not to be called from `onEvent`.
  package func stop() {
    post(.stop)
    thread.join()
  }

  /// Opens a node for reading, without waiting and without handing it to child processes.
  package static let open: Opener = { path throws(Errno) in
    try FileDescriptor.open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)
  }

  /// Asks with `access(2)`. A node that is gone is not forbidden: its device says so itself.
  package static let mayRead: Permission = { path in access(path, R_OK) == 0 || (errno != EACCES && errno != EPERM) }

  private func post(_ order: HotkeyMailbox.Order) {
    mailbox.post(order)
    wakeup.signal()
  }
}
