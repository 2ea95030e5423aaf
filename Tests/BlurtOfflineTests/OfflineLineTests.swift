import BlurtEngine
import BlurtOffline
import Testing

@Suite("OfflineLine")
struct OfflineLineTests {
  @Test("every reply survives the way, as one line")
  func roundTrip() throws {
    let replies: [OfflineReply] = [
      .ready(OfflineReadiness(libraryVersion: 30_000, sandbox: .seccomp, loadMilliseconds: 312)),
      .failed(OfflineFault.modelUnusable.error("Line one.\nLine two.")),
      .answer(id: .max, OfflineAnswer(outcome: .speech, text: "Say \"é 日本語\"\n", audioSeconds: 1.5)),
      .error(id: 7, OfflineFault.unreadableAudio.error("x")),
    ]
    for reply in replies {
      let line = OfflineLine.encode(reply)
      #expect(line.last == UInt8(ascii: "\n"))
      #expect(line.count { $0 == UInt8(ascii: "\n") } == 1)
      #expect(OfflineLine.decode(OfflineReply.self, from: line.dropLast()) == reply)
    }
  }

  @Test(
    "a line that lacks what it needs is no reply",
    arguments: ["", "{", "{}", "[]", #"{"id":1}"#, #"{"answer":{"outcome":"speech"}}"#, #"{"id":-1,"error":{}}"#])
  func refused(line: String) {
    #expect(OfflineLine.decode(OfflineReply.self, from: Array(line.utf8)) == nil)
  }

  @Test("a request may carry fields that are not known")
  func unknownFields() {
    let line = Array(#"{"id":3,"path":"/a b.raw","offset":0,"later":[1]}"#.utf8)
    #expect(OfflineLine.decode(OfflineRequest.self, from: line) == OfflineRequest(id: 3, path: "/a b.raw"))
  }

  @Test("bytes become lines however they are cut")
  func framing() {
    var buffer = OfflineLineBuffer()
    #expect(buffer.append(Array("ab".utf8)).isEmpty)
    #expect(buffer.append(Array("c\n\nd".utf8)) == [Array("abc".utf8), []])
    #expect(buffer.append(Array("e\n".utf8)) == [Array("de".utf8)])
    #expect(!buffer.isOverfull)
    _ = buffer.append([UInt8](repeating: 1, count: OfflineLine.longest + 1))
    #expect(buffer.isOverfull)
  }
}
