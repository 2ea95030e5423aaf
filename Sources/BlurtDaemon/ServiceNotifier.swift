internal import BlurtOS
internal import Glibc
internal import Synchronization

/// Tells the service manager how the daemon stands (`sd_notify(3)`): one datagram to `$NOTIFY_SOCKET`.
///
/// Does nothing where no service manager asked. Any thread. Only `ready` waits for a service manager that does not read;
/// whatever else it has no room for is dropped, since everybody waits for the one who reports phases. A status that it has
/// been told already is not told again: after most dictations nothing has changed, and nobody need be woken.
package final class ServiceNotifier: Sendable {
  private let address: String?
  /// The status that was told last.
  private let told = Mutex<String?>(nil)

  /// Remembers the address and removes the variable from the environment, so that no child notifies in our name.
  package init(environment: [String: String]) {
    address = environment["NOTIFY_SOCKET"].flatMap { $0.hasPrefix("/") || $0.hasPrefix("@") ? $0 : nil }
    unsetenv("NOTIFY_SOCKET")
  }

  /// The socket answers; `status` says in one line what is missing, if anything.
  package func ready(status: String) {
    _ = send("READY=1\nSTATUS=\(Self.oneLine(status))", waits: true)
    // Another thread may have told one meanwhile: which came last is not known.
    told.withLock { $0 = nil }
  }

  package func status(_ status: String) {
    let status = Self.oneLine(status)
    // Under the lock, so that of two threads the later one's status stands. The socket does not wait.
    told.withLock { told in
      guard told != status else { return }
      told = send("STATUS=\(status)", waits: false) ? status : nil
    }
  }

  package func stopping() { _ = send("STOPPING=1", waits: false) }

  private static func oneLine(_ text: String) -> String { String(text.map { $0.isNewline ? " " : $0 }) }

  /// False where the service manager has not got it.
  private func send(_ message: String, waits: Bool) -> Bool {
    guard let address, address.utf8.count < 108 else { return false }
    let raw = Glibc.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard raw >= 0 else { return false }
    let socket = FileDescriptor(owning: raw)
    var destination = sockaddr_un()
    destination.sun_family = sa_family_t(AF_UNIX)
    var bytes = Array(address.utf8)
    if address.hasPrefix("@") { bytes[0] = 0 }
    withUnsafeMutableBytes(of: &destination.sun_path) { $0.copyBytes(from: bytes) }
    // An abstract name is as long as it is told to be; a path may be padded with zeros.
    let length = MemoryLayout<sa_family_t>.size + bytes.count
    let flags = Int32(MSG_NOSIGNAL) | (waits ? 0 : Int32(MSG_DONTWAIT))
    let failure = withUnsafePointer(to: &destination) { pointer -> Errno? in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        Array(message.utf8).withUnsafeBytes {
          sendto(socket.raw, $0.baseAddress, $0.count, flags, pointer, socklen_t(length)) < 0
            ? Errno(errno, call: "sendto") : nil
        }
      }
    }
    if let failure, failure.code != EAGAIN {
      Log.warning("the service manager could not be told", ["error": failure.reason])
    }
    return failure == nil
  }
}
