internal import Glibc

/// Reads files for the test servers. `Data(contentsOf:)` leaks 4 KiB for each empty file (FoundationEssentials 6.3),
/// which the address sanitizer reports.
public enum TestFile {
  /// The whole file; nil where it cannot be opened.
  public static func bytes(_ path: String) -> [UInt8]? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = read(descriptor, &buffer, buffer.count)
      guard count > 0 else { return bytes }
      bytes += buffer[..<count]
    }
  }
}
