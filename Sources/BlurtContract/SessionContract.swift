/// Every number that the daemon and its clients must agree on (S-107…S-119), and those of the socket.
///
/// Durations and sizes only; nothing here has a state. One test pins each value literally, so that the two processes
/// cannot drift apart unseen.
package enum SessionContract {
  // MARK: Protocol

  /// The number of the wire protocol. Additions keep it; a removal or a changed meaning raises it.
  package static let protocolNumber = 1

  /// What this version of the daemon can do beyond the commands of protocol 1, as `status` lists it.
  package static let capabilities = [
    "apiKey", "cancelRecording", "devices", "discard", "doctor", "edit", "keys", "last", "lease", "leaseMs", "levels",
    "listening", "playSound", "presence", "pressContext", "recent", "reset", "results", "retry", "retryEngine", "set",
    "setKey", "settings", "sounds", "spool", "toggle", "transcribe", "transcribeEngine", "unset", "wait", "watch",
  ]

  // MARK: Readiness and ownership

  /// S-107: a readiness record older than this says nothing.
  package static let readinessLease: Duration = .seconds(15)
  /// S-108: how often the record is renewed while it must be.
  package static let readinessHeartbeat: Duration = .seconds(5)
  /// S-109: how long a client waits for the answer to a press.
  package static let pressHandshakeTimeout: Duration = .milliseconds(1200)
  /// S-110: a dead owner's dictation is released within this.
  package static let deadOwnerRelease: Duration = .seconds(10)
  /// S-133: how long a vanished owner is waited for before its dictation is released.
  package static let deadOwnerGrace: Duration = .seconds(2)
  /// S-132: the silence after which a lease that promised a heartbeat is over may be set within these. The upper end is
  /// S-110's.
  package static let leaseHeartbeat: ClosedRange<Duration> = .milliseconds(500) ... .seconds(10)
  /// How many ended dictations a `wait` can still ask for.
  package static let rememberedOutcomeCount = 32
  /// S-111: the longest time a start of the daemon may keep the user away from their window.
  package static let hopReturnCap: Duration = .milliseconds(1500)
  /// S-112: how often a client on screen renews its presence.
  package static let presenceHeartbeat: Duration = .seconds(4)
  /// S-112: a presence older than this is stale.
  package static let presenceFreshness: Duration = .seconds(15)
  /// S-113: a command older than this is not acted on.
  package static let commandFreshness: Duration = .seconds(10)
  /// S-113: when a client without an answer repeats a command, once, with the same id.
  package static let commandResignal: Duration = .milliseconds(600)
  /// S-114: a client takes a delivered result within this, else it stays on the clipboard.
  package static let resultTakeLimit: Duration = .seconds(3)
  /// S-114: how often a client that must poll looks for its result.
  package static let resultPollInterval: Duration = .milliseconds(250)

  // MARK: Presentation

  /// S-115: levels reach a watcher at most this often.
  package static let levelInterval: Duration = .milliseconds(80)
  /// S-116: how long a touch lasts before it counts as a press.
  package static let pressDelay: Duration = .milliseconds(90)
  /// S-117: how long a client shows that text was inserted.
  package static let pastedNoticeDwell: Duration = .milliseconds(1200)
  /// S-117: how long a client shows that text was copied, or an error.
  package static let otherNoticeDwell: Duration = .seconds(2)
  /// S-118: how long the daemon stays ready after the last word; zero means that it never closes.
  package static let listeningWindow: Duration = .seconds(15 * 60)

  // MARK: The socket

  /// S-146: the longest line a client may send, without its newline.
  package static let longestRequestLine = 64 * 1024
  /// The longest line a client reads. A reply may carry a whole text, so it is larger than a request.
  package static let longestReplyLine = 4 * 1024 * 1024
  /// The longest `id` of a request, in UTF-8 bytes. It is sent back with every answer and kept for repeats.
  package static let longestIdentifier = 128
  /// The deepest nesting of arrays and objects that a reader follows; it bounds the reader's stack.
  package static let deepestNesting = 32
  /// S-127: how many answers of a connection are kept for repeated ids.
  package static let rememberedAckCount = 64
  /// S-127: how many bytes the kept answers of a connection may take; the oldest go first.
  package static let rememberedAckByteCount = 256 * 1024
  /// How many unanswered commands a connection may have.
  package static let outstandingCommandCount = 64
  /// S-126: how much earlier than the client's own limit a press expires in the daemon, so that an answer sent at
  /// the last moment still arrives.
  package static let pressDeadlineMargin: Duration = .milliseconds(200)
  /// A client that has this many bytes waiting for it is dropped.
  package static let slowClientByteCount = 4 * 1024 * 1024
  /// A client that takes nothing for this long, while something waits for it, is dropped.
  package static let slowClientPatience: Duration = .seconds(10)
  /// How long no connection is accepted after the system refused one for want of memory or descriptors.
  package static let acceptPause: Duration = .milliseconds(100)
}
