internal import BlurtBus
internal import BlurtOS

/// logind's promise to wait a moment before the machine sleeps; given back when this goes.
struct SleepHold: ~Copyable {
  private let descriptor: FileDescriptor

  init(_ bus: borrowing BusConnection, _ reader: LogindReader) throws(BusError) {
    let reply = try reader.call(
      bus, "/org/freedesktop/login1", LogindReader.manager, "Inhibit",
      [.string("sleep"), .string("Blurt"), .string("A recording is closed and kept before sleep"), .string("delay")])
    guard let descriptor = reply.descriptor() else { throw .refused(call: "Inhibit", "no descriptor came") }
    self.descriptor = descriptor
  }
}
