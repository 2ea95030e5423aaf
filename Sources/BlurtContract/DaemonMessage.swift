/// One line of the daemon, as a client reads it.
package enum DaemonMessage: Hashable, Sendable {
  case ack(CommandAck)
  case event(SessionEvent)
  case error(WireError)
  /// Something that only a newer daemon knows; to be skipped.
  case unknown
}
