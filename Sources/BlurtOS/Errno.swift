internal import Glibc

/// A failed system call: which one, and why.
package struct Errno: Error, Hashable, Sendable, CustomStringConvertible {
  package let code: Int32
  /// The call that failed, and on what.
  package let call: String

  package init(_ code: Int32, call: String) {
    self.code = code
    self.call = call
  }

  /// The C library's words for the code.
  package var reason: String {
    var buffer = [CChar](repeating: 0, count: 256)
    guard strerror_r(code, &buffer, buffer.count) == 0 else { return "error \(code)" }
    return buffer.withUnsafeBufferPointer { bytes in
      bytes.baseAddress.map { String(cString: $0) } ?? "error \(code)"
    }
  }

  package var description: String { "\(call): \(reason)" }
}
