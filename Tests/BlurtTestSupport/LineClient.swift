internal import BlurtOS
internal import Glibc

/// A client of the control socket that sends bytes as they are and reads lines as they come. Belongs to one thread.
package final class LineClient {
  private let socket: FileDescriptor
  private var received: [UInt8] = []

  package init(_ path: String) throws {
    socket = try UnixSocket.connect(to: path)
  }

  package var descriptor: Int32 { socket.raw }

  /// Sends a line; the newline is added.
  package func send(_ line: String) throws { try send(bytes: Array(line.utf8) + [10]) }

  /// Sends bytes, waiting until the daemon took them. False when it has hung up.
  @discardableResult
  package func send(bytes: [UInt8]) throws -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      do throws(Errno) {
        guard let count = try UnixSocket.send(rest, to: socket.raw) else { continue }
        rest = rest.dropFirst(count)
      } catch {
        if error.code == EPIPE || error.code == ECONNRESET { return false }
        throw error
      }
    }
    return true
  }

  /// The next line without its newline; nil at the end of the connection or when nothing came in time.
  package func line(within limit: Duration = .seconds(10)) -> String? {
    let deadline = MonotonicClock.now() + limit
    while true {
      if let newline = received.firstIndex(of: 10) {
        let line = String(decoding: received[..<newline], as: UTF8.self)
        received.removeFirst(newline + 1)
        return line
      }
      guard waitForInput(until: deadline), receive() else { return nil }
    }
  }

  /// Whether the daemon closes the connection in time without sending anything more.
  package func isClosed(within limit: Duration = .seconds(10)) -> Bool {
    guard received.isEmpty, waitForInput(until: MonotonicClock.now() + limit) else { return false }
    return !receive() && received.isEmpty
  }

  /// Closes the sending side only.
  package func endSending() { shutdown(socket.raw, Int32(SHUT_WR)) }

  private func waitForInput(until deadline: Duration) -> Bool {
    while true {
      var set = pollfd(fd: socket.raw, events: Int16(POLLIN), revents: 0)
      let left = max(deadline - MonotonicClock.now(), .zero) / .milliseconds(1)
      let count = poll(&set, 1, Int32(left.rounded(.up)))
      if count >= 0 || errno != EINTR { return count > 0 }
    }
  }

  /// False at the end.
  private func receive() -> Bool {
    var buffer = [UInt8](repeating: 0, count: 65536)
    guard let count = try? UnixSocket.receive(into: &buffer, from: socket.raw), count > 0 else { return false }
    received += buffer[..<count]
    return true
  }
}
