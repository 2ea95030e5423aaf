package import BlurtEngine
package import BlurtOS
internal import CEvdev
internal import Glibc

/// A keyboard of ours in the kernel, for compositors that take keys from no program.
///
/// Its name and its physical path are what the hotkey's watcher leaves out (H-78). One thread at a time may use it; the
/// kernel takes it away with the last reference.
package final class UinputKeyboard {
  package static let name = "Blurt virtual keyboard"
  package static let physicalPath = "blurt/keyboard"
  /// A vendor that no bus gives out ("Bl"), and the one product of it.
  package static let vendor: Int32 = 0x426c
  package static let product: Int32 = 0x0001
  package static let node = "/dev/uinput"

  /// Freed before the descriptor that it writes to is closed.
  private let device: OpaquePointer
  private let file: FileDescriptor

  /// Whether one could be made now.
  package static func isAllowed(_ node: String = node) -> Bool { access(node, W_OK) == 0 }

  /// Makes the keyboard. The compositor needs some time to see it, so this is done long before the first paste.
  package init(node: String = node) throws(Errno) {
    let file = try FileDescriptor.open(node, O_WRONLY | O_NONBLOCK)
    try Syscall.run("UI_SET_PHYS") { blurt_uinput_set_phys(file.raw, Self.physicalPath) }
    guard let template = libevdev_new() else { throw Errno(ENOMEM, call: "libevdev_new") }
    defer { libevdev_free(template) }
    libevdev_set_name(template, Self.name)
    libevdev_set_id_bustype(template, BUS_VIRTUAL)
    libevdev_set_id_vendor(template, Self.vendor)
    libevdev_set_id_product(template, Self.product)
    libevdev_enable_event_type(template, UInt32(EV_KEY))
    // A whole main block: udev takes a device with less for a few buttons, and compositors give buttons no layout.
    for code in KeyCodes.all { libevdev_enable_event_code(template, UInt32(EV_KEY), UInt32(code), nil) }
    var device: OpaquePointer?
    let code = libevdev_uinput_create_from_device(template, file.raw, &device)
    guard code == 0, let device else { throw Errno(-code, call: "libevdev_uinput_create_from_device") }
    self.device = device
    self.file = file
  }

  deinit { libevdev_uinput_destroy(device) }

  /// `/dev/input/eventN`; nil where the kernel does not tell.
  package var deviceNode: String? { libevdev_uinput_get_devnode(device).map { String(cString: $0) } }

  /// Presses and releases a chord: modifiers down, the key down and up, modifiers up. Never blocks.
  ///
  /// Letters are meant by their place on a US keyboard, since no compositor tells its layout; Insert and the modifiers
  /// have the same place on every one. False where the chord has another key, or the kernel refuses.
  package func post(_ chord: PasteChord) -> Bool {
    guard let key = KeyCodes.code(of: chord.key) else { return false }
    let modifiers = chord.modifiers.map(KeyCodes.code(of:))
    var isDone = true
    for code in modifiers + [key] { isDone = write(code, 1) && isDone }
    // Released whatever happened before: no key may stay down.
    for code in [key] + modifiers.reversed() { isDone = write(code, 0) && isDone }
    return isDone
  }

  private func write(_ code: Int32, _ value: Int32) -> Bool {
    libevdev_uinput_write_event(device, UInt32(EV_KEY), UInt32(code), value) == 0
      && libevdev_uinput_write_event(device, UInt32(EV_SYN), UInt32(SYN_REPORT), 0) == 0
  }
}
