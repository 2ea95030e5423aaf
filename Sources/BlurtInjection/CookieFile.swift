internal import BlurtOS
internal import Glibc

/// Reads the cookie of one display out of a file of X authorities.
///
/// For a file that this process's XAUTHORITY does not name: changing the environment is not safe while other threads read it.
enum CookieFile {
  /// The scheme of the cookies; no other one is in use on one machine.
  static let scheme = "MIT-MAGIC-COOKIE-1"

  /// Larger files are not read to their end.
  private static let sizeLimit = 1 << 20

  /// Nil where there is no such file or none for this display. Blocks on the file.
  static func cookie(in path: String, display number: String) -> [UInt8]? {
    guard let file = try? FileDescriptor.open(path, O_RDONLY) else { return nil }
    var bytes: [UInt8] = []
    while bytes.count < sizeLimit, let piece = try? file.read(upTo: 4096), !piece.isEmpty { bytes += piece }
    return cookie(in: bytes, display: number)
  }

  /// Entries of a family and four counted strings: address, display, scheme, cookie (Xau(3), all numbers big-endian). An
  /// empty display stands for each. The first that fits counts, as in Xlib.
  static func cookie(in bytes: [UInt8], display number: String) -> [UInt8]? {
    var rest = bytes[...]
    func short() -> Int? {
      guard rest.count >= 2 else { return nil }
      let value = Int(rest[rest.startIndex]) << 8 | Int(rest[rest.startIndex + 1])
      rest = rest.dropFirst(2)
      return value
    }
    func string() -> [UInt8]? {
      guard let count = short(), rest.count >= count else { return nil }
      defer { rest = rest.dropFirst(count) }
      return Array(rest.prefix(count))
    }
    while short() != nil {
      guard string() != nil, let display = string(), let name = string(), let cookie = string() else { return nil }
      let fits = display.isEmpty || display.elementsEqual(number.utf8)
      if fits, name.elementsEqual(scheme.utf8) { return cookie }
    }
    return nil
  }
}
