package import BlurtContract
internal import BlurtOS
internal import Glibc

/// A blocking client of the control socket. Belongs to one thread.
package final class ControlClient {
  /// What `wait` came back with.
  package enum Occurrence: Hashable, Sendable {
    /// A message, and the line it came in: a newer daemon may have said more than this client knows.
    case message(DaemonMessage, line: [UInt8])
    /// One of the other descriptors can be read.
    case readable(Int32)
    /// Nobody reads any more what is written to the descriptor that was named as `reader`.
    case readerGone
    case timedOut
  }

  /// The answer to one command, and the line it came in.
  package struct Answer: Hashable, Sendable {
    package let ack: CommandAck
    package let line: [UInt8]
  }

  private let socket: FileDescriptor
  private var framer = LineFramer(longestLine: SessionContract.longestReplyLine)
  private var buffer = [UInt8](repeating: 0, count: 16 * 1024)
  private var isAtEnd = false

  /// Connects; gives up after the limit.
  package init(path: String, within limit: Duration = SessionContract.pressHandshakeTimeout) throws(ControlClientError)
  {
    do throws(Errno) {
      socket = try UnixSocket.connect(to: path, within: limit)
    } catch {
      // A full backlog means a daemon that does not accept.
      throw error.code == EAGAIN ? .noAnswer : .noDaemon(path: path, error)
    }
  }

  /// Sends one command. A daemon that has hung up shows at the next `wait`, with the error it sent before.
  package func send(_ command: ClientCommand) throws(ControlClientError) {
    let line = MessageCoder.encode(command)
    var sent = 0
    while sent < line.count {
      let count: Int?
      do throws(Errno) {
        count = try UnixSocket.send(line[sent...], to: socket.raw)
      } catch {
        if error.code == EPIPE || error.code == ECONNRESET { return }
        throw .closed
      }
      // The limit given at the connect has passed.
      guard let count else { throw .noAnswer }
      sent += count
    }
  }

  /// Waits for a line of the daemon, for one of the other descriptors, or for the deadline on the monotonic clock.
  ///
  /// `reader` is a descriptor to which somebody else's end belongs; its hang-up ends the wait as well. Lines that came
  /// earlier are given out first. Throws `closed` at the end, and `refused` for an error object.
  package func wait(
    until deadline: Duration? = nil, or others: [Int32] = [], reader: Int32? = nil
  ) throws(ControlClientError) -> Occurrence {
    while true {
      if let message = try nextMessage() { return message }
      if isAtEnd { throw .closed }
      switch try poll(until: deadline, others, reader) {
      case nil: return .timedOut
      case socket.raw?: try receive()
      case reader: return .readerGone
      case let other?: return .readable(other)
      }
    }
  }

  /// Sends a command and waits for its answer; events that come meanwhile go to the closure.
  package func ask(
    _ command: ClientCommand, until deadline: Duration?, onEvent: (SessionEvent) -> Void = { _ in }
  ) throws(ControlClientError) -> Answer {
    try send(command)
    while true {
      switch try wait(until: deadline) {
      case .message(.ack(let ack), let line) where ack.id == command.id: return Answer(ack: ack, line: line)
      case .message(.event(let event), _): onEvent(event)
      case .message: continue
      case .timedOut, .readable, .readerGone: throw .noAnswer
      }
    }
  }

  private func nextMessage() throws(ControlClientError) -> Occurrence? {
    switch framer.next() {
    case nil: return nil
    case .tooLong?: throw .unreadable("it is longer than \(SessionContract.longestReplyLine) bytes")
    case .line(let line)?:
      let message: DaemonMessage
      do throws(MessageCoder.Unreadable) {
        message = try MessageCoder.daemonMessage(from: line)
      } catch {
        throw .unreadable(error.detail)
      }
      if case .error(let error) = message { throw .refused(error) }
      return .message(message, line: line)
    }
  }

  /// The descriptor that is ready; nil at the deadline. Of several the socket comes last, so that a signal is not missed
  /// in a flood of events.
  private func poll(
    until deadline: Duration?, _ others: [Int32], _ reader: Int32?
  ) throws(ControlClientError) -> Int32? {
    var set = (others + [socket.raw]).map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    // Without events only an error and a hang-up are reported.
    if let reader { set.insert(pollfd(fd: reader, events: 0, revents: 0), at: 0) }
    while true {
      let left = deadline.map { Int32(clamping: Int64((($0 - MonotonicClock.now()) / .milliseconds(1)).rounded(.up))) }
      if let left, left <= 0 { return nil }
      let count = Glibc.poll(&set, nfds_t(set.count), left ?? -1)
      if count > 0, let ready = set.first(where: { $0.revents != 0 }) { return ready.fd }
      if count == -1 && errno != EINTR { throw .closed }
    }
  }

  private func receive() throws(ControlClientError) {
    do throws(Errno) {
      guard let count = try UnixSocket.receive(into: &buffer, from: socket.raw) else { return }
      framer.append(buffer[..<count])
      isAtEnd = count == 0
    } catch {
      isAtEnd = true
    }
  }
}
