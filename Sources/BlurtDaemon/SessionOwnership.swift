package import BlurtContract
package import BlurtIPC

/// Who owns which dictation, and who may end it (S-129, S-130, S-134, S-135, S-155).
///
/// A value without a lock or a clock. It knows the presses that came through the socket, each noted before any later
/// command is looked at; a dictation that none of them started is the trigger key's.
package struct SessionOwnership: Sendable {
  package enum Owner: Hashable, Sendable {
    /// A one-shot command: every later one acts as the same owner (S-134).
    case user
    /// A client that pressed with a lease.
    case client(connection: UInt64, processID: Int32)
    /// The trigger key, which is always there and always on screen (S-135).
    case key

    /// As `status` names it.
    package var name: String {
      switch self {
      case .user: "user"
      case .client: "client"
      case .key: "key"
      }
    }
  }

  /// Who is on the user's screen, as one client sees it (S-131).
  package enum Screen: Hashable, Sendable {
    case nobody
    case thisClient
    case anotherClient
  }

  private struct Press {
    var owner: Owner
    let connection: UInt64
    var dictation: UInt64?
    var isAccepted = false
  }

  private var presses: [UInt64: Press] = [:]
  private var lastPress: UInt64 = 0
  /// Connections whose last accepted press had a lease: none of them is a one-shot command.
  private var leasing: Set<UInt64> = []

  package init() {}

  /// A press is about to be submitted. `present` is the newest dictation; what came before it is forgotten.
  ///
  /// Returns what the press is called until it has a number.
  package mutating func began(_ lease: Lease, by client: ClientIdentity, present: UInt64?) -> UInt64 {
    presses = presses.filter { ($0.value.dictation ?? .max) >= (present ?? 0) }
    let owner: Owner
    switch lease {
    case .none: owner = .user
    case .connection, .heartbeat:
      owner = .client(connection: client.connection, processID: client.processID)
      leasing.insert(client.connection)
    }
    lastPress += 1
    presses[lastPress] = Press(owner: owner, connection: client.connection)
    return lastPress
  }

  /// The press got its number. Nothing to do where it was refused before that.
  package mutating func numbered(_ press: UInt64, dictation: UInt64) { presses[press]?.dictation = dictation }

  /// It is known what became of the press: one that was not accepted owns nothing (S-125).
  package mutating func decided(_ press: UInt64, isAccepted: Bool) {
    guard isAccepted else {
      presses[press] = nil
      return
    }
    presses[press]?.isAccepted = true
    // What it held by a lease has ended, or this press would be busy: from now on it acts as the user.
    if let known = presses[press], known.owner == .user { leasing.remove(known.connection) }
  }

  /// The numbers of presses that nothing was decided of yet, smallest first.
  package var undecided: [UInt64] { presses.values.filter { !$0.isAccepted }.compactMap(\.dictation).sorted() }

  package func owner(of dictation: UInt64) -> Owner {
    presses.values.first { $0.dictation == dictation }?.owner ?? .key
  }

  /// S-130: whether a client may release or cancel a dictation of that owner.
  package func allows(_ client: ClientIdentity, onDictationOf owner: Owner, screen: Screen) -> Bool {
    let isOneShot = !leasing.contains(client.connection)
    switch owner {
    case .client(client.connection, _): return true
    // The same process over another connection; 0 is a process that cannot be seen.
    case .client(_, client.processID) where client.processID != 0: return true
    case .user where isOneShot: return true
    case .user, .client, .key: break
    }
    switch screen {
    case .thisClient: return true
    case .anotherClient: return false
    // S-155: the user is never locked out.
    case .nobody: return isOneShot
    }
  }

  /// The leases of a connection are over. Returns the dictations to be released; from now on they are the user's.
  package mutating func leaseEnded(_ connection: UInt64) -> [UInt64] {
    var released: [UInt64] = []
    for (press, known) in presses {
      guard case .client(connection, _) = known.owner else { continue }
      presses[press]?.owner = .user
      if let dictation = known.dictation { released.append(dictation) }
    }
    return released.sorted()
  }

  /// Nothing more will come from a connection. Returns the dictations to be released.
  package mutating func gone(_ connection: UInt64) -> [UInt64] {
    leasing.remove(connection)
    return leaseEnded(connection)
  }
}
