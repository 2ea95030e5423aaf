import BlurtContract
import BlurtEngine
import BlurtIPC
import BlurtTestSupport
import Testing

@testable import BlurtDaemon

@Suite("transcribe", .timeLimit(.minutes(1))) struct TranscribeCommandTests {
  @Test("S-123 files are transcribed one at a time, in the order of the commands, and each command is answered")
  func serial() async {
    let (first, log) = (Gate(), EventLog())
    let command = TranscribeCommand { path, _ throws(FileTranscription.Failure) in
      log.append("begin \(path)")
      if path == "/1" { await first.pass() }
      log.append("end \(path)")
      if path == "/2" { throw .file("no sound") }
      return Transcript(text: path, engine: .offline)
    }
    let client = ClientIdentity(connection: 1, processID: 1, userID: 0)
    let acks = Box<[CommandAck]>([])
    for number in 1...3 {
      command.handle(ClientCommand(id: "\(number)", .transcribe(path: "/\(number)")), from: client) { acks.append($0) }
    }
    await log.wait(for: "begin /1")
    #expect(log.events == ["begin /1"])
    first.open()
    #expect(await eventually { acks.value.count == 3 })
    #expect(log.events == ["begin /1", "end /1", "begin /2", "end /2", "begin /3", "end /3"])
    #expect(acks.value.map(\.result) == [.done, .failed, .done])
    #expect(acks.value.last?.text == "/3")
  }
}
