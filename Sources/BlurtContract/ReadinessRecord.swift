/// What the daemon has written down of its listening window, for readers that do not ask it (S-120…S-122).
///
/// One JSON object in `$XDG_RUNTIME_DIR/blurt/readiness.json`, replaced as a whole by its one writer.
package struct ReadinessRecord: Hashable, Sendable {
  package var state: ListeningState
  /// Why it does not listen.
  package var reason: FailureReason?
  package var generation: UInt64
  /// When it was written, on the boot-time clock: sleep ages it.
  package var publishedAt: Duration
  /// The writer.
  package var processID: Int

  package init(
    state: ListeningState, reason: FailureReason? = nil, generation: UInt64, publishedAt: Duration, processID: Int
  ) {
    self.state = state
    self.reason = reason
    self.generation = generation
    self.publishedAt = publishedAt
    self.processID = processID
  }

  /// S-121: whether a press would be answered, as far as the record can tell at that time of the boot-time clock.
  ///
  /// A record older than its lease is true only while its writer holds the daemon's lock, which the kernel drops at its
  /// death. One from the future belongs to an earlier boot.
  package func isListening(at sinceBoot: Duration, lockIsHeld: Bool) -> Bool {
    guard state == .open else { return false }
    let age = sinceBoot - publishedAt
    if lockIsHeld { return true }
    return age >= .zero && age <= SessionContract.readinessLease
  }

  /// The file's contents, one line.
  package var line: [UInt8] {
    var members: JSONObject = ["state": .string(state.rawValue)]
    members.set("reason", reason?.rawValue)
    members.set("generation", generation)
    members.set("publishedAtMs", publishedAt.wholeMilliseconds)
    members.set("processID", processID)
    return MessageCoder.encode(.object(members))
  }

  /// Reads the file's contents; nil for anything that is not a record.
  package init?(line: [UInt8]) {
    do {
      let bytes = line.last == UInt8(ascii: "\n") ? Array(line.dropLast()) : line
      guard case .object(let members) = try JSONReader.read(bytes) else { return nil }
      let fields = WireObject(members)
      guard let state = try fields.string("state").flatMap({ ListeningState(rawValue: $0) }),
        let published = try fields.integer("publishedAtMs"), let process = try fields.count("processID")
      else { return nil }
      self.init(
        state: state, reason: try fields.string("reason").map { FailureReason(wire: $0) },
        generation: try fields.count("generation") ?? 0, publishedAt: .milliseconds(published),
        processID: Int(clamping: process))
    } catch {
      return nil
    }
  }
}
