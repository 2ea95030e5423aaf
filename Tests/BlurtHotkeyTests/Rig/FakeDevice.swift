import BlurtOS
import CUmockdev
import Glibc

/// A keyboard or a mouse that umockdev serves, in a folder of its own or shared with others.
///
/// Keeps the state of its keys and answers EVIOCGKEY with it, as the kernel would. Any thread may call; ioctls are
/// answered on the rig's thread.
final class FakeDevice: Sendable {
  struct Description: Sendable {
    var name = "Rig keyboard"
    var physicalPath = ""
    var keys = Set(1..<128)
    /// Keys that are down from the start.
    var held: Set<Int> = []
    /// Whether EVIOCSCLOCKID is known.
    var hasClock = true
    /// Whether EVIOCSMASK is known.
    var hasMasks = true
  }

  let node: String
  let fileName: String
  private let answers: FakeDeviceAnswers
  private let master: Int32

  /// The device is there at once: its node appears last, when all ioctls can be answered.
  init(in folder: String, _ description: Description = Description()) {
    let number = Rig.nextNumber()
    fileName = "event\(number)"
    node = "\(folder)/\(fileName)"
    answers = FakeDeviceAnswers(description)
    master = Self.create(number: number, node: node, answers: answers)
  }

  static func keyboard(in folder: String, held: Set<Int> = []) -> FakeDevice {
    var description = Description()
    description.held = held
    return FakeDevice(in: folder, description)
  }

  static func mouse(in folder: String) -> FakeDevice {
    var description = Description()
    description.name = "Rig mouse"
    description.keys = Set(EvdevCode.buttonLeft...EvdevCode.buttonTask).union([EvdevCode.buttonTouch])
    return FakeDevice(in: folder, description)
  }

  // MARK: What the test does with it

  /// Sends events of any type and lets the key state follow.
  func send(_ events: [(type: Int, code: Int, value: Int)], at time: Duration) {
    answers.state.withLock { state in
      for event in events where event.type == EvdevCode.key {
        if event.value == 0 { state.down.remove(event.code) } else { state.down.insert(event.code) }
      }
    }
    write(events.flatMap { Self.bytes(of: $0, at: time) })
  }

  /// One key event with its report.
  func key(_ code: Int, _ value: Int, at time: Duration = now()) {
    send([(EvdevCode.key, code, value), (EvdevCode.syn, EvdevCode.report, 0)], at: time)
  }

  func press(_ code: Int = EvdevCode.rightControl, at time: Duration = now()) { key(code, 1, at: time) }

  func release(_ code: Int = EvdevCode.rightControl, at time: Duration = now()) { key(code, 0, at: time) }

  /// Changes the state of a key without an event, as when the event was lost.
  func lose(_ code: Int, isDown: Bool) {
    answers.state.withLock { state in
      if isDown { state.down.insert(code) } else { state.down.remove(code) }
    }
  }

  /// The kernel says that its queue was full.
  func drop() {
    send([(EvdevCode.syn, EvdevCode.dropped, 0), (EvdevCode.syn, EvdevCode.report, 0)], at: Self.now())
  }

  /// Pulls the plug: reads and ioctls fail with ENODEV, poll tells of a hang-up, the node goes.
  func unplug() {
    answers.state.withLock { $0.isGone = true }
    let root = Rig.root
    var target = [CChar](repeating: 0, count: 64)
    let length = readlink(root + node, &target, 63)
    if length > 0 {
      let terminal = String(decoding: target[..<length].map(UInt8.init(bitPattern:)), as: UTF8.self)
      Glibc.unlink(root + "/dev/.ptymap/" + String(terminal.map { $0 == "/" ? "_" : $0 }))
    }
    let null = open("/dev/null", O_RDWR | O_CLOEXEC)
    dup2(null, master)
    close(null)
    Glibc.unlink(root + node)
  }

  /// Changes the node's own times, which is told as a change of its permissions would be.
  func touch() { utimensat(AT_FDCWD, Rig.root + node, nil, AT_SYMLINK_NOFOLLOW) }

  /// The numbers of all ioctls so far, such as 0x90 for EVIOCGRAB.
  var requests: [UInt] { answers.state.withLock { $0.requests } }

  /// Everything that was sent was read.
  var isDrained: Bool { answers.state.withLock { $0.readCount == $0.writtenCount } }

  /// What was asked for by EVIOCSMASK, by event type.
  var masks: [UInt32: [UInt8]] { answers.state.withLock { $0.masks } }

  static func now() -> Duration { MonotonicClock.now() }

  private static func create(number: Int, node: String, answers: FakeDeviceAnswers) -> Int32 {
    guard let handler = umockdev_ioctl_base_new() else { return -1 }
    // Kept until the process ends, as its reader may be.
    let context = Unmanaged.passRetained(answers).toOpaque()
    let object = UnsafeMutableRawPointer(handler)
    let flags = GConnectFlags(rawValue: 0)
    g_signal_connect_data(
      object, "handle-ioctl", unsafeBitCast(FakeDeviceAnswers.onIoctl, to: GCallback.self), context, nil, flags)
    g_signal_connect_data(
      object, "handle-read", unsafeBitCast(FakeDeviceAnswers.onRead, to: GCallback.self), context, nil, flags)
    let path = "/devices/rig\(number)/input/input\(number)/event\(number)"
    let description = """
      P: \(path)
      N: \(node.dropFirst("/dev/".count))
      E: DEVNAME=\(node)
      E: SUBSYSTEM=input
      E: MAJOR=13
      E: MINOR=\(64 + number)
      A: dev=13:\(64 + number)


      """
    return Rig.withTestbed { testbed in
      var error: UnsafeMutablePointer<GError>?
      // In this order: a reader opens the node as soon as it is there.
      umockdev_testbed_attach_ioctl(testbed, node, object.assumingMemoryBound(to: UMockdevIoctlBase.self), &error)
      umockdev_testbed_add_from_string(testbed, description, &error)
      precondition(error == nil, error.map { String(cString: $0.pointee.message) } ?? "")
      return umockdev_testbed_get_dev_fd(testbed, node)
    }
  }

  private static func bytes(of event: (type: Int, code: Int, value: Int), at time: Duration) -> [UInt8] {
    let (seconds, attoseconds) = time.components
    var bytes: [UInt8] = []
    withUnsafeBytes(of: seconds) { bytes += $0 }
    withUnsafeBytes(of: attoseconds / 1_000_000_000_000) { bytes += $0 }
    withUnsafeBytes(of: UInt16(truncatingIfNeeded: event.type)) { bytes += $0 }
    withUnsafeBytes(of: UInt16(truncatingIfNeeded: event.code)) { bytes += $0 }
    withUnsafeBytes(of: Int32(truncatingIfNeeded: event.value)) { bytes += $0 }
    return bytes
  }

  /// Writes all of it, waiting while the reader is behind.
  ///
  /// A device is a terminal here: one that is full would hand out part of an event, which the kernel never does.
  private func write(_ bytes: [UInt8]) {
    bytes.withUnsafeBytes { bytes in
      var rest = bytes[...]
      while !rest.isEmpty {
        let mayWrite = answers.state.withLock { state in
          if state.isGone { return true }
          guard state.writtenCount - state.readCount < Self.queueSize else { return false }
          state.writtenCount += Self.eventSize
          return true
        }
        guard mayWrite else {
          usleep(50)
          continue
        }
        let event = UnsafeRawBufferPointer(rebasing: rest.prefix(Self.eventSize))
        let count = Glibc.write(master, event.baseAddress, event.count)
        guard count == event.count else { return }
        rest = rest.dropFirst(count)
      }
    }
  }

  private static let eventSize = 24
  private static let queueSize = 64 * eventSize
}
