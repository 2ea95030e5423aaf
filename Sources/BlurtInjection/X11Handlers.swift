internal import CX11
internal import Synchronization

/// The process-wide handlers of Xlib, without which an error or a dead server would end the process.
enum X11Handlers {
  /// Tells one connection's owner that it broke. Its address is given to Xlib, so it must outlive the display.
  final class Life: Sendable {
    private let broken = Atomic<Bool>(false)
    var isBroken: Bool { broken.load(ordering: .acquiring) }
    func markBroken() { broken.store(true, ordering: .releasing) }
  }

  /// Installs them once. Any thread.
  static let install: Void = {
    // Displays are used by more than one thread of the process, each by its own. Needed before libX11 1.8.
    XInitThreads()
    XSetErrorHandler(onError)
    XSetIOErrorHandler(onIOError)
  }()

  /// Makes a dead server end this connection and not the process.
  static func attach(_ life: Life, to display: OpaquePointer) {
    XSetIOErrorExitHandler(display, onIOErrorExit, Unmanaged.passUnretained(life).toOpaque())
  }

  /// Protocol errors are expected: windows of other programs go away at any time. Each call that matters looks at its
  /// own result.
  private static let onError: @convention(c) (OpaquePointer?, UnsafeMutablePointer<XErrorEvent>?) -> Int32 = { _, _ in 0
  }

  private static let onIOError: @convention(c) (OpaquePointer?) -> Int32 = { _ in 0 }

  private static let onIOErrorExit: @convention(c) (OpaquePointer?, UnsafeMutableRawPointer?) -> Void = { _, data in
    guard let data else { return }
    Unmanaged<Life>.fromOpaque(data).takeUnretainedValue().markBroken()
  }
}
