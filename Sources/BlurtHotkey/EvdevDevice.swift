package import BlurtOS
internal import CEvdev
internal import Glibc

/// Owns one open evdev device: a descriptor and its libevdev context.
///
/// Opened for reading only; never grabbed (H-50). Only bound keys, the bare fact of another press, and whether a
/// modifier is down leave it. One thread at a time may use it.
package struct EvdevDevice: ~Copyable {
  /// How a reading ended.
  package enum ReadResult: Sendable, Hashable {
    /// Nothing is left to read.
    case drained
    /// The limit was reached; there may be more.
    case more
    /// The kernel dropped events (SYN_DROPPED); the true state must be read (H-73).
    case eventsLost
  }

  /// Name and physical path of a virtual keyboard that we make ourselves (H-78).
  package static let ownName = "Blurt virtual keyboard"
  package static let ownPathPrefix = "blurt/"

  /// The device's own name, for the log.
  package let name: String
  /// Event times are the kernel's, on the monotonic clock; else the time of reading stands in for them (H-76).
  package let usesKernelTime: Bool
  /// Which node this is, so that another one of the same name can be told from it.
  let identity: FileIdentity?
  /// It has one of the bound keys.
  package private(set) var hasBoundKey: Bool
  /// The kernel delivers keys and buttons alone; a kernel before 4.4 delivers everything, and it is filtered here.
  package private(set) var isMasked = false

  private let file: FileDescriptor
  /// Freed in `deinit`, before `file` is closed.
  private let context: OpaquePointer
  private let keys: KeyBits
  /// The codes that the kernel was asked to deliver.
  private var wanted = KeyBits()
  private var filter: KeyEventFilter
  private var witness = DeliveryWitness()

  /// Takes over an open node (`O_RDONLY | O_NONBLOCK`).
  ///
  /// Throws `.notWanted` for a device without a bound key or pointer button, and for our own.
  package init(_ file: consuming FileDescriptor, boundKeys: Set<Int>) throws(EvdevError) {
    _ = Self.silenceLibrary
    // Before the first event is read, so that all times are on one clock.
    let usesKernelTime = blurt_evdev_set_clock(file.raw, CLOCK_MONOTONIC) == 0
    var opened: OpaquePointer?
    let code = libevdev_new_from_fd(file.raw, &opened)
    guard code == 0, let context = opened else {
      throw Self.error(-code, call: "libevdev_new_from_fd")
    }
    var keys = KeyBits()
    for code in 0..<KeyBits.count where libevdev_has_event_code(context, UInt32(EV_KEY), UInt32(code)) == 1 {
      keys.insert(code)
    }
    let path = libevdev_get_phys(context).map { String(cString: $0) } ?? ""
    let name = libevdev_get_name(context).map { String(cString: $0) } ?? ""
    guard KeyEventFilter.isRelevant(keys, boundKeys: boundKeys), name != Self.ownName,
      !path.hasPrefix(Self.ownPathPrefix)
    else {
      libevdev_free(context)
      throw .notWanted
    }
    self.name = name
    self.usesKernelTime = usesKernelTime
    identity = FileIdentity(descriptor: file.raw)
    self.file = file
    self.context = context
    self.keys = keys
    filter = KeyEventFilter(boundKeys: boundKeys)
    hasBoundKey = boundKeys.contains(where: keys.contains)
    setMasks()
  }

  deinit { libevdev_free(context) }

  /// For `poll`; stays this device's own.
  package var descriptor: Int32 { file.raw }

  /// A Ctrl, Shift, Alt or Super key of it is down.
  package var modifiersAreHeld: Bool { filter.modifiersAreHeld }

  /// Its keys change, but nobody tells us: another program holds it for itself (B-12).
  package var isSilenced: Bool { witness.isSilenced }

  /// Whether it still matters with other bound keys; if so it reports those from now on.
  package mutating func rebind(_ boundKeys: Set<Int>) -> Bool {
    guard KeyEventFilter.isRelevant(keys, boundKeys: boundKeys) else { return false }
    filter.boundKeys = boundKeys
    hasBoundKey = boundKeys.contains(where: keys.contains)
    setMasks()
    return true
  }

  /// Reads what waits, at most `limit` events, and hands on what the hotkey may know, with the event's own time.
  ///
  /// After `.eventsLost` nothing of the lost stretch was handed on. Throws `.gone` for an unplugged device.
  package mutating func read(
    limit: Int, _ body: (KeyInput, Duration) -> Void
  ) throws(EvdevError) -> ReadResult {
    var event = input_event()
    for _ in 0..<limit {
      let code = libevdev_next_event(context, UInt32(LIBEVDEV_READ_FLAG_NORMAL.rawValue), &event)
      switch code {
      case Int32(LIBEVDEV_READ_STATUS_SUCCESS.rawValue):
        if Int32(event.type) == EV_KEY { witness.heard() }
        if let input = filter.take(type: Int(event.type), code: Int(event.code), value: Int(event.value)) {
          body(input, time(of: event))
        }
      case Int32(LIBEVDEV_READ_STATUS_SYNC.rawValue):
        try discardDifferences()
        return .eventsLost
      case -EAGAIN: return .drained
      case -EINTR: continue
      default: throw Self.error(-code, call: "read")
      }
    }
    return .more
  }

  /// Asks the kernel which keys are down (EVIOCGKEY); returns the bound ones.
  ///
  /// The kernel drops the key events that wait in the queue: they are part of the answer.
  ///
  /// A device that another program holds for itself has no keys down: their release would never be told.
  package mutating func keysDown() throws(EvdevError) -> Set<Int> {
    let bits = try readKeys()
    take(bits)
    return filter.takeSnapshot(isSilenced ? KeyBits() : bits)
  }

  /// Whether the keys changed without an event, on a device that has told nothing since it was asked last (B-12).
  ///
  /// Returns the bound keys that are down if so, else nil. No ioctl tells of a grab; but the kernel keeps the state of the
  /// keys of a grabbed device, and only its events go elsewhere.
  package mutating func keysChangedUnheard() throws(EvdevError) -> Set<Int>? {
    guard witness.wasSilent() else { return nil }
    // Asking drops what waits in the queue; what waits is no silence.
    var waiting = pollfd(fd: file.raw, events: Int16(POLLIN), revents: 0)
    guard poll(&waiting, 1, 0) == 0 else { return nil }
    let bits = try readKeys()
    guard differs(bits) else { return nil }
    witness.missed()
    take(bits)
    return filter.takeSnapshot(isSilenced ? KeyBits() : bits)
  }

  private func readKeys() throws(EvdevError) -> KeyBits {
    var bits = KeyBits()
    let (result, code) = bits.withBytes { bytes in
      let result = blurt_evdev_get_keys(file.raw, bytes.baseAddress, bytes.count)
      return (result, errno)
    }
    guard result >= 0 else { throw Self.error(code, call: "EVIOCGKEY") }
    return bits
  }

  /// The library keeps the state that the events have told so far. Codes that are not delivered tell nothing.
  private func differs(_ bits: KeyBits) -> Bool {
    for code in 0..<KeyBits.count where keys.contains(code) && wanted.contains(code) {
      if (libevdev_get_event_value(context, UInt32(EV_KEY), UInt32(code)) != 0) != bits.contains(code) { return true }
    }
    return false
  }

  /// Brings the library's state up to date, since the events that led there were dropped.
  private func take(_ bits: KeyBits) {
    for code in 0..<KeyBits.count where keys.contains(code) {
      libevdev_set_event_value(context, UInt32(EV_KEY), UInt32(code), bits.contains(code) ? 1 : 0)
    }
  }

  /// libevdev offers the differences as events; `keysDown` reads the whole state instead.
  private func discardDifferences() throws(EvdevError) {
    var event = input_event()
    while true {
      let code = libevdev_next_event(context, UInt32(LIBEVDEV_READ_FLAG_SYNC.rawValue), &event)
      if code == -EAGAIN { return }
      guard code >= 0 || code == -EINTR else { throw Self.error(-code, call: "read") }
    }
  }

  private func time(of event: input_event) -> Duration {
    guard usesKernelTime else { return MonotonicClock.now() }
    var event = event
    return .seconds(blurt_evdev_seconds(&event)) + .microseconds(blurt_evdev_microseconds(&event))
  }

  /// Asks the kernel to wake us for keys and buttons alone: a mouse that moves, a touch and a jack cost nothing then.
  private mutating func setMasks() {
    wanted = KeyEventFilter.wantedCodes(boundKeys: filter.boundKeys)
    // Both lengths are whole numbers of the kernel's `long`; it refuses any other.
    var types = [UInt8](repeating: 0, count: 8)
    types[0] = 1 << UInt8(EV_SYN) | 1 << UInt8(EV_KEY)
    let codes = wanted.bytes
    isMasked =
      blurt_evdev_set_mask(file.raw, UInt32(EV_SYN), types, UInt32(types.count)) == 0
      && blurt_evdev_set_mask(file.raw, UInt32(EV_KEY), codes, UInt32(codes.count)) == 0
  }

  private static func error(_ code: Int32, call: String) -> EvdevError {
    switch code {
    case ENODEV: .gone
    case EACCES, EPERM: .denied(Errno(code, call: call))
    default: .unusable(Errno(code, call: call))
    }
  }

  /// The library's own messages may name keys; none are wanted.
  private static let silenceLibrary: Void = libevdev_set_log_function(nil, nil)
}
