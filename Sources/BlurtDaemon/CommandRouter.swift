package import BlurtContract
package import BlurtEngine
package import BlurtIPC
internal import BlurtOS
internal import Synchronization

/// Turns commands of the socket into commands of the session, and decisions into answers (S-123…S-128, H-82, H-83).
///
/// `handle` runs on the server's thread and submits from there, so one client's commands keep their order.
package final class CommandRouter: ControlHandler {
  /// What a leased press is waiting for (S-132).
  private struct LeasedPress {
    let connection: UInt64
    /// The number of the press; nil until it is known.
    var dictation: UInt64?
    /// Whether the press was accepted.
    var isStarted = false
    /// Whether the client has gone.
    var ownerIsGone = false
  }

  /// One for each leased press: a second press that is busy takes nothing from the first (S-125).
  private struct Leases {
    var open: [UInt64: LeasedPress] = [:]
    private var last: UInt64 = 0

    mutating func add(_ connection: UInt64) -> UInt64 {
      last += 1
      open[last] = LeasedPress(connection: connection)
      return last
    }
  }

  private let session: DictationSession
  private let services: [ClientCommand.Name: any CommandService]
  private let leases = Mutex(Leases())

  /// `services` carry out what is no command of the session, each under its name on the wire.
  package init(session: DictationSession, services: [ClientCommand.Name: any CommandService]) {
    self.session = session
    self.services = services
  }

  package func handle(
    _ command: ClientCommand, from client: ClientIdentity, reply: @escaping @Sendable (CommandAck) -> Void
  ) {
    switch command.action {
    case .press(let key, let lease): press(command, key: key, lease: lease, from: client, reply: reply)
    case .release: act(.release, for: command, otherwise: Self.nothingRecorded, reply: reply)
    case .cancel: act(.cancel, for: command, otherwise: "There is nothing to cancel.", reply: reply)
    case .cancelRecording: act(.cancelRecording, for: command, otherwise: Self.nothingRecorded, reply: reply)
    case .toggle: toggle(command, from: client, reply: reply)
    case .watch, .wait, .presence, .status, .last, .recent, .transcribe, .spool, .retry, .discard, .settings, .set,
      .unset, .reset, .doctor:
      guard let service = services[command.action.name] else {
        return reply(command.ack(.failed, reason: .unknownCommand, message: FailureReason.unknownCommand.text))
      }
      service.handle(command, from: client, reply: reply)
    }
  }

  /// S-132: a leased owner's death ends its dictation with a release, never a cancel: the words are kept.
  package func clientGone(_ client: ClientIdentity) {
    let started = leases.withLock { leases -> [LeasedPress] in
      var started: [LeasedPress] = []
      for (id, lease) in leases.open where lease.connection == client.connection {
        if lease.isStarted {
          leases.open[id] = nil
          started.append(lease)
        } else {
          // Stays until it is decided: releasing now could hit somebody else's recording.
          leases.open[id]?.ownerIsGone = true
        }
      }
      return started
    }
    for lease in started { release(lease) }
  }

  package func connectionClosed(_ client: ClientIdentity) {
    for service in services.values { service.connectionClosed(client) }
  }

  private func press(
    _ command: ClientCommand, key: Int?, lease: Lease, from client: ClientIdentity,
    reply: @escaping @Sendable (CommandAck) -> Void
  ) {
    let lease = lease == .none ? nil : leases.withLock { $0.add(client.connection) }
    let number = session.submit(.press(key: key)) { [weak self, session] decision in
      if let lease { self?.decided(decision, lease: lease) }
      let current = session.phaseChange
      switch decision {
      case .started: reply(command.ack(.started, dictation: current.dictation))
      case .busy: reply(command.ack(.busy, dictation: current.dictation, phase: EventTranslation.phase(current.phase)))
      case .refused(let error):
        reply(
          command.ack(
            .notListening, reason: EventTranslation.reason(error), message: EventTranslation.sentence(refusal: error),
            errorKind: error.diagnosticName))
      case .done, .ignored: reply(command.ack(.ignored))
      }
    }
    if let lease {
      let orphan = leases.withLock { leases -> LeasedPress? in
        leases.open[lease]?.dictation = number
        guard let found = leases.open[lease], found.isStarted, found.ownerIsGone else { return nil }
        leases.open[lease] = nil
        return found
      }
      if let orphan { release(orphan) }
    }
  }

  private func decided(_ decision: CommandDecision, lease id: UInt64) {
    let orphan = leases.withLock { leases -> LeasedPress? in
      guard decision == .started, var lease = leases.open[id] else {
        leases.open[id] = nil
        return nil
      }
      lease.isStarted = true
      // What the same client had started before has ended, or this press would be busy.
      leases.open = leases.open.filter { $0.value.connection != lease.connection || !$0.value.isStarted }
      guard lease.ownerIsGone, lease.dictation != nil else {
        leases.open[id] = lease
        return nil
      }
      leases.open[id] = nil
      return lease
    }
    if let orphan { release(orphan) }
  }

  private func release(_ lease: LeasedPress) {
    let current = session.phaseChange
    guard current.dictation == lease.dictation, !current.phase.isTerminal else { return }
    Log.notice("the owner of a dictation has gone; it is released", ["dictation": "\(lease.dictation ?? 0)"])
    session.submit(.release)
  }

  private static let nothingRecorded = "Nothing is being recorded."

  private func act(
    _ session: SessionCommand, for command: ClientCommand, otherwise message: String,
    reply: @escaping @Sendable (CommandAck) -> Void
  ) {
    // Before the command: a cancel that took effect leaves the number as it was, but a later press would not.
    let dictation = self.session.phaseChange.dictation
    self.session.submit(session) { decision in
      switch decision {
      case .done, .started: reply(command.ack(.done, dictation: dictation))
      case .ignored, .busy, .refused: reply(command.ack(.ignored, message: message))
      }
    }
  }

  /// H-82: decided here, never from a client's reading of the phase.
  private func toggle(
    _ command: ClientCommand, from client: ClientIdentity, reply: @escaping @Sendable (CommandAck) -> Void
  ) {
    let current = session.phaseChange
    if current.phase.isTerminal {
      press(command, key: nil, lease: .none, from: client, reply: reply)
    } else if current.phase.isCapturing {
      act(.release, for: command, otherwise: Self.nothingRecorded, reply: reply)
    } else {
      reply(command.ack(.busy, dictation: current.dictation, phase: EventTranslation.phase(current.phase)))
    }
  }
}
