import BlurtEngine
import BlurtHotkey
import BlurtOS
import Testing

/// A folder of devices with a hotkey that listens to them.
final class RigDesk: Sendable {
  let folder: String
  let log = EventLog()
  let tap: DictationKeyTap

  /// Listens once all devices that exist were looked at.
  static func with<Result>(
    folder: String = newFolder(), _ activations: [TriggerKeyActivation] = [TriggerKeyActivation(.rightControl)],
    readLimit: Int = 512,
    opener: @escaping DictationKeyTap.Opener = DictationKeyTap.open,
    mayRead: @escaping DictationKeyTap.Permission = DictationKeyTap.mayRead, _ body: (RigDesk) async throws -> Result
  ) async throws -> Result {
    let desk = try RigDesk(folder: folder, activations, readLimit: readLimit, opener: opener, mayRead: mayRead)
    defer {
      desk.log.letGo()
      desk.tap.stop()
    }
    try await desk.log.wait(for: "first scan") { !desk.log.statuses.isEmpty }
    return try await body(desk)
  }

  /// A folder that no test has used and that does not exist yet. The testbed does from here on.
  static func newFolder() -> String {
    #expect(!Rig.root.isEmpty)
    return "/dev/rig-input\(Rig.nextNumber())"
  }

  private init(
    folder: String, _ activations: [TriggerKeyActivation], readLimit: Int, opener: @escaping DictationKeyTap.Opener,
    mayRead: @escaping DictationKeyTap.Permission
  ) throws {
    self.folder = folder
    let log = log
    tap = try DictationKeyTap(
      activations: activations, inputDirectory: folder, sysfsDirectory: nil, readLimit: readLimit, opener: opener,
      mayRead: mayRead, onEvent: { log.take($0) })
  }

  /// Plugs a keyboard in and waits until it is listened to.
  func plugIn(_ description: FakeDevice.Description = .init()) async throws -> FakeDevice {
    let before = tap.status.readable
    let device = FakeDevice(in: folder, description)
    try await log.wait(for: "device to be opened") { self.tap.status.readable > before }
    return device
  }

  func plugInMouse() async throws -> FakeDevice {
    let before = tap.status.readable
    let device = FakeDevice.mouse(in: folder)
    try await log.wait(for: "mouse to be opened") { self.tap.status.readable > before }
    return device
  }

  /// Has the kernel tell of an overflow and waits until the keys were read again.
  func overflow(_ device: FakeDevice) async throws {
    func reads() -> Int { device.requests.count { $0 == 0x18 } }
    let before = reads()
    device.drop()
    // libevdev asks for itself, then we do.
    try await log.wait(for: "recovery") { reads() >= before + 2 }
  }

  /// Sends one device's events and waits until the hotkey has read them, so that what another device sends next comes
  /// later: in the same wake-up by its time, else in a later one.
  func deliver(_ device: FakeDevice, _ events: () -> Void) async throws {
    events()
    try await log.wait(for: "reading") { device.isDrained }
  }
}
