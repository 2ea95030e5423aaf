internal import Glibc
internal import Synchronization

/// Tells when a file may have another content (`inotify`), on a thread of its own that sleeps until then. No timer.
///
/// The file and its folders may come and go, be replaced by renaming, and be reached through a symbolic link. A change
/// is told when whoever wrote the file has closed it.
package final class FileWatch: Sendable {
  /// What the thread tells its owner.
  private final class Report: Sendable {
    let problem = Mutex<Errno?>(nil)
  }

  private let wakeup: Wakeup
  private let thread: WorkerThread
  private let report: Report

  /// Starts the thread. It calls `onChange` once when the watch stands, so that nothing falls between, and then at each
  /// change, one call after the other. `isClosed` says that whoever wrote the file has closed it; at the first call nobody
  /// can tell. The path is absolute.
  ///
  /// Throws where the kernel has no descriptor or thread left.
  package init(
    path: String, threadName: String, onChange: @escaping @Sendable (_ isClosed: Bool) -> Void
  ) throws(Errno) {
    let wakeup = try Wakeup()
    let report = Report()
    let inotify = try Inotify.open().release()
    do throws(Errno) {
      thread = try WorkerThread(name: threadName) {
        var list = FileWatchList(Inotify(FileDescriptor(owning: inotify)), path: path)
        report.problem.withLock { $0 = list.problem }
        onChange(false)
        while Self.wait(for: list.descriptor, or: wakeup) {
          let hasChanged = list.takeChanges()
          report.problem.withLock { $0 = list.problem }
          if hasChanged { onChange(true) }
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

  /// Sleeps until there is news; false where the thread is to end.
  private static func wait(for descriptor: Int32, or wakeup: Wakeup) -> Bool {
    var set = [
      pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
      pollfd(fd: wakeup.descriptor, events: Int16(POLLIN), revents: 0),
    ]
    while poll(&set, 2, -1) == -1 { if errno != EINTR { return false } }
    return set[1].revents == 0
  }
}
