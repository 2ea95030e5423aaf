internal import BlurtContract
internal import BlurtOS
internal import Glibc

/// Takes clients from the listener: only those of the one user, and no more than there is room for. Belongs to the
/// server's thread.
final class ClientAcceptor {
  /// At most so many at once: clients that are here already have their turn in between.
  private static let batch = 64

  /// Owned by the claim, which outlives the thread.
  private let listener: Int32
  private let token: UInt64
  private let userID: UInt32
  private let clientCount: Int
  /// Given up for a moment when descriptors run out, so that a client can be told instead of being left hanging.
  private var reserve: FileDescriptor?
  private var nextConnection: UInt64
  /// Full, and the journal knows it.
  private var isFull = false
  /// When clients are accepted again after the system refused one.
  private(set) var resumesAt: Duration?

  /// Watches the listener in the epoll set under `token`; connections are numbered from `firstConnection` on.
  init(
    _ listener: Int32, in epoll: borrowing Epoll, token: UInt64, firstConnection: UInt64, userID: UInt32,
    clientCount: Int
  ) throws(Errno) {
    self.listener = listener
    self.token = token
    self.userID = userID
    self.clientCount = clientCount
    nextConnection = firstConnection
    reserve = try .open("/dev/null", O_RDONLY)
    try epoll.add(listener, token: token, .read)
  }

  /// Accepts those who wait. `connected` tells how many clients there are.
  func accept(in epoll: borrowing Epoll, connected: () -> Int, admit: (ClientConnection) -> Void) {
    for _ in 0..<Self.batch {
      do throws(Errno) {
        guard let socket = try UnixSocket.accept(from: listener) else { return }
        if let client = client(socket, connected: connected()) { admit(client) }
      } catch {
        switch error.code {
        case ECONNABORTED: continue
        case EMFILE, ENFILE:
          if refuseWithReserve(connected: connected()) { continue }
          pause(error, in: epoll)
        default: pause(error, in: epoll)
        }
        return
      }
    }
  }

  /// Accepts again when the pause is over.
  func resume(at now: Duration, in epoll: borrowing Epoll) {
    guard let due = resumesAt, due <= now else { return }
    resumesAt = nil
    if reserve == nil {
      do throws(Errno) { reserve = try .open("/dev/null", O_RDONLY) } catch { reserve = nil }
    }
    do throws(Errno) {
      try epoll.modify(listener, token: token, .read)
    } catch {
      Log.error("clients are no longer accepted, restart blurtd", ["error": "\(error)"])
    }
  }

  /// A client has gone, and so many are left.
  func left(connected: Int) { if connected < clientCount { isFull = false } }

  private func client(_ socket: consuming FileDescriptor, connected: Int) -> ClientConnection? {
    let peer: PeerCredentials
    do throws(Errno) {
      peer = try UnixSocket.peer(of: socket.raw)
    } catch {
      Log.warning("client without credentials refused", ["error": "\(error)"])
      return nil
    }
    guard peer.userID == userID else {
      Log.warning("client of another user refused", ["uid": "\(peer.userID)", "pid": "\(peer.processID)"])
      return nil
    }
    guard connected < clientCount else {
      refuse(socket, connected: connected)
      return nil
    }
    let identity = ClientIdentity(connection: nextConnection, processID: peer.processID, userID: peer.userID)
    nextConnection += 1
    return ClientConnection(identity: identity, socket: socket)
  }

  /// Tells a client that there is no room and closes its connection.
  private func refuse(_ socket: consuming FileDescriptor, connected: Int) {
    if !isFull {
      isFull = true
      Log.warning("too many clients, new ones are refused", ["clients": "\(connected)"])
    }
    let line = MessageCoder.encode(WireError(.tooManyClients))
    do throws(Errno) {
      _ = try UnixSocket.send(line[...], to: socket.raw)
    } catch {
      // It has gone already.
    }
  }

  /// Out of descriptors: gives up the reserve for one client, tells it, and takes the reserve back.
  private func refuseWithReserve(connected: Int) -> Bool {
    guard reserve != nil else { return false }
    reserve = nil
    var refused = false
    do throws(Errno) {
      if let socket = try UnixSocket.accept(from: listener) {
        refuse(socket, connected: connected)
        refused = true
      }
    } catch {
      // Another thread was quicker with the descriptor.
    }
    do throws(Errno) { reserve = try .open("/dev/null", O_RDONLY) } catch { return false }
    return refused
  }

  /// Leaves waiting clients in the backlog for a moment, since the system has no room for them.
  private func pause(_ error: Errno, in epoll: borrowing Epoll) {
    guard resumesAt == nil else { return }
    Log.warning("clients are not accepted for the moment", ["error": "\(error)"])
    do throws(Errno) { try epoll.modify(listener, token: token, []) } catch { return }
    resumesAt = MonotonicClock.now() + SessionContract.acceptPause
  }
}
