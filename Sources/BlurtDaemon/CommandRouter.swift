package import BlurtContract
package import BlurtEngine
package import BlurtIPC
internal import BlurtOS

/// Turns commands of the socket into commands of the session, and decisions into answers (S-123…S-130, H-82, H-83).
///
/// `handle` runs on the server's thread and submits from there, so one client's commands keep their order. Whatever ends
/// a dictation is meant for those that its client may end at that moment, by their numbers: one that another client, or
/// the key, begins meanwhile cannot be hit.
package final class CommandRouter: ControlHandler {
  private let session: DictationSession
  private let services: [ClientCommand.Name: any CommandService]
  private let owners: OwnershipTable
  private let presence: PresenceBoard
  private let listening: ListeningControl?

  /// `services` carry out what is no command of the session, each under its name on the wire. `listening` says whether
  /// presses are answered; nil: always.
  package init(
    session: DictationSession, services: [ClientCommand.Name: any CommandService],
    owners: OwnershipTable = OwnershipTable(), presence: PresenceBoard = PresenceBoard(),
    listening: ListeningControl? = nil
  ) {
    self.session = session
    self.services = services
    self.owners = owners
    self.presence = presence
    self.listening = listening
  }

  package func handle(
    _ command: ClientCommand, from client: ClientIdentity, reply: @escaping @Sendable (CommandAck) -> Void
  ) {
    switch command.action {
    case .press(let key, let lease, let context):
      press(command, key: key, lease: lease, field: context.map(EventTranslation.field), from: client, reply: reply)
    case .release: act(.release, for: command, from: client, otherwise: Self.nothingRecorded, reply: reply)
    case .cancel: act(.cancel, for: command, from: client, otherwise: "There is nothing to cancel.", reply: reply)
    case .cancelRecording:
      act(.cancelRecording, for: command, from: client, otherwise: Self.nothingRecorded, reply: reply)
    case .toggle: toggle(command, from: client, reply: reply)
    case .watch, .wait, .presence, .status, .last, .recent, .transcribe, .spool, .retry, .discard, .settings, .set,
      .unset, .reset, .keys, .setKey, .edit, .devices, .sounds, .playSound, .apiKey, .setApiKey, .clearApiKey, .doctor:
      guard let service = services[command.action.name] else {
        return reply(command.ack(.failed, reason: .unknownCommand, message: FailureReason.unknownCommand.text))
      }
      service.handle(command, from: client, reply: reply)
    }
  }

  /// S-132: the end of a lease ends its dictation with a release, never a cancel: the words are kept.
  package func leaseEnded(_ client: ClientIdentity) {
    for dictation in owners.update({ $0.leaseEnded(client.connection) }) { release(dictation) }
  }

  package func clientGone(_ client: ClientIdentity) {
    presence.gone(client)
    for dictation in owners.update({ $0.gone(client.connection) }) { release(dictation) }
  }

  /// Waits behind a press that is not decided yet, and finds nothing to do where that one was not accepted.
  private func release(_ dictation: UInt64) {
    session.submit(.release, target: dictation) { decision in
      guard decision == .done else { return }
      Log.notice("the owner of a dictation has gone; it is released", ["dictation": "\(dictation)"])
    }
  }

  package func connectionClosed(_ client: ClientIdentity) {
    for service in services.values { service.connectionClosed(client) }
  }

  // MARK: Press

  private func press(
    _ command: ClientCommand, key: Int?, lease: Lease, field: FocusedFieldContext?, from client: ClientIdentity,
    reply: @escaping @Sendable (CommandAck) -> Void
  ) {
    guard let listening else {
      return submitPress(command, key: key, lease: lease, field: field, from: client, reply: reply)
    }
    listening.answerPress { refusal in
      if let refusal { return reply(command.ack(.notListening, reason: refusal, message: refusal.text)) }
      submitPress(command, key: key, lease: lease, field: field, from: client, reply: reply)
    }
  }

  private func submitPress(
    _ command: ClientCommand, key: Int?, lease: Lease, field: FocusedFieldContext?, from client: ClientIdentity,
    reply: @escaping @Sendable (CommandAck) -> Void
  ) {
    let present = session.phaseChange.dictation
    let press = owners.update { $0.began(lease, by: client, present: present) }
    let settled: @Sendable (CommandDecision, UInt64) -> Void = { [session, owners] decision, number in
      owners.update { $0.decided(press, isAccepted: decision == .started) }
      let current = session.phaseChange
      switch decision {
      case .started: reply(command.ack(.started, dictation: number))
      case .busy: reply(command.ack(.busy, dictation: current.dictation, phase: EventTranslation.phase(current.phase)))
      case .refused(let error):
        var ack = command.ack(
          .notListening, reason: EventTranslation.reason(error), message: EventTranslation.sentence(refusal: error),
          dictation: number, errorKind: error.diagnosticName)
        ack.errorCause = error.cause?.rawValue
        reply(ack)
      case .done, .ignored: reply(command.ack(.ignored))
      }
    }
    let number = session.submit(.press(key: key, field: field), settled: settled)
    owners.update { $0.numbered(press, dictation: number) }
    if let command = listening?.retraction { session.submit(command, target: number) }
  }

  // MARK: Release and cancel

  private static let nothingRecorded = "Nothing is being recorded."
  private static let notOwner = "Another client owns the dictation: end it there, or bring this client to the front."

  private func act(
    _ action: SessionCommand, for command: ClientCommand, from client: ClientIdentity, otherwise message: String,
    reply: @escaping @Sendable (CommandAck) -> Void
  ) {
    // Presses without a decision first: what is decided in between shows in the phase.
    let undecided = owners.update { $0.undecided }
    let current = session.phaseChange
    let live = current.phase.isTerminal ? nil : current.dictation
    let known = (live.map { [$0] } ?? []) + undecided.filter { $0 > current.dictation ?? 0 }
    let screen = presence.screen(of: client)
    let targets = owners.update { owners in
      known.filter { owners.allows(client, onDictationOf: owners.owner(of: $0), screen: screen) }
    }
    if !known.isEmpty && targets.isEmpty {
      return reply(command.ack(.notOwner, message: Self.notOwner, dictation: live))
    }
    if known.isEmpty {
      // At rest. The key's press may stand in the queue already, so the session is asked, by one who may end that.
      guard owners.update({ $0.allows(client, onDictationOf: .key, screen: screen) }) else {
        return reply(command.ack(.ignored, message: message))
      }
      session.submit(action) { [session] decision in
        let isDone = decision == .done
        reply(
          command.ack(
            isDone ? .done : .ignored, message: isDone ? nil : message,
            dictation: isDone ? session.phaseChange.dictation : nil))
      }
      return
    }
    let votes = ActVotes(count: targets.count)
    for target in targets {
      session.submit(action, target: target) { decision in
        switch votes.take(target, isDone: decision == .done) {
        case .done(let dictation)?: reply(command.ack(.done, dictation: dictation))
        case .ignored?: reply(command.ack(.ignored, message: message))
        case nil: break
        }
      }
    }
  }

  /// H-82: decided here, never from a client's reading of the phase.
  private func toggle(
    _ command: ClientCommand, from client: ClientIdentity, reply: @escaping @Sendable (CommandAck) -> Void
  ) {
    let current = session.phaseChange
    if current.phase.isTerminal {
      press(command, key: nil, lease: .none, field: nil, from: client, reply: reply)
    } else if current.phase.isCapturing {
      act(.release, for: command, from: client, otherwise: Self.nothingRecorded, reply: reply)
    } else {
      reply(command.ack(.busy, dictation: current.dictation, phase: EventTranslation.phase(current.phase)))
    }
  }
}
