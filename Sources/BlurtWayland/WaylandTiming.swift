/// Every duration and size of pasting under Wayland, in one place so that tests can shrink them.
package struct WaylandTiming: Sendable, Hashable {
  /// The old clipboard never comes back sooner after the keys. Wayland does not tell who reads: a history that reads late
  /// must not be taken for the target, which may be slower (B-54).
  package var settleFloor: Duration
  /// The old clipboard comes back when nobody has read anything further for so long.
  package var quietAfterRead: Duration
  /// A text that nobody has read after so long stays on the clipboard.
  package var neverRead: Duration
  /// How long the next insert waits for a target that has not read the former text yet (C-35).
  package var takeover: Duration
  /// C-40.
  package var activation: Duration
  /// C-40: how often the compositor is asked meanwhile.
  package var activationPoll: Duration
  /// C-74: for the old clipboard as a whole; longer than there, since up to four programs have to start for it.
  package var snapshot: Duration
  /// C-74: bytes of the old clipboard.
  package var snapshotByteLimit: Int
  /// How long the user's own modifiers are waited for.
  package var modifierWait: Duration
  /// How long one helper program may take, and the look that tells that the text is on the clipboard.
  package var program: Duration
  /// How long the compositor may take to answer a question over its socket.
  package var question: Duration
  /// The same for each of the two questions of a press, which waits for them.
  package var focusBudget: Duration

  package static let standard = WaylandTiming(
    settleFloor: .seconds(2), quietAfterRead: .milliseconds(200), neverRead: .seconds(8), takeover: .seconds(2),
    activation: .milliseconds(350), activationPoll: .milliseconds(10), snapshot: .seconds(2),
    snapshotByteLimit: 64 << 20, modifierWait: .seconds(1), program: .seconds(5), question: .seconds(2),
    focusBudget: .milliseconds(250))
}
