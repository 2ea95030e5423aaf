internal import BlurtContract
internal import BlurtOS

/// What the server grants its clients.
package struct ServerLimits: Hashable, Sendable {
  /// How many descriptors clients leave to the rest of the daemon: devices, display, network, spool.
  package static let reservedDescriptorCount = 64

  /// How many clients may be connected at once.
  package var clientCount: Int
  /// A client with this many bytes waiting is dropped.
  package var slowClientByteCount: Int
  /// A client that takes nothing for this long is dropped.
  package var slowClientPatience: Duration
  /// How often the heartbeat comes while it is needed.
  package var heartbeat: Duration

  /// As the contract says, under this process's limit of descriptors.
  package init(
    clientCount: Int = clientCount(descriptors: DescriptorLimit.current),
    slowClientByteCount: Int = SessionContract.slowClientByteCount,
    slowClientPatience: Duration = SessionContract.slowClientPatience,
    heartbeat: Duration = SessionContract.readinessHeartbeat
  ) {
    self.clientCount = clientCount
    self.slowClientByteCount = slowClientByteCount
    self.slowClientPatience = slowClientPatience
    self.heartbeat = heartbeat
  }

  /// How many clients fit under a limit of descriptors: all but the reserve, and at least a quarter.
  package static func clientCount(descriptors: Int) -> Int {
    max(descriptors - reservedDescriptorCount, descriptors / 4, 1)
  }
}
