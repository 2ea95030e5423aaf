internal import FoundationEssentials
internal import Glibc

/// A fresh folder for sockets, with a path short enough for one; removed with everything in it when it goes.
package final class SocketFolder: Sendable {
  package let path: String

  package init() {
    var template = Array("/tmp/blurt-XXXXXX".utf8CString)
    path = template.withUnsafeMutableBufferPointer { buffer in
      buffer.baseAddress.flatMap { mkdtemp($0) }.map { String(cString: $0) } ?? ""
    }
    precondition(!path.isEmpty, "no folder can be made in /tmp")
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// A path in the folder.
  package func file(_ name: String) -> String { path + "/" + name }

  /// The path of a socket in it.
  package var socket: String { file("blurtd.sock") }
}
