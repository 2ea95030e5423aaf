/// What the ledger of a session has settled and others are still to be told.
enum SessionNews: Sendable {
  /// A command has its place in the queue.
  case command(CommandTicket)
  /// The phase has changed.
  case phase(PhaseChange)
  /// Somebody observes from here on, beginning with the phase that was present then.
  case observer(PhaseObserver, present: PhaseChange)
}
