import BlurtOS
import BlurtTestSupport
import Glibc
import Testing

@Suite("JournalStream", .timeLimit(.minutes(1))) struct JournalStreamTests {
  private let folder = SocketFolder()

  /// What the service manager writes into `JOURNAL_STREAM` for that descriptor.
  private func stream(of descriptor: Int32) -> [String: String] {
    var found = stat()
    fstat(descriptor, &found)
    return ["JOURNAL_STREAM": "\(found.st_dev):\(found.st_ino)"]
  }

  @Test("P-60 lines that go to the journal go there under the identity's own identifier")
  func renamed() async throws {
    let listener = try UnixSocket.listen(at: folder.socket)
    let output = open(folder.file("stderr"), O_RDWR | O_CREAT, 0o600)
    defer { close(output) }
    let environment = stream(of: output)
    let socket = folder.socket
    let isRenamed = try await Blocking.run(name: "rename") {
      JournalStream.rename(to: "blurtd-dev", environment: environment, descriptor: output, socket: socket)
    }
    #expect(isRenamed)
    #expect(write(output, "<5>ready\n", 9) == 9)
    let journal = accept(listener.raw, nil, nil)
    defer { close(journal) }
    let expected = "blurtd-dev\n\n6\n1\n0\n0\n0\n<5>ready\n"
    var received: [UInt8] = []
    while received.count < expected.utf8.count {
      var buffer = [UInt8](repeating: 0, count: 256)
      let count = read(journal, &buffer, buffer.count)
      guard count > 0 else { break }
      received += buffer[..<count]
    }
    #expect(String(decoding: received, as: UTF8.self) == expected)
  }

  @Test("P-60 elsewhere, and without a journal, nothing changes")
  func untouched() {
    let output = open(folder.file("stderr"), O_RDWR | O_CREAT, 0o600)
    defer { close(output) }
    for environment in [[:], ["JOURNAL_STREAM": "1:1"], ["JOURNAL_STREAM": ""], stream(of: output)] {
      #expect(
        !JournalStream.rename(to: "x", environment: environment, descriptor: output, socket: folder.file("none")))
    }
    #expect(write(output, "x", 1) == 1)
    var found = stat()
    #expect(fstat(output, &found) == 0 && found.st_size == 1)
  }
}
