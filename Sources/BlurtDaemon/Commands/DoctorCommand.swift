package import BlurtContract
package import BlurtIPC

/// `doctor`: how each link of the chain stands. The answer takes as long as its slowest probe.
package struct DoctorCommand: CommandService {
  private let doctor: Doctor

  package init(_ doctor: Doctor) { self.doctor = doctor }

  package func handle(
    _ command: ClientCommand, from client: ClientIdentity, reply: @escaping @Sendable (CommandAck) -> Void
  ) {
    guard case .doctor(let record) = command.action else { return reply(command.ack(.failed, reason: .badRequest)) }
    Task.detached { [doctor] in
      var ack = command.ack(.done)
      ack.checks = await doctor.examine(record: record)
      reply(ack)
    }
  }
}
