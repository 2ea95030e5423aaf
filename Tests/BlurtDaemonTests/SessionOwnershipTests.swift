import BlurtContract
import BlurtIPC
import Testing

@testable import BlurtDaemon

@Suite("SessionOwnership") struct SessionOwnershipTests {
  private let one = ClientIdentity(connection: 2, processID: 20, userID: 0)
  private let two = ClientIdentity(connection: 3, processID: 30, userID: 0)

  private func owned(_ lease: Lease, by client: ClientIdentity, dictation: UInt64 = 5) -> SessionOwnership {
    var ownership = SessionOwnership()
    let press = ownership.began(lease, by: client, present: nil)
    ownership.numbered(press, dictation: dictation)
    ownership.decided(press, isAccepted: true)
    return ownership
  }

  private func allows(
    _ ownership: SessionOwnership, _ client: ClientIdentity, _ screen: SessionOwnership.Screen, dictation: UInt64 = 5
  ) -> Bool {
    ownership.allows(client, onDictationOf: ownership.owner(of: dictation), screen: screen)
  }

  @Test("S-129 the client whose leased press was accepted owns that dictation, over any of its connections")
  func client() {
    for lease in [Lease.connection, .heartbeat(.seconds(1))] {
      let ownership = owned(lease, by: one)
      #expect(ownership.owner(of: 5) == .client(connection: 2, processID: 20))
      #expect(ownership.owner(of: 5).name == "client")
      for screen in [SessionOwnership.Screen.nobody, .thisClient, .anotherClient] {
        #expect(allows(ownership, one, screen))
        #expect(allows(ownership, ClientIdentity(connection: 9, processID: 20, userID: 0), screen))
      }
    }
  }

  @Test("S-129 processes that cannot be seen are not taken for one another")
  func unseen() {
    let ownership = owned(.connection, by: ClientIdentity(connection: 2, processID: 0, userID: 0))
    let other = ClientIdentity(connection: 3, processID: 0, userID: 0)
    #expect(!allows(ownership, other, .anotherClient))
  }

  @Test("S-130 a stranger may end a client's dictation only while it, or nobody, is on screen")
  func stranger() {
    let ownership = owned(.connection, by: one)
    #expect(!allows(ownership, two, .anotherClient))
    #expect(allows(ownership, two, .thisClient))
    #expect(allows(ownership, two, .nobody))
  }

  @Test("S-134 what a one-shot press began, every one-shot command may end, whoever is on screen")
  func user() {
    let ownership = owned(.none, by: one)
    #expect(ownership.owner(of: 5) == .user && ownership.owner(of: 5).name == "user")
    for screen in [SessionOwnership.Screen.nobody, .thisClient, .anotherClient] {
      #expect(allows(ownership, two, screen))
    }
  }

  @Test("S-130 a client that presses with leases is no one-shot command: in the background it ends nobody else's")
  func background() {
    for press in [Lease.none, .connection] {
      var ownership = owned(press, by: one)
      let busy = ownership.began(.connection, by: two, present: 5)
      ownership.numbered(busy, dictation: 6)
      ownership.decided(busy, isAccepted: false)
      #expect(!allows(ownership, two, .nobody))
      #expect(!allows(ownership, two, .anotherClient))
      #expect(allows(ownership, two, .thisClient))
      // With its connection goes what it was.
      #expect(ownership.gone(two.connection) == [])
      #expect(allows(ownership, two, .nobody))
    }
  }

  @Test(
    "S-135 S-155 a dictation that no client began is the key's; a script may end it unless another client is on screen")
  func key() {
    let ownership = SessionOwnership()
    #expect(ownership.owner(of: 5) == .key && ownership.owner(of: 5).name == "key")
    #expect(allows(ownership, one, .nobody))
    #expect(allows(ownership, one, .thisClient))
    #expect(!allows(ownership, one, .anotherClient))
  }

  @Test("S-134 a connection that held a lease and then presses without one may end that dictation")
  func oneShotAgain() {
    let client = ClientIdentity(connection: 3, processID: 30, userID: 0)
    var table = owned(.connection, by: client)
    let press = table.began(.none, by: client, present: 5)
    table.decided(press, isAccepted: true)
    table.numbered(press, dictation: 6)
    #expect(table.owner(of: 6) == .user)
    for screen in [SessionOwnership.Screen.nobody, .anotherClient] {
      #expect(table.allows(client, onDictationOf: .user, screen: screen))
    }
    // A press that was busy changes nothing.
    var busy = owned(.connection, by: client)
    busy.decided(busy.began(.none, by: client, present: 5), isAccepted: false)
    #expect(!busy.allows(client, onDictationOf: .user, screen: .nobody))
  }

  @Test("S-125 a press that was busy changes no owner")
  func busy() {
    var ownership = owned(.connection, by: one)
    let busy = ownership.began(.none, by: two, present: 5)
    // Decided before it had its number.
    ownership.decided(busy, isAccepted: false)
    ownership.numbered(busy, dictation: 6)
    #expect(ownership.owner(of: 5) == .client(connection: 2, processID: 20))
    #expect(ownership.owner(of: 6) == .key)
    #expect(ownership.undecided == [])
  }

  @Test("S-132 the end of a lease names its dictations, once; from then on they are the user's")
  func leaseEnded() {
    var ownership = owned(.connection, by: one)
    #expect(ownership.leaseEnded(two.connection) == [])
    #expect(ownership.leaseEnded(one.connection) == [5])
    #expect(ownership.leaseEnded(one.connection) == [])
    #expect(ownership.gone(one.connection) == [])
    #expect(ownership.owner(of: 5) == .user)
    #expect(allows(ownership, two, .anotherClient))
  }

  @Test("S-132 a press that nothing was decided of yet is named too")
  func undecided() {
    var ownership = SessionOwnership()
    let first = ownership.began(.connection, by: one, present: nil)
    #expect(ownership.undecided == [])
    ownership.numbered(first, dictation: 7)
    let second = ownership.began(.none, by: two, present: nil)
    ownership.numbered(second, dictation: 6)
    #expect(ownership.undecided == [6, 7])
    ownership.decided(second, isAccepted: true)
    #expect(ownership.undecided == [7])
    #expect(ownership.gone(one.connection) == [7])
  }

  @Test("S-129 what came before the newest dictation is forgotten, so that nothing grows")
  func forgets() {
    var ownership = owned(.none, by: one)
    for number in UInt64(6)..<1_000 {
      let press = ownership.began(.none, by: one, present: number - 1)
      ownership.numbered(press, dictation: number)
      ownership.decided(press, isAccepted: true)
    }
    #expect(ownership.owner(of: 5) == .key)
    #expect(ownership.owner(of: 999) == .user)
  }
}
