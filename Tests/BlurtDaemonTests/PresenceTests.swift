import BlurtContract
import BlurtIPC
import BlurtOS
import BlurtTestSupport
import Glibc
import Testing

@testable import BlurtDaemon

@Suite("Presence") struct PresenceTests {
  private let old = PresenceRecord.Holder.process(id: 20, startedAt: 1)
  private let new = PresenceRecord.Holder.process(id: 30, startedAt: 2)
  private let one = ClientIdentity(connection: 2, processID: 20, userID: 0)
  private let two = ClientIdentity(connection: 3, processID: 30, userID: 0)

  @Test("S-112 S-131 presence is stale 15 s after its last renewal, judged when it is asked")
  func stale() {
    var record = PresenceRecord()
    #expect(record.holder(at: .zero) == nil)
    #expect(record.claim(old, at: .seconds(1)) == true)
    #expect(record.holder(at: .seconds(16)) == old)
    #expect(record.holder(at: .seconds(16) + .milliseconds(1)) == nil)
    #expect(record.claim(old, at: .seconds(1) + SessionContract.presenceHeartbeat) == true)
    #expect(record.holder(at: .seconds(20)) == old)
  }

  @Test("S-131 a fresh presence is its holder's alone; an empty or stale one anybody's")
  func claim() {
    var record = PresenceRecord()
    #expect(record.claim(old, at: .zero) == true)
    #expect(record.claim(new, at: .seconds(15)) == false)
    #expect(record.holder(at: .seconds(15)) == old)
    #expect(record.claim(new, at: .seconds(16)) == true)
    #expect(record.holder(at: .seconds(16)) == new)
    #expect(record.claim(old, at: .seconds(17), dead: new) == true)
    #expect(record.claim(new, at: .seconds(18), dead: new) == false)
  }

  @Test("S-131 Y-126 an old client that closes late leaves the newer one's presence")
  func clear() {
    var record = PresenceRecord()
    #expect(record.claim(old, at: .zero) == true)
    #expect(record.claim(new, at: .seconds(16)) == true)
    let before = record
    #expect(record.clear(old, at: .seconds(17)) == false)
    #expect(record == before)
    #expect(record.clear(new, at: .seconds(17)) == true)
    #expect(record.holder(at: .seconds(17)) == nil)
    #expect(record.clear(old, at: .seconds(18)) == true)
  }

  @Test("S-131 Y-126 a process is known by its start: one with the same number is another")
  func sameNumber() {
    let start = Box<UInt64?>(100)
    let board = PresenceBoard(now: { .seconds(1) }, startOf: { [start] in $0 == 20 ? start.value : 7 })
    #expect(board.screen(of: one) == .nobody)
    #expect(board.set(onScreen: true, by: one))
    #expect(board.screen(of: one) == .thisClient)
    #expect(board.screen(of: two) == .anotherClient)
    #expect(!board.set(onScreen: true, by: two))
    #expect(!board.set(onScreen: false, by: two))
    // Another connection of the same process.
    #expect(board.screen(of: ClientIdentity(connection: 9, processID: 20, userID: 0)) == .thisClient)
    start.value = 101
    #expect(board.screen(of: one) == .nobody)
    #expect(board.set(onScreen: true, by: two))
    #expect(!board.set(onScreen: true, by: one))
  }

  @Test("S-131 the presence of a process that has died is nobody's, though it is fresh")
  func dead() {
    let start = Box<UInt64?>(100)
    let board = PresenceBoard(now: { .seconds(1) }, startOf: { [start] in $0 == 20 ? start.value : 7 })
    #expect(board.set(onScreen: true, by: one))
    start.value = nil
    #expect(board.screen(of: two) == .nobody)
    #expect(board.set(onScreen: true, by: two))
    #expect(board.screen(of: two) == .thisClient)
  }

  @Test("S-131 of a process that cannot be looked at each connection stands for itself, and ends with itself")
  func unseen() {
    let board = PresenceBoard(now: { .seconds(1) }, startOf: { _ in nil })
    #expect(board.set(onScreen: true, by: one))
    #expect(board.screen(of: two) == .anotherClient)
    board.gone(two)
    #expect(board.screen(of: one) == .thisClient)
    board.gone(one)
    #expect(board.screen(of: two) == .nobody)
  }

  @Test("S-131 a process keeps its presence when one of its connections ends")
  func otherConnection() {
    let board = PresenceBoard(now: { .seconds(1) }, startOf: { UInt64($0) })
    #expect(board.set(onScreen: true, by: one))
    board.gone(one)
    #expect(board.screen(of: two) == .anotherClient)
  }

  @Test("S-131 Y-126 with the real clock and processes, this process takes, keeps and gives up")
  func real() {
    let board = PresenceBoard()
    let own = ClientIdentity(connection: 2, processID: getpid(), userID: getuid())
    let parent = ClientIdentity(connection: 3, processID: 1, userID: 0)
    #expect(board.set(onScreen: true, by: own))
    #expect(board.set(onScreen: true, by: own))
    #expect(board.screen(of: own) == .thisClient)
    #expect(board.screen(of: parent) == .anotherClient)
    #expect(board.set(onScreen: false, by: own))
    #expect(board.screen(of: parent) == .nobody)
  }

  @Test("S-131 the command is done, or says that another client is on screen")
  func command() {
    let command = PresenceCommand(PresenceBoard(now: { .zero }, startOf: { UInt64($0) }))
    let acks = Box<[CommandAck]>([])
    command.handle(ClientCommand(id: "1", .presence(onScreen: true)), from: one) { acks.append($0) }
    command.handle(ClientCommand(id: "2", .presence(onScreen: true)), from: two) { acks.append($0) }
    command.handle(ClientCommand(id: "3", .presence(onScreen: false)), from: two) { acks.append($0) }
    command.handle(ClientCommand(id: "4", .presence(onScreen: false)), from: one) { acks.append($0) }
    command.handle(ClientCommand(id: "5", .presence(onScreen: true)), from: two) { acks.append($0) }
    #expect(acks.value.map(\.result) == [.done, .notOwner, .notOwner, .done, .done])
    #expect(acks.value[1].message?.isEmpty == false)
  }
}
