import Testing

@testable import BlurtIPC

@Suite struct SlowClientsTests {
  @Test("B-38 a client that takes nothing is overdue when its patience is over, and only once")
  func overdue() {
    var slow = SlowClients(patience: .seconds(10))
    #expect(slow.nextLook == nil)
    slow.note(1, since: .seconds(1))
    slow.note(2, since: .seconds(3))
    #expect(slow.nextLook == .seconds(11))
    let early = slow.overdue(at: .milliseconds(10_999))
    #expect(early == [])
    let first = slow.overdue(at: .seconds(11))
    #expect(first == [1])
    #expect(slow.nextLook == .seconds(13))
    let last = slow.overdue(at: .seconds(20))
    #expect(last == [2])
    #expect(slow.nextLook == nil)
  }

  @Test("B-38 a client that takes a little now and then is never overdue, one that took everything needs no timer")
  func progress() {
    var slow = SlowClients(patience: .seconds(10))
    for second in 1...100 {
      slow.note(1, since: .seconds(second))
      let none = slow.overdue(at: .seconds(second))
      #expect(none == [])
    }
    let look = slow.overdue(at: .seconds(101))
    #expect(look == [] && slow.nextLook == .seconds(110))
    slow.note(1, since: nil)
    #expect(slow.nextLook == nil)
    slow.note(1, since: .seconds(200))
    slow.remove(1)
    #expect(slow.nextLook == nil)
    let gone = slow.overdue(at: .seconds(500))
    #expect(gone == [])
  }
}
