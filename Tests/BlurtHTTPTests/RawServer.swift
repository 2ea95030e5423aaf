import BlurtOS
import Glibc
import Synchronization

/// Takes one connection, keeps every byte of its one chunked request, and answers with what it was given.
final class RawServer: Sendable {
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  /// What the thread and the test share.
  private final class Received: Sendable {
    let bytes = Mutex<[UInt8]>([])
  }

  let port: UInt16
  private let received: Received
  private let listener: Int32
  private let thread: WorkerThread

  init(answer: String) throws {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        bind(listener, address, length) == 0 && listen(listener, 1) == 0
          && getsockname(listener, address, &length) == 0
      }
    }
    guard isBound else {
      close(listener)
      throw Failure(description: "no socket to listen on")
    }
    let received = Received()
    self.listener = listener
    self.received = received
    port = UInt16(bigEndian: address.sin_port)
    thread = try WorkerThread(name: "raw-server") { Self.serve(listener, received, answer) }
  }

  deinit {
    // Ends an accept that nobody answered.
    shutdown(listener, Int32(SHUT_RDWR))
    thread.join()
    close(listener)
  }

  var baseURL: String { "http://127.0.0.1:\(port)" }
  var request: [UInt8] { received.bytes.withLock { $0 } }

  private static func serve(_ listener: Int32, _ received: Received, _ answer: String) {
    let connection = accept(listener, nil, nil)
    guard connection >= 0 else { return }
    defer { close(connection) }
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let end = Array("\r\n0\r\n\r\n".utf8)
    var isWhole = false
    while !isWhole {
      let count = read(connection, &buffer, buffer.count)
      guard count > 0 else { return }
      isWhole = received.bytes.withLock { bytes in
        bytes += buffer[..<count]
        return bytes.suffix(end.count).elementsEqual(end)
      }
    }
    _ = answer.withCString { write(connection, $0, strlen($0)) }
  }

  /// The body behind the chunks of HTTP/1.1.
  static func dechunked(_ raw: ArraySlice<UInt8>) throws -> [UInt8] {
    var rest = raw
    var body: [UInt8] = []
    while true {
      guard let end = rest.firstRange(of: [13, 10]),
        let count = Int(String(decoding: rest[..<end.lowerBound], as: UTF8.self), radix: 16),
        rest.endIndex - end.upperBound >= count + 2
      else { throw Failure(description: "no chunk") }
      body += rest[end.upperBound..<end.upperBound + count]
      rest = rest[(end.upperBound + count + 2)...]
      if count == 0 { return body }
    }
  }
}
