internal import BlurtOS
internal import Glibc

/// Says when to look for a display while there is none. Confined to the X thread.
///
/// What can be waited for is the socket of a new server: the kernel tells, so that waiting costs nothing. The session tells
/// its DISPLAY to the service manager some time after that, and nobody tells us then; so after each sign that a display may
/// come it is looked for at growing distances for about a minute. Each press looks as well.
final class DisplayWait {
  /// Where local servers have their sockets.
  static let socketFolder = "/tmp/.X11-unix"
  /// From the first look on, which comes at once.
  static let pauses: [Duration] = [250, 500, 1000, 2000, 4000, 8000, 16000, 32000].map { .milliseconds($0) }

  private let folder: String
  private var inotify: Inotify?
  /// A folder that is watched; a folder that is removed ends its watch.
  private var watch: Int32?
  private var pausesLeft = ArraySlice<Duration>()
  /// When to look next; nil: when a server appears.
  private(set) var nextLook: Duration?

  init(folder: String = DisplayWait.socketFolder) { self.folder = folder }

  /// For `poll`; nil where nothing can be watched.
  var descriptor: Int32? { watch == nil ? nil : inotify?.descriptor }

  /// There is a sign that a display may come: looks soon, then at growing distances.
  func expect(now: Duration) {
    watchFolder()
    pausesLeft = Self.pauses[...]
    nextLook = pausesLeft.popFirst().map { now + $0 }
  }

  /// A look was in vain: one that was due, or one that somebody wanted out of turn, which is a sign as well.
  func lookedInVain(now: Duration) {
    guard let nextLook else { return expect(now: now) }
    guard nextLook <= now else { return }
    watchFolder()
    self.nextLook = pausesLeft.popFirst().map { now + $0 }
  }

  /// There is a display.
  func end() {
    nextLook = nil
    watch = nil
    inotify = nil
  }

  /// Whether it is time to look: the clock says so, or a server has appeared.
  func isDue(now: Duration) -> Bool {
    let news = (watch == nil ? nil : inotify?.events()) ?? []
    if news.contains(where: { $0.has(Int(IN_IGNORED)) }) { watch = nil }
    if news.contains(where: { $0.has(Int(IN_CREATE), Int(IN_MOVED_TO)) }) { expect(now: now) }
    return nextLook.map { $0 <= now } ?? false
  }

  private func watchFolder() {
    guard watch == nil else { return }
    if inotify == nil, let file = try? Inotify.open() { inotify = Inotify(file) }
    watch = try? inotify?.add(folder, Int(IN_CREATE), Int(IN_MOVED_TO))
  }
}
