package import BlurtContract
package import BlurtIPC
internal import BlurtOS

/// `devices`: what can be recorded from. Nothing is opened.
///
/// libasound and `pactl` are asked on a thread that lives only while there is something to do.
package struct DevicesCommand: CommandService {
  private let list: DeviceList
  private let worker = SerialWorker(name: "blurt-devices")

  package init(_ list: DeviceList) { self.list = list }

  package func handle(
    _ command: ClientCommand, from client: ClientIdentity, reply: @escaping @Sendable (CommandAck) -> Void
  ) {
    worker.submit { [list] in
      var ack = command.ack(.done)
      ack.devices = list.entries()
      reply(ack)
    }
  }
}
