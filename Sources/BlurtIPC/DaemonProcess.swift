internal import BlurtOS
internal import Glibc

/// Whether a daemon runs behind a socket, found out without connecting: a connection would start one that waits there
/// for its first client (`systemd.socket(5)`).
package enum DaemonProcess {
  /// The daemon's lock file names it as long as it runs. After a kill the number stays in the file until another process
  /// has it; a client that trusts it then meets a socket that nobody serves, or wakes the daemon.
  package static func isRunning(behind socket: String) -> Bool {
    do throws(Errno) {
      let file = try FileDescriptor.open(SocketClaim.lockPath(of: socket), O_RDONLY | O_NOFOLLOW)
      guard let bytes = try file.read(upTo: 16) else { return false }
      let line = String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
      guard let number = Int32(line), number > 0 else { return false }
      return kill(number, 0) == 0 || errno == EPERM
    } catch {
      // No lock file: none has run here yet.
      return false
    }
  }
}
