import BlurtOS
import CX11
import Glibc
import Synchronization

@testable import BlurtInjection

/// An X client of the tests: its own connection, served by its own thread, as another program would be.
///
/// @unchecked Sendable: after `start` everything but the constants and what a Mutex guards is used on the thread alone.
class XProgram: @unchecked Sendable {
  let display: OpaquePointer
  let root: Window
  private let life = X11Handlers.Life()
  private let wakeup: Wakeup
  private let jobs = Mutex<[@Sendable () -> Void]>([])
  private let isStopped = Atomic<Bool>(false)
  private let worker = Mutex<WorkerThread?>(nil)
  private var timers: [(due: Duration, action: () -> Void)] = []

  struct NoDisplay: Error {}

  /// Takes an open connection over.
  init(adopting display: OpaquePointer) throws {
    X11Handlers.attach(life, to: display)
    self.display = display
    root = XDefaultRootWindow(display)
    wakeup = try Wakeup()
  }

  func start() throws {
    // Closed on the thread that used it: after an I/O error that one holds Xlib's lock for good.
    let thread = try WorkerThread(name: "test-x-client") {
      self.loop()
      // What was to happen later holds the program.
      self.timers = []
      self.jobs.withLock { $0 = [] }
      XCloseDisplay(self.display)
    }
    worker.withLock { $0 = thread }
  }

  /// Ends the program as an exit would: its windows and selections go.
  func quit() {
    isStopped.store(true, ordering: .releasing)
    wakeup.signal()
    let thread = worker.withLock { worker in
      defer { worker = nil }
      return worker
    }
    thread?.join()
  }

  /// Runs something on the program's thread, soon.
  func perform(_ body: @escaping @Sendable () -> Void) {
    // A job that nobody will run would hold the program.
    jobs.withLock { if !isStopped.load(ordering: .acquiring) { $0.append(body) } }
    wakeup.signal()
  }

  /// Runs something on the program's thread and waits for it, with all requests processed by the server.
  func run<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { continuation in
      perform {
        let value = body()
        XSync(self.display, 0)
        continuation.resume(returning: value)
      }
    }
  }

  /// The same from a synchronous caller on another thread.
  func runBlocking(_ body: @escaping @Sendable () -> Void) {
    let done = try? Wakeup()
    perform {
      body()
      XSync(self.display, 0)
      done?.signal()
    }
    guard let done else { return }
    var set = pollfd(fd: done.descriptor, events: Int16(POLLIN), revents: 0)
    _ = poll(&set, 1, 5000)
  }

  /// On the thread: does something later.
  func after(_ delay: Duration, _ action: @escaping () -> Void) {
    timers.append((MonotonicClock.now() + delay, action))
  }

  /// On the thread: one event.
  func handle(_ event: inout XEvent) {}

  private func loop() {
    while !isStopped.load(ordering: .acquiring) {
      for job in jobs.withLock({ jobs in
        defer { jobs = [] }
        return jobs
      }) { job() }
      while XPending(display) > 0 {
        var event = XEvent()
        XNextEvent(display, &event)
        if event.type == MappingNotify { XRefreshKeyboardMapping(&event.xmapping) }
        handle(&event)
      }
      let now = MonotonicClock.now()
      let due = timers.filter { $0.due <= now }
      timers.removeAll { $0.due <= now }
      for timer in due { timer.action() }
      XFlush(display)
      if life.isBroken { return }
      if XPending(display) > 0 { continue }
      let next = timers.map(\.due).min().map { Int32(max(1, ($0 - now) / .milliseconds(1))) } ?? -1
      var set = [
        pollfd(fd: XConnectionNumber(display), events: Int16(POLLIN), revents: 0),
        pollfd(fd: wakeup.descriptor, events: Int16(POLLIN), revents: 0),
      ]
      _ = poll(&set, 2, next)
      if set[1].revents != 0 { wakeup.clear() }
    }
  }

  // MARK: For subclasses, on the thread

  func atom(_ name: String) -> Atom { XInternAtom(display, name, 0) }

  func name(of atom: Atom) -> String {
    guard atom != 0, let name = XGetAtomName(display, atom) else { return "" }
    defer { XFree(name) }
    return String(cString: name)
  }

  func setBytes(_ window: Window, _ property: Atom, _ type: Atom, _ bytes: [UInt8]) {
    // Never empty, so that there is an address.
    (bytes + [0]).withUnsafeBufferPointer { buffer in
      _ = XChangeProperty(
        display, window, property, type, 8, PropModeReplace, buffer.baseAddress, Int32(bytes.count))
    }
  }

  func setWords(_ window: Window, _ property: Atom, _ type: Atom, _ words: [UInt]) {
    (words + [0]).withUnsafeBytes { buffer in
      _ = XChangeProperty(
        display, window, property, type, 32, PropModeReplace,
        buffer.baseAddress?.assumingMemoryBound(to: UInt8.self), Int32(words.count))
    }
  }

  struct Value: Sendable, Equatable {
    var type: String
    var format: Int32
    var bytes: [UInt8]

    var text: String { String(decoding: bytes, as: UTF8.self) }
    var words: [UInt] {
      bytes.withUnsafeBytes { buffer in
        (0..<bytes.count / 8).map { buffer.loadUnaligned(fromByteOffset: $0 * 8, as: UInt.self) }
      }
    }
  }

  func take(_ window: Window, _ property: Atom, delete: Bool = true) -> Value? {
    var type: Atom = 0
    var format: Int32 = 0
    var count: UInt = 0
    var rest: UInt = 0
    var data: UnsafeMutablePointer<UInt8>?
    XGetWindowProperty(
      display, window, property, 0, 0x1fff_ffff, delete ? 1 : 0, 0, &type, &format, &count, &rest, &data)
    defer { if let data { XFree(data) } }
    guard type != 0 else { return nil }
    let size = Int(count) * (format == 32 ? 8 : format == 16 ? 2 : 1)
    return Value(
      type: name(of: type), format: format, bytes: data.map { Array(UnsafeBufferPointer(start: $0, count: size)) } ?? []
    )
  }

  /// The keycodes that the server reports as down.
  func keysDown() -> Int {
    var bits = [CChar](repeating: 0, count: 32)
    XQueryKeymap(display, &bits)
    return bits.reduce(0) { $0 + UInt8(bitPattern: $1).nonzeroBitCount }
  }
}

/// Ends programs as their exit would.
func quit(_ programs: XProgram...) {
  for program in programs { program.quit() }
}
