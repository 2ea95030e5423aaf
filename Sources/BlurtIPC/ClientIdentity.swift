/// One connection, and the process behind it by the kernel's word (S-133).
package struct ClientIdentity: Hashable, Sendable {
  /// Unique for the life of the server.
  package let connection: UInt64
  package let processID: Int32
  package let userID: UInt32

  package init(connection: UInt64, processID: Int32, userID: UInt32) {
    self.connection = connection
    self.processID = processID
    self.userID = userID
  }
}
