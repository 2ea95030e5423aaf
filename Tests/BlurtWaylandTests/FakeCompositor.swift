import BlurtOS
import Glibc

@testable import BlurtWayland

/// Listens as a compositor does and tells the same interfaces to everybody who asks, and to those who ask further the same
/// words about its clipboard.
final class FakeCompositor {
  private let stopping: Wakeup
  private let thread: WorkerThread

  /// `selections`: what a new data-control device, which is object 6, is told; nil: nobody is answered about that.
  init(at path: String, interfaces: [String], selections: [WaylandMessage]? = nil) throws {
    let stopping = try Wakeup()
    let listener = try UnixSocket.listen(at: path)
    let raw = listener.release()
    self.stopping = stopping
    let answer = Self.answer(interfaces)
    thread = try WorkerThread(name: "fake-wayland") {
      defer { close(raw) }
      while true {
        var set = [raw, stopping.descriptor].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        guard poll(&set, 2, -1) > 0 else { continue }
        if set[1].revents != 0 { return }
        let client = accept(raw, nil, nil)
        guard client >= 0 else { continue }
        var question = [UInt8](repeating: 0, count: 24)
        _ = recv(client, &question, question.count, Int32(MSG_WAITALL))
        // In two parts, since a stream keeps no borders.
        _ = answer.withUnsafeBytes { send(client, $0.baseAddress, 10, Int32(MSG_NOSIGNAL)) }
        _ = answer[10...].withUnsafeBytes { send(client, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        if let selections, recv(client, &question, 1, 0) == 1 {
          let told = selections.flatMap { WaylandMessage.request($0.object, $0.opcode, $0.body) }
          _ = (told + WaylandMessage.request(7, 0, WaylandMessage.word(7))).withUnsafeBytes {
            send(client, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
          }
        }
        close(client)
      }
    }
  }

  func stop() {
    stopping.signal()
    thread.join()
  }

  /// A `wl_registry.global` for each interface, then `wl_callback.done`.
  static func answer(_ interfaces: [String]) -> [UInt8] {
    var bytes: [UInt8] = []
    func add(_ words: [UInt32]) { for word in words { bytes += withUnsafeBytes(of: word, Array.init) } }
    for (number, name) in interfaces.enumerated() {
      let padded = Array(name.utf8) + [UInt8](repeating: 0, count: 4 - name.utf8.count % 4)
      add([2, UInt32(8 + 4 + 4 + padded.count + 4) << 16, UInt32(number), UInt32(name.utf8.count + 1)])
      bytes += padded
      add([1])
    }
    add([3, 12 << 16, 7])
    return bytes
  }
}
