import Testing

@testable import BlurtInjection

@Suite("PasteReceipt")
struct PasteReceiptTests {
  private static let start = Duration.seconds(100)
  private var receipt = PasteReceipt(postedAt: start, timing: .standard)

  private func at(_ milliseconds: Int) -> Duration { Self.start + .milliseconds(milliseconds) }

  @Test("C-48 C-75 a target that reads at once gets the old clipboard back at the floor of 400 ms, not before")
  func floor() {
    var receipt = receipt
    receipt.read(at: at(5))
    #expect(receipt.verdict(at: at(399)) == .wait)
    #expect(receipt.nextDeadline == at(400))
    #expect(receipt.verdict(at: at(400)) == .restore)
  }

  @Test("B-54 a read 1.5 s late still finds the text; the old clipboard comes 200 ms after it")
  func late() {
    var receipt = receipt
    #expect(receipt.verdict(at: at(1500)) == .wait)
    receipt.read(at: at(1500))
    #expect(receipt.verdict(at: at(1699)) == .wait)
    #expect(receipt.verdict(at: at(1700)) == .restore)
  }

  @Test("B-55 each further read starts the 200 ms anew")
  func twice() {
    var receipt = receipt
    receipt.read(at: at(350))
    receipt.read(at: at(500))
    #expect(receipt.verdict(at: at(699)) == .wait)
    #expect(receipt.verdict(at: at(700)) == .restore)
  }

  @Test("B-55 C-75 a target that never reads gives way at 8 s, and that is told")
  func never() {
    #expect(receipt.verdict(at: at(7999)) == .wait)
    #expect(receipt.verdict(at: at(8000)) == .neverRead)
    #expect(!receipt.wasRead)
  }

  @Test("a clipboard manager's read does not bring the old clipboard back early, and is not taken for nobody's")
  func manager() {
    var receipt = receipt
    receipt.readByAnother()
    #expect(receipt.verdict(at: at(7999)) == .wait)
    #expect(receipt.verdict(at: at(8000)) == .restore)
  }

  @Test("a read in pieces holds everything up until it is through")
  func pieces() {
    var receipt = receipt
    receipt.readBegan()
    #expect(receipt.verdict(at: at(9000)) == .wait)
    #expect(receipt.nextDeadline == nil)
    #expect(receipt.takeoverDeadline == nil)
    receipt.readEnded(complete: true, at: at(9000))
    #expect(receipt.verdict(at: at(9199)) == .wait)
    #expect(receipt.verdict(at: at(9200)) == .restore)
  }

  @Test("a reader that died in the middle has not read")
  func died() {
    var receipt = receipt
    receipt.readBegan()
    receipt.readEnded(complete: false, at: at(100))
    #expect(receipt.verdict(at: at(500)) == .wait)
    #expect(receipt.verdict(at: at(8000)) == .neverRead)
  }

  @Test("B-55 a look at what there is, after a read, may announce another read; before it, it is none")
  func asked() {
    var receipt = receipt
    receipt.asked(at: at(10))
    #expect(receipt.verdict(at: at(7999)) == .wait)
    receipt.read(at: at(350))
    receipt.asked(at: at(500))
    #expect(receipt.verdict(at: at(699)) == .wait)
    #expect(receipt.verdict(at: at(700)) == .restore)
  }

  @Test(
    "a target that looks at the clipboard again and again keeps the text for 8 s after its first read, the next insert 2 s"
  )
  func polling() {
    var receipt = receipt
    for step in 0..<100 { receipt.read(at: at(100 + step * 100)) }
    #expect(receipt.takeoverDeadline == at(2100))
    #expect(receipt.verdict(at: at(8099)) == .wait)
    #expect(receipt.verdict(at: at(8100)) == .restore)
  }

  @Test("C-35 the next insert may take over once the target has read and is quiet, else after 2 s")
  func takeover() {
    var receipt = receipt
    #expect(receipt.takeoverDeadline == at(2000))
    receipt.read(at: at(10))
    #expect(receipt.takeoverDeadline == at(210))
  }
}
