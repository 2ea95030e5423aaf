import BlurtEngine
import BlurtHotkey
import BlurtOS
import FoundationEssentials
import Glibc
import Synchronization
import Testing

/// The hotkey without a rig: folders and permissions.
@Suite(.timeLimit(.minutes(1)))
struct DictationKeyTapTests {
  private func listen(
    _ folder: String, sysfs: String? = nil, opener: @escaping DictationKeyTap.Opener = DictationKeyTap.open,
    _ body: (DictationKeyTap, EventLog) async throws -> Void
  ) async throws {
    let log = EventLog()
    let tap = try DictationKeyTap(
      activations: [TriggerKeyActivation(.rightControl)], inputDirectory: folder, sysfsDirectory: sysfs,
      opener: opener, onEvent: { log.take($0) })
    defer { tap.stop() }
    try await log.wait(for: "first scan") { !log.statuses.isEmpty }
    try await body(tap, log)
  }

  @Test("H-79 with no folder of input devices the hotkey stays up and says so")
  func noFolder() async throws {
    let folder = try TemporaryFolder()
    try await listen(folder.path + "/input") { tap, log in
      #expect(!tap.status.isReady && tap.status.hasScanned && tap.status.seen == 0)
      #expect(tap.status.hint?.contains("blurtctl") == true)
      #expect(!tap.modifiersAreHeld && !tap.triggerIsHeld)
      #expect(await tap.waitUntilModifiersReleased())
      #expect(log.events == [])
    }
  }

  @Test("H-79 nodes that may not be read are counted and explained; the hotkey stays up")
  func denied() async throws {
    let folder = try TemporaryFolder()
    for number in 0..<3 { try folder.write("", to: "event\(number)") }
    try folder.write("", to: "mouse0")
    try folder.write("", to: "event")
    try folder.write("", to: "eventful")
    let refusing: DictationKeyTap.Opener = { path throws(Errno) in throw Errno(EACCES, call: "open \(path)") }
    try await listen(folder.path, opener: refusing) { tap, log in
      #expect(tap.status.seen == 3 && tap.status.denied == 3 && tap.status.readable == 0)
      #expect(tap.status.hint?.contains("udev rule") == true)
      try folder.write("", to: "event9")
      try await log.wait(for: "the fourth") { tap.status.denied == 4 }
      unlink(folder.path + "/event9")
      try await log.wait(for: "its end") { tap.status.denied == 3 }
    }
  }

  @Test("a node that is no evdev device is left out, and tried again when it changes")
  func noDevice() async throws {
    let folder = try TemporaryFolder()
    try folder.write("garbage", to: "event0")
    let tries = Atomic(0)
    let counting: DictationKeyTap.Opener = { path throws(Errno) in
      tries.add(1, ordering: .relaxed)
      return try DictationKeyTap.open(path)
    }
    try await listen(folder.path, opener: counting) { tap, log in
      #expect(tap.status.seen == 1 && tap.status.readable == 0 && tap.status.denied == 0)
      #expect(tries.load(ordering: .relaxed) == 1)
      chmod(folder.path + "/event0", 0o600)
      try await log.wait(for: "another try") { tries.load(ordering: .relaxed) == 2 }
    }
  }

  @Test("H-77 H-78 a device that sysfs shows to be of no interest, or our own, is not even opened")
  func notOpened() async throws {
    let folder = try TemporaryFolder()
    let sysfs = try TemporaryFolder()
    // The power button (116), our own keyboard, and one that must be asked.
    for number in 0..<3 { try folder.write("", to: "event\(number)") }
    try sysfs.write("Power Button\n", to: "event0/device/name")
    try sysfs.write("10000000000000 0\n", to: "event0/device/capabilities/key")
    try sysfs.write("\(EvdevDevice.ownName)\n", to: "event1/device/name")
    try sysfs.write("200000000 0\n", to: "event1/device/capabilities/key")
    try sysfs.write("Some keyboard\n", to: "event2/device/name")
    try sysfs.write("200000000 0\n", to: "event2/device/capabilities/key")
    let opened = Mutex<[String]>([])
    let noting: DictationKeyTap.Opener = { path throws(Errno) in
      opened.withLock { $0.append(URL(filePath: path).lastPathComponent) }
      throw Errno(EACCES, call: "open")
    }
    try await listen(folder.path, sysfs: sysfs.path, opener: noting) { tap, _ in
      #expect(opened.withLock { $0 } == ["event2"])
      #expect(tap.status.denied == 1 && tap.status.seen == 3)
    }
  }

  @Test("H-50 nodes are opened for reading only, without waiting, and are closed in child processes")
  func openFlags() throws {
    let folder = try TemporaryFolder()
    try folder.write("", to: "event0")
    let file = try DictationKeyTap.open(folder.path + "/event0")
    let flags = fcntl(file.raw, F_GETFL)
    #expect(flags & O_ACCMODE == O_RDONLY)
    #expect(flags & O_NONBLOCK != 0)
    #expect(fcntl(file.raw, F_GETFD) & FD_CLOEXEC != 0)
  }

  @Test("stopping lets go of who waits, and a second wait returns at once")
  func stop() async throws {
    let folder = try TemporaryFolder()
    let tap = try DictationKeyTap(
      activations: [], inputDirectory: folder.path, sysfsDirectory: nil, opener: DictationKeyTap.open, onEvent: { _ in }
    )
    tap.stop()
    #expect(await tap.waitUntilModifiersReleased() == false)
    #expect(!tap.modifiersAreHeld)
  }
}
