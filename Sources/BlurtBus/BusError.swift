package import BlurtOS

/// Why a bus, or somebody on it, cannot be asked, by what the caller does about it.
package enum BusError: Error, Hashable, Sendable {
  /// libsystemd is not there, or is none that is known; the loader's words.
  case noLibrary(String)
  /// The bus does not take the connection.
  case noBus(Errno)
  /// The connection that was there is gone.
  case connectionLost(Errno)
  /// Nobody on the bus has the name that was called.
  case absent
  /// A call was refused; the call and the words of the refusal.
  case refused(call: String, String)
  /// A call was not answered in time.
  case unanswered(call: String)
  /// The owner wants the thread back. Never thrown by a connection itself.
  case stopped
}
