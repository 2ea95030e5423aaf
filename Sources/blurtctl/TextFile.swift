internal import BlurtContract
internal import BlurtOS
internal import Glibc

/// Reads texts from the input and from files, and writes them.
enum TextFile {
  /// The most that is read: far more than any list of the settings, and it bounds the memory for a wrong file.
  static let longestFile = 4 * 1024 * 1024

  /// One line without its newline; what there is, at the end.
  static func line(from descriptor: Int32) -> String {
    var bytes: [UInt8] = []
    var byte: UInt8 = 0
    while bytes.count < longestFile {
      let count = Glibc.read(descriptor, &byte, 1)
      if count < 0 && errno == EINTR { continue }
      if count <= 0 || byte == UInt8(ascii: "\n") { break }
      bytes.append(byte)
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// All of a file, or of the input for `-`. It must be UTF-8; a byte-order mark is dropped.
  static func contents(of file: String, input: Int32) throws(VerbError) -> String {
    var bytes = file == "-" ? try read(file, input) : try open(file)
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes.removeFirst(3) }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw .found("\(file) is not a text in UTF-8: save it as UTF-8.", .badFile, .usage)
    }
    return text
  }

  /// Writes a file that only its owner can read.
  static func write(_ text: String, to file: String) throws(VerbError) {
    do throws(Errno) {
      let descriptor = try FileDescriptor.open(file, O_WRONLY | O_CREAT | O_TRUNC)
      let bytes = Array(text.utf8)
      var rest = bytes[...]
      while !rest.isEmpty {
        let count = try Syscall.run("write \(file)") {
          rest.withUnsafeBytes { Glibc.write(descriptor.raw, $0.baseAddress, $0.count) }
        }
        rest = rest.dropFirst(count)
      }
      try descriptor.close()
    } catch {
      throw .found("\(file): \(error.reason). Name a file that can be written.", .badFile, .failed)
    }
  }

  private static func open(_ file: String) throws(VerbError) -> [UInt8] {
    let descriptor: FileDescriptor
    do throws(Errno) {
      descriptor = try FileDescriptor.open(file, O_RDONLY)
    } catch {
      throw .found("\(file): \(error.reason). Name a readable file, or - for the input.", .badFile, .usage)
    }
    return try read(file, descriptor.raw)
  }

  private static func read(_ file: String, _ descriptor: Int32) throws(VerbError) -> [UInt8] {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 64 * 1024)
    while true {
      let count = Glibc.read(descriptor, &buffer, buffer.count)
      let code = errno
      if count < 0 && code == EINTR { continue }
      guard count >= 0 else {
        throw .found("\(file): \(Errno(code, call: "read").reason). Name a readable file.", .badFile, .usage)
      }
      if count == 0 { return bytes }
      bytes += buffer[..<count]
      guard bytes.count <= longestFile else {
        throw .found("\(file) is larger than \(longestFile) bytes: is it the right file?", .badFile, .usage)
      }
    }
  }
}
