import BlurtContract
import BlurtIPC
import BlurtOS
import BlurtTestSupport
import Foundation
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(1))) struct ControlClientTests {
  private let status = ClientCommand(id: "1", .status)

  /// A daemon that says what it is told to one client and hangs up.
  private func listener(_ folder: SocketFolder, says: [UInt8]) throws {
    let listener = try UnixSocket.listen(at: folder.socket).release()
    Thread.detachNewThread {
      let connection = accept(listener, nil, nil)
      _ = says.withUnsafeBytes { send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      shutdown(connection, Int32(SHUT_WR))
      var byte: UInt8 = 0
      while recv(connection, &byte, 1, 0) > 0 {}
      close(connection)
      close(listener)
    }
  }

  private func failure(_ body: () throws(ControlClientError) -> Void) -> ControlClientError? {
    do throws(ControlClientError) {
      try body()
      return nil
    } catch {
      return error
    }
  }

  @Test("S-109 a question is answered, and the line is kept as it came")
  func ask() async throws {
    try await withServer { rig in
      let client = try ControlClient(path: rig.folder.socket)
      let answer = try client.ask(status, until: nil)
      #expect(answer.ack == CommandAck(id: "1", result: .done))
      #expect(String(decoding: answer.line, as: UTF8.self) == #"{"ack":{"id":"1","result":"done"}}"#)
    }
  }

  @Test("S-151 B-34 no daemon and a dead one's socket file are told apart from an answer: exit 6")
  func noDaemon() throws {
    let folder = SocketFolder()
    for isLeftBehind in [false, true] {
      if isLeftBehind { _ = try UnixSocket.listen(at: folder.socket) }
      let error = try #require(failure { () throws(ControlClientError) in _ = try ControlClient(path: folder.socket) })
      guard case .noDaemon(folder.socket, _) = error else {
        Issue.record("\(error)")
        return
      }
      #expect(error.exitStatus == .noDaemon)
      #expect(error.description.contains("blurtctl doctor"))
    }
  }

  @Test("S-109 S-126 a daemon that accepts nothing, or answers nothing, is given up at the deadline")
  func noAnswer() throws {
    let folder = SocketFolder()
    let listener = try UnixSocket.listen(at: folder.socket, backlog: 0)
    let start = MonotonicClock.now()
    let first = try ControlClient(path: folder.socket)
    #expect(
      failure { () throws(ControlClientError) in
        _ = try first.ask(status, until: start + .milliseconds(100))
      } == .noAnswer)
    #expect(MonotonicClock.now() - start >= .milliseconds(100))
    // The backlog of one is full now.
    #expect(
      failure { () throws(ControlClientError) in
        _ = try ControlClient(path: folder.socket, within: .milliseconds(100))
      } == .noAnswer)
    #expect(MonotonicClock.now() - start < .seconds(5))
    #expect(listener.raw >= 0)
  }

  @Test("B-42 the end of the connection is an error once, not an endless read")
  func closed() throws {
    let folder = SocketFolder()
    try listener(folder, says: Array("{\"event\":\"phase\",\"phase\":\"idle\"}\n{\"half\":".utf8))
    let client = try ControlClient(path: folder.socket)
    guard case .message(.event(.phase), _) = try client.wait() else {
      Issue.record("no event")
      return
    }
    #expect(failure { () throws(ControlClientError) in _ = try client.wait() } == .closed)
    #expect(failure { () throws(ControlClientError) in _ = try client.wait() } == .closed)
  }

  @Test("S-146 the daemon's error object is an error with its reason")
  func refused() throws {
    let folder = SocketFolder()
    let error = WireError(.tooManyClients)
    try listener(folder, says: MessageCoder.encode(error))
    let client = try ControlClient(path: folder.socket)
    let failed = failure { () throws(ControlClientError) in _ = try client.ask(status, until: nil) }
    #expect(failed == .refused(error))
    #expect(failed?.exitStatus == .failed)
  }

  @Test("S-146 a daemon that sends garbage or an endless line is refused", arguments: [0, 1])
  func garbage(_ kind: Int) throws {
    let folder = SocketFolder()
    let garbage = Array("HTTP/1.1 400 Bad Request\r\n".utf8)
    try listener(
      folder, says: kind == 0 ? garbage : Array(repeating: 120, count: SessionContract.longestReplyLine + 1))
    let client = try ControlClient(path: folder.socket)
    guard case .unreadable? = failure({ () throws(ControlClientError) in _ = try client.wait() }) else {
      Issue.record("it was read")
      return
    }
  }

  @Test("S-149 a wait ends for another descriptor too, and gives lines that came before first")
  func otherDescriptors() async throws {
    try await withServer { rig in
      let client = try ControlClient(path: rig.folder.socket)
      let wakeup = try Wakeup()
      _ = try client.ask(ClientCommand(id: "w", .watch(WatchOptions())), until: nil)
      guard case .message(.event(.phase(PhaseEvent(phase: .idle))), _) = try client.wait(or: [wakeup.descriptor]) else {
        Issue.record("no first phase")
        return
      }
      wakeup.signal()
      #expect(try client.wait(or: [wakeup.descriptor]) == .readable(wakeup.descriptor))
      wakeup.clear()
      #expect(try client.wait(until: MonotonicClock.now() + .milliseconds(5), or: [wakeup.descriptor]) == .timedOut)
    }
  }

  @Test("S-151 a wait ends when nobody reads the descriptor that is named, and not for what could be read from it")
  func reader() async throws {
    try await withServer { rig in
      let client = try ControlClient(path: rig.folder.socket)
      var ends: [Int32] = [-1, -1]
      #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
      defer { close(ends[0]) }
      #expect(send(ends[1], "x", 1, 0) == 1)
      let short = MonotonicClock.now() + .milliseconds(5)
      #expect(try client.wait(until: short, reader: ends[0]) == .timedOut)
      close(ends[1])
      #expect(try client.wait(reader: ends[0]) == .readerGone)
      var pipe: [Int32] = [-1, -1]
      #expect(Glibc.pipe(&pipe) == 0)
      defer { close(pipe[1]) }
      close(pipe[0])
      #expect(try client.wait(reader: pipe[1]) == .readerGone)
    }
  }
}
