import BlurtHotkey
import Testing

struct SysfsInputDeviceTests {
  @Test("H-77 name and keys of a device are known without opening it")
  func read() throws {
    let folder = try TemporaryFolder()
    try folder.write("AT Translated Set 2 keyboard\n", to: "event3/device/name")
    try folder.write("200000000 2\n", to: "event3/device/capabilities/key")
    let device = try #require(SysfsInputDevice(node: "event3", in: folder.path))
    #expect(device.name == "AT Translated Set 2 keyboard")
    if Int.bitWidth == 64 { #expect(device.keys == KeyBits([97, 1])) }
  }

  @Test("a device whose keys are not told must be asked itself")
  func absent() throws {
    let folder = try TemporaryFolder()
    #expect(SysfsInputDevice(node: "event3", in: folder.path) == nil)
    try folder.write("garbage\n", to: "event3/device/capabilities/key")
    #expect(SysfsInputDevice(node: "event3", in: folder.path) == nil)
    try folder.write("0\n", to: "event3/device/capabilities/key")
    #expect(SysfsInputDevice(node: "event3", in: folder.path)?.name == "")
  }
}
