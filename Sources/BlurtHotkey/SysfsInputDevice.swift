internal import BlurtOS
internal import Glibc

/// What sysfs tells of an input device without opening it.
///
/// Opening and closing an evdev node costs milliseconds in the kernel and shows the device to us; most nodes are lids,
/// jacks and buttons that the hotkey has no business with (H-77).
package struct SysfsInputDevice: Sendable, Hashable {
  package let name: String
  package let keys: KeyBits

  /// Reads `name` and `capabilities/key` of a node such as `event3`; nil where they are not to be had.
  package init?(node: String, in directory: String) {
    let device = "\(directory)/\(node)/device"
    guard let keys = Self.text("\(device)/capabilities/key").flatMap({ KeyBits(sysfs: $0) }) else { return nil }
    self.keys = keys
    name = Self.text("\(device)/name").map { String($0.prefix { !$0.isNewline }) } ?? ""
  }

  /// Attributes of sysfs are at most a page.
  private static func text(_ path: String) -> String? {
    guard let file = try? FileDescriptor.open(path, O_RDONLY) else { return nil }
    return withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 8) { buffer in
      guard let count = try? file.read(into: buffer), count > 0 else { return nil }
      return String(decoding: buffer[..<count], as: UTF8.self)
    }
  }
}
