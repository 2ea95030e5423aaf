internal import BlurtOS

/// Why logind cannot be asked, by what the caller does about it.
enum SeatError: Error, Hashable, Sendable {
  /// libsystemd is not there, or is none that is known; the loader's words.
  case noLibrary(String)
  /// The system bus does not take the connection.
  case noBus(Errno)
  /// The connection that was there is gone.
  case connectionLost(Errno)
  /// Nobody on the bus is logind.
  case noLogind
  /// logind refused a call, or did not answer it in time; the call and the words of the refusal.
  case refused(call: String, String)
  /// The owner wants the thread back.
  case stopped
}
