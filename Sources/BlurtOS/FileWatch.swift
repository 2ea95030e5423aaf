internal import Glibc
internal import Synchronization

/// Tells when a file may have another content (`inotify`), on a thread of its own that sleeps until then.
///
/// The file and its folders may come and go, be replaced by renaming, and be reached through a symbolic link. A change
/// is told when whoever wrote the file has closed it. A timer runs only while somebody waits for the end of a change.
package final class FileWatch: Sendable {
  /// What the thread tells its owner.
  private final class Report: Sendable {
    let problem = Mutex<Errno?>(nil)
  }

  private let wakeup: Wakeup
  private let thread: WorkerThread
  private let report: Report

  /// How long nothing may have happened for a change to be over: programs save in several steps.
  package static let quietTime: Duration = .milliseconds(200)

  /// Starts the thread. It calls `onChange` once when the watch stands, so that nothing falls between, and then at each
  /// change, one call after the other. Where it returns true, because it met a file in the making, it is called again
  /// with `isQuiet` if nothing happens for the quiet time. The path is absolute.
  ///
  /// Throws where the kernel has no descriptor or thread left.
  package init(
    path: String, threadName: String, onChange: @escaping @Sendable (_ isQuiet: Bool) -> Bool
  ) throws(Errno) {
    let wakeup = try Wakeup()
    let report = Report()
    let inotify = try Inotify.open().release()
    do throws(Errno) {
      thread = try WorkerThread(name: threadName) {
        var list = FileWatchList(Inotify(FileDescriptor(owning: inotify)), path: path)
        report.problem.withLock { $0 = list.problem }
        var waitsForQuiet = onChange(false)
        while true {
          switch Self.wait(for: list.descriptor, or: wakeup, atMost: waitsForQuiet ? Self.quietTime : nil) {
          case .end: return
          case .quiet: waitsForQuiet = onChange(true)
          case .news:
            let hasChanged = list.takeChanges()
            report.problem.withLock { $0 = list.problem }
            if hasChanged { waitsForQuiet = onChange(false) }
          }
        }
      }
    } catch {
      _ = FileDescriptor(owning: inotify)
      throw error
    }
    self.wakeup = wakeup
    self.report = report
  }

  /// Why changes may go unseen; nil where the file is watched.
  package var problem: Errno? { report.problem.withLock { $0 } }

  /// Ends the watch and waits for the thread. Not to be called from `onChange`.
  package func stop() {
    wakeup.signal()
    thread.join()
  }

  private enum Waking {
    case news
    case quiet
    case end
  }

  private static func wait(for descriptor: Int32, or wakeup: Wakeup, atMost limit: Duration?) -> Waking {
    var set = [
      pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
      pollfd(fd: wakeup.descriptor, events: Int16(POLLIN), revents: 0),
    ]
    while true {
      switch poll(&set, 2, limit.map { Int32($0 / .milliseconds(1)) } ?? -1) {
      case 0: return .quiet
      case -1 where errno == EINTR: continue
      case -1: return .end
      default: return set[1].revents == 0 ? .news : .end
      }
    }
  }
}
