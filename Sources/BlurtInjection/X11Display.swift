internal import CX11

/// One connection to an X server, with the window that owns and asks for selections.
///
/// Confined to the X thread. `close` must be called; it frees the connection also after the server died.
final class X11Display {
  let raw: OpaquePointer
  let name: String
  let root: Window
  /// Never mapped.
  let window: Window
  let atoms: X11Atoms
  let hasXTest: Bool
  /// The type of the event that tells who has taken a selection (XFixes); nil where the server has none.
  let ownerChangeEvent: Int32?
  /// The server's time when our clock property last changed.
  var lastTime: Time = 0
  private let life: X11Handlers.Life
  private let resourceMask: UInt
  private var isClosed = false

  /// XOpenDisplay; blocks until the server answers or refuses. On one thread of the process at a time: the cookie is Xlib's
  /// for the while.
  init(_ address: DisplayAddress) throws(X11Error) {
    _ = X11Handlers.install
    let name = address.name
    guard let raw = Self.open(address) else { throw .cannotOpen(display: name) }
    let life = X11Handlers.Life()
    X11Handlers.attach(life, to: raw)
    self.raw = raw
    self.name = name
    self.life = life
    root = XDefaultRootWindow(raw)
    window = XCreateSimpleWindow(raw, root, -10, -10, 1, 1, 0, 0, 0)
    XSelectInput(raw, window, PropertyChangeMask)
    atoms = X11Atoms(raw)
    var event: Int32 = 0
    var error: Int32 = 0
    var major: Int32 = 0
    var minor: Int32 = 0
    hasXTest = XTestQueryExtension(raw, &event, &error, &major, &minor) != 0
    let hasFixes = XFixesQueryExtension(raw, &event, &error) != 0
    ownerChangeEvent = hasFixes ? event + Int32(XFixesSelectionNotify) : nil
    resourceMask = blurt_x11_resource_mask(raw)
    if life.isBroken {
      XCloseDisplay(raw)
      throw .cannotOpen(display: name)
    }
  }

  private static func open(_ address: DisplayAddress) -> OpaquePointer? {
    guard let file = address.authorityFile, let number = address.number,
      var cookie = CookieFile.cookie(in: file, display: number)?.map({ CChar(bitPattern: $0) })
    else { return XOpenDisplay(address.name) }
    var scheme = CookieFile.scheme.utf8.map { CChar(bitPattern: $0) }
    XSetAuthorization(&scheme, Int32(scheme.count), &cookie, Int32(cookie.count))
    defer { XSetAuthorization(nil, 0, nil, 0) }
    return XOpenDisplay(address.name)
  }

  /// Of no use any more: the server is gone, or we have closed it.
  var isBroken: Bool { isClosed || life.isBroken }

  var descriptor: Int32 { XConnectionNumber(raw) }

  /// XCloseDisplay. On the X thread alone: a thread that met an I/O error holds Xlib's lock for good, and any other would
  /// wait for it for ever.
  func close() {
    isClosed = true
    XCloseDisplay(raw)
  }

  /// What names the client that made a window. Equal for all windows of one connection.
  func client(of window: Window) -> UInt { window & ~resourceMask }

  /// The largest property we send in one piece. Beyond it the transfer is incremental.
  ///
  /// GTK uses pieces of this size; the server's own limit is respected where it is smaller.
  var largestPiece: Int {
    let extended = XExtendedMaxRequestSize(raw)
    let requestWords = extended > 0 ? extended : XMaxRequestSize(raw)
    return min(256 << 10, requestWords * 4 - 128)
  }

  // MARK: Alone with the server

  /// Runs something while no other client's requests are carried out (XGrabServer), so that nobody comes in between.
  ///
  /// For a few requests: every window of the desktop waits. Must not wait for another program.
  func exclusively<Result>(_ body: () throws -> Result) rethrows -> Result {
    XGrabServer(raw)
    defer {
      XUngrabServer(raw)
      XFlush(raw)
    }
    return try body()
  }

  /// Within `exclusively`: others have their turn while this runs.
  func lettingOthersIn(_ body: () -> Void) {
    XUngrabServer(raw)
    XFlush(raw)
    body()
    XGrabServer(raw)
  }

  /// Asks for an event whenever another program takes the selection or leaves it, or asks no more. Nothing where the
  /// display is closed.
  func watchOwner(of selection: Atom, _ isWanted: Bool) {
    guard ownerChangeEvent != nil, !isBroken else { return }
    let mask =
      XFixesSetSelectionOwnerNotifyMask | XFixesSelectionWindowDestroyNotifyMask | XFixesSelectionClientCloseNotifyMask
    XFixesSelectSelectionInput(raw, window, selection, isWanted ? UInt(mask) : 0)
  }

  // MARK: Properties

  /// A property as Xlib keeps it in memory: an item of format 32 takes eight bytes.
  struct Property {
    let type: Atom
    let format: Int32
    let itemCount: Int
    let bytes: [UInt8]
    /// What the limit kept out, in bytes as the server counts them.
    let restByteCount: Int

    /// As the server counts them.
    var byteCount: Int { itemCount * Int(format) / 8 }

    /// The bytes an item takes in memory.
    static func itemSize(_ format: Int32) -> Int {
      switch format {
      case 32: MemoryLayout<UInt>.size
      case 16: 2
      default: 1
      }
    }

    /// The items of a property of format 32.
    var words: [UInt] {
      guard format == 32 else { return [] }
      return bytes.withUnsafeBytes { buffer in
        (0..<itemCount).map { buffer.loadUnaligned(fromByteOffset: $0 * MemoryLayout<UInt>.size, as: UInt.self) }
      }
    }
  }

  /// XGetWindowProperty: the property up to a limit, nil where there is none or the window is gone. One round trip.
  ///
  /// Another program decides how large it is, so nothing is read without a limit. A property that has more is not deleted,
  /// and up to three bytes over the limit may come.
  func property(
    _ window: Window, _ name: Atom, delete: Bool = false, byteLimit: Int = X11Display.describingByteLimit
  ) -> Property? {
    var type: Atom = 0
    var format: Int32 = 0
    var count: UInt = 0
    var rest: UInt = 0
    var data: UnsafeMutablePointer<UInt8>?
    let status = XGetWindowProperty(
      raw, window, name, 0, min(byteLimit / 4 + 1, 0x1fff_ffff), delete ? 1 : 0, Atom(AnyPropertyType), &type, &format,
      &count, &rest, &data)
    defer { if let data { XFree(data) } }
    guard status == Success, type != 0, format != 0 else { return nil }
    let byteCount = Int(count) * Property.itemSize(format)
    let bytes = data.map { Array(UnsafeBufferPointer(start: $0, count: byteCount)) } ?? []
    return Property(type: type, format: format, itemCount: Int(count), bytes: bytes, restByteCount: Int(rest))
  }

  /// Enough for every property that describes a window or a request.
  static let describingByteLimit = 256 << 10

  /// XChangeProperty with replacement.
  func setProperty(
    _ window: Window, _ name: Atom, type: Atom, format: Int32, bytes: UnsafeRawBufferPointer, itemCount: Int
  ) {
    // Xlib wants a pointer even for nothing.
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 1) { nothing in
      let start = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) ?? UnsafePointer(nothing.baseAddress)
      XChangeProperty(raw, window, name, type, format, PropModeReplace, start, Int32(itemCount))
    }
  }

  /// XChangeProperty with items of format 32.
  func setProperty(_ window: Window, _ name: Atom, type: Atom, words: [UInt]) {
    words.withUnsafeBytes { setProperty(window, name, type: type, format: 32, bytes: $0, itemCount: words.count) }
  }

  /// Asks the server for its time: a PropertyNotify event on our window will carry it (ICCCM §2.1).
  func requestTime() {
    _ = withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 1) { nothing in
      XChangeProperty(
        raw, window, atoms[.clock], Atom(XA_INTEGER), 8, PropModeAppend, UnsafePointer(nothing.baseAddress), 0)
    }
  }

  /// Whether a time is earlier than another, on a clock of 32 bits that wraps.
  static func isEarlier(_ time: Time, than other: Time) -> Bool {
    Int32(truncatingIfNeeded: time) &- Int32(truncatingIfNeeded: other) < 0
  }
}
