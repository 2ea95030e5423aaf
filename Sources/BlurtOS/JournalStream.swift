internal import Glibc

/// The journal's stream of a process (`sd_journal_stream_fd(3)`).
package enum JournalStream {
  /// Gives the lines written to standard error another identifier (`journalctl -t`), where they go to the journal.
  ///
  /// The service manager opens the stream under the program's name or the unit's `SyslogIdentifier`; a second stream takes
  /// its place. Call at start, before other threads. The last two arguments are for tests.
  /// - Returns: false where standard error is no journal stream, or none could be opened: then nothing has changed.
  @discardableResult
  package static func rename(
    to identifier: String, environment: [String: String], descriptor: Int32 = 2,
    socket path: String = "/run/systemd/journal/stdout"
  ) -> Bool {
    var found = stat()
    guard let stream = environment["JOURNAL_STREAM"], fstat(descriptor, &found) == 0,
      stream == "\(found.st_dev):\(found.st_ino)"
    else { return false }
    // Identifier, unit, priority of lines without a prefix (info), prefixes are read, and three kinds of forwarding: none.
    let header = Array("\(identifier)\n\n6\n1\n0\n0\n0\n".utf8)
    do throws(Errno) {
      let socket = try UnixSocket.connect(to: path, within: .seconds(1))
      try Syscall.run("shutdown") { shutdown(socket.raw, Int32(SHUT_RD)) }
      let failure = header.withUnsafeBytes { header -> Errno? in
        do throws(Errno) { try socket.writeAll(header) } catch { return error }
        return nil
      }
      if let failure { throw failure }
      try Syscall.run("dup2") { dup2(socket.raw, descriptor) }
    } catch {
      // The lines go on under the name that they had.
      return false
    }
    return true
  }
}
