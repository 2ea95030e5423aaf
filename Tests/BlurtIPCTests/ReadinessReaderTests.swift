import BlurtContract
import BlurtOS
import BlurtTestSupport
import Foundation
import Testing

@testable import BlurtIPC

@Suite(.timeLimit(.minutes(1))) struct ReadinessReaderTests {
  private let folder = SocketFolder()
  private var file: String { folder.file(ReadinessReader.fileName) }
  private var reader: ReadinessReader { ReadinessReader(record: file, socket: folder.socket) }

  private func write(_ record: ReadinessRecord) throws { try Data(record.line).write(to: URL(fileURLWithPath: file)) }

  private func open(by process: Int32 = getpid(), at time: Duration = .zero) -> ReadinessRecord {
    ReadinessRecord(state: .open, generation: 1, publishedAt: time, processID: Int(process))
  }

  private func takeLock() throws -> FileLock { try FileLock.take(at: SocketClaim.lockPath(of: folder.socket)) }

  @Test("S-121 where nobody holds the lock there is no daemon, however fresh the record is")
  func nobody() throws {
    #expect(reader.read() == .noDaemon)
    try write(open(at: .seconds(100)))
    #expect(reader.read(sinceBoot: .seconds(100)) == .noDaemon)
    try takeLock().unlock()
    #expect(reader.read(sinceBoot: .seconds(100)) == .noDaemon)
  }

  @Test("S-121 a daemon that hangs has an old record and a held lock: it says open, and the handshake decides")
  func hanging() throws {
    let lock = try takeLock()
    try write(open())
    #expect(reader.read(sinceBoot: .seconds(86_400)) == .listening(open()))
    lock.unlock()
    #expect(reader.read(sinceBoot: .zero) == .noDaemon)
  }

  @Test("S-120 a daemon that refuses presses says why")
  func refusing() throws {
    let lock = try takeLock()
    var record = open()
    record.state = .interrupted
    record.reason = .suspended
    try write(record)
    #expect(reader.read() == .notListening(.suspended))
    record.state = .closed
    record.reason = nil
    try write(record)
    #expect(reader.read() == .notListening(.windowClosed))
    lock.unlock()
  }

  @Test("S-120 what a dead daemon, or nobody, has written is not taken for the word of the one that starts")
  func starting() throws {
    let lock = try takeLock()
    #expect(reader.read() == .notListening(.starting))
    try write(open(by: 1))
    #expect(reader.read(sinceBoot: .zero) == .notListening(.starting))
    try Data("{".utf8).write(to: URL(fileURLWithPath: file))
    #expect(reader.read() == .notListening(.starting))
    try Data(repeating: 32, count: 1 << 20).write(to: URL(fileURLWithPath: file))
    #expect(reader.read() == .notListening(.starting))
    lock.unlock()
  }

  @Test("S-107 S-121 where the lock cannot be looked at a record counts for 15 s")
  func noLock() throws {
    #expect(symlink("/dev/null", SocketClaim.lockPath(of: folder.socket)) == 0)
    #expect(reader.read() == .noDaemon)
    try write(open(at: .seconds(100)))
    #expect(reader.read(sinceBoot: .seconds(115)) == .listening(open(at: .seconds(100))))
    #expect(reader.read(sinceBoot: .seconds(116)) == .noDaemon)
  }
}
